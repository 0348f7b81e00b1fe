"""Integration branches that people rewrite between calls: what still has the work goes on, what lost it is refused with
ways out that take nothing of theirs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working

BRANCH = "orch/1-things"
A, B = Task("1", ("a.dat",)), Task("2", ("b.dat",))
LATER = Task("1", ("c.dat",), wave=2)


def test_a_branch_that_lost_its_landings_is_named(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    good = git(folder, "rev-parse", BRANCH)
    git(folder, "branch", "-f", BRANCH, "main")
    lost = run_orch(folder, "next-wave", "--auto")
    assert lost.code == 1, lost
    assert "has lost commits that had landed: 1.1.1" in lost.err
    assert lost.err.endswith(
        f"hint: put it back: git branch -f {BRANCH} {good[:12]} (or the commit you know to be the last)\n"
    )
    for command in ("status", "resume"):
        assert run_orch(folder, command).out.endswith("\nnext: orch check\n")
    checked = run_orch(folder, "check")
    assert checked.code == 1
    assert checked.out.startswith(f"planning/STATE_1.md: {lost.err.rstrip()}\n")

    git(folder, "branch", "-f", BRANCH, good)
    assert run_orch(folder, "status").out.endswith("\nnext: orch next-wave\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0


def test_an_amended_landing_is_still_known_by_its_patch(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", str(other), BRANCH)
    git(other, "commit", "-q", "--amend", "-m", "feat: better words")
    git(folder, "worktree", "remove", str(other))

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1\nfeat: better words"


def on_branch(tmp_path: Path, *tasks: Task) -> Path:
    """The set with its first wave landed on the branch that is checked out."""
    folder = planned(tmp_path / "repo", [*(tasks or (A, B)), LATER], settings="jobs: 1\nbranch: current\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    return folder


def squash(folder: Path) -> None:
    git(folder, "reset", "-q", "--soft", "HEAD~2")
    git(folder, "commit", "-qm", "both")


def squash_with_more(folder: Path) -> None:
    (folder / "README.md").write_text("# More\n", "utf-8")
    git(folder, "add", "README.md")
    squash(folder)


def squash_and_go_on(folder: Path) -> None:
    """The files of the landings change again after the squash."""
    squash_with_more(folder)
    (folder / "a.dat").write_text("mended\n", "utf-8")
    git(folder, "commit", "-qam", "mended")


@pytest.mark.parametrize("act", [squash, squash_with_more, squash_and_go_on])
def test_landings_that_were_squashed_are_still_there(tmp_path: Path, act: Callable[[Path], None]) -> None:
    folder = on_branch(tmp_path)
    act(folder)
    head = git(folder, "rev-parse", "HEAD")
    assert run_orch(folder, "status").out.endswith("\nnext: orch next-wave\n")
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert git(folder, "log", "--format=%H %s", "-2").split("\n")[1].startswith(head)
    assert git(folder, "log", "-1", "--format=%s") == "feat: task 1"
    assert run_orch(folder, "next-wave", "--auto").code == 6


def test_landings_on_the_same_file_that_were_squashed_with_more_are_still_there(tmp_path: Path) -> None:
    twice = Task("1", (), edits=("a.dat",), wave=2)
    twice = replace(twice, turns=(planning(twice), working(twice, files={"a.dat": "twice\n"})))
    last = Task("1", ("c.dat",), wave=3)
    folder = planned(tmp_path / "repo", [A, twice, last], settings="branch: current\n")
    for _ in (1, 2):
        assert run_orch(folder, "next-wave", "--auto").code == 0
    squash_with_more(folder)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert git(folder, "log", "--format=%s") == "feat: task 1\nboth\nfirst"


def mend(folder: Path) -> None:
    """The last landing gets another content."""
    (folder / "b.dat").write_text("mended\n", "utf-8")
    git(folder, "commit", "-qa", "--amend", "-m", "mended")


def refused(folder: Path) -> tuple[str, str]:
    """The command that says where the work is, and the one that puts the old commits back."""
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 1, left
    assert left.err.startswith("error: the branch main has lost commits that had landed: 1.1.2\n")
    offered = re.search(r"say so: (orch land .+?); else put them back, .+?: (git .+)\n$", left.err)
    assert offered is not None, left
    assert run_orch(folder, "status").out.endswith("\nnext: orch check\n")
    return offered[1], offered[2]


def test_a_landing_with_another_content_goes_on_once_somebody_says_that_it_is_there(tmp_path: Path) -> None:
    folder = on_branch(tmp_path)
    mend(folder)
    mended = git(folder, "rev-parse", "HEAD")
    says, _ = refused(folder)
    assert says == f"orch land 1.1.2 --as {mended[:12]}"

    left = run_orch(folder, *says.split()[1:])
    assert (left.code, left.out.split("\n")[1:]) == (0, ["next: orch next-wave", ""]), left
    assert re.fullmatch(rf"1\.1\.2: what landed as \w{{7}} stands in {mended[:7]}", left.out.split("\n")[0])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert git(folder, "log", "--format=%s") == "feat: task 1\nmended\nfeat: task 1\nfirst"
    assert (folder / "b.dat").read_text("utf-8") == "mended\n"

    # What was said holds for that commit: a branch that loses it as well is refused again.
    git(folder, "reset", "-q", "--keep", "HEAD~2")
    assert "has lost commits that had landed: 1.1.2, 1.2.1" in run_orch(folder, "check").out


def test_putting_the_old_commits_back_keeps_what_a_person_made_of_them(tmp_path: Path) -> None:
    folder = on_branch(tmp_path)
    good = git(folder, "rev-parse", "HEAD")
    mend(folder)
    mended = git(folder, "rev-parse", "HEAD")
    _, back = refused(folder)
    subprocess.run(["sh", "-c", back], cwd=folder, check=True)
    assert git(folder, "rev-parse", "main", f"main-before-{mended[:7]}").split("\n") == [good, mended]

    # What is kept isn't kept twice.
    git(folder, "reset", "-q", "--keep", mended)
    _, again = refused(folder)
    assert again == f"git reset --keep {good[:12]}"
    subprocess.run(["sh", "-c", again], cwd=folder, check=True)
    assert run_orch(folder, "next-wave", "--auto").code == 0


@pytest.mark.parametrize(
    ("task", "rev", "said"),
    [
        ("1.1.2", "nowhere", "error: nowhere is no commit that the branch main has got since {fork}\n"),
        ("1.1.2", "HEAD~2", "error: HEAD~2 is no commit that the branch main has got since {fork}\n"),
        ("1.2.1", "HEAD", "error: 1.2.1 hasn't landed: its plan turn hasn't been started\n"),
    ],
)
def test_a_landing_is_said_to_stand_only_where_it_can(tmp_path: Path, task: str, rev: str, said: str) -> None:
    folder = on_branch(tmp_path)
    fork = git(folder, "rev-parse", "HEAD~2")
    left = run_orch(folder, "land", task, "--as", rev)
    assert left.code == 1
    assert left.err.startswith(said.format(fork=fork[:7])), left
