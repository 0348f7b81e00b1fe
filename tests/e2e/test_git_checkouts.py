"""Where the branch that tasks land on is checked out, and what else goes on in the checkouts of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.git_repo import GitRepo
from tests.support.one_life import LINES, Life, assert_lived, new_life
from tests.support.orch import run_orch
from tests.support.planned import Task, planned

CURRENT = "branch: current\n"


def tree_of(folder: Path) -> list[str]:
    """The files of a checkout, planning/ and git's own apart."""
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in found if not name.startswith((".git/", "planning/")) and name != ".git")


def test_in_the_main_checkout_its_files_follow(tmp_path: Path) -> None:
    life = Life(new_life(tmp_path).folder, settings=CURRENT, branch="main")
    life.config("core.splitIndex=true", "core.untrackedCache=true")
    life.repo.git("update-index", "--split-index")
    life.live()
    assert_lived(life)
    assert tree_of(life.folder) == ["README.md", "src/moved.txt", "src/new.txt", "src/text.txt"]


def test_in_another_worktree_of_the_person_that_one_follows(tmp_path: Path) -> None:
    life = Life(new_life(tmp_path).folder, settings="branch: work\n", branch="work")
    there = life.repo.worktree(tmp_path / "there", branch="work")
    life.live()
    assert_lived(life)
    assert tree_of(there.path) == ["README.md", "src/moved.txt", "src/new.txt", "src/text.txt"]
    assert there.status() == []
    assert tree_of(life.folder) == ["README.md", "gone.txt", "src/old.txt", "src/text.txt"]


def test_called_in_a_linked_worktree(tmp_path: Path) -> None:
    main = new_life(tmp_path / "main").repo
    side = main.worktree(tmp_path / "side", branch="side")
    life = Life(side.path, settings=CURRENT, branch="side")
    life.live()
    assert_lived(life)
    assert (main.status(), main.head()) == ([], main.head("main"))
    assert (side.status()[0][:3], tree_of(side.path)[1:]) == ("?? ", ["src/moved.txt", "src/new.txt", "src/text.txt"])


def test_called_in_a_worktree_of_a_bare_repository(tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(new_life(tmp_path / "far").folder), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "repo"), "main")
    life = Life(tmp_path / "repo")
    life.live()
    assert_lived(life)


def test_with_a_detached_head_and_a_base(tmp_path: Path) -> None:
    life = Life(new_life(tmp_path).folder, settings="base: main\n")
    life.repo.git("checkout", "-q", "--detach")
    life.live()
    assert_lived(life)
    assert git(life.folder, "rev-parse", "--symbolic-full-name", "HEAD") == "HEAD"


CONES = {
    "cone with an index of folders": ("--cone", "--sparse-index", "far"),
    "patterns": ("--no-cone", "/*", "!/src/", "!/gone.txt"),
}


@pytest.mark.parametrize("how", CONES)
def test_what_is_outside_of_a_sparse_checkout_is_changed_in_git_and_stays_outside(how: str, tmp_path: Path) -> None:
    life = Life(new_life(tmp_path, {"far/a.txt": "a\n"}).folder, settings=CURRENT, branch="main")
    life.repo.git("sparse-checkout", "set", *CONES[how])
    before = tree_of(life.folder)
    assert "src/text.txt" not in before
    life.live()
    assert_lived(life)
    assert tree_of(life.folder) == [name for name in before if name != "gone.txt"]
    life.repo.git("sparse-checkout", "disable")
    assert tree_of(life.folder) == ["README.md", "far/a.txt", "src/moved.txt", "src/new.txt", "src/text.txt"]
    assert git(life.folder, "status", "--porcelain", "--", ".", ":!planning") == ""


def conflict(repo: GitRepo, *command: str) -> None:
    """Leave an operation unfinished in the checkout: its commits conflict in a file that no task edits."""
    repo.switch("topic", create=True)
    repo.commit("mine", {"README.md": "mine\n"})
    repo.switch("main")
    repo.commit("theirs", {"README.md": "theirs\n"})
    if command[0] == "rebase":
        repo.switch("topic")
    repo.git(*command, check=False)


@pytest.mark.parametrize("command", [("rebase", "main"), ("merge", "topic"), ("cherry-pick", "topic")], ids=" ".join)
def test_an_operation_left_unfinished_in_the_main_checkout_goes_on_afterwards(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    life = Life(new_life(tmp_path).folder, settings="base: main\n")
    conflict(life.repo, *command)
    before = (life.repo.status(), life.repo.git("diff"), life.repo.head())
    left = life.next_wave()
    assert left.code == 0, left
    # The planning set came with the call.
    assert [line for line in life.repo.status() if " planning/" not in line] == before[0]
    assert (life.repo.git("diff"), life.repo.head()) == before[1:]
    life.repo.write("README.md", "both\n")
    life.repo.git("add", "README.md")
    life.repo.git("-c", "core.editor=true", command[0], "--continue")
    assert life.repo.git("log", "--format=%s", "-1") in ("mine", "Merge branch 'topic'")


def test_a_merge_left_unfinished_where_the_branch_is_checked_out_holds_landing_until_it_is_over(tmp_path: Path) -> None:
    life = Life(new_life(tmp_path).folder, settings=CURRENT, branch="main")
    conflict(life.repo, "merge", "topic")
    before = (life.repo.git("diff"), life.repo.head())
    left = life.next_wave()
    assert left.code == 3, left
    assert "landing waits: a merge is under way where main is checked out, in" in left.out
    assert f"first: finish or abort the merge in {life.folder}\nnext: orch next-wave\n" in left.out
    assert (life.repo.git("diff"), life.repo.head()) == before
    assert life.board[:2] == ("verified", "verified")
    life.repo.git("merge", "--abort")
    assert life.next_wave().code == 0
    assert life.board[:2] == ("done", "done")
    assert tree_of(life.folder) == ["README.md", "src/new.txt", "src/old.txt", "src/text.txt"]
    assert LINES in life.blob("src/text.txt")


@pytest.mark.parametrize("target", ["../plans", "plans"])
def test_with_a_planning_folder_that_is_a_link_which_git_tracks(target: str, tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: auto\n")
    (folder / "planning").rename(folder / target)
    (folder / "planning").symlink_to(target)
    git(folder, "add", "planning")
    git(folder, "commit", "-q", "-m", "plans lie elsewhere")
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert git(folder, "diff", "--name-status", "main", "orch/1-things") == "A\ta.dat"
    assert "| done |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert (folder / "planning").is_symlink()
