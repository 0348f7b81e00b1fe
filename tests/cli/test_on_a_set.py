"""The commands in real processes on a real planning set: the demo's, stopped where its first plans wait."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cli import group, main
from orchestrator.cli.main import OFTEN
from tests.support.tokens import tokens

ROOT = Path(__file__).resolve().parents[2]


def _orch(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "orchestrator", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def at_the_gate(tmp_path_factory: pytest.TempPathFactory, clean_environment: dict[str, str]) -> Path:
    """A repository whose first wave waits for a judgement. Not to be changed."""
    folder = tmp_path_factory.mktemp("demo") / "repository"
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator", "demo", "--keep", str(folder), "--stop-at", "gate"],
        cwd=folder.parent,
        env={**clean_environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    return folder


@pytest.fixture
def repository(at_the_gate: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it for one test."""
    copy = tmp_path / "copy"
    shutil.copytree(at_the_gate, copy, symlinks=True)
    yield copy


def test_status_shows_the_board_and_the_next_command(at_the_gate: Path) -> None:
    done = _orch("status", cwd=at_the_gate)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "orchestration 1 A small text kit: 0 of 5 tasks done, branch orch/1-a-small-text-kit\n"
        "wave 1 Functions: open\n"
        "1.1.1 plan-ready Make slugs from titles: plan of 3 steps\n"
        "1.1.2 plan-ready Count words: plan of 3 steps\n"
        "1.1.3 plan-ready Shorten text: plan of 3 steps\n"
        "wave 2 What uses them: 2 pending, waits for wave 1\n"
        "next: orch gate\n"
    )


def test_it_works_from_any_folder_inside(at_the_gate: Path) -> None:
    inside = at_the_gate / "textkit"
    assert _orch("status", cwd=inside).stdout == _orch("status", cwd=at_the_gate).stdout


def test_the_same_in_json_has_outcome_and_next(at_the_gate: Path) -> None:
    document = json.loads(_orch("status", "--json", cwd=at_the_gate).stdout)
    assert (document["schema"], document["outcome"], document["next"]) == (1, "status", "orch gate")
    assert [task["status"] for task in document["waves"][0]["tasks"]] == ["plan-ready"] * 3


def test_gate_shows_the_plans_and_exits_3(at_the_gate: Path) -> None:
    done = _orch("gate", "1.2", cwd=at_the_gate)
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    assert lines[0] == "1.1.2 Count words, sent back once"
    assert "1. Create `textkit/count.py` with `count_words`" in lines
    assert lines[-3:] == ["", 'orch revise 1.1.2 -m "..."', "next: orch approve 1.1.2"]


def test_approve_and_revise_answer_plan_by_plan(repository: Path) -> None:
    done = _orch("approve", "1.1", "1.1.9", cwd=repository)
    assert done.returncode == 1
    assert done.stdout.startswith("1.1.1 approved: ")
    assert '1.1.9 not approved: no task "1.1.9" in orchestration 1' in done.stdout
    assert _orch("revise", "1.1.2", "-m", "Count apostrophes too.", cwd=repository).returncode == 0
    status = _orch("status", cwd=repository).stdout
    assert "1.1.1 approved Make slugs from titles: orch will start its work, its micro-plan is approved\n" in status
    sent_back = "its micro-plan was sent back: Count"
    assert f"1.1.2 planning Count words: orch will start its plan turn, {sent_back}" in status


def test_a_dry_run_changes_nothing_and_exits_0(repository: Path) -> None:
    before = {path: path.read_bytes() for path in (repository / "planning").rglob("*.md")}
    done = _orch("next-wave", "--dry-run", cwd=repository)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "orchestration 1, at wave 1 of 2; facts not looked at"
    assert {path: path.read_bytes() for path in (repository / "planning").rglob("*.md")} == before


def test_a_problem_in_the_files_is_shown_with_its_place(repository: Path) -> None:
    state = repository / "planning" / "STATE_1.md"
    state.write_text(state.read_text().replace("| Count words | plan-ready |", "| Count words | Ana has it |"))
    done = _orch("check", cwd=repository)
    assert done.returncode == 1
    shown = done.stdout.splitlines()
    row = next(number for number, line in enumerate(state.read_text().split("\n"), 1) if "Ana has it" in line)
    first = next(number for number, line in enumerate(shown) if line.startswith(f"planning/STATE_1.md:{row}:"))
    assert "Ana has it" in shown[first + 1]
    assert shown[first + 2].strip("| ") == "^" * len("Ana has it")
    assert done.stdout.splitlines()[-1] == "next: orch check"


