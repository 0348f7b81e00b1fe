"""A real project, taken from its released source through a plan of two waves, as its maintainer would go.

The workers are real programs: ruff, sed, a codemod. They run by the command driver, a process of `orch` for each
command, the project's own tests as the suite, and one edit of STATE by hand in the middle.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.orch import run_orch

NAME, VERSION = "humanize", "3.14.0"
# What its tests need. The project itself is among them because it asks for its own version when it is imported.
NEEDS = ("pytest==8.4.2", "freezegun==1.5.5", f"{NAME}=={VERSION}")
PLANNED = Path(__file__).resolve().parents[1] / "data" / "real_project"
BRANCH = "orch/1-drop-python-3-7"

# The commits of each wave with what they change, by the task that they are of.
FIRST_WAVE = {
    "1.1.1": (
        "refactor: take out the branches for old versions",
        ["src/humanize/__init__.py", "tests/test_humanize.py"],
    ),
    "1.1.2": ("fix: warn at the caller's line", ["src/humanize/i18n.py"]),
    "1.1.3": ("build: require Python 3.8", [".github/workflows/test.yml", "setup.cfg"]),
}
SECOND_WAVE = {
    "1.2.1": ("feat: say what is returned", ["src/humanize/filesize.py", "src/humanize/number.py"]),
    "1.2.2": ("build: ship the types", ["setup.cfg", "src/humanize/py.typed"]),
}

# By hand: a note, a task left out in a row of odd form, a section of one's own with other line endings.
HAND = {
    "| Warn at the caller's line | plan-ready | |": "| Warn at the caller's line | plan-ready | *Ana* \\| i18n  |",
    "| 2 | 1.2.3 | Type the tests | pending | |\n": "|2|1.2.3|  Type the tests|skipped| not worth it |  \n",
    "## Discovered\n": "## Ours\r\n\r\n*  [ ] ask about the café\t \r\n\r\n| not | a board |\r\n\n## Discovered\n",
}


def pip(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "--no-input", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def skip_unless_done(process: subprocess.Popen[str], what: str) -> None:
    output, _ = process.communicate()
    if process.returncode != 0:
        told = [line for line in output.splitlines() if line.startswith("ERROR")] or output.splitlines()[-1:]
        pytest.skip(f"{what} can't be downloaded: {' '.join(told[:1])}")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """The released source as a repository of one commit; what its tests need and ruff lie first on the PATH."""
    released, tools = tmp_path / "released", tmp_path / "tools"
    source = pip("download", "--no-deps", "--no-binary", NAME, "--dest", str(released), f"{NAME}=={VERSION}")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tools)], check=True)
    needs = pip("--python", str(tools / "bin" / "python"), "install", *NEEDS)
    try:
        skip_unless_done(source, f"the source of {NAME} {VERSION}")
        skip_unless_done(needs, "what its tests need")
    finally:
        for process in (source, needs):
            process.kill()
            process.wait()
    places = [str(tools / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    folder = tmp_path / "my projects" / NAME
    folder.mkdir(parents=True)
    # The owners that the archive names would make it a repository of somebody else's where root runs the tests.
    unpack = ["tar", "-xzf", str(next(released.glob("*.tar.gz"))), "--no-same-owner", "--strip-components", "1"]
    subprocess.run(unpack, cwd=folder, check=True)
    repo = GitRepo.empty(folder)
    repo.commit(f"{NAME} {VERSION}")
    return repo


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, git's own apart."""
    paths = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def run(project: GitRepo, *words: str, code: int = 0) -> str:
    """What a command printed; it must leave with `code`, and have nothing to complain of."""
    left = run_orch(project.path, *words)
    assert (left.code, left.err) == (code, ""), f"orch {' '.join(words)}: {left}"
    return left.out


def look(project: GitRepo, *words: str, code: int = 0) -> str:
    """What a command printed that only reads: no file may change."""
    before = contents(project.path)
    printed = run(project, *words, code=code)
    assert contents(project.path) == before
    return printed


def edit_state(project: GitRepo, edits: Mapping[str, str]) -> None:
    text = project.read("planning/STATE_1.md")
    for old, new in edits.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    project.write("planning/STATE_1.md", text)


def commits(project: GitRepo, since: str, until: str = BRANCH) -> dict[str, tuple[str, list[str]]]:
    """Message and changed files of each commit, by its hash, oldest first."""
    found = project.git("rev-list", "--reverse", f"{since}..{until}").split("\n")
    return {
        commit: (
            project.git("log", "-1", "--format=%B", commit).strip(),
            project.git("diff-tree", "-r", "--no-commit-id", "--name-only", commit).split("\n"),
        )
        for commit in found
    }


def reports(state: str) -> dict[str, dict[str, str]]:
    """The fields of every report of STATE, by task."""
    sections = re.findall(r"^## (1\.\d\.\d) — [^\n]+\n\n((?:- [^\n]+\n)+)", state, re.MULTILINE)
    return {key: dict(re.findall(r"^- \*\*(\w+):\*\* (.+)$", fields, re.MULTILINE)) for key, fields in sections}


