"""Workspaces that are laid again for something else: what is written, what stays, and kills at every step."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.vcs.changes import look
from orchestrator.vcs.products import Products, besides, has_made, read_products, write_products
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill

FILES = {"a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\nnode_modules/\n"}
MADE = {"node_modules/x/index.js": "x\n", "node_modules/.bin/x": "x\n", "untracked.txt": "made\n"}


@pytest.fixture
def main(tmp_path: Path) -> GitRepo:
    return GitRepo.create(tmp_path / "main", FILES)


@pytest.fixture
def workspaces(main: GitRepo) -> Workspaces:
    return Workspaces(Repository.open(main.path))


def files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if ".git" not in path.relative_to(folder).parts and path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def set_up(workspaces: Workspaces, main: GitRepo, path: Path) -> Workspace:
    """A workspace with products of the recipe `one` in it."""
    workspace = workspaces.lay(path, branch="orch/1.1.1", commit=main.head())
    inside = GitRepo(path)
    for name, text in MADE.items():
        inside.write(name, text)
    (path / "node_modules" / "empty").mkdir()
    (path / "node_modules" / "way").symlink_to("x")
    write_products(workspace, Products("one", besides(workspace)))
    return workspace


def written(path: Path) -> tuple[int, int, int]:
    """Which file it is and when it was last written; reading it changes none of that."""
    about = path.stat()
    return about.st_ino, about.st_mtime_ns, about.st_ctime_ns


def test_only_what_differs_is_written_and_all_that_was_left_goes(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    path = tmp_path / "w"
    workspace = workspaces.lay(path, branch="orch/1.1.1", commit=main.head())
    unchanged = written(path / "src" / "b.txt")
    inside = GitRepo(path)
    inside.commit("of its own", {"a.txt": "theirs\n", "c.txt": "c\n"})
    for name in ("left.txt", "out.log", "node_modules/x.js", "deep/er/left.txt", "nested/file"):
        inside.write(name, "left\n")
    (path / "hollow").mkdir()
    inside.git("init", "-q", "nested")
    new = main.commit("next", {"d.txt": "d\n"})
    again = workspaces.lay(path, branch="orch/1.2.1", commit=new)
    assert files(path) == {**FILES, "d.txt": "d\n"}
    assert sorted(one.name for one in path.iterdir()) == [".git", ".gitignore", "a.txt", "d.txt", "src"]
    assert written(path / "src" / "b.txt") == unchanged
    assert (again.branch, again.commit, workspaces.find(path)) == ("orch/1.2.1", new, again)
    assert (inside.status(), inside.head()) == ([], new)
    assert inside.git("branch", "--format=%(refname:short)").split("\n") == ["main", "orch/1.2.1"]
    assert not look(workspace).is_touched


def test_products_of_the_same_recipe_stay_and_nothing_else(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    path = tmp_path / "w"
    set_up(workspaces, main, path)
    inside = GitRepo(path)
    inside.write("node_modules/.cache/left", "left\n")
    inside.write("node_modules/x/left", "left\n")
    inside.write("left.log", "left\n")
    new = main.commit("next", {"a.txt": "next\n"})
    laid = workspaces.lay(path, branch="orch/1.2.1", commit=new, recipe="one")
    assert has_made(laid, "one")
    assert files(path) == {**FILES, "a.txt": "next\n", **MADE}
    assert (path / "node_modules" / "empty").is_dir()
    assert (path / "node_modules" / "way").is_symlink()


def test_products_of_another_recipe_go(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    workspace = set_up(workspaces, main, tmp_path / "w")
    laid = workspaces.lay(tmp_path / "w", branch="orch/1.2.1", commit=main.head(), recipe="two")
    assert (has_made(laid, "one"), files(tmp_path / "w"), read_products(workspace)) == (False, FILES, None)


def change_and_set_the_time_back(path: Path) -> None:
    about = path.stat()
    path.write_text("y\n")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


@pytest.mark.parametrize(
    "act",
    [
        lambda path: (path / "node_modules/x/index.js").write_text("y\n"),
        lambda path: change_and_set_the_time_back(path / "node_modules/x/index.js"),
        lambda path: (path / "node_modules/x/index.js").chmod(0o755),
        lambda path: (path / "node_modules/x/index.js").unlink(),
        lambda path: (path / "untracked.txt").unlink(),
        lambda path: (path / "node_modules/way").unlink(),
        lambda path: (path / "node_modules/empty").rmdir(),
        lambda path: [(path / "node_modules").rename(path / "old"), (path / "node_modules").symlink_to("old")],
        lambda path: [(path / "node_modules/x/index.js").unlink(), (path / "node_modules/x/index.js").mkdir()],
    ],
    ids=[
        "edited",
        "time set back",
        "mode",
        "deleted",
        "untracked one",
        "link",
        "folder",
        "moved behind a link",
        "type",
    ],
)
def test_products_that_anybody_touched_count_as_none(
    act: Callable[[Path], object], workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    set_up(workspaces, main, tmp_path / "w")
    act(tmp_path / "w")
    laid = workspaces.lay(tmp_path / "w", branch="orch/1.2.1", commit=main.head(), recipe="one")
    assert (has_made(laid, "one"), files(tmp_path / "w")) == (False, FILES)


def test_a_product_that_is_in_the_next_commit_counts_as_none(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    set_up(workspaces, main, tmp_path / "w")
    new = main.commit("next", {"untracked.txt": "tracked now\n"})
    laid = workspaces.lay(tmp_path / "w", branch="orch/1.2.1", commit=new, recipe="one")
    assert (has_made(laid, "one"), files(tmp_path / "w")) == (False, {**FILES, "untracked.txt": "tracked now\n"})


def test_a_record_that_is_damaged_is_none(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    workspace = set_up(workspaces, main, tmp_path / "w")
    (workspace.side / "products.json").write_text('{"recipe": "one", "files": ')
    laid = workspaces.lay(tmp_path / "w", branch="orch/1.2.1", commit=main.head(), recipe="one")
    assert (has_made(laid, "one"), files(tmp_path / "w")) == (False, FILES)


def test_a_tree_can_be_laid_with_its_head_at_a_commit(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    base = main.head()
    tree = main.tree(main.commit("next", {"a.txt": "next\n"}))
    workspaces.lay(tmp_path / "w", branch=None, commit=base, tree=tree)
    assert (files(tmp_path / "w"), GitRepo(tmp_path / "w").head()) == ({**FILES, "a.txt": "next\n"}, base)


def test_new_ignore_rules_hold_in_a_workspace_that_was_used_before(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    workspaces.lay(tmp_path / "w", branch="orch/1.1.1", commit=main.head())
    main.commit("between", {"a.txt": "next\n"})
    new = main.commit("next", {"src/.gitignore": "*.tmp\n"})
    workspace = workspaces.lay(tmp_path / "w", branch="orch/1.2.1", commit=new)
    GitRepo(workspace.path).write("src/x.tmp", "x\n")
    assert not look(workspace).is_touched
    GitRepo(workspace.path).write("x.tmp", "x\n")
    assert look(workspace).is_touched


@pytest.mark.parametrize("recipe", ["one", "two", ""])
def test_after_a_kill_at_any_step_it_can_be_laid_again_and_products_are_whole_or_none(
    recipe: str, workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    base = main.head()
    new = main.commit("next", {"a.txt": "next\n", "c.txt": "c\n"})
    path = tmp_path / "w"

    def again() -> Callable[[], object]:
        for folder in (path, path.with_name("w.side")):
            subprocess.run(["rm", "-rf", str(folder)], check=True)
        set_up(workspaces, main, path)
        workspaces.lay(path, branch="orch/1.1.1", commit=base, recipe="one")
        GitRepo(path).write("left.txt", "left\n")
        GitRepo(path).write("node_modules/left", "left\n")
        return lambda: workspaces.lay(path, branch="orch/1.2.1", commit=new, recipe=recipe)

    expected = {**FILES, "a.txt": "next\n", "c.txt": "c\n"}
    if recipe == "one":
        expected |= MADE
    kills = 0
    for _ in every_kill(again):
        kills += 1
        found = workspaces.find(path)
        assert found is None or (found.branch, found.commit) in (("orch/1.1.1", base), ("orch/1.2.1", new))
        laid = workspaces.lay(path, branch="orch/1.2.1", commit=new, recipe=recipe)
        assert (has_made(laid, "one"), files(path)) == (recipe == "one", expected)
        assert GitRepo(path).head() == new
    assert kills > 8
