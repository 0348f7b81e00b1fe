"""Commits and trees written without git are those that git would have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import OrchError
from orchestrator.vcs.changes import look, tree
from orchestrator.vcs.objects import read_loose, tree_content, tree_entries
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo

# `a` as a folder comes after `a.txt` and before `a0`.
FILES = {"a/x": "x\n", "a.txt": "t\n", "a0": "0\n", "b": "b\n", "é\n.txt": "odd\n", "planning/p.md": "p\n"}


@pytest.fixture(params=["sha1", "sha256"])
def main(tmp_path: Path, request: pytest.FixtureRequest) -> GitRepo:
    path = tmp_path / "main"
    path.mkdir()
    repo = GitRepo(path)
    repo.git("init", "-q", "-b", "main", f"--object-format={request.param}")
    repo.commit("first", FILES)
    return repo


def test_a_kept_commit_is_whole_and_says_what_it_is_of(main: GitRepo) -> None:
    repository = Repository.open(main.path)
    head = main.head()
    made = repository.kept_commit(main.tree(head), [head], "turn 1: 5.1.1 — é")
    form = "--format=%T %P|%an <%ae>|%cn <%ce>|%B"
    assert main.git("log", "-1", form, made).rstrip() == (
        f"{main.tree(head)} {head}|orch <orch@localhost>|orch <orch@localhost>|turn 1: 5.1.1 — é"
    )
    assert repository.tree_of(made) == main.tree(head)
    main.git("update-ref", "refs/orch/x", made)
    assert main.git("fsck", "--strict") == ""


def test_a_tree_reads_back_and_is_written_in_the_order_of_git(main: GitRepo) -> None:
    repository = Repository.open(main.path)
    name = main.tree(main.head())
    held = read_loose(repository.common_dir / "objects", name)
    assert held is not None
    entries = tree_entries(held[1], is_sha1=repository.object_format == "sha1")
    assert [entry.name.decode() for entry in entries] == ["a.txt", "a", "a0", "b", "planning", "é\n.txt"]
    assert tree_content(reversed(entries)) == held[1]


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_what_stands_at_the_top_can_be_taken_from_another_tree(main: GitRepo, packed: bool) -> None:
    first = main.tree(main.head())
    second = main.tree(main.commit("next", {"a/x": "new\n", "b": "new\n", "c": "new\n", "d/e": "new\n"}))
    expected = main.tree(main.commit("expected", {"b": "b\n", "a/x": "x\n"}))
    if packed:
        main.git("gc", "-q")
    repository = Repository.open(main.path)
    assert repository.with_tops_of(second, first, ["a", "b"]) == expected
    assert repository.with_tops_of(second, first, ["a", "b", "c", "d"]) == first
    assert repository.with_tops_of(first, second, ["a", "b", "c", "d"]) == second


@pytest.mark.parametrize("left_out", [["planning/"], ["planning/", "a/x"], ["planning/", "new/one.txt"], []])
def test_a_tree_to_land_is_the_same_whichever_way_it_is_made(
    left_out: list[str], main: GitRepo, tmp_path: Path
) -> None:
    workspace = Workspaces(Repository.open(main.path)).create(tmp_path / "w", branch="orch/1.1.1", commit=main.head())
    inside = GitRepo(workspace.path)
    for name in ("a/x", "a/y", "b", "new/one.txt", "new/two.txt", "planning/p.md", "planning/tasks/t.md"):
        inside.write(name, "changed\n")
    (workspace.path / "a0").unlink()
    seen = look(workspace)
    made = tree(workspace, main.head(), leave_out=left_out, seen=seen)
    for name in [one for pattern in left_out for one in ([pattern] if pattern != "planning/" else [])]:
        if name in FILES:
            inside.write(name, FILES[name])
        else:
            (workspace.path / name).unlink()
    if "planning/" in left_out:
        inside.write("planning/p.md", FILES["planning/p.md"])
        (workspace.path / "planning/tasks/t.md").unlink()
    assert made == look(workspace).tree()


def test_a_folder_of_objects_that_can_not_be_written_is_named(main: GitRepo) -> None:
    repository = Repository.open(main.path)
    objects = main.path / ".git" / "objects"
    objects.rename(objects.with_name("moved"))
    objects.write_text("")
    with pytest.raises(OrchError, match=r"can't change \S+/\.git/objects/\S+: a file stands where a folder should"):
        repository.kept_commit("1" * 40, [], "x")
