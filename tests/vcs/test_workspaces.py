"""Making, finding, resetting and removing workspaces; what a program finds in one; kills at every step."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.errors import ConflictError, UserError
from orchestrator.vcs.changes import keep, look
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.snapshots import changes
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill

FILES = {"a.txt": "a\n", "src/b.txt": "b\n", "run.sh": "#!/bin/sh\n", ".gitignore": "*.log\nnode_modules/\n"}


@pytest.fixture
def main(tmp_path: Path) -> GitRepo:
    repo = GitRepo.create(tmp_path / "main", FILES)
    repo.git("tag", "v1")
    repo.branch("feature")
    return repo


@pytest.fixture
def workspaces(main: GitRepo) -> Workspaces:
    return Workspaces(Repository.open(main.path))


def files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if ".git" not in path.relative_to(folder).parts and path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def create(workspaces: Workspaces, main: GitRepo, path: Path) -> Workspace:
    return workspaces.create(path, branch="orch/5.1.1", commit=main.head())


def remove(workspaces: Workspaces, workspace: Workspace, *saved: str) -> None:
    """Remove the workspace if nothing in it is lost by that."""
    workspaces.refuse_loss(workspace, saved)
    workspaces.discard(workspace.path)


def test_a_program_finds_a_clean_checkout_with_the_branches_and_tags_of_the_repository(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    main.git("config", "alias.greet", "!echo hello")
    main.git("config", "user.name", "Local Name")
    path = tmp_path / "run" / "5.1.1"
    create(workspaces, main, path)
    inside = GitRepo(path)
    assert files(path) == FILES
    assert inside.status() == []
    assert inside.git("branch", "--format=%(refname:short)").split("\n") == ["feature", "main", "orch/5.1.1"]
    assert inside.git("symbolic-ref", "HEAD") == "refs/heads/orch/5.1.1"
    assert inside.git("describe", "--tags") == "v1"
    assert inside.git("greet") == "hello"
    assert inside.git("rev-parse", "--show-toplevel") == str(path)
    inside.commit("of its own", {"c.txt": "c\n"})
    assert inside.git("log", "-1", "--format=%an") == "Local Name"
    assert inside.git("fsck", "--no-dangling") == ""


def test_the_repository_shows_no_trace_of_it(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    before = (main.git("for-each-ref"), main.git("worktree", "list"), main.git("config", "--list", "--local"))
    create(workspaces, main, tmp_path / "run" / "5.1.1")
    assert (main.git("for-each-ref"), main.git("worktree", "list"), main.git("config", "--list", "--local")) == before


def test_without_a_branch_its_head_is_detached(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    workspaces.create(tmp_path / "w", branch=None, commit=main.head())
    assert GitRepo(tmp_path / "w").git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert GitRepo(tmp_path / "w").head() == main.head()


@pytest.mark.parametrize("taken", ["orch", "orch/5.1.1", "orch/5.1.1/more"])
def test_a_branch_of_the_person_that_clashes_by_name_is_no_obstacle(
    taken: str, workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    main.branch(taken)
    create(workspaces, main, tmp_path / "w")
    inside = GitRepo(tmp_path / "w")
    assert inside.git("symbolic-ref", "--short", "HEAD") == "orch/5.1.1"
    assert inside.git("branch", "--format=%(refname:short)").split("\n") == ["feature", "main", "orch/5.1.1"]


@pytest.mark.parametrize("name", ["../x", "a..b", "x.lock", "-x", "a b", "", "a/", "a\x01", "a~1", "@{1}", "a//b"])
def test_a_name_that_is_no_branch_is_refused(name: str, workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't be a branch name"):
        workspaces.create(tmp_path / "w", branch=name, commit=main.head())
    assert not (tmp_path / "w").exists()


def test_odd_paths_are_no_obstacle(tmp_path: Path) -> None:
    odd = tmp_path / '-odd "dir" é\n# \\ x'
    main = GitRepo.create(odd / "main", {**FILES, "é\n.txt": "odd\n"})
    workspace = create(Workspaces(Repository.open(main.path)), main, odd / "run; $HOME" / "5.1.1")
    inside = GitRepo(workspace.path)
    assert (inside.read("é\n.txt"), inside.status(), inside.git("log", "--format=%s")) == ("odd\n", [], "first commit")


def test_one_that_is_there_is_taken_with_the_work_in_it(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    first = create(workspaces, main, tmp_path / "w")
    (first.path / "a.txt").write_text("work\n")
    again = create(Workspaces(Repository.open(main.path)), main, tmp_path / "w")
    assert again == first
    assert (again.path / "a.txt").read_text() == "work\n"
    assert workspaces.find(tmp_path / "w") == first
    assert workspaces.find(tmp_path / "other") is None


def test_one_on_another_commit_is_brought_along_only_if_nothing_is_lost(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    create(workspaces, main, tmp_path / "w")
    main.commit("next", {"a.txt": "next\n"})
    assert (create(workspaces, main, tmp_path / "w").path / "a.txt").read_text() == "next\n"
    (tmp_path / "w" / "src" / "b.txt").write_text("work\n")
    main.commit("further", {"a.txt": "further\n"})
    with pytest.raises(ConflictError, match=r"src/b\.txt"):
        create(workspaces, main, tmp_path / "w")
    assert (tmp_path / "w" / "src" / "b.txt").read_text() == "work\n"


def test_what_lies_there_and_is_no_workspace_is_moved_aside(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "precious").write_text("mine\n")
    create(workspaces, main, tmp_path / "w")
    assert (tmp_path / "w.old-1" / "precious").read_text() == "mine\n"
    assert files(tmp_path / "w") == FILES


def test_reset_brings_everything_back_and_keeps_what_is_ignored(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    inside = GitRepo(workspace.path)
    inside.write("a.txt", "changed\n")
    inside.write("new/deep/file.txt", "new\n")
    inside.write("node_modules/x/index.js", "x\n")
    inside.write("out.log", "log\n")
    (workspace.path / "src" / "b.txt").unlink()
    (workspace.path / "run.sh").chmod(0o755)
    inside.git("init", "-q", "nested")
    inside.write("nested/file", "x\n")
    new = main.commit("next", {"a.txt": "next\n"})
    fresh = workspaces.reset(workspace, new)
    assert files(fresh.path) == {**FILES, "a.txt": "next\n", "node_modules/x/index.js": "x\n", "out.log": "log\n"}
    assert (inside.status(), inside.head(), changes(fresh, new)) == ([], new, ())
    assert not (fresh.path / "new").exists()
    assert not (fresh.path / "nested").exists()


def test_reset_can_lay_another_tree_on_a_commit(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    (workspace.path / "a.txt").write_text("work\n")
    (workspace.path / ".gitignore").write_text("*\n")
    kept = keep(workspace, main.head(), "kept")
    laid = workspaces.reset(workspace, main.head(), tree=f"{kept}^{{tree}}")
    assert GitRepo(laid.path).head() == main.head()
    assert [change.path for change in changes(laid, main.head())] == [".gitignore", "a.txt"]
    (laid.path / "hidden.txt").write_text("x\n")
    assert [change.path for change in changes(laid, main.head())] == [".gitignore", "a.txt", "hidden.txt"]


def test_a_tree_can_be_checked_out_without_a_commit(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    base = main.head()
    tree = main.tree(main.commit("next", {"a.txt": "next\n", "c.txt": "c\n"}))
    (workspace.path / "left.txt").write_text("left over\n")
    workspaces.checkout_tree(workspace, tree)
    assert files(workspace.path) == {**FILES, "a.txt": "next\n", "c.txt": "c\n"}
    assert (GitRepo(workspace.path).head(), GitRepo(workspace.path).status()) == (base, ["M  a.txt", "A  c.txt"])


def test_an_unchanged_one_is_removed_and_a_changed_one_is_kept_and_named(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    clean = create(workspaces, main, tmp_path / "clean")
    (clean.path / "out.log").write_text("ignored\n")
    remove(workspaces, clean)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main"]
    changed = create(workspaces, main, tmp_path / "changed")
    (changed.path / "new.txt").write_text("new\n")
    with pytest.raises(ConflictError, match=r"new\.txt"):
        remove(workspaces, changed)
    assert (changed.path / "new.txt").read_text() == "new\n"
    kept = keep(changed, main.head(), "kept")
    (changed.path / "more.txt").write_text("more\n")
    with pytest.raises(ConflictError, match=r"more\.txt"):
        remove(workspaces, changed, kept)
    (changed.path / "more.txt").unlink()
    remove(workspaces, changed, kept)
    workspaces.discard(create(workspaces, main, tmp_path / "forced").path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main"]


def test_a_folder_that_can_not_be_written_is_removed_all_the_same(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    locked = workspace.path / "node_modules" / "locked"
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(0o500)
    remove(workspaces, workspace)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main"]


@pytest.mark.parametrize("name", ["d", "a name so long that no path leads to the last of so many folders"])
def test_folders_a_thousand_deep_are_removed(name: str, workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    script = "import os, sys\nfor _ in range(1100):\n os.mkdir(sys.argv[1])\n os.mkdir('1')\n os.chdir(sys.argv[1])"
    for folder in ("node_modules", "."):
        (workspace.path / folder).mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-c", script, name], cwd=workspace.path / folder, check=True)
    try:
        again = workspaces.lay(workspace.path, branch="orch/5.1.1", commit=main.head())
        assert sorted(path.name for path in again.path.iterdir()) == [".git", ".gitignore", "a.txt", "run.sh", "src"]
    finally:
        # pytest can't.
        subprocess.run(["rm", "-rf", workspace.path / "node_modules", workspace.path / name], check=True)
    remove(workspaces, again)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main"]


def test_an_index_that_is_a_link_is_replaced_and_not_written_through(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    precious = tmp_path / "precious"
    precious.write_text("mine\n")
    for thing in (lambda path: path.symlink_to(precious), os.mkfifo):
        index = workspace.path / ".git" / "index"
        index.unlink()
        thing(index)
        workspaces.checkout_tree(workspace, "HEAD")
        assert GitRepo(workspace.path).status() == []
    assert precious.read_text() == "mine\n"


def test_a_git_directory_that_can_not_be_written_gives_way_each_time(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    for _ in range(2):
        locked = workspace.path / ".git" / "locked"
        locked.mkdir()
        (locked / "file").write_text("x")
        locked.chmod(0o500)
        workspaces.reset(workspace, main.head())
        assert not locked.exists()
        assert list(workspace.side.glob("git*")) == []
    assert GitRepo(workspace.path).status() == []


def test_a_link_to_outside_is_removed_and_not_followed(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("mine\n")
    workspace = create(workspaces, main, tmp_path / "w")
    (workspace.path / "way").symlink_to(tmp_path / "outside")
    (workspace.path / "node_modules").symlink_to(tmp_path / "outside")
    workspaces.lay(workspace.path, branch="orch/5.1.1", commit=main.head())
    assert not (workspace.path / "way").is_symlink()
    (workspace.path / "way").symlink_to(tmp_path / "outside")
    workspaces.discard(workspace.path)
    assert (tmp_path / "outside" / "precious").read_text() == "mine\n"


def test_a_workspace_that_has_become_a_link_is_never_written_through(
    workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    workspace = create(workspaces, main, tmp_path / "w")
    workspace.path.rename(tmp_path / "elsewhere")
    workspace.path.symlink_to(main.path)
    main.write("a.txt", "mine\n")
    main.write("untracked.txt", "mine\n")
    assert workspaces.find(tmp_path / "w") is None
    for call in (lambda: workspaces.reset(workspace, main.head()), lambda: workspaces.checkout_tree(workspace, "HEAD")):
        with pytest.raises(ConflictError, match="has become a link"):
            call()
    again = create(workspaces, main, tmp_path / "w")
    assert files(again.path) == FILES
    remove(workspaces, again)
    assert (main.read("a.txt"), main.status()) == ("mine\n", [" M a.txt", "?? untracked.txt"])


def test_a_shallow_clone_and_a_detached_head_will_do(main: GitRepo, tmp_path: Path) -> None:
    main.commit("second")
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{main.path}", str(tmp_path / "shallow")], check=True)
    shallow = GitRepo(tmp_path / "shallow")
    shallow.git("checkout", "-q", "--detach")
    create(Workspaces(Repository.open(shallow.path)), shallow, tmp_path / "w")
    inside = GitRepo(tmp_path / "w")
    assert (inside.log(), inside.status(), inside.git("fsck", "--no-dangling")) == (["second"], [], "")


def test_a_repository_with_sha256_ids_will_do(tmp_path: Path) -> None:
    path = tmp_path / "main"
    path.mkdir()
    main = GitRepo(path)
    main.git("init", "-q", "--object-format=sha256")
    main.commit("first", FILES)
    workspace = create(Workspaces(Repository.open(path)), main, tmp_path / "w")
    (workspace.path / "a.txt").write_text("work\n")
    assert len(keep(workspace, main.head(), "kept")) == 64
    assert GitRepo(workspace.path).status() == [" M a.txt"]


def test_a_linked_checkout_can_have_workspaces_too(main: GitRepo, tmp_path: Path) -> None:
    linked = main.worktree(tmp_path / "linked", branch="work")
    linked.commit("in the linked one", {"c.txt": "c\n"})
    create(Workspaces(Repository.open(linked.path)), linked, tmp_path / "w")
    assert GitRepo(tmp_path / "w").log() == ["in the linked one", "first commit"]


def test_a_sparse_checkout_gives_whole_workspaces(main: GitRepo, tmp_path: Path) -> None:
    main.git("sparse-checkout", "set", "nothing")
    assert not (main.path / "src").exists()
    workspace = create(Workspaces(Repository.open(main.path)), main, tmp_path / "w")
    assert files(workspace.path) == FILES
    assert (GitRepo(workspace.path).status(), changes(workspace, main.head())) == ([], ())


def test_eight_at_once_do_not_disturb_each_other(workspaces: Workspaces, main: GitRepo, tmp_path: Path) -> None:
    base = main.head()

    def life(number: int) -> tuple[list[str], str]:
        workspace = workspaces.create(tmp_path / f"w{number}", branch=f"orch/1.1.{number}", commit=base)
        (workspace.path / f"{number}.txt").write_text(f"{number}\n")
        found = [change.path for change in changes(workspace, base)]
        kept = keep(workspace, base, f"turn of {number}")
        remove(workspaces, workspace, kept)
        return found, kept

    with ThreadPoolExecutor(8) as pool:
        lives = list(pool.map(life, range(16)))
    assert [found for found, _ in lives] == [[f"{number}.txt"] for number in range(16)]
    assert len({kept for _, kept in lives}) == 16
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main"]
    assert main.git("fsck", "--no-dangling") == ""


@pytest.mark.parametrize("what", ["create", "reset", "checkout_tree", "remove", "look"])
def test_after_a_kill_at_any_step_the_same_call_does_it(
    what: str, workspaces: Workspaces, main: GitRepo, tmp_path: Path
) -> None:
    base = main.head()
    new = main.commit("next", {"a.txt": "next\n", "c.txt": "c\n"})
    path = tmp_path / "w"

    def call() -> object:
        if what == "create":
            return workspaces.create(path, branch="orch/5.1.1", commit=new)
        if what == "remove" and not path.exists():
            return workspaces.sweep(tmp_path)
        workspace = workspaces.create(path, branch="orch/5.1.1", commit=base)
        if what == "reset":
            return workspaces.reset(workspace, new)
        if what == "checkout_tree":
            return workspaces.checkout_tree(workspace, new)
        return workspaces.discard(workspace.path) if what == "remove" else look(workspace).tree()

    def again() -> Callable[[], object]:
        for folder in (path, path.with_name("w.side"), path.with_name("w.gone")):
            subprocess.run(["rm", "-rf", str(folder)], check=True)
        if what != "create":
            inside = workspaces.create(path, branch="orch/5.1.1", commit=base).path
            (inside / "left.txt").write_text("work\n")
        return call

    expected = {
        "create": {**FILES, "a.txt": "next\n", "c.txt": "c\n"},
        "reset": {**FILES, "a.txt": "next\n", "c.txt": "c\n"},
        "checkout_tree": {**FILES, "a.txt": "next\n", "c.txt": "c\n"},
        "remove": {},
        "look": {**FILES, "left.txt": "work\n"},
    }[what]
    steps = 0
    for steps in every_kill(again):  # noqa: B007
        call()
        assert files(path) == expected
        assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith("w.")) in ([], ["w.side"])
    assert steps > 1
