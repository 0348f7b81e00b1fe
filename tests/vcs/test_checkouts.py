"""Where a branch is checked out, and what happens when a checkout is busy, changed meanwhile, or git itself dies."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from orchestrator.errors import ConflictError
from orchestrator.vcs.checkout import Repaired, collisions, following, holder, move, repair
from orchestrator.vcs.index_lock import SIGNATURE, hold_index
from orchestrator.vcs.landing import land
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo
from tests.vcs.killing import killed_at
from tests.vcs.situations import left_by_us

FILES = {"a.txt": "a\n", "b.txt": "b\n"}


def two_commits(repo: GitRepo) -> tuple[str, str]:
    old = repo.head()
    new = repo.commit("coming", {"a.txt": "A\n", "c.txt": "c\n"})
    repo.git("reset", "-q", "--hard", old)
    return old, new


def move_ref(repository: Repository, branch: str, old: str, new: str) -> None:
    repository.update_refs([RefChange(f"refs/heads/{branch}", new, old)])


def test_a_branch_that_is_checked_out_nowhere_has_no_place(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    repo.branch("quiet")
    assert holder(Repository.open(repo.path), "quiet") is None


def test_a_branch_in_a_linked_checkout_is_moved_there_and_the_main_one_is_left_alone(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    linked = repo.worktree(tmp_path / "linked", branch="feature")
    repository = Repository.open(repo.path)
    place = holder(repository, "feature")
    assert place is not None
    assert place.root == linked.path
    with following(place, old, new):
        land(repository, branch="feature", old=old, new=new, landing_ref="refs/orch/r/1/landed-1")
    assert (linked.read("a.txt"), linked.status()) == ("A\n", [])
    assert (repo.read("a.txt"), repo.status(), repo.head()) == ("a\n", [], old)


def test_from_a_linked_checkout_the_main_one_is_found(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    linked = repo.worktree(tmp_path / "linked", branch="feature")
    place = holder(Repository.open(linked.path), "main")
    assert place is not None
    assert [one.root for one in place.checkouts] == [repo.path]
    with following(place, old, new):
        move_ref(place.repository, "main", old, new)
    assert repo.status() == []


def test_a_branch_checked_out_twice_moves_in_both(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    repo.git("worktree", "add", "-q", "-f", str(tmp_path / "again"), "main")
    again = GitRepo(tmp_path / "again")
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    with following(place, old, new):
        move_ref(place.repository, "main", old, new)
    assert (repo.status(), again.status(), again.read("c.txt")) == ([], [], "c\n")


def test_a_collision_in_the_second_checkout_keeps_the_first_where_it_is(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    repo.git("worktree", "add", "-q", "-f", str(tmp_path / "again"), "main")
    again = GitRepo(tmp_path / "again")
    again.write("c.txt", "mine\n")
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    assert collisions(place, old, new) == ("c.txt",)
    with pytest.raises(ConflictError, match=r"c\.txt"):
        move(place, old, new)
    assert (repo.status(), again.read("c.txt"), repo.read("a.txt")) == ([], "mine\n", "a\n")


def test_a_branch_in_the_middle_of_a_rebase_counts_as_checked_out_and_is_refused(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    repo.switch("feature", create=True)
    repo.commit("clash", {"a.txt": "clash\n"})
    repo.git("rebase", new, check=False)
    place = holder(Repository.open(repo.path), "feature")
    assert place is not None
    assert collisions(place, old, new) == (f"a rebase is under way in {repo.path}",)


def test_a_body_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    with pytest.raises(ConflictError), following(place, old, new):
        land(place.repository, branch="main", old=new, new=new, landing_ref="refs/orch/r/1/landed-1")
    assert (repo.head(), repo.status(), repo.read("a.txt")) == (old, [], "a\n")
    assert not (repo.path / ".git" / "index.lock").exists()


def test_what_a_person_changed_between_the_kill_and_the_repair_stays_and_is_named(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    move_ref(place.repository, "main", old, new)
    repo.write("a.txt", "written since\n")
    repo.write("c.txt", "untracked since\n")
    assert repair(place, old, new) == Repaired("new", ("a.txt", "c.txt"))
    assert (repo.read("a.txt"), repo.read("c.txt")) == ("written since\n", "untracked since\n")
    assert repo.status() == [" M a.txt", " M c.txt"]


def test_a_branch_that_went_on_meanwhile_is_left_alone(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    repo.commit("went on", {"d.txt": "d\n"})
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    assert repair(place, old, new) == Repaired("elsewhere")
    assert repo.status() == []


def test_an_index_lock_of_another_git_is_waited_for_and_then_named(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    lock = repo.path / ".git" / "index.lock"
    lock.write_bytes(b"")
    with (
        pytest.raises(ConflictError, match="another git holds") as caught,
        hold_index(place.checkouts[0], patience=0.1),
    ):
        pass
    assert "remove the file" in caught.value.hint
    assert lock.exists()


def test_a_lock_left_over_by_a_killed_move_is_known_as_ours_and_taken_away(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    lock = repo.path / ".git" / "index.lock"
    lock.write_bytes(SIGNATURE)
    with following(place, old, new):
        assert lock.exists()
        move_ref(place.repository, "main", old, new)
    assert (lock.exists(), repo.status()) == (False, [])


def test_a_persons_git_can_not_commit_between_the_branch_and_the_files(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", FILES)
    old, new = two_commits(repo)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    with following(place, old, new):
        move_ref(place.repository, "main", old, new)
        done = subprocess.run(
            ["git", "commit", "-qam", "would take the landing back"], cwd=repo.path, capture_output=True, text=True
        )
        assert "index.lock" in done.stderr
    assert (repo.head(), repo.status()) == (new, [])


def filtered(repo: GitRepo, script: str) -> None:
    """A filter that runs `script` for every file written, as Git LFS would."""
    repo.git("config", "filter.slow.smudge", f"sh -c '{script}; cat'")
    repo.git("config", "filter.slow.clean", "cat")


def test_repair_waits_for_the_git_that_outlives_a_killed_process(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {**FILES, ".gitattributes": "*.slow filter=slow\n"})
    old = repo.head()
    new = repo.commit("coming", {f"{n}.slow": f"{n}\n" for n in range(4)})
    repo.git("reset", "-q", "--hard", old)
    pid = tmp_path / "pid"
    filtered(repo, f"kill -9 $(cat {pid}); sleep 0.2")
    place = holder(Repository.open(repo.path), "main")
    assert place is not None

    def killed_while_git_writes() -> None:
        pid.write_text(str(os.getpid()))
        with following(place, old, new):
            raise AssertionError("not killed")

    assert killed_at(10_000, killed_while_git_writes)
    began = time.monotonic()
    assert repair(place, old, new) == Repaired("old")
    assert time.monotonic() - began > 0.2, "the orphaned git was not waited for"
    assert (repo.status(), repo.head()) == ([], old)
    assert left_by_us(repo) == []


@pytest.mark.parametrize("at", [1, 3])
def test_a_git_that_is_killed_while_it_writes_what_comes_has_moved_nothing(at: int, tmp_path: Path) -> None:
    names = [f"{n}.slow" for n in range(4)]
    repo = GitRepo.create(
        tmp_path / "repo", {**dict.fromkeys(names, "old\n"), ".gitattributes": "*.slow filter=slow\n"}
    )
    old = repo.head()
    new = repo.commit("coming", {**dict.fromkeys(names, "new, and longer\n"), "d/e.txt": "e\n"})
    repo.git("reset", "-q", "--hard", old)
    counter = tmp_path / "count"
    filtered(repo, f"echo >> {counter}; test $(wc -l < {counter}) -ne {at} || kill -9 0")
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    with pytest.raises(ConflictError) as caught, following(place, old, new):
        move_ref(place.repository, "main", old, new)
    assert caught.value.code == "checkout-moving"
    filtered(repo, "true")
    assert (repo.head(), repo.status(), left_by_us(repo)) == (old, [], [])


@pytest.mark.parametrize("at", [5, 7])
def test_a_git_that_is_killed_while_it_writes_files_leaves_something_that_can_be_finished(
    at: int, tmp_path: Path
) -> None:
    names = [f"{n}.slow" for n in range(4)]
    repo = GitRepo.create(tmp_path / "repo", {".gitattributes": "*.slow filter=slow\n"})
    for name in names:
        # A submodule whose place a file takes is git's to write.
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{name}")
    repo.git("commit", "-q", "-m", "submodules")
    old = repo.head()
    repo.git("rm", "-q", "--cached", *names)
    new = repo.commit("coming", {**dict.fromkeys(names, "new\n"), "d/e.txt": "e\n"})
    repo.git("reset", "-q", "--hard", old)
    counter = tmp_path / "count"
    filtered(repo, f"echo >> {counter}; test $(wc -l < {counter}) -ne {at} || kill -9 0")
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    with pytest.raises(ConflictError), following(place, old, new):
        move_ref(place.repository, "main", old, new)
    filtered(repo, "true")
    assert repo.status() != []
    assert repair(place, old, new) == Repaired("new")
    assert (repo.status(), left_by_us(repo)) == ([], [])
    assert {repo.read(name) for name in names} == {"new\n"}


@pytest.mark.parametrize("lines", [0, 1, 50])
def test_a_file_that_stands_there_in_part_is_finished_and_what_stood_is_kept_each_time(
    lines: int, tmp_path: Path
) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"d/a.txt": "line\n" * 100})
    old = repo.head()
    new = repo.commit("coming", {"d/a.txt": "line\n" * 100 + "and one\n"})
    repo.git("reset", "-q", "--hard", old)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    move_ref(place.repository, "main", old, new)
    folder = repo.path / ".git" / "orch-kept"
    for at in ("1", "2"):
        repo.write("d/a.txt", "line\n" * lines + "l")
        kept = folder / at / "d" / "a.txt"
        assert repair(place, old, new) == Repaired("new", kept=(str(kept),))
        assert (repo.read("d/a.txt"), repo.status()) == ("line\n" * 100 + "and one\n", [])
        assert kept.read_text("utf-8") == "line\n" * lines + "l"


def test_a_file_as_git_had_it_but_for_its_line_endings_is_nothing_to_keep(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"a.txt": "a\n", ".gitattributes": "* text eol=crlf\n"})
    old = repo.head()
    new = repo.commit("coming", {"a.txt": "A\n"})
    repo.git("reset", "-q", "--hard", old)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    move_ref(place.repository, "main", old, new)
    (repo.path / "a.txt").write_bytes(b"a\n")
    assert repair(place, old, new) == Repaired("new")
    assert ((repo.path / "a.txt").read_bytes(), repo.status()) == (b"A\r\n", [])


def test_a_file_that_is_to_go_and_was_cut_short_since_is_a_persons(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"a.txt": "line\n" * 3, "b.txt": "b\n"})
    old = repo.head()
    repo.git("rm", "-q", "a.txt")
    new = repo.commit("going", {"b.txt": "b\n"})
    repo.git("reset", "-q", "--hard", old)
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    move_ref(place.repository, "main", old, new)
    repo.write("a.txt", "line\n")
    assert repair(place, old, new) == Repaired("new", ("a.txt",))
    assert repo.read("a.txt") == "line\n"
