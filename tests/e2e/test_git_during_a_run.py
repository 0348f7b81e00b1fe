"""What people do to the integration branch while next-wave runs, at exactly the moment that hurts most.

orch stands at a step of its own (tests/support/steps.py) while the person acts. What they made is kept, what they took
away isn't brought back, what had landed and is gone is named with the command that puts it back.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, planning, report_text, working
from tests.support.steps import Step, stepped

BRANCH = "orch/1-things"
TASKS = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
Moment = Callable[[Path, Step], bool]


def cell(word: str) -> Moment:
    """As soon as the board says that of the first task."""

    def is_now(folder: Path, step: Step) -> bool:
        state = folder / "planning" / "STATE_1.md"
        return state.exists() and f"| 1.1.1 | Task 1 | {word} |" in state.read_text("utf-8")

    return is_now


def landing(folder: Path, step: Step) -> bool:
    """Just before the branch moves to the first task's commit."""
    return step.is_at("git", "update-ref") and cell("verified")(folder, step)


def forked(folder: Path, step: Step) -> bool:
    """Just after the branch was made."""
    return step.is_at("git", "update-ref", "after")


def watched(folder: Path, *acts: tuple[Moment, Callable[[Path], object]]) -> Left:
    """next-wave with a person who does these things, each at its moment, in this order."""
    left = list(acts)

    def visit(step: Step) -> None:
        if left and left[0][0](folder, step):
            left.pop(0)[1](folder)

    done = stepped(folder, "next-wave", "--auto", visit=visit)
    assert not left, ("a moment never came", done)
    return done


def elsewhere(folder: Path, *commands: str) -> None:
    """Run shell commands in a detached checkout of the branch's head, then move the branch to what it came to."""
    place = folder.parent / f"elsewhere-{os.urandom(3).hex()}"
    git(folder, "worktree", "add", "-q", "--detach", str(place), BRANCH)
    subprocess.run(["sh", "-ec", "\n".join(commands)], cwd=place, check=True, capture_output=True)
    head = git(place, "rev-parse", "HEAD")
    git(folder, "worktree", "remove", "--force", str(place))
    git(folder, "update-ref", f"refs/heads/{BRANCH}", head)


def commit(folder: Path) -> None:
    elsewhere(folder, "echo theirs > theirs.txt; git add theirs.txt; git commit -qm theirs")


def amend(folder: Path) -> None:
    elsewhere(folder, "git commit -q --amend -m 'feat: better words'")


def rebase(folder: Path) -> None:
    """Another commit is put below all that has landed."""
    below = "git checkout -q --detach main; echo theirs > theirs.txt; git add theirs.txt; git commit -qm theirs"
    elsewhere(folder, "top=$(git rev-parse HEAD)", below, "git cherry-pick main..$top")


def reset(folder: Path) -> None:
    git(folder, "branch", "-f", BRANCH, "main")


def delete(folder: Path) -> None:
    git(folder, "branch", "-D", BRANCH)


@dataclass(frozen=True, slots=True)
class Case:
    """What a person does, when, what the call says of it (nothing: it isn't disturbed), and what lies on the branch in
    the end."""

    name: str
    when: Moment
    act: Callable[[Path], object]
    code: int = 0
    said: str = ""
    subjects: tuple[str, ...] = ("feat: task 1", "feat: task 2")


