"""Merging in memory, and the one transaction that lands: a table of situations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.errors import ConflictError
from orchestrator.vcs.landing import Conflict, Merged, land, merge
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill

TEXT = "".join(f"line {n}\n" for n in range(12))
BASE = {"a.txt": TEXT, "b.txt": "b\n", "d/x.txt": "x\n", "d/y.txt": "y\n", "bin": "\0\1\2\n"}


def text_with(**lines: str) -> str:
    return "".join(lines.get(f"l{n}", f"line {n}") + "\n" for n in range(12))


@dataclass(frozen=True)
class Merging:
    """What each side does to the base's files; None deletes. `merged` is what differs from the base afterwards."""

    name: str
    ours: dict[str, str | None]
    theirs: dict[str, str | None]
    merged: dict[str, str | None] | None = None
    conflict: tuple[str, ...] = ()


TABLE = (
    Merging("nothing of ours", {}, {"b.txt": "B\n"}, {"b.txt": "B\n"}),
    Merging("nothing of theirs", {"b.txt": "B\n"}, {}, {"b.txt": "B\n"}),
    Merging("different files", {"b.txt": "B\n"}, {"c.txt": "c\n"}, {"b.txt": "B\n", "c.txt": "c\n"}),
    Merging(
        "different lines",
        {"a.txt": text_with(l1="ours")},
        {"a.txt": text_with(l10="theirs")},
        {"a.txt": text_with(l1="ours", l10="theirs")},
    ),
    Merging(
        "the same change",
        {"a.txt": text_with(l1="both")},
        {"a.txt": text_with(l1="both")},
        {"a.txt": text_with(l1="both")},
    ),
    Merging("the same line", {"a.txt": text_with(l1="ours")}, {"a.txt": text_with(l1="theirs")}, conflict=("a.txt",)),
    Merging("deleted and edited", {"b.txt": None}, {"b.txt": "B\n"}, conflict=("b.txt",)),
    Merging("both add a file", {"c.txt": "ours\n"}, {"c.txt": "theirs\n"}, conflict=("c.txt",)),
    Merging("a binary file", {"bin": "\0ours\n"}, {"bin": "\0theirs\n"}, conflict=("bin",)),
    Merging(
        "renamed by us, edited by them",
        {"a.txt": None, "moved.txt": TEXT},
        {"a.txt": text_with(l3="theirs")},
        {"a.txt": None, "moved.txt": text_with(l3="theirs")},
    ),
    Merging("an odd name", {"b.txt": "B\n"}, {'q "é\n.txt': "q\n"}, {"b.txt": "B\n", 'q "é\n.txt': "q\n"}),
    Merging("an odd name in conflict", {'q "é\n.txt': "1\n"}, {'q "é\n.txt': "2\n"}, conflict=('q "é\n.txt',)),
)


def apply(repo: GitRepo, files: dict[str, str | None], message: str) -> str:
    for name, text in files.items():
        if text is None:
            (repo.path / name).unlink()
        else:
            repo.write(name, text)
    return repo.commit(message)


def contents(repo: GitRepo, rev: str) -> dict[str, str]:
    return {name: repo.git("cat-file", "blob", f"{rev}:{name}") for name in repo.files(rev)}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name.replace(" ", "-"))