def own_suite(project: GitRepo, fresh: Path) -> str:
    """The last line of the project's own tests, run in a fresh clone without orch."""
    project.git("clone", "-q", "--no-local", str(project.path), str(fresh))
    done = subprocess.run(
        ["python3", "-m", "pytest", "-q", "--color=no"],
        cwd=fresh,
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.rstrip().split("\n")[-1]


@pytest.mark.network
@pytest.mark.timeout(900)
def test_a_real_project_goes_from_its_released_source_to_the_last_landed_commit(
    project: GitRepo, tmp_path: Path
) -> None:
    fork, checkout = project.head(), contents(project.path)
    config, hooks = project.read(".git/config"), sorted((project.path / ".git" / "hooks").iterdir())

    # The set is made, filled in and checked.
    assert "test command: python -m pytest -q" in run(project, "init")
    assert "planning/EXECUTION_PLAN_1.md" in run(project, "new", "Drop Python 3.7")
    shutil.copytree(PLANNED, project.path / "planning", dirs_exist_ok=True)
    written = contents(project.path / "planning")
    assert "6 tasks in 2 waves, no problem" in look(project, "check")
    assert "would plan 1.1.1 1.1.2: its dependencies are done\n" in look(project, "next-wave", "--dry-run")

    # The first wave: plans, the edit by hand while they wait, their approval, the work.
    assert run(project, "next-wave", code=3).endswith("\nnext: orch gate\n")
    assert look(project, "gate", code=3).endswith("\nnext: orch approve 1.1.1 1.1.2 1.1.3\n")
    assert project.head(BRANCH) == fork
    edit_state(project, HAND)
    assert "1.2.3 skipped" in look(project, "status")
    assert run(project, "approve", "1.1.1", "1.1.2", "1.1.3").count(" approved: ") == 3
    assert run(project, "next-wave").startswith("wave 1 of 2 Old versions: done; ")
    first = commits(project, fork)
    assert "waves done: 1" in look(project, "resume")
    assert "landed: " in look(project, "show", "1.1.2")

    # The second one.
    run(project, "next-wave", code=3)
    assert look(project, "gate", code=3).endswith("\nnext: orch approve 1.2.1 1.2.2\n")
    run(project, "approve", "1.2.1", "1.2.2")
    assert run(project, "next-wave").endswith(f"\nnext: git merge {BRANCH}\n")
    second = commits(project, list(first)[-1])
    look(project, "next-wave", "--dry-run")
    look(project, "status")
    run(project, "next-wave", code=6)

    # One commit a task with its message and its files, on a branch of its own, and nothing else in the repository.
    assert sorted(first.values()) == sorted(FIRST_WAVE.values())
    assert sorted(second.values()) == sorted(SECOND_WAVE.values())
    assert project.head("main") == fork
    assert project.git("symbolic-ref", "HEAD") == "refs/heads/main"
    refs = project.git("for-each-ref", "--format=%(refname)").split("\n")
    assert [ref for ref in refs if not ref.startswith("refs/orch/")] == ["refs/heads/main", f"refs/heads/{BRANCH}"]
    assert project.git("status", "--porcelain") == "?? planning/"
    now = contents(project.path)
    assert {name: now[name] for name in now if not name.startswith("planning/")} == checkout
    assert (project.read(".git/config"), sorted((project.path / ".git" / "hooks").iterdir())) == (config, hooks)

    # What was written by hand stands as it was: the set, and the edit of STATE but for the one cell that moved on.
    planning = contents(project.path / "planning")
    made = {"STATE_1.md", *(f"tasks/{key}.todo.md" for key in (*FIRST_WAVE, *SECOND_WAVE, "1.2.3"))}
    assert {name: planning[name] for name in planning if name not in made} == written
    state = planning["STATE_1.md"].decode()
    for text in HAND.values():
        assert text.replace("plan-ready", "done") in state

    # Every suite is as green as at the fork, and every task has its report.
    passed = re.search(rf"^\| \. \| unit \| pass \| (\d+) \| 0 \| {fork[:7]} \|$", state, re.MULTILINE)
    assert passed, state
    for number, landed in ((1, first), (2, second)):
        assert f"\n| {number} | done | unit {passed[1]} passed | {list(landed)[-1][:7]} | |\n" in state
    told = reports(state)
    assert set(told) == {*FIRST_WAVE, *SECOND_WAVE}
    hashes = {message: commit[:7] for commit, (message, _) in (first | second).items()}
    for key, (message, files) in (FIRST_WAVE | SECOND_WAVE).items():
        assert told[key]["Status"] == f"done, {hashes[message]}"
        assert re.findall("`([^`]+)`", told[key]["Files"]) == files
        assert re.search(r"`: (passed|\d+ passed, 0 failed)$", told[key]["Tests"]), told[key]
        assert (told[key]["Deviations"], told[key]["Gotchas"]) == ("none", "none")

    # Merged as the last line says, it passes its own tests without orch too.
    project.git("merge", "-q", BRANCH)
    assert project.git("status", "--porcelain") == "?? planning/"
    assert own_suite(project, tmp_path / "fresh").startswith(f"{passed[1]} passed")