def test_outside_a_repository_the_remedy_is_named(tmp_path: Path) -> None:
    done = _orch("status", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert "\nhint: " in done.stderr
    document = json.loads(_orch("status", "--json", cwd=tmp_path).stdout)
    assert document["outcome"] == "refused"


def test_in_a_folder_that_was_deleted_the_remedy_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    argv = [
        "/bin/sh",
        "-c",
        'cd "$1" && rmdir "$1" && exec "$2" -m orchestrator status',
        "sh",
        str(gone),
        sys.executable,
    ]
    done = subprocess.run(
        argv, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == [
        "error: the current folder no longer exists",
        "hint: cd into your repository",
    ]


def test_what_a_session_reads_in_a_wave_is_cheap(at_the_gate: Path) -> None:
    costs = {command: tokens(_orch(command, cwd=at_the_gate).stdout) for command in ("status", "resume")}
    assert costs["status"] <= 150
    assert costs["resume"] <= 150


LISTING = """
import sys
from orchestrator.cli.main import run
code = run(sys.argv[1:])
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
HEAVY = {
    "asyncio",
    "concurrent.futures",
    "frontmatter",
    "git",
    "importlib.metadata",
    "jinja2",
    "logging",
    "mistune",
    "multiprocessing",
    "psutil",
    "rich",
    "shutil",
    "socket",
    "ssl",
    "subprocess",
    "tempfile",
    "yaml",
}


OFTEN_NOT = HEAVY | {"click", "dataclasses", "hashlib", "inspect", "json", "_hashlib"}
"""What the command lines that sessions call most do without as well."""


@pytest.mark.parametrize("line", [" ".join(words) for words in OFTEN])
@pytest.mark.parametrize("option", ["", " --json", " -n 1", " --json -n 01", " -n 7", " -n 0", " -n", " --jsn", " x"])
def test_the_short_way_says_what_the_way_over_click_says(
    line: str, option: str, at_the_gate: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = []
    for folder in (at_the_gate, at_the_gate.parent):
        monkeypatch.chdir(folder)
        answers = []
        for way in (main.run, group.run):
            code = way((line + option).split())
            answers.append((code, capsys.readouterr()))
        assert answers[0] == answers[1]
        codes.append(answers[0][0])
    assert codes == ([0, 1] if option in ("", " --json", " -n 1", " --json -n 01") else [codes[0]] * 2)


@pytest.mark.parametrize("line", ["status", "resume", "next-wave --dry-run", "gate"])
def test_reading_commands_load_nothing_heavy(line: str, at_the_gate: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING, *line.split()],
        cwd=at_the_gate,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    loaded = set(done.stderr.split("\n"))
    assert "orchestrator.engine.session" in loaded
    assert loaded & (OFTEN_NOT if tuple(line.split()) in OFTEN else HEAVY) == set()
    ours = {name.split(".")[1] for name in loaded if name.startswith("orchestrator.")}
    assert ours & {"vcs", "drivers", "process", "prompts"} == set()


def test_of_workers_that_left_nothing_here_status_knows_nothing_and_looks_through_no_process(repository: Path) -> None:
    # A clone of somebody else's set, say: its worker is at work on another machine.
    todo = repository / "planning" / "tasks" / "1.1.1.todo.md"
    text = todo.read_text("utf-8")
    lines = text.partition("## Log\n")[2].split("\n")
    closed = next(at for at, line in enumerate(lines) if "board status=planning" in line)
    todo.write_text(text.replace("\n".join(lines), "\n".join([*lines[: closed + 1], ""])), "utf-8")
    state = repository / "planning" / "STATE_1.md"
    state.write_text(re.sub(r"(\| 1\.1\.1 \|.*\| )plan-ready", r"\1planning", state.read_text("utf-8")), "utf-8")

    done = subprocess.run(
        [sys.executable, "-c", LISTING, "status"],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert re.search(r"^1\.1\.1 planning [^:\n]*$", done.stdout, re.MULTILINE), done.stdout
    ours = {name.split(".")[1] for name in done.stderr.split("\n") if name.startswith("orchestrator.")}
    assert ours & {"vcs", "drivers", "process", "prompts"} == set()
