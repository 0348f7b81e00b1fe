"""`commit_state: wave`: the set is committed once at each wave's end, beside whatever a person has in the making."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from tests.e2e.test_suites import state
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned
from tests.support.suite import FILES, suite

WANTED = os.environ.get("ORCH_CRASH_STEPS", "4")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")
KEEP = "commit_state: wave\n"
WAVE_1, WAVE_2 = "chore(planning): wave 1 done of planning set 1", "chore(planning): wave 2 done of planning set 1"
SET_1 = [f"planning/{name}_1.md" for name in ("EXECUTION_PLAN", "PROMPT_TEMPLATE", "STATE")]


def two_waves(folder: Path, settings: str = "") -> Path:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    made = planned(folder, tasks, settings=KEEP + "base: main\n" + settings)
    # As `orch init` leaves it: settings and plans are there, and nothing below planning/ is committed yet.
    return made


def subjects(folder: Path, branch: str = "main") -> list[str]:
    return git(folder, "log", "--format=%s", "--reverse", branch).split("\n")[1:]


def files_of(folder: Path, rev: str = "HEAD") -> list[str]:
    return git(folder, "show", "--format=", "--name-only", rev).split("\n")


def is_whole(folder: Path) -> bool:
    """Whether everything of the set is committed as it stands on disk."""
    return git(folder, "status", "--porcelain", "--", "planning/STATE_1.md", "planning/tasks") == ""


def test_each_wave_ends_with_one_commit_of_the_set_on_the_branch_of_the_checkout(tmp_path: Path) -> None:
    folder = two_waves(tmp_path / "repo")
    first = run_orch(folder, "next-wave", "--auto")
    assert first.code == 0, first
    assert subjects(folder) == [WAVE_1]
    assert f"planning set committed on main: {git(folder, 'rev-parse', '--short=7', 'HEAD')}\n" in first.out
    there = [name for name in SET_1 if (folder / name).exists()]
    assert files_of(folder) == [*there, "planning/tasks/1.1.1.todo.md"]
    assert is_whole(folder)

    second = run_orch(folder, "next-wave", "--auto", "--json")
    assert second.code == 0, second
    assert second.document["set_commit"] == git(folder, "rev-parse", "HEAD")
    assert subjects(folder) == [WAVE_1, WAVE_2]
    assert files_of(folder) == ["planning/STATE_1.md", "planning/tasks/1.2.1.todo.md"]
    assert is_whole(folder)
    assert run_orch(folder, "next-wave", "--auto").code == 6
    assert subjects(folder) == [WAVE_1, WAVE_2]
    landed = git(folder, "log", "--format=%s", "--name-only", f"main~2..{_branch(folder)}").split()
    assert not any(word.startswith("planning/") for word in landed)


def test_a_staged_version_of_the_plan_that_is_nowhere_else_stays_staged(tmp_path: Path) -> None:
    folder = two_waves(tmp_path / "repo")
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    text = plan.read_text("utf-8")
    plan.write_text(text + "\nA paragraph.\n", "utf-8")
    git(folder, "add", "planning/EXECUTION_PLAN_1.md")
    plan.write_text(text, "utf-8")

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert git(folder, "show", "HEAD:planning/EXECUTION_PLAN_1.md") == text.strip()
    assert git(folder, "show", ":planning/EXECUTION_PLAN_1.md").endswith("\nA paragraph.")
    assert git(folder, "diff", "--cached", "--name-only").split() == ["planning/EXECUTION_PLAN_1.md"]
    assert is_whole(folder)


@pytest.mark.parametrize(
    ("is_committed", "mark", "letter"),
    [
        (False, "git add -N planning", "H"),
        (True, "git update-index --skip-worktree planning/EXECUTION_PLAN_1.md", "S"),
        (True, "git update-index --assume-unchanged planning/EXECUTION_PLAN_1.md", "h"),
    ],
    ids=["intent-to-add", "skip-worktree", "assume-unchanged"],
)
def test_the_next_commit_of_a_person_takes_nothing_of_the_set_back(
    tmp_path: Path, is_committed: bool, mark: str, letter: str
) -> None:
    folder = two_waves(tmp_path / "repo")
    if is_committed:
        _sh(folder, "git add planning && git commit -q -m 'plan it'")
    _sh(folder, mark)
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    text = plan.read_text("utf-8") + "\nA paragraph.\n"
    plan.write_text(text, "utf-8")

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert subjects(folder)[-1] == WAVE_1
    assert git(folder, "ls-files", "-v", "planning/EXECUTION_PLAN_1.md") == f"{letter} planning/EXECUTION_PLAN_1.md"
    _sh(folder, "echo mine > mine.txt && git add mine.txt && git commit -q -m mine")
    assert files_of(folder) == ["mine.txt"]
    assert git(folder, "show", "HEAD:planning/EXECUTION_PLAN_1.md") == text.strip()
    assert is_whole(folder)


def _branch(folder: Path) -> str:
    return next(line for line in state(folder).split("\n") if line.startswith("branch: ")).removeprefix("branch: ")


def test_what_a_person_has_staged_and_not_staged_stays_as_it_was_and_no_hook_runs(tmp_path: Path) -> None:
    folder = two_waves(tmp_path / "repo", "gate: stop\n")
    hook = folder / ".git" / "hooks" / "pre-commit"
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    (folder / "mine.txt").write_text("staged\n", "utf-8")
    git(folder, "add", "mine.txt")
    (folder / "mine.txt").write_text("staged\nand more\n", "utf-8")
    (folder / "untracked.txt").write_text("untracked\n", "utf-8")
    (folder / "planning" / "notes.md").write_text("a person's\n", "utf-8")
    readme = (folder / "README.md").read_text("utf-8")
    (folder / "README.md").write_text(readme + "changed\n", "utf-8")
    git(folder, "mv", "README.md", "READ.md")
    before = git(folder, "status", "--porcelain", "--", ".", ":!planning")
    staged = git(folder, "ls-files", "-s", "--", ":!planning")

    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    # Put there now, so that landing isn't what runs it.
    assert subjects(folder) == [WAVE_1]
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == before
    assert git(folder, "ls-files", "-s", "--", ":!planning") == staged
    assert git(folder, "status", "--porcelain", "--", "planning").split("\n") == [
        "?? planning/ORCH.md",
        *_others(folder),
    ]

    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n[ -e planning ] && touch ran\nexit 0\n", "utf-8")
    hook.chmod(0o755)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.2.1").code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert subjects(folder) == [WAVE_1, WAVE_2]
    assert not (folder / "ran").exists()


def _others(folder: Path) -> list[str]:
    """What else of planning/ is no part of the set."""
    return sorted(
        f"?? planning/{path.name}"
        for path in (folder / "planning").iterdir()
        if path.is_file() and path.name != "ORCH.md" and f"planning/{path.name}" not in SET_1
    )


@pytest.mark.parametrize(
    ("hinder", "mend", "why"),
    [
        (("git checkout -q --detach",), ("git checkout -q main",), "HEAD is detached"),
        (
            ("git checkout -q -b side", "git commit -q --allow-empty -m side", "git checkout -q main",
             "git merge -q --no-ff --no-commit side"),
            ("git merge --abort",),
            "a merge is under way",
        ),
        (("echo planning/ >> .git/info/exclude",), (": > .git/info/exclude",), "git ignores planning/STATE_1.md"),
            (
                ("mv planning ../elsewhere && ln -s ../elsewhere planning",),
                ("rm planning && mv ../elsewhere planning",),
                "planning/ lies behind a link",
            ),
    ],
    ids=["detached", "merge", "ignored", "link"],
)  # fmt: skip
def test_what_keeps_it_from_being_committed_is_named_and_the_next_call_makes_up_for_it(
    tmp_path: Path, hinder: tuple[str, ...], mend: tuple[str, ...], why: str
) -> None:
    folder = two_waves(tmp_path / "repo")
    for line in hinder:
        _sh(folder, line)
    before = git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain", "--", ".", ":!planning")
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    text = f"the planning set isn't committed: {why}; the next call tries again"
    assert f"degraded: {text}\n" in done.out
    assert text in (folder / "planning/tasks/1.1.1.todo.md").read_text("utf-8")
    assert (git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain", "--", ".", ":!planning")) == before

    for line in mend:
        _sh(folder, line)
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert subjects(folder) == [WAVE_1, WAVE_2]
    assert is_whole(folder)


def _sh(folder: Path, line: str) -> None:
    subprocess.run(["sh", "-c", line], cwd=folder, check=True, capture_output=True)


def test_an_index_that_another_git_holds_is_waited_for_and_then_told(tmp_path: Path) -> None:
    folder = two_waves(tmp_path / "repo")
    lock = folder / ".git" / "index.lock"
    lock.touch()
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert (
        f"warning: the planning set isn't committed: another git holds {lock}; the next call tries again\n" in done.err
    )
    assert subjects(folder) == []
    lock.unlink()
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert subjects(folder) == [WAVE_1, WAVE_2]


def test_a_red_wave_has_ended_too_and_has_a_second_commit_once_it_is_green(tmp_path: Path) -> None:
    down = tmp_path / "down"
    script = f"sh suite.sh {tmp_path}/runs && test ! -e {down}"
    tasks = [Task("1", ("f1.dat",), test=f"touch {down}"), Task("1", ("g.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=f"{KEEP}suites:\n  unit: {script}\n", files=FILES)
    assert run_orch(folder, "next-wave", "--auto").code == 4
    red = "chore(planning): wave 1 red of planning set 1"
    assert subjects(folder) == [red]
    assert run_orch(folder, "next-wave", "--auto").code == 4
    down.unlink()
    assert run_orch(folder, "retry", "--wave", "1", "--because", "it is up").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert subjects(folder) == [red, WAVE_1]


def test_on_the_branch_where_tasks_land_the_commits_stand_between_theirs(tmp_path: Path) -> None:
    settings = suite(tmp_path / "runs") + KEEP + "branch: current\n"
    tasks = [Task("1", ("f1.dat",)), Task("1", ("g.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=settings, files=FILES)
    git(folder, "checkout", "-q", "-b", "work")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert subjects(folder, "work") == ["feat: task 1", WAVE_1, "feat: task 1", WAVE_2]
    assert run_orch(folder, "next-wave", "--auto").code == 6
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""
    assert is_whole(folder)


def commit_steps(log: Path) -> list[int]:
    """The numbers of the steps from the end of the wave's last write on: a sample of them, unless all are asked for."""
    steps = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    begin = max(number for number, when, kind, what in steps if "STATE_1.md" in what and when == "after")
    found = [number for number, when, _, _ in steps if when == "before" and number > begin]
    assert len(found) > 8, steps
    if WANTED == "all":
        return found
    return sorted(random.Random(SEED).sample(found, min(int(WANTED), len(found))))


@pytest.mark.crash
@pytest.mark.timeout(3600)
def test_killed_at_any_step_of_it_the_set_is_committed_once_for_each_wave(tmp_path: Path) -> None:
    log = tmp_path / "effects"
    whole = two_waves(tmp_path / "whole")
    assert run_orch(whole, "next-wave", "--auto").code == 0
    assert run_orch(whole, "next-wave", "--auto", effects={"log": str(log)}).code == 0
    steps = commit_steps(log)
    for number in steps:
        for when in ("before", "after"):
            folder = two_waves(tmp_path / f"{number}-{when}")
            assert run_orch(folder, "next-wave", "--auto").code == 0
            run_orch(folder, "next-wave", "--auto", effects={"kill": number, "when": when})
            assert run_orch(folder, "next-wave", "--auto").code == 6
            assert subjects(folder) == [WAVE_1, WAVE_2], (number, when)
            assert is_whole(folder), (number, when)
            assert {path.name for path in (folder / ".git").glob("index.*")} <= {"index.mover"}, (number, when)