WITH_THEIRS = ("feat: task 1", "feat: task 2", "theirs")
CASES = [
    Case("a commit while workers work", cell("running"), commit, subjects=WITH_THEIRS),
    Case("a commit between the check and the move", landing, commit, subjects=WITH_THEIRS),
    Case("a commit before the wave's end", cell("done"), commit, subjects=WITH_THEIRS),
    Case("an amended landing", cell("done"), amend, subjects=("feat: better words", "feat: task 2")),
    Case("a rebased landing", cell("done"), rebase, subjects=WITH_THEIRS),
    Case("a landing that is taken off", cell("done"), reset, 1, "has lost commits that had landed: 1.1.1"),
    Case("a branch that is deleted while workers work", cell("running"), delete, 1, f"branch {BRANCH} is gone"),
    Case("a branch that is deleted while a task lands", landing, delete, 1, f"branch {BRANCH} is gone"),
    Case("a branch that is deleted before the wave's end", cell("done"), delete, 1, f"branch {BRANCH} is gone"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_people_do_to_the_branch_is_kept_and_what_they_took_off_it_is_named(tmp_path: Path, case: Case) -> None:
    folder = planned(tmp_path / "repo", TASKS, settings="jobs: 1\n")
    left = watched(folder, (case.when, case.act))
    assert left.code == case.code, left
    assert case.said in left.out + left.err, left
    if case.code:
        # What the message offers can be typed as it stands, and then all goes on.
        offered = re.search(r"(git branch (?:-f )?\S+ [0-9a-f]{12})", left.err)
        assert offered is not None, left
        git(folder, *shlex.split(offered[1])[1:])
        left = run_orch(folder, "next-wave", "--auto")
        assert left.code == 0, left
    assert tuple(sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n"))) == case.subjects
    there = ["a.dat", "b.dat"]
    assert set(there) <= set(git(folder, "ls-tree", "--name-only", BRANCH).split("\n"))
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""
    assert run_orch(folder, "next-wave", "--auto").code == 6


def test_a_commit_that_somebody_took_off_the_branch_comes_back_with_nobodys_work(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", TASKS, settings="jobs: 1\n")
    left = watched(folder, (forked, commit), (cell("running"), reset))
    assert left.code == 0, left
    subjects = git(folder, "log", "--format=%s", "--name-only", f"main..{BRANCH}").split("\n")
    assert [line for line in subjects if line] == ["feat: task 2", "b.dat", "feat: task 1", "a.dat"]


def test_landings_that_are_taken_off_while_the_suites_run_close_no_wave(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASKS[0]], settings="suites: {unit: 'true'}\n")
    during: Moment = lambda place, step: step.is_at("spawn", "sh", "after") and cell("done")(place, step)  # noqa: E731
    left = watched(folder, (during, reset))
    assert left.code == 1, left
    assert "has lost commits that had landed: 1.1.1" in left.err
    assert "| 1 | checking |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")


def current(folder: Path) -> Path:
    """The set of both tasks, with its integration branch `work` checked out."""
    planned(folder, [*TASKS, Task("3", (), edits=("README.md",))], settings="jobs: 1\nbranch: current\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "checkout", "-q", "-b", "work")
    git(folder, "add", ".gitignore")
    git(folder, "commit", "-qm", "ignore")
    return folder


def moving(folder: Path, step: Step) -> bool:
    """After it was looked at whether local files are in the way, before the index is held."""
    return step.is_at("create", "index.lock")


def moved_by_hand(folder: Path) -> None:
    """The branch under the checkout is moved, as `git reset --soft` and other tools do it, without the index."""
    tree = git(folder, "rev-parse", "work^{tree}")
    git(folder, "update-ref", "refs/heads/work", git(folder, "commit-tree", tree, "-p", "work", "-m", "theirs"))


def at_the_move(folder: Path, step: Step) -> bool:
    """While the index is held, just before the branch moves."""
    return step.is_at("git", "update-ref") and (folder / ".git" / "index.lock").exists()


def switch(folder: Path) -> None:
    git(folder, "switch", "-q", "main")


def detach(folder: Path) -> None:
    git(folder, "switch", "-q", "--detach")


@pytest.mark.parametrize(
    ("when", "act", "on"),
    [(moving, switch, "main"), (moving, detach, "HEAD"), (at_the_move, moved_by_hand, "work")],
    ids=["switched", "detached", "moved under the checkout"],
)
def test_a_checkout_that_leaves_the_branch_stays_as_it_is(
    tmp_path: Path, when: Moment, act: Callable[[Path], object], on: str
) -> None:
    folder = current(tmp_path / "repo")
    left = watched(folder, (when, act))
    assert left.code == 0, left
    assert git(folder, "rev-parse", "--abbrev-ref", "HEAD") == on
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""
    theirs = ["theirs"] if act is moved_by_hand else []
    subjects = sorted(git(folder, "log", "--format=%s", "main..work").split("\n"))
    assert subjects == ["docs: task 3", "feat: task 1", "feat: task 2", "ignore", *theirs], left


def test_a_checkout_that_comes_to_the_branch_while_it_moves_goes_along(tmp_path: Path) -> None:
    folder = current(tmp_path / "repo")
    left = watched(folder, (cell("running"), switch), (landing, lambda place: git(place, "switch", "-q", "work")))
    assert left.code == 0, left
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""
    assert (folder / "a.dat").read_text() == "a.dat\n"


def wrote(name: str, *, stage: bool = False, ignore: bool = False) -> Callable[[Path], object]:
    def act(folder: Path) -> None:
        (folder / name).write_text("mine\n")
        if ignore:
            (folder / ".gitignore").write_text(f"*.log\n{name}\n")
        if stage:
            git(folder, "add", name)

    return act


@pytest.mark.parametrize(
    ("when", "act", "name"),
    [
        (cell("running"), wrote("a.dat"), "a.dat"),
        (moving, wrote("a.dat"), "a.dat"),
        (moving, wrote("a.dat", stage=True), "a.dat"),
        (moving, wrote("a.dat", ignore=True), "a.dat"),
        (moving, wrote("README.md"), "README.md"),
    ],
    ids=["untracked, while it works", "untracked", "staged", "ignored", "edited"],
)
def test_a_file_that_a_task_is_about_to_land_and_somebody_writes_stays_theirs(
    tmp_path: Path, when: Moment, act: Callable[[Path], object], name: str
) -> None:
    folder = current(tmp_path / "repo")
    left = watched(folder, (when, act))
    assert left.code == 3, left
    key = "1.1.3" if name == "README.md" else "1.1.1"
    log = (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")
    assert f"local files collide: {name}" in log, (left, log)
    assert f"first: commit or move away {name}" in left.out, left
    assert (folder / name).read_text() == "mine\n"
    assert log.count(" moving ") == log.count(" moved ")

    git(folder, "rm", "-q", "--cached", "--ignore-unmatch", name) if name == "a.dat" else None
    (folder / name).unlink()
    git(folder, "checkout", "-q", "--", "README.md", ".gitignore")
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 0, again
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""
    assert (folder / name).read_text() == f"{name}\n"


SAVES = {
    "a file that is edited": ("replace", "README.md", " M README.md"),
    "a file that comes": ("replace", "a.dat", " M a.dat"),
    "a file that goes": ("remove", "old.txt", "?? old.txt"),
}


@pytest.mark.parametrize("case", SAVES)
def test_what_a_person_saves_while_the_checkout_moves_stays_and_is_named(case: str, tmp_path: Path) -> None:
    kind, name, status = SAVES[case]
    task = Task("1", ("a.dat",), edits=("README.md",), extra="- **Can delete:** `old.txt`")
    plan = plan_text(task, steps=["Create `a.dat`", "Edit `README.md`", "Delete `old.txt`", "Run `true`"])
    report = report_text(["README.md", "a.dat", "old.txt"])
    turns = (planning(task, plan=plan), working(task, run="rm old.txt", report=report))
    folder = planned(tmp_path / "repo", [replace(task, turns=turns)], settings="branch: current\n")
    (folder / "old.txt").write_text("old\n")
    git(folder, "add", "old.txt")
    git(folder, "commit", "-qm", "old", "--", "old.txt")

    def saves(folder: Path) -> None:
        (folder / name).write_text("mine\n")

    left = watched(folder, (lambda folder, step: step.is_at(kind, str(folder / name)), saves))
    assert left.code == 0, left
    assert f"1.1.1: files with changes of your own were left as they are: {name}" in left.out
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == status
    assert (folder / name).read_text() == "mine\n"
    assert git(folder, "show", "--format=%s", "--name-status", "HEAD").split("\n") == [
        "feat: task 1",
        "",
        "M\tREADME.md",
        "A\ta.dat",
        "D\told.txt",
    ]


def test_what_a_person_saves_while_a_filter_is_at_work_holds_the_landing_and_is_named(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), edits=("README.md",))], settings="branch: current\n")
    (folder / ".gitattributes").write_text("*.dat filter=slow\n")
    git(folder, "add", ".gitattributes")
    git(folder, "commit", "-qm", "attributes", "--", ".gitattributes")
    is_idle = f'test "$GIT_WORK_TREE" != {folder} -o -e {tmp_path}/over'
    git(folder, "config", "filter.slow.smudge", f"cat; {is_idle} || printf mine > {folder}/README.md")
    git(folder, "config", "filter.slow.clean", "cat")
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 3, left
    assert "landing waits: main is checked out in" in left.out
    assert "first: commit or move away README.md" in left.out
    assert ((folder / "README.md").read_text(), git(folder, "log", "-1", "--format=%s")) == ("mine", "attributes")
    git(folder, "checkout", "README.md")
    (tmp_path / "over").touch()
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert git(folder, "log", "-1", "--format=%s") == "feat: task 1"
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""