@pytest.mark.parametrize("is_ancestor", [True, False], ids=["base-is-ancestor", "base-is-none"])
def test_a_merge_in_memory(row: Merging, is_ancestor: bool, tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", BASE)
    base = repo.head()
    theirs = repo.tree(apply(repo, row.theirs, "theirs"))
    if is_ancestor:
        repo.git("reset", "-q", "--hard", base)
    else:
        repo.git("checkout", "-q", "--orphan", "rewritten", base)
        repo.commit("the same files, another history")
    ours = apply(repo, row.ours, "ours")
    status = repo.status()
    result = merge(Repository.open(repo.path), base=base, ours=ours, theirs_tree=theirs)
    if row.merged is None:
        assert isinstance(result, Conflict)
        assert result.paths == row.conflict
        assert result.text.startswith(f"{row.conflict[0]}:\n")
    else:
        expected = {
            **contents(repo, base),
            **{name: (text or "").removesuffix("\n") for name, text in row.merged.items()},
        }
        gone = {name for name, text in row.merged.items() if text is None}
        assert isinstance(result, Merged)
        assert contents(repo, result.tree) == {name: text for name, text in expected.items() if name not in gone}
    assert (repo.status(), repo.head()) == (status, ours), "the checkout was touched"


def test_a_conflict_shows_its_hunks_and_a_tree_with_markers(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", BASE)
    base = repo.head()
    theirs = repo.tree(repo.commit("theirs", {"a.txt": text_with(l4="theirs")}))
    repo.git("reset", "-q", "--hard", base)
    ours = repo.commit("ours", {"a.txt": text_with(l4="ours")})
    result = merge(Repository.open(repo.path), base=base, ours=ours, theirs_tree=theirs)
    assert isinstance(result, Conflict)
    lines = result.text.split("\n")
    assert [line.split(" ")[0] for line in lines] == ["a.txt:", "<<<<<<<", "ours", "=======", "theirs", ">>>>>>>"]
    assert "<<<<<<<" in repo.git("cat-file", "blob", f"{result.tree}:a.txt")


def landed(repo: GitRepo) -> tuple[str, ...]:
    return tuple(repo.git("for-each-ref", "--format=%(objectname) %(refname)").split("\n"))


@pytest.fixture
def ready(tmp_path: Path) -> tuple[GitRepo, Repository, str, str]:
    repo = GitRepo.create(tmp_path / "repo", BASE)
    old = repo.head()
    new = repo.commit("new", {"b.txt": "B\n"})
    repo.git("reset", "-q", "--hard", old)
    repo.branch("orch/1-x", old)
    return repo, Repository.open(repo.path), old, new


REF = "refs/orch/k3f9/1.1.1/landed-1"


def test_landing_moves_the_branch_and_makes_the_ref(ready: tuple[GitRepo, Repository, str, str]) -> None:
    repo, repository, old, new = ready
    land(repository, branch="orch/1-x", old=old, new=new, landing_ref=REF)
    assert landed(repo) == (f"{old} refs/heads/main", f"{new} refs/heads/orch/1-x", f"{new} {REF}")


@pytest.mark.parametrize(
    "before",
    [
        lambda repo, new: repo.git("branch", "-f", "orch/1-x", new),
        lambda repo, new: repo.git("branch", "-D", "orch/1-x"),
        lambda repo, new: repo.git("update-ref", REF, new),
        lambda repo, new: repo.git("update-ref", "refs/orch/k3f9/1.1.1", new),
    ],
    ids=["the-branch-moved", "the-branch-is-gone", "the-ref-exists", "a-ref-is-a-folder-of-it"],
)
def test_a_landing_that_can_not_be_whole_changes_nothing(
    before: Callable[[GitRepo, str], object], ready: tuple[GitRepo, Repository, str, str]
) -> None:
    repo, repository, old, new = ready
    before(repo, new)
    there = landed(repo)
    with pytest.raises(ConflictError) as caught:
        land(repository, branch="orch/1-x", old=old, new=new, landing_ref=REF)
    assert "another program" in caught.value.hint
    assert landed(repo) == there


def test_a_landing_killed_at_any_step_has_happened_whole_or_not_at_all(
    ready: tuple[GitRepo, Repository, str, str],
) -> None:
    repo, repository, old, new = ready

    def again() -> Callable[[], object]:
        repo.git("update-ref", "-d", REF, check=False)
        repo.git("branch", "-f", "orch/1-x", old)
        return lambda: land(repository, branch="orch/1-x", old=old, new=new, landing_ref=REF)

    for _ in every_kill(again):
        assert landed(repo) == (f"{old} refs/heads/main", f"{old} refs/heads/orch/1-x")
    assert landed(repo) == (f"{old} refs/heads/main", f"{new} refs/heads/orch/1-x", f"{new} {REF}")
