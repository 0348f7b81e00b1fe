"""The table of hostile acts, in a private workspace and in a linked checkout. The table's docstring has the result."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.vcs.repository import Repository
from orchestrator.vcs.snapshots import Snapshot, changes, differences, shared_state, snapshot
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo
from tests.vcs.hostile_acts import ACTS, Act

TABLE = pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name.replace(" ", "-"))
FILES = {"a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\nbuild/\n"}


@dataclass(frozen=True)
class Scene:
    main: GitRepo
    repository: Repository
    head: str
    lost: str
    """A commit on no branch that only the reflog has: one a person may want back."""
    outside: Path
    mark: Path

    def run(self, act: Act, folder: Path, sibling: Path) -> None:
        variables = {"MAIN": self.main.path, "OUTSIDE": self.outside, "MARK": self.mark, "SIBLING": sibling}
        setting = "".join(f"{name}='{value}'; export {name}\n" for name, value in variables.items())
        subprocess.run(["sh", "-c", setting + act.script], cwd=folder, check=False, capture_output=True)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    main = GitRepo.create(tmp_path / "main", FILES)
    main.branch("other")
    head = main.commit("second", {"second.txt": "2\n"})
    lost = main.commit("to be lost", {"lost.txt": "lost\n"})
    main.git("reset", "-q", "--hard", head)
    outside = tmp_path / "outside"
    GitRepo.create(outside / "other")
    return Scene(main, Repository.open(main.path), head, lost, outside, tmp_path / "mark")


def private(scene: Scene, path: Path, *, was_used: bool = False) -> tuple[Workspace, Snapshot]:
    workspaces = Workspaces(scene.repository)
    if was_used:
        earlier = workspaces.create(path, branch="orch/5.0.9", commit=scene.main.git("rev-parse", "HEAD~1"))
        subprocess.run("echo x > a.txt; echo x > x.log; git commit -qam x", shell=True, cwd=earlier.path, check=True)
        workspace = workspaces.lay(path, branch="orch/5.1.1", commit=scene.head)
    else:
        workspace = workspaces.create(path, branch="orch/5.1.1", commit=scene.head)
    return workspace, snapshot(workspace)


def told(scene: Scene, workspace: Workspace, known: Snapshot) -> tuple[str, ...]:
    """What is found, in the table's words."""
    paths = [f"{change.kind.value} {change.path}" for change in changes(workspace, scene.head, known=known)]
    if {f"D {path}" for path in ("a.txt", "src/b.txt", "second.txt")} <= set(paths):
        paths = ["ALL DELETED"]
    own = [one for one in differences(workspace, known) if not one.is_shared]
    whole = [one.text.removeprefix("the workspace's ") for one in own if "'s .git is" in one.text]
    return (*paths, *(whole or sorted({one.kind for one in own})))


def everything(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Every file below a folder, in the git directory too, but for the index: mode and content."""
    return {
        str(path.relative_to(folder)): (f"{path.lstat().st_mode:o}", path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.name != "index"
    }


@TABLE
@pytest.mark.parametrize("was_used", [False, True], ids=["new", "used before"])
def test_in_a_private_workspace_an_act_is_found_and_harms_nothing(
    act: Act, was_used: bool, scene: Scene, tmp_path: Path
) -> None:
    sibling, known_sibling = private(scene, tmp_path / "run" / "5.1.2")
    workspace, known = private(scene, tmp_path / "run" / "5.1.1", was_used=was_used)
    before = (shared_state(scene.repository), scene.main.status(), scene.main.git("fsck", "--no-dangling"))
    scene.run(act, workspace.path, sibling.path)
    assert told(scene, workspace, known) == act.found
    shared = [one.kind for one in differences(workspace, known) if one.is_shared]
    assert tuple(shared) == act.shared
    if not act.shared:
        assert (shared_state(scene.repository), scene.main.status(), scene.main.git("fsck", "--no-dangling")) == before
    assert scene.main.head(scene.lost) == scene.lost
    assert told(scene, sibling, known_sibling) == ()
    assert not scene.mark.exists(), "a planted program was run"
    again = Workspaces(scene.repository).reset(workspace, scene.head)
    assert changes(again, scene.head, known=known) == ()
    assert (GitRepo(again.path).status(), GitRepo(again.path).head()) == ([], scene.head)
    assert not scene.mark.exists(), "a planted program was run"


@TABLE
def test_what_is_laid_over_a_workspace_after_an_act_is_as_if_made_anew(act: Act, scene: Scene, tmp_path: Path) -> None:
    sibling, _ = private(scene, tmp_path / "run" / "5.1.2")
    workspace, _ = private(scene, tmp_path / "run" / "5.1.1")
    scene.run(act, workspace.path, sibling.path)
    workspaces = Workspaces(scene.repository)
    again = workspaces.lay(workspace.path, branch="orch/5.2.1", commit=scene.head)
    new = workspaces.create(tmp_path / "new", branch="orch/5.2.1", commit=scene.head)
    assert everything(again.path) == everything(new.path)
    assert snapshot(again) == snapshot(new)
    assert (GitRepo(again.path).status(), GitRepo(again.path).head()) == ([], scene.head)
    assert not scene.mark.exists(), "a planted program was run"


def harm(scene: Scene, before: dict[str, str], sibling: Path) -> tuple[str, ...]:
    """What of the person's repository is different, in the table's words."""
    found: set[str] = set()
    after = shared_state(scene.repository)
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name) or name in ("ref refs/heads/work", "ref refs/heads/lost"):
            continue
        if name == "ref refs/stash":
            found.add("stash")
        elif name.startswith("ref refs/replace/"):
            found.add("ref refs/replace/HEAD")
        elif "config" in name:
            found.add("config")
        else:
            found.add("hook" if "hooks/" in name else name)
    if subprocess.run(["git", "cat-file", "-e", scene.lost], cwd=scene.main.path, capture_output=True).returncode:
        found.add("the commit a person wanted back")
    if not (sibling / "a.txt").exists():
        found.add("the sibling")
    subprocess.run(["git", "status"], cwd=scene.main.path, capture_output=True, check=False)
    if scene.mark.exists():
        found.add("runs it")
    return tuple(sorted(found)) or ("none",)


@TABLE
def test_in_a_linked_checkout_the_same_act_does_this_harm(act: Act, scene: Scene, tmp_path: Path) -> None:
    sibling = scene.main.worktree(tmp_path / "sibling")
    linked = scene.main.worktree(tmp_path / "linked", branch="work")
    before = shared_state(scene.repository)
    scene.run(act, linked.path, sibling.path)
    assert harm(scene, before, sibling.path) == act.harm


@pytest.mark.parametrize("inside", [False, True], ids=["elsewhere", "in the checkout"])
def test_a_hook_is_looked_at_wherever_the_repository_has_its_hooks(inside: bool, scene: Scene, tmp_path: Path) -> None:
    hooks = (scene.main.path if inside else tmp_path) / "own-hooks"
    (hooks / "lib").mkdir(parents=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\n")
    scene.main.git("config", "core.hooksPath", "own-hooks" if inside else str(hooks))
    workspace, known = private(scene, tmp_path / "run" / "5.1.1")
    assert differences(workspace, known) == ()
    (hooks / "pre-commit").write_text("#!/bin/sh\necho ran\n")
    (hooks / "helper.sh").write_text("echo ran\n")
    shown = [(one.kind, one.text, one.is_shared) for one in differences(workspace, known)]
    assert shown == [
        ("hook", f"{hooks}/helper.sh (hook) was made in the repository", True),
        ("hook", f"{hooks}/pre-commit (hook) was changed in the repository", True),
    ]
