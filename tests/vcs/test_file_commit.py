"""Some files of a checkout are committed beside what a person has staged and marked there.

Result of the table: afterwards the index is as the new commit, but for what the person has staged; marks stay; and the
person's next commit holds nothing but what they put into it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.errors import ConflictError
from orchestrator.vcs.file_commit import commit_files, release
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill

PLAN, STATE, TODO, OLD = "set/PLAN.md", "set/STATE.md", "set/TODO.md", "set/OLD.md"
SET = (PLAN, STATE, TODO, OLD)
ALL = {PLAN: "H", STATE: "H", TODO: "H", OLD: "H"}
FSMONITOR = "#!/bin/sh\nprintf 'token\\0/\\0'\n"


@dataclass(frozen=True)
class Case:
    """`marks` are the letters of `git ls-files -v` afterwards, `staged` what still differs from the new commit."""

    name: str
    steps: tuple[str | Callable[[GitRepo], object], ...] = ()
    is_tracked: bool = True
    marks: tuple[tuple[str, str], ...] = ()
    staged: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def stage(name: str, text: str) -> Callable[[GitRepo], object]:
    """Stage a text that is nowhere else."""

    def function(repo: GitRepo) -> None:
        there = repo.read(name)
        repo.write(name, text)
        repo.git("add", name)
        repo.write(name, there)

    return function


def delete(name: str) -> Callable[[GitRepo], object]:
    return lambda repo: (repo.path / name).unlink()


def empty(name: str) -> Callable[[GitRepo], object]:
    return lambda repo: repo.write(name, "")


def write_set(repo: GitRepo) -> None:
    repo.write(PLAN, "plan\nand more\n")
    repo.write(STATE, "state, later\n")
    repo.write(TODO, "todo\n")


def write_again(repo: GitRepo) -> None:
    """What a sparse checkout leaves out lies there all the same."""
    write_set(repo)
    repo.write(OLD, "old\n")


def monitor(repo: GitRepo) -> None:
    hook = repo.write(".git/monitor", FSMONITOR, executable=True)
    repo.git("config", "core.fsmonitor", str(hook))


CASES = (
    Case("nothing of a person's"),
    Case("untracked", is_tracked=False),
    Case("intent to add", ("add -N set",), is_tracked=False),
    Case("intent to add of an empty file", (empty(PLAN), "add -N set"), is_tracked=False),
    Case("intent to add of a file that was taken out", (f"rm -q --cached {PLAN} {STATE}", "add -N set")),
    Case("skip-worktree", (f"update-index --skip-worktree {PLAN} {STATE}",), marks=((PLAN, "S"), (STATE, "S"))),
    Case(
        "assume-unchanged", (f"update-index --assume-unchanged {PLAN} {STATE}",), marks=((PLAN, "h"), (STATE, "h"))
    ),
    Case(
        "both marks",
        (f"update-index --skip-worktree {PLAN}", f"update-index --assume-unchanged {PLAN}"),
        marks=((PLAN, "s"),),
    ),
    Case(
        "everything assumed unchanged",
        ("config core.ignoreStat true", f"update-index --assume-unchanged {PLAN} {STATE} {OLD}"),
        marks=((PLAN, "h"), (STATE, "h"), (TODO, "h"), (OLD, "h")),
    ),
    Case("marked and not there", (f"update-index --skip-worktree {OLD}", delete(OLD)), marks=((OLD, "S"),)),
    Case(
        "assumed unchanged and not there",
        (f"update-index --assume-unchanged {OLD}", delete(OLD)),
        marks=((OLD, "h"),),
    ),
    Case(
        "a sparse checkout that leaves out one file",
        ("sparse-checkout set --no-cone /* !/set/OLD.md",),
        marks=((OLD, "S"),),
    ),
    Case("a sparse checkout that leaves out the folder", ("sparse-checkout set --cone src", write_again)),
    Case(
        "a sparse index that leaves out the folder",
        ("sparse-checkout set --cone --sparse-index src", write_again),
    ),
    Case("a sparse index, untracked", ("sparse-checkout set --cone --sparse-index src",), is_tracked=False),
    Case(
        "a sparse index, and the folder partly there",
        ("sparse-checkout set --cone --sparse-index src", write_set),
        marks=((OLD, "S"),),
    ),
    Case(
        "a sparse index, and only a new file there",
        (delete(PLAN), delete(STATE), delete(TODO), f"restore {PLAN} {STATE}",
         "sparse-checkout set --cone --sparse-index src", lambda repo: repo.write(TODO, "todo\n")),
        marks=((PLAN, "S"), (STATE, "S"), (OLD, "S")),
    ),
    Case("a split index", ("update-index --split-index", f"update-index --skip-worktree {PLAN}"), marks=((PLAN, "S"),)),
    Case("caches of git's own", ("update-index --untracked-cache", monitor, "update-index --fsmonitor", "add -N set")),
    Case("a staged text", (stage(PLAN, "staged\n"),), staged=(f"M\t{PLAN}",)),
    Case(
        "a staged text, marked",
        (stage(PLAN, "staged\n"), f"update-index --skip-worktree {PLAN}"),
        marks=((PLAN, "S"),),
        staged=(f"M\t{PLAN}",),
    ),
    Case("a staged text that isn't the person's to keep", (stage(STATE, "staged\n"),)),
    Case("a file that was taken out", (f"rm -q --cached {PLAN}",), marks=((PLAN, ""),), staged=(f"D\t{PLAN}",)),
    Case("a file that is gone", (delete(OLD),), gone=(OLD,)),
    Case("a file that is gone, staged", (f"rm -q {OLD}",), gone=(OLD,)),
)  # fmt: skip
TABLE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))


def lay(case: Case, path: Path) -> GitRepo:
    was = {PLAN: "plan\n", STATE: "state\n", OLD: "old\n"}
    repo = GitRepo.create(path, {"src/a.txt": "a\n", **(was if case.is_tracked else {})})
    write_set(repo)
    if not case.is_tracked:
        repo.write(OLD, "old\n")
    for step in case.steps:
        repo.git(*step.split()) if isinstance(step, str) else step(repo)
    return repo


def keep(repo: GitRepo) -> str:
    opened = Repository.open(repo.path)
    release(opened)
    return commit_files(opened, SET, "the set", keep_staged=[PLAN])


def picture(repo: GitRepo) -> dict[str, object]:
    listed = [line.split(" ", 1) for line in repo.git("ls-files", "-v", "set").split("\n") if line]
    return {
        "marks": {name: letter for letter, name in listed},
        "staged": [line for line in repo.git("diff", "--cached", "--name-status").split("\n") if line],
        "log": repo.log(),
    }


def expected(case: Case) -> dict[str, object]:
    marks = {**ALL, **dict(case.marks), **dict.fromkeys(case.gone, "")}
    return {
        "marks": {name: letter for name, letter in sorted(marks.items()) if letter},
        "staged": list(case.staged),
        "log": ["the set", "first commit"],
    }


@TABLE
def test_the_index_is_as_the_commit_but_for_what_a_person_has_staged(case: Case, tmp_path: Path) -> None:
    repo = lay(case, tmp_path / "repo")
    there = {name: repo.read(name) for name in SET if (repo.path / name).exists()}
    assert keep(repo) == repo.head()
    assert picture(repo) == expected(case)
    committed = {name: repo.git("show", f"HEAD:{name}") for name in repo.files() if name.startswith("set/")}
    before = {PLAN: "plan", STATE: "state", OLD: "old"}
    left_out = {name: before[name] for name in before if name not in there and name not in case.gone}
    assert committed == {**left_out, **{name: text.removesuffix("\n") for name, text in there.items()}}
    assert {name: repo.read(name) for name in SET if (repo.path / name).exists()} == there

    repo.write("src/mine.txt", "mine\n")
    repo.git("add", "src/mine.txt")
    repo.git("commit", "-q", "-m", "mine")
    assert repo.git("show", "--format=", "--name-status").split("\n") == sorted(
        [*case.staged, "A\tsrc/mine.txt"], key=lambda line: line[2:]
    )
    assert keep(repo) == ("" if not case.staged else repo.head())


def test_git_need_not_read_the_files_again_to_see_that_they_are_as_committed(tmp_path: Path) -> None:
    repo = lay(CASES[0], tmp_path / "repo")
    assert keep(repo) == repo.head()
    assert repo.git("diff-files", "--name-only") == ""


@pytest.mark.parametrize("name", ["intent to add", "skip-worktree", "a staged text"])
def test_killed_at_any_step_and_tried_again_it_ends_the_same(name: str, tmp_path: Path) -> None:
    case = next(one for one in CASES if one.name == name)
    laid = lay(case, tmp_path / "laid")
    made: list[GitRepo] = []

    def again() -> Callable[[], object]:
        repo = GitRepo(shutil.copytree(laid.path, tmp_path / f"copy-{len(made)}", symlinks=True))
        made.append(repo)
        return lambda: keep(repo)

    for _ in every_kill(again):
        keep(made[-1])
        assert picture(made[-1]) == expected(case)


def test_a_conflict_in_one_of_the_files_is_left_to_the_person(tmp_path: Path) -> None:
    repo = lay(CASES[0], tmp_path / "repo")
    repo.git("stash", "-q")
    repo.write(STATE, "state, of somebody else\n")
    repo.git("commit", "-q", "-a", "-m", "another")
    repo.git("stash", "pop", check=False)
    before, status = repo.git("ls-files", "-s"), repo.status()
    assert f"UU {STATE}" in status
    with pytest.raises(ConflictError, match=f"^conflicts aren't resolved: {STATE}$"):
        keep(repo)
    assert (repo.git("ls-files", "-s"), repo.status(), repo.log()) == (before, status, ["another", "first commit"])
    assert not (repo.path / ".git" / "index.lock").exists()

    repo.git("add", STATE)
    assert keep(repo) == repo.head()
    assert repo.status() == []
