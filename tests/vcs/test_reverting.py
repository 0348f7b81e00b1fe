"""Trees without some of the commits that made them."""

from __future__ import annotations

from pathlib import Path

from orchestrator.vcs.landing import Conflict, Merged
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.reverting import line_of, without
from tests.support.git_repo import GitRepo

LINES = "".join(f"line {n}\n" for n in range(9))


def test_the_line_of_a_branch_is_that_of_its_first_parents_oldest_first(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "r", {"a": "a\n"})
    fork = repo.head()
    one = repo.commit("one", {"b": "b\n"})
    repo.switch("side", create=True)
    repo.commit("aside", {"c": "c\n"})
    repo.switch("main")
    two = repo.commit("two", {"d": "d\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    found = line_of(Repository.open(repo.path), fork, repo.head())
    assert [commit.id for commit in found] == [one, two, repo.head()]
    assert line_of(Repository.open(repo.path), fork, fork) == ()


def test_any_of_several_commits_can_be_left_out(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "r", {"a": LINES})
    one = repo.commit("one", {"a": LINES.replace("line 1", "one"), "one": "1\n"})
    two = repo.commit("two", {"a": LINES.replace("line 1", "one").replace("line 7", "two")})
    three = repo.commit("three", {"three": "3\n"})
    opened = Repository.open(repo.path)

    result = without(opened, three, [two])
    assert isinstance(result, Merged)
    assert opened.file_text(result.tree, "a") == LINES.replace("line 1", "one")
    result = without(opened, three, [two, one])
    assert isinstance(result, Merged)
    assert opened.file_text(result.tree, "a") == LINES
    assert repo.files(result.tree) == ["a", "three"]
    assert without(opened, three, []) == Merged(repo.tree(three))


def test_what_a_later_commit_changed_again_cannot_be_left_out_alone(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "r", {"a": "a\n"})
    one = repo.commit("one", {"a": "b\n"})
    two = repo.commit("two", {"a": "c\n"})
    opened = Repository.open(repo.path)
    result = without(opened, two, [one])
    assert isinstance(result, Conflict)
    assert result.paths == ("a",)
    assert without(opened, two, [two, one]) == Merged(repo.tree("HEAD~2"))
