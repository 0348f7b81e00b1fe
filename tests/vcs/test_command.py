"""One git command: what it inherits, what it can't be made to do, how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.errors import ToolError
from orchestrator.vcs.command import Git, decode, encode, z_input
from orchestrator.vcs.environment import scrub
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo

KEPT = (
    *("GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"),
    *("GIT_SSH_COMMAND", "HOME"),
)


def test_scrubbing_removes_what_a_hook_or_alias_leaves_and_keeps_who_commits() -> None:
    environ = {
        "GIT_DIR": "/victim/.git",
        "GIT_INDEX_FILE": "/victim/.git/index",
        "GIT_CONFIG_PARAMETERS": "'core.pager'='evil'",
        "GIT_EXTERNAL_DIFF": "evil",
        "GIT_AUTHOR_DATE": "2001-01-01",
        "GIT_AUTHOR_NAME": "Ana",
        "GIT_CONFIG_GLOBAL": "/home/ana/gitconfig",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_SSH_COMMAND": "ssh -i key",
        "HOME": "/home/ana",
    }
    kept = {name: value for name, value in environ.items() if name in KEPT}
    gone = scrub(environ)
    assert gone == (
        "GIT_AUTHOR_DATE",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_INDEX_FILE",
    )
    assert environ == kept


def test_variables_of_a_calling_hook_do_not_reach_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = GitRepo.create(tmp_path / "victim")
    main = GitRepo.create(tmp_path / "main", {"a.txt": "a\n"})
    monkeypatch.setenv("GIT_DIR", str(victim.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(victim.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(victim.path / ".git" / "index"))
    repository = Repository.open(main.path)
    assert (repository.root, repository.paths_at("HEAD")) == (main.path, frozenset({"a.txt"}))
    assert "GIT_DIR" not in os.environ


def test_output_is_exact_and_input_may_be_large(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    command = Git(str(repo.path))
    raw = bytes(range(256)) * 20_000
    object_id = command.run("hash-object", "-w", "--stdin", input=raw).text
    assert command.run("cat-file", "blob", object_id).out == raw


def test_fields_keep_names_that_are_no_text() -> None:
    assert (decode(b"caf\xe9"), encode(decode(b"caf\xe9"))) == ("caf\udce9", b"caf\xe9")
    assert z_input(["a\nb", "é"]) == b"a\nb\0\xc3\xa9\0"


def test_a_failure_carries_gits_own_words(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    with pytest.raises(ToolError) as caught:
        Git(str(repo.path)).run("rev-parse", "--verify", "nothing")
    error = caught.value
    assert (error.message, error.status) == ("git rev-parse failed: fatal: Needed a single revision", 128)
    assert error.argv == ("git", "rev-parse", "--verify", "nothing")
    assert Git(str(repo.path)).run("rev-parse", "--verify", "nothing", ok=None).status == 128


def test_a_folder_that_is_gone_is_an_error_and_not_the_folder_we_are_in(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot change to"):
        Git(str(tmp_path / "gone")).run("status")


def test_messages_are_english_whatever_the_locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    assert "not a git repository" in Git(str(tmp_path)).run("status", ok=None).err


def with_alias(tmp_path: Path, script: str) -> Git:
    repo = GitRepo.create(tmp_path / "repo")
    repo.git("config", "alias.slow", f"!{script}")
    return Git(str(repo.path))


def test_a_command_is_ended_at_its_time_limit_with_everything_it_started(tmp_path: Path) -> None:
    command = with_alias(tmp_path, f"echo said >&2; (sleep 30; touch {tmp_path}/survived) & sleep 600")
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"git slow took longer than 0\.3 seconds and was ended") as caught:
        command.run("slow", timeout=0.3)
    assert (caught.value.code, caught.value.output) == ("git-timeout", "said\n")
    assert time.monotonic() - began < 20
    assert not (tmp_path / "survived").exists()


def test_what_a_command_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()
    done = with_alias(tmp_path, "echo out; sleep 60 & exit 3").run("slow", ok=None)
    assert (done.status, done.text) == (3, "out")
    assert time.monotonic() - began < 30


def test_nothing_can_ask_on_the_terminal(tmp_path: Path) -> None:
    done = with_alias(tmp_path, "exec </dev/tty").run("slow", ok=None)
    assert done.status != 0
    assert "/dev/tty" in done.err


def test_an_option_of_ours_outranks_every_configuration_file(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"a.txt": "a\n"})
    planted = tmp_path / "planted"
    planted.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    planted.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(planted))
    repo.hook("reference-transaction", f"touch {tmp_path}/mark")
    repo.hook("post-index-change", f"touch {tmp_path}/mark")
    command = Git(str(repo.path))
    command.run("status")
    command.run("update-index", "--refresh")
    command.run("update-ref", "refs/heads/x", "HEAD")
    assert not (tmp_path / "mark").exists()


def test_without_git_the_remedy_is_named(tmp_path: Path) -> None:
    code = "from orchestrator.vcs.command import Git; Git('/').run('version')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[2],
        env={"PATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stderr.rstrip().endswith("ToolError: git isn't installed, or isn't on PATH")
