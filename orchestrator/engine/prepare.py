"""A task's workspace: made at the integration head, filled, set up, and photographed for later comparison.

The ready file beside the workspace says that all of that was done, for which base, and holds the snapshot; both
are in the run folder, so they come and go together.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.engine.filling import fill
from orchestrator.engine.places import assign, place_for, vacate
from orchestrator.engine.run import Run
from orchestrator.engine.setup import before_setup, note_setup, recipe_for
from orchestrator.errors import ToolError
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, replace
from orchestrator.process.environment import own_names
from orchestrator.process.running import Ended, tail
from orchestrator.process.running import run as run_process
from orchestrator.store.places import workspace_dir
from orchestrator.store.text_files import replace_text
from orchestrator.vcs.changes import keep
from orchestrator.vcs.landing import merge
from orchestrator.vcs.products import has_made
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.snapshots import Snapshot, has_unusable_git, private_state, snapshot
from orchestrator.vcs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Ready:
    """A workspace that may be worked in."""

    workspace: Workspace
    base: str
    snapshot: Snapshot
    turns: int
    """How many turns the task had had when it was made."""


def task_branch(key: TaskKey) -> str:
    """The branch of a task's workspace, `orch/N.W.id`. Its form can't collide with `orch/N-slug`."""
    return f"orch/{key}"


def _ready_path(run: Run, key: TaskKey) -> Path:
    return _beside(workspace_dir(run.layout, key), "ready.json")


def _beside(path: Path, what: str) -> Path:
    # Not with_suffix: the last part of a key would be taken for one.
    return path.with_name(f"{path.name}.{what}")


def find_ready(run: Run, key: TaskKey) -> Ready | None:
    """The task's workspace if it stands whole; None if it was never finished or is gone."""
    path = _ready_path(run, key)
    folder = workspace_dir(run.layout, key)
    found = (site.workspaces.find(folder) for site in run.sites())
    workspace = next((one for one in found if one is not None), None)
    if workspace is None:
        return None
    try:
        held = json.loads(path.read_text("utf-8"))
        return Ready(workspace, held["base"], Snapshot.from_data(held["snapshot"]), int(held["turns"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget(run: Run, key: TaskKey) -> None:
    """Say that the workspace isn't ready any more."""
    path = _ready_path(run, key)
    if path.exists():
        with effect("remove", str(path)):
            path.unlink(missing_ok=True)


def prepare_fresh(run: Run, key: TaskKey) -> Ready | None:
    """A workspace at the present head for a task that begins. None while its setup is still running.

    What an earlier attempt left in it is kept under refs/orch first; a call that was killed may also have laid it for
    a turn that never began.
    """
    head = run.site(key).head()
    ready = find_ready(run, key)
    is_untouched = ready is not None and _is_untouched(run, key, ready)
    if ready and ready.base == head and is_untouched:
        return ready
    if ready and not is_untouched:
        keep_attempt(run, key, ready)
    return _make(run, key, tree=None, base=head)


def _is_untouched(run: Run, key: TaskKey, ready: Ready) -> bool:
    """Whether no worker has had a turn in it. Where the log is gone, the folders of turns tell."""
    if run.task(key).log:
        return run.standing(key).turns == ready.turns
    return not run.layout.turn_dir(key, 0, "plan").parent.exists()


def prepare_again(run: Run, key: TaskKey) -> Ready | None:
    """The workspace of a task that goes on: as it stands, or laid anew from the last kept turn.

    It is laid anew where it is gone, and where the task was given another base since (after a conflict): then the
    kept work is merged onto that base, conflict markers included.
    """
    site = run.site(key)
    base = run.task(key).base
    if not base or (run.settings.repos and site.repository.resolve(base) is None):
        # No turn yet, or its plan named another repository then.
        base = site.head()
    ready = find_ready(run, key)
    if ready and ready.base == base and ready.workspace.repository is site.repository:
        return ready
    return _make(run, key, tree=_kept_tree(run, key, base), base=base)


def lay_anew(run: Run, key: TaskKey, ready: Ready) -> None:
    """The workspace as its base has it, photographed again: what was copied of the repository's refs is of today."""
    _make(run, key, tree=None, base=ready.base)


def with_usable_git(run: Run, key: TaskKey, ready: Ready) -> Ready:
    """The workspace as it stands, with a fresh git directory of its own where its worker has damaged that beyond what
    a worker could undo. What is compared besides that directory is compared with the same state as before."""
    if not has_unusable_git(ready.workspace, ready.snapshot):
        return ready
    forget(run, key)
    run.site(key).workspaces.renew_git(ready.workspace)
    private = private_state(ready.workspace.path / ".git")
    run.say(f"{key}: the git directory of its workspace is made anew")
    return _put_on_record(run, key, replace(ready, snapshot=replace(ready.snapshot, private=private)))


def _kept_tree(run: Run, key: TaskKey, base: str) -> str | None:
    kept = last_kept(run, key)
    if kept is None:
        return None
    repository = run.site(key).repository
    old_base = repository.resolve(f"{kept}^")
    if old_base is None or old_base == base:
        return repository.tree_of(kept)
    return merge(repository, base=old_base, ours=base, theirs_tree=repository.tree_of(kept)).tree


def last_kept(run: Run, key: TaskKey) -> str | None:
    """The commit of the last turn whose work was kept for the present plan."""
    prefix = run.ref(key, "turn-")
    kept = run.site(key).repository.refs(run.ref(key, ""))
    if not kept:
        return None
    for turn in range(run.standing(key).turns, _first_turn(run, key) - 1, -1):
        if f"{prefix}{turn}" in kept:
            return kept[f"{prefix}{turn}"]
    return None


def _first_turn(run: Run, key: TaskKey) -> int:
    """The number of the plan turn that the present plan came from, or is to come from."""
    begun = [entry for entry in run.task(key).log if entry.event == "started" and entry.get("turn") == "plan"]
    return begun[-1].number("number", 1) if begun else 1


def keep_attempt(run: Run, key: TaskKey, ready: Ready) -> None:
    """Keep the whole tree of a workspace as refs/orch/RUN/KEY/attempt-K before it is used anew, unless one of those
    holds it already: a call may have been killed behind this."""
    # Where its plan names another repository now, that of the workspace is the one that has the objects.
    repository = ready.workspace.repository
    commit = keep(ready.workspace, ready.base, f"kept: {key}")
    taken = [one for name, one in repository.refs(run.ref(key, "")).items() if "/attempt-" in name]
    if repository.tree_of(commit) in map(repository.tree_of, taken):
        return
    repository.update_refs([RefChange(run.ref(key, f"attempt-{len(taken) + 1}"), commit, "")])


def _make(run: Run, key: TaskKey, *, tree: str | None, base: str) -> Ready | None:
    forget(run, key)
    site = run.site(key)
    recipe = recipe_for(site, base)
    workspace = _laid(run, key, base, recipe)
    has_products = has_made(workspace, recipe)
    path = workspace.path
    if tree is not None:
        site.workspaces.checkout_tree(workspace, tree)
    fill(site, path)
    setup = "" if has_products else site.worktree.setup
    if not setup and not site.worktree.check:
        return _photograph(run, key, workspace, base)
    before = before_setup(workspace) if recipe and setup else {}

    def checked(ended: Ended) -> None:
        _refuse_failed(key, ended, "check", site.worktree.check, path)
        _photograph(run, key, workspace, base)

    def set_up(ended: Ended) -> None:
        _refuse_failed(key, ended, "setup", setup, path)
        note_setup(site, workspace, recipe, before, ended)
        if site.worktree.check:
            _in_workspace(run, key, site.worktree.check, path, checked)
        else:
            _photograph(run, key, workspace, base)

    if setup:
        _in_workspace(run, key, setup, path, set_up)
    else:
        _in_workspace(run, key, site.worktree.check, path, checked)
    return None


def _in_workspace(run: Run, key: TaskKey, command: str, path: Path, then: Callable[[Ended], None]) -> None:
    """Run a command of `worktree:` in a task's workspace, beside all else that goes on."""
    # What a setup makes serves other tasks too: it isn't told whose workspace it is.
    names = own_names(str(run.layout.root), str(key)) if command == run.site(key).worktree.check else {}
    invocation = run.shell(command, path, timeout=run.settings.test_timeout, more=names)
    run.start_job(key, invocation, _beside(path, "setup"), then)


def _refuse_failed(key: TaskKey, ended: Ended, what: str, command: str, path: Path) -> None:
    """Raise ToolError if a command of `worktree:` failed: no worker is to blame for that."""
    if ended.reason == "exit" and ended.exit_code == 0:
        return
    raise ToolError(
        f"the {what} of {key}'s workspace failed: {command}",
        status=ended.exit_code,
        output=tail(ended.stderr, 2000) or tail(ended.stdout, 2000),
        hint=f"mend worktree: {what} in planning/ORCH.md; the workspace is {path}",
        code="setup",
    )


def tear_down(run: Run, key: TaskKey, path: Path) -> None:
    """Run the teardown of `worktree:` in a workspace that is given back; what it can't do is a degradation."""
    command = run.site(key).worktree.teardown
    if not command or not path.is_dir():
        return
    names = own_names(str(run.layout.root), str(key))
    invocation = run.shell(command, path, timeout=run.settings.test_timeout, more=names)
    ended = run_process(invocation, _beside(path, "setup"), run.session.random_name(16))
    if ended.reason != "exit" or ended.exit_code != 0:
        run.degrade(f"{key}: the teardown of its workspace failed: {command}")


def _laid(run: Run, key: TaskKey, base: str, recipe: str) -> Workspace:
    """The task's workspace at its base: as it was at first if it is the task's already, else laid in a new place."""
    site = run.site(key)
    path = workspace_dir(run.layout, key)
    for other in run.sites():
        # Its plan named another repository before; what was done there has been kept.
        if other is not site and other.workspaces.find(path) is not None:
            other.workspaces.discard(path)
            vacate(run.layout, key)
    path = workspace_dir(run.layout, key)
    there = site.workspaces.find(path)
    if there is not None and there.branch == task_branch(key):
        return site.workspaces.reset(there, base)
    if path.exists():
        return site.workspaces.create(path, branch=task_branch(key), commit=base)
    path = place_for(site, key)
    ready = _beside(path, "ready.json")
    if ready.exists():
        with effect("remove", str(ready)):
            ready.unlink(missing_ok=True)
    laid = site.workspaces.lay(path, branch=task_branch(key), commit=base, recipe=recipe)
    assign(run.layout, key, path)
    return laid


def _photograph(run: Run, key: TaskKey, workspace: Workspace, base: str) -> Ready:
    # Copies, links and setup may put in more than ignored files; without them the checkout is as it was made.
    tree = run.site(key).worktree
    taken = snapshot(workspace, is_fresh=not (tree.setup or tree.copy or tree.link))
    return _put_on_record(run, key, Ready(workspace, base, taken, run.standing(key).turns))


def _put_on_record(run: Run, key: TaskKey, ready: Ready) -> Ready:
    held = {"base": ready.base, "turns": ready.turns, "snapshot": ready.snapshot.as_data()}
    replace_text(_ready_path(run, key), json.dumps(held))
    return ready
