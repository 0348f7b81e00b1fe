"""Opening a repository, with a remedy for each thing that can be wrong; reading refs, commits and files."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.errors import ConflictError, OrchError, ToolError
from orchestrator.model.changes import Change, ChangeKind
from orchestrator.vcs import repository as module
from orchestrator.vcs.refs import RefChange, list_refs
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo.create(tmp_path / "repo", {"a.txt": "a\n", "d/é\n.txt": "é\n"})


def refusal(path: Path) -> tuple[str, bool]:
    with pytest.raises(OrchError) as caught:
        Repository.open(path)
    return caught.value.code, bool(caught.value.hint)


def test_what_can_not_be_opened_is_refused_with_a_remedy(tmp_path: Path) -> None:
    GitRepo.bare(tmp_path / "bare")
    GitRepo.empty(tmp_path / "empty")
    (tmp_path / "plain").mkdir()
    assert refusal(tmp_path / "plain") == ("no-repository", True)
    assert refusal(tmp_path / "bare") == ("bare-repository", True)
    assert refusal(tmp_path / "empty") == ("unborn-branch", True)


def test_an_old_git_is_refused(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OLDEST", (99, 0))
    with pytest.raises(ToolError, match="too old"):
        Repository.open(repo.path)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("git version 2.39.5", (2, 39, 5)),
        ("git version 2.39.5 (Apple Git-154)", (2, 39, 5)),
        ("git version 2.45.0.windows.1", (2, 45, 0)),
        ("git version 2.47.rc0", (2, 47)),
    ],
)
def test_versions_as_they_are_printed(text: str, version: tuple[int, ...]) -> None:
    assert module._version(text) == version


def test_from_a_subfolder_the_whole_is_opened(repo: GitRepo) -> None:
    repository = Repository.open(repo.path / "d")
    assert (repository.root, repository.git_dir) == (repo.path, repo.path / ".git")
    assert repository.paths_at("HEAD") == {"a.txt", "d/é\n.txt"}


def test_a_linked_checkout_has_its_own_git_folder(repo: GitRepo, tmp_path: Path) -> None:
    repo.worktree(tmp_path / "linked", branch="work")
    repository = Repository.open(tmp_path / "linked")
    assert repository.root == tmp_path / "linked"
    assert (repository.git_dir, repository.common_dir) == (repo.path / ".git/worktrees/linked", repo.path / ".git")
    assert repository.head_branch() == "work"


def test_a_separate_git_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    repo = GitRepo(tmp_path / "repo")
    repo.git("init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))
    repo.commit("first", {"a.txt": "a\n"})
    assert Repository.open(repo.path).common_dir == tmp_path / "elsewhere"


def test_head_and_branches_are_told_without_a_process_and_as_git_tells_them(repo: GitRepo) -> None:
    first = repo.head()
    second = repo.commit("second")
    repo.branch("old", first)
    repo.git("tag", "-a", "-m", "note", "v1")
    repository = Repository.open(repo.path)
    for packed in (False, True):
        if packed:
            repo.git("pack-refs", "--all")
        assert (repository.head_branch(), repository.resolve("HEAD")) == ("main", second)
        assert repository.resolve("refs/heads/old") == first
        assert repository.resolve("refs/heads/none") is None
        assert repository.resolve("v1") == second
        assert repository.resolve(first[:9]) == first
        assert repository.resolve("--all") is None
        assert repository.resolve("HEAD~7") is None
    repo.commit("third")
    assert repository.resolve("HEAD") == repo.head()
    repo.git("checkout", "-q", "--detach", first)
    assert (repository.head_branch(), repository.resolve("HEAD")) == (None, first)


def test_a_ref_that_is_packed_or_a_lock_that_goes_while_refs_are_listed_is_no_error_and_no_ref_is_missed(
    repo: GitRepo,
) -> None:
    names = [f"refs/orch/k3f9/1.1.{number}/approved" for number in range(20)]
    head, other = repo.head(), repo.commit("second")
    common = repo.path / ".git"
    script = "".join(f"update {name} {{}}\n" for name in names)
    done = threading.Event()

    def change() -> None:
        for _ in range(25):
            for value in (head, other):
                repo.git("update-ref", "--stdin", text=script.replace("{}", value))
            repo.git("pack-refs", "--all", "--prune")
        done.set()

    repo.git("update-ref", "--stdin", text=script.replace("{}", head))
    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change)
        seen = 0
        while not done.is_set() and not changing.done():
            found = list_refs(common, "refs/")
            assert found is not None
            assert set(names) <= set(found)
            assert {found[name] for name in names} <= {head, other}
            assert not [name for name in found if name.endswith(".lock")]
            seen += 1
        changing.result()
    assert seen > 10


def test_what_goes_between_two_looks_at_a_folder_of_refs_is_as_if_it_had_not_been_there(repo: GitRepo) -> None:
    heads = repo.path / ".git" / "refs" / "heads"
    # A link to nothing is listed and can't be read, as what has just gone.
    (heads / "main.lock").symlink_to("nowhere")
    (heads / "gone").symlink_to("nowhere")
    assert Repository.open(repo.path).refs() == {"refs/heads/main": repo.head()}


def test_refs_are_listed_as_git_lists_them(repo: GitRepo) -> None:
    repo.branch("a/b")
    repo.git("tag", "-a", "-m", "note", "v1")
    repo.git("update-ref", "refs/orch/k3f9/1.1.1/turn-1", "HEAD")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    repo.git("pack-refs", "--all")
    repo.commit("second")
    repo.branch("é")
    repo.git("branch", "-D", "a/b")
    repository = Repository.open(repo.path)
    for prefix in ("", "refs/heads/", "refs/orch/k3f9", "refs/orch/k3f"):
        told = repo.git("for-each-ref", "--format=%(refname) %(objectname)", *([prefix] if prefix else []))
        assert repository.refs(prefix) == dict(line.split(" ") for line in told.split("\n") if line)


def test_refs_change_together_or_not_at_all(repo: GitRepo) -> None:
    first = repo.head()
    second = repo.commit("second")
    repository = Repository.open(repo.path)
    repo.branch("gone")
    repository.update_refs(
        [
            RefChange("refs/heads/made", second, ""),
            RefChange("refs/heads/main", first, second),
            RefChange("refs/heads/gone", None, second),
            RefChange("refs/heads/any", second),
        ]
    )
    heads = {"refs/heads/any": second, "refs/heads/made": second, "refs/heads/main": first}
    assert repository.refs("refs/heads/") == heads
    with pytest.raises(ConflictError, match="refs/heads/made"):
        repository.update_refs([RefChange("refs/heads/new", first, ""), RefChange("refs/heads/made", first, first)])
    assert repository.refs("refs/heads/") == heads


def test_history_is_read(repo: GitRepo) -> None:
    first = repo.head()
    second = repo.commit("second: é\n\nBody\nof two lines")
    repository = Repository.open(repo.path)
    assert (repository.is_ancestor(first, second), repository.is_ancestor(second, first)) == (True, False)
    (commit,) = repository.commits(first, second)
    assert (commit.id, commit.tree, commit.parents) == (second, repo.tree(), (first,))
    assert (commit.subject, commit.author) == ("second: é", "Test Person <test@example.org>")
    assert commit.message == "second: é\n\nBody\nof two lines"
    assert repository.commits(second, first) == ()
    assert repository.trees_of(first, second) == (repo.tree(first), repo.tree(second))
    assert repository.tree_of(second) == repo.tree(second)


def test_files_of_a_commit_are_read(repo: GitRepo) -> None:
    repo.commit("second", {"crlf.txt": "a\r\nb\r\n"})
    repository = Repository.open(repo.path)
    assert repository.file_text("HEAD", "crlf.txt") == "a\r\nb\r\n"
    assert repository.file_text("HEAD", "d/é\n.txt") == "é\n"
    assert (repository.file_text("HEAD", "none"), repository.file_text("HEAD", "d")) == (None, None)
    assert [repository.exists_at("HEAD", name) for name in ("a.txt", "d", "none", "crlf.txt")] == [
        True,
        True,
        False,
        True,
    ]
    assert repository.paths_at("HEAD~1") == {"a.txt", "d/é\n.txt"}


def test_commits_are_compared(repo: GitRepo) -> None:
    first = repo.head()
    repo.git("mv", "a.txt", "b.txt")
    second = repo.commit("renamed")
    repository = Repository.open(repo.path)
    assert repository.changes(first, second) == (Change(ChangeKind.RENAMED, "b.txt", old_path="a.txt"),)
    assert [(entry.letter, entry.path) for entry in repository.diff(first, second)] == [("D", "a.txt"), ("A", "b.txt")]


def test_a_dirty_checkout_is_told_path_by_path(repo: GitRepo) -> None:
    repository = Repository.open(repo.path)
    assert repository.dirty() == ()
    repo.write("a.txt", "changed\n")
    repo.write("new folder/x -> y", "x\n")
    repo.write("d/é\n.txt", "staged\n")
    repo.git("add", "d")
    assert repository.dirty() == ("a.txt", "d/é\n.txt", "new folder/")
