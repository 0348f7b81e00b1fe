"""What the doctor finds: every line, and for each missing piece what is lost and how to get it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.orch import Left, run_orch
from tests.support.planned import Task, make_repository, planned


def program(folder: Path, name: str, text: str = "#!/bin/sh\nexit 0\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for PATH with git in it, and no agent program."""
    git = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    program(tmp_path / "bin", "git", f'#!/bin/sh\nexec {git} "$@"\n')
    return tmp_path / "bin"


def doctor(folder: Path, tools: Path, *words: str, **env: str) -> Left:
    return run_orch(folder, "doctor", *words, env={"PATH": str(tools), **env})


def lines(left: Left) -> list[str]:
    """Standard output, numbers and the run folder apart."""
    text = re.sub(r"\d+ MiB", "N MiB", re.sub(r"git: \d+(\.\d+)+", "git: V", left.out))
    text = re.sub(r"identity: .*", "identity: WHO", text)
    text = re.sub(r"sandbox: (could be had: sandbox: on in planning/ORCH.md|none here: .*)", "sandbox: HOLDS", text)
    return re.sub(r"run folder: /.*?(, made at the first run)?$", r"run folder: PLACE\1", text, flags=re.M).split("\n")


def test_a_repository_that_has_all_but_a_remote_and_an_agent(tmp_path: Path, tools: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a",))])
    left = doctor(folder, tools)
    assert left.code == 0, left
    assert lines(left) == [
        "ok       git: V",
        "ok       identity: WHO",
        "ok       hooks: no commit hook: landings are made in memory",
        "degraded remote: none",
        "         nothing has a copy elsewhere; orch itself never pushes",
        "         to get it: git remote add origin URL",
        "ok       drivers: claude, codex, command, copilot, gemini, manual, opencode, qwen, scripted",
        "ok       worker small: driver scripted",
        "degraded agents: no agent program on PATH",
        "         workers have to be programs of yours, or turns that a session gives out (driver manual)",
        "         to get it: install one of claude, codex, copilot, gemini, opencode, qwen",
        "absent   agent: claude: claude isn't on PATH",
        "         to get it: npm install -g @anthropic-ai/claude-code@latest",
        "absent   agent: codex: codex isn't on PATH",
        "         to get it: npm install -g @openai/codex@latest",
        "absent   agent: copilot: copilot isn't on PATH",
        "         to get it: npm install -g @github/copilot@latest",
        "absent   agent: gemini: gemini isn't on PATH",
        "         to get it: npm install -g @google/gemini-cli@latest",
        "absent   agent: opencode: opencode isn't on PATH",
        "         to get it: npm install -g opencode-ai@latest",
        "absent   agent: qwen: qwen isn't on PATH",
        "         to get it: npm install -g @qwen-code/qwen-code@latest",
        "ok       disk: N MiB free for the checkout",
        "ok       disk: N MiB free for the run folder",
        "ok       sandbox: HOLDS",
        "ok       run folder: PLACE, made at the first run",
        "next: orch check",
        "",
    ]


def test_what_is_there_is_named(tmp_path: Path, tools: Path) -> None:
    worker = "small: {driver: command, plan: [my-agent, --plan], execute: [my-agent], model: m1}"
    folder = planned(tmp_path / "repo", [Task("1", ("a",))], worker=worker)
    program(folder / ".git" / "hooks", "pre-commit")
    subprocess.run(["git", "remote", "add", "origin", "x"], cwd=folder, check=True)
    program(tools, "my-agent")
    program(tools, "codex")
    left = doctor(folder, tools)
    assert left.code == 0, left
    assert f"hooks: pre-commit in {folder}/.git/hooks: each landing is a real commit" in left.out
    assert "\nok       remote: origin\n" in left.out
    assert "\nok       worker small: driver command, model m1\n" in left.out
    assert f"\nok       agent: codex, {tools}/codex\nabsent   agent: copilot" in left.out


def npm_installed(folder: Path, tools: Path, name: str, version: str) -> None:
    """The program as npm installs it: a link into a package that tells its version."""
    package = folder / "lib" / "node_modules" / "@some" / name
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text(f'{{"name": "@some/{name}", "version": "{version}"}}')
    (tools / name).symlink_to(program(package / "bin", f"{name}.js"))


def test_every_agent_program_that_is_there_is_told_with_its_version_and_place(tmp_path: Path, tools: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a",))], worker="small: {driver: claude, model: haiku}")
    for name, version in (("claude", "2.1.332"), ("codex", "0.171.0"), ("gemini", "0.61.0-nightly.1")):
        npm_installed(tmp_path, tools, name, version)
    left = doctor(folder, tools)
    assert left.code == 0, left
    assert f"\nok       worker small: driver claude 2.1.332, {tools}/claude, model haiku\n" in left.out
    agents = [line for line in left.out.split("\n") if line.startswith("ok       agent: ")]
    assert agents == [
        f"ok       agent: claude 2.1.332, {tools}/claude",
        f"ok       agent: codex 0.171.0, {tools}/codex",
        f"ok       agent: gemini 0.61.0-nightly.1, {tools}/gemini",
    ]


def test_a_worker_whose_agent_program_is_not_there_is_told_how_to_get_it(tmp_path: Path, tools: Path) -> None:
    worker = "small: {driver: codex}\n  mid: {driver: claude, program: tools/claude}"
    folder = planned(tmp_path / "repo", [Task("1", ("a",))], worker=worker)
    left = doctor(folder, tools)
    assert left.code == 1, left
    assert (
        "missing  worker small: driver codex: codex isn't on PATH\n         tasks of the tier small can't be started\n"
        "         to get it: npm install -g @openai/codex@latest\n"
    ) in left.out
    assert "missing  worker mid: driver claude: tools/claude isn't there\n" in left.out


def test_what_is_missing_is_told_with_what_is_lost_and_exits_1(tmp_path: Path, tools: Path) -> None:
    worker = "small: {driver: command, plan: [my-agent], execute: [my-agent]}\n  mid: {driver: nope}"
    folder = planned(tmp_path / "repo", [Task("1", ("a",))], worker=worker)
    nobody = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "config", "user.useConfigOnly", "true"], cwd=folder, check=True)
    left = doctor(folder, tools, **nobody)
    assert left.code == 1, left
    assert (
        "missing  identity: git doesn't know who commits\n         nothing can land\n"
        '         to get it: git config user.name "…" && git config user.email "…"\n'
    ) in left.out
    assert (
        "missing  worker small: driver command: my-agent isn't on PATH\n"
        "         tasks of the tier small can't be started\n"
        "         to get it: install it, or mend planning/ORCH.md\n"
    ) in left.out
    assert 'missing  worker mid: there is no driver "nope"\n' in left.out
    document = doctor(folder, tools, "--json", **nobody).document
    checks = document["checks"]
    assert isinstance(checks, list)
    assert [one["name"] for one in checks if one["status"] == "missing"][-2:] == ["worker small", "worker mid"]
    assert (document["outcome"], document["next"]) == ("fix", "orch doctor")


def test_without_settings_the_worker_is_what_is_missing(tmp_path: Path, tools: Path) -> None:
    left = doctor(make_repository(tmp_path / "repo"), tools)
    assert left.code == 1
    assert (
        "missing  workers: no worker is configured\n         no task can be started\n"
        "         to get it: add to the front matter of planning/ORCH.md: workers: {small: {driver: manual}}\n"
    ) in left.out


def test_without_git_it_says_so_and_goes_on(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a",))])
    (tmp_path / "empty").mkdir()
    left = doctor(folder, tmp_path / "empty")
    assert left.code == 1, left
    assert left.out.startswith("missing  git: git isn't installed, or isn't on PATH\n")
    assert "to get it: install git 2.38 or newer" in left.out
    assert "\nok       worker small: driver scripted\n" in left.out


def test_it_changes_nothing(tmp_path: Path, tools: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a",))])
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert doctor(folder, tools).code == 0
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()} == before
