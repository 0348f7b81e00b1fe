"""Finding the checkout from any folder, compared with what git itself says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.errors import UserError
from orchestrator.store.find_repository import Found, find_root
from orchestrator.store.layout import Layout, run_folder_name
from orchestrator.store.pointer import POINTER, claim_run_folder
from tests.support.git_repo import GitRepo


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo.create(tmp_path / "project")


def plain(root: Path) -> Found:
    return Found(root, root / ".git", root / ".git")


def test_the_top_of_a_checkout_is_found_from_itself_and_from_a_folder_below(repo: GitRepo) -> None:
    below = repo.path / "a" / "b c"
    below.mkdir(parents=True)
    assert find_root(repo.path) == plain(repo.path)
    assert find_root(below) == plain(repo.path)


def test_a_path_through_a_symlink_is_found_by_its_real_name(repo: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo.path)
    assert find_root(tmp_path / "link") == plain(repo.path)


@pytest.mark.parametrize("name", ["with space", "ünïcode-文", "-leading-dash", "new\nline"])
def test_unusual_folder_names_are_found(tmp_path: Path, name: str) -> None:
    repo = GitRepo.create(tmp_path / name)
    linked = repo.worktree(tmp_path / f"{name} linked", branch="other")
    assert find_root(repo.path) == plain(repo.path)
    assert find_root(linked.path).common_dir == repo.path / ".git"


def test_inside_the_git_folder_the_checkout_around_it_is_found(repo: GitRepo) -> None:
    assert find_root(repo.path / ".git" / "refs") == plain(repo.path)


def test_a_linked_checkout_is_its_own_root_and_shares_the_common_folder(repo: GitRepo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", branch="other")
    (linked.path / "sub").mkdir()
    git_dir = repo.path / ".git" / "worktrees" / "linked"
    assert find_root(linked.path / "sub") == Found(linked.path, git_dir, repo.path / ".git", is_linked=True)


def test_the_answers_agree_with_git(repo: GitRepo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", branch="other")
    for folder in (repo.path, linked.path):
        found = find_root(folder)
        said = GitRepo(folder).git(
            "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"
        )
        assert [str(found.root), str(found.git_dir), str(found.common_dir)] == said.split("\n")


def test_a_bare_repository_is_called_bare(tmp_path: Path) -> None:
    GitRepo.bare(tmp_path / "bare.git")
    bare = tmp_path / "bare.git"
    assert find_root(bare / "refs") == Found(bare, bare, bare, is_bare=True)


def test_a_folder_whose_git_file_points_to_a_bare_repository_is_bare_and_its_linked_checkouts_are_not(
    tmp_path: Path,
) -> None:
    source = GitRepo.create(tmp_path / "source")
    top = tmp_path / "top"
    top.mkdir()
    source.git("clone", "-q", "--bare", str(source.path), str(top / ".bare"))
    (top / ".git").write_text("gitdir: ./.bare\n")
    linked = GitRepo(top).worktree(top / "main-checkout", at="main")
    assert find_root(top) == Found(top, top / ".bare", top / ".bare", is_bare=True)
    assert find_root(linked.path) == Found(
        linked.path, top / ".bare" / "worktrees" / "main-checkout", top / ".bare", is_linked=True
    )


def test_a_submodule_is_a_checkout_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    other = GitRepo.create(tmp_path / "other")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "sub")
    git_dir = repo.path / ".git" / "modules" / "sub"
    assert find_root(repo.path / "sub") == Found(repo.path / "sub", git_dir, git_dir)


def test_an_empty_git_folder_is_passed_over_like_git_does(repo: GitRepo) -> None:
    (repo.path / "sub" / ".git").mkdir(parents=True)
    assert find_root(repo.path / "sub") == plain(repo.path)


def test_no_repository_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        find_root(tmp_path)
    assert caught.value.code == "no-repository"
    assert caught.value.message == f"no git repository here: neither {tmp_path} nor a folder above it has one"
    assert "git init" in caught.value.hint


@pytest.mark.parametrize("text", ["gitdir: /nowhere/at/all\n", "what is this\n"])
def test_a_broken_git_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    with pytest.raises(UserError) as caught:
        find_root(tmp_path)
    assert caught.value.code == "broken-git-file"
    assert str(tmp_path / ".git") in caught.value.message


def in_run_folder(owner: Path, parent: Path, *, pointer: bool) -> Path:
    run = parent / run_folder_name(owner)
    (run / "work").mkdir(parents=True)
    if pointer:
        claim_run_folder(Layout(owner, owner / ".git", run))
    return run / "work" / "5.1.1"


@pytest.mark.parametrize("pointer", [True, False])
def test_inside_a_workspace_the_main_checkout_is_found(repo: GitRepo, tmp_path: Path, pointer: bool) -> None:
    workspace = repo.worktree(in_run_folder(repo.path, tmp_path / "state", pointer=pointer), branch="orch/5.1.1")
    (workspace.path / "planning").mkdir()
    assert find_root(workspace.path / "planning") == Found(
        repo.path, repo.path / ".git", repo.path / ".git", in_workspace=True
    )


def test_inside_a_workspace_that_is_a_clone_of_its_own_the_main_checkout_is_found(
    repo: GitRepo, tmp_path: Path
) -> None:
    folder = in_run_folder(repo.path, tmp_path / "state", pointer=True)
    repo.git("clone", "-q", "--shared", str(repo.path), str(folder))
    assert find_root(folder) == Found(repo.path, repo.path / ".git", repo.path / ".git", in_workspace=True)


def test_a_workspace_of_a_linked_checkout_leads_back_to_that_checkout(repo: GitRepo, tmp_path: Path) -> None:
    linked = repo.worktree(tmp_path / "linked", branch="other")
    workspace = repo.worktree(in_run_folder(linked.path, tmp_path / "state", pointer=True), branch="orch/5.1.1")
    found = find_root(workspace.path)
    assert (found.root, found.is_linked, found.in_workspace) == (linked.path, True, True)


def test_a_pointer_in_a_folder_that_is_not_named_after_its_owner_counts_nothing(repo: GitRepo, tmp_path: Path) -> None:
    other = GitRepo.create(tmp_path / "other")
    (tmp_path / POINTER).write_text(str(other.path))
    assert find_root(repo.path) == plain(repo.path)


def test_no_git_is_started(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError):
        subprocess.run(["git", "--version"], check=False)
    assert find_root(repo.path) == plain(repo.path)
