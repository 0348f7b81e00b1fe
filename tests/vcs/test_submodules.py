"""Submodules in a workspace: laid from the checkout's own clones, and nothing in them is run or followed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.vcs.changes import look
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.submodules import save_commit
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo


@dataclass(frozen=True)
class Scene:
    main: GitRepo
    workspaces: Workspaces
    workspace: Workspace

    @property
    def inner(self) -> GitRepo:
        return GitRepo(self.workspace.path / "lib" / "x")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    far = GitRepo.create(tmp_path / "far", {"code.txt": "one\n"})
    main = GitRepo.create(tmp_path / "main", {".gitignore": "lib\n"})
    main.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-f", str(far.path), "lib/x")
    main.commit("lib")
    workspaces = Workspaces(Repository.open(main.path))
    return Scene(main, workspaces, workspaces.create(tmp_path / "run" / "w", branch="w", commit=main.head()))


def test_a_program_finds_a_clone_at_the_recorded_commit(scene: Scene) -> None:
    assert scene.inner.read("code.txt") == "one\n"
    assert scene.inner.head() == scene.main.git("rev-parse", "HEAD:lib/x")
    assert GitRepo(scene.workspace.path).status() == []
    assert look(scene.workspace).entries(scene.main.head()) == ()


def test_one_that_the_checkout_has_not_is_an_empty_folder(scene: Scene) -> None:
    scene.main.git("submodule", "--quiet", "deinit", "-f", "lib/x")
    again = scene.workspaces.reset(scene.workspace, scene.main.head())
    assert list((again.path / "lib" / "x").iterdir()) == []
    assert look(again).entries(scene.main.head()) == ()


def test_what_was_left_in_one_is_gone_with_the_next_checkout_and_links_are_not_followed(
    scene: Scene, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "x").mkdir(parents=True)
    (outside / "x" / "precious").write_text("a person's\n")
    script = f"rm -rf lib && ln -s {outside} lib"
    subprocess.run(script, shell=True, cwd=scene.workspace.path, check=True)
    again = scene.workspaces.reset(scene.workspace, scene.main.head())
    assert (outside / "x" / "precious").read_text() == "a person's\n"
    assert not (again.path / "lib").is_symlink()
    assert scene.inner.read("code.txt") == "one\n"


def test_nothing_planted_in_one_runs_when_it_is_looked_at_and_its_commit_is_kept(scene: Scene, tmp_path: Path) -> None:
    inner, mark = scene.inner, tmp_path / "ran"
    made = inner.commit("two", {"code.txt": "two\n"})
    plant = inner.write("planted", f"#!/bin/sh\necho ran >> {mark}\n", executable=True)
    for name in ("core.fsmonitor", "uploadpack.packObjectsHook", "core.sshCommand", "core.alternateRefsCommand"):
        inner.git("config", name, str(plant))
    for hook in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        inner.hook(hook, f"echo ran >> {mark}")
    (entry,) = look(scene.workspace).entries(scene.main.head())
    assert (entry.path, entry.new_id) == ("lib/x", made)
    assert save_commit(scene.workspaces.repository, scene.workspace.path, "lib/x", made, "refs/orch/r/1/turn-1")
    assert GitRepo(scene.main.path / "lib" / "x").head("refs/orch/r/1/turn-1") == made
    assert not mark.exists()
