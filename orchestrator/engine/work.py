"""What a worker has done, read once a turn: its changes, those of them that may land, and the tree they make.

After a turn has ended nothing works in its workspace any more, so what was read stays true until the next turn.
"""

from __future__ import annotations

from orchestrator.engine.copies import copy_name, is_plain_file, plain_text
from orchestrator.engine.prepare import Ready
from orchestrator.engine.run import Run
from orchestrator.model.changes import Change, ChangeKind
from orchestrator.model.ids import TaskKey
from orchestrator.model.scope import PLANNING, canonical, claims, covers
from orchestrator.model.verify import landing_changes
from orchestrator.nouns import dataclass, replace
from orchestrator.vcs.changes import Seen, look, tree
from orchestrator.vcs.snapshots import changes


@dataclass(frozen=True, slots=True)
class Work:
    """`changes` is everything that differs from the base but the protocol files; `tree` holds only what may land."""

    base: str
    changes: tuple[Change, ...]
    landing: tuple[Change, ...]
    tree: str
    reported: str = ""
    """What the worker appended to its copy of STATE instead of to its todo file."""


def state_name(run: Run) -> str:
    """Where STATE lies, relative to the top of a workspace."""
    return f"planning/STATE_{run.plan.number}.md"


def changes_of(run: Run, key: TaskKey, ready: Ready, seen: Seen | None = None) -> tuple[Change, ...]:
    """Everything that differs from the base in the workspace, its own todo copy apart.

    What git ignores below planning/ is passed over: where the whole folder is ignored it can't be told apart, and
    it never lands.
    """
    # Where planning/ is a link that git tracks, the copy has taken its place.
    every = changes(ready.workspace, ready.base, exempt={copy_name(key), PLANNING}, known=ready.snapshot, seen=seen)
    found = tuple(change for change in every if not (change.is_ignored and change.path.startswith("planning/")))
    found = (*found, *_named_below(run, key, ready, found))
    hidden = _self_ignored(run, key, ready, found)
    return tuple(
        replace(change, is_ignored=True)
        if change.kind is ChangeKind.ADDED and change.path.startswith(hidden)
        else change
        for change in found
    )


def _named_below(run: Run, key: TaskKey, ready: Ready, found: tuple[Change, ...]) -> tuple[Change, ...]:
    """Files that Can create names and that lie in a folder which git ignores as a whole, and therefore isn't opened."""
    folders = tuple(change.path for change in found if change.is_ignored and change.path.endswith("/"))
    top = ready.workspace.path
    return tuple(
        Change(ChangeKind.ADDED, path, is_ignored=True)
        for named in run.spec(key).can_create
        if folders and (path := canonical(named.pattern)).startswith(folders) and is_plain_file(top, top / path)
    )


def _self_ignored(run: Run, key: TaskKey, ready: Ready, found: tuple[Change, ...]) -> tuple[str, ...]:
    """New folders, out of scope, that ignore all that is in them by a `.gitignore` of their own, as test runners'
    caches do. They count as ignored files: no finding, and they never land."""
    scope = claims(run.spec(key))
    prefixes = []
    for change in found:
        folder, slash, name = change.path.rpartition("/")
        if change.kind is not ChangeKind.ADDED or name != ".gitignore" or not slash or covers(scope, change.path):
            continue
        text = plain_text(ready.workspace.path, ready.workspace.path / change.path)
        rules = [line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")]
        if rules == ["*"]:
            prefixes.append(folder + "/")
    return tuple(prefixes)


def work_of(run: Run, key: TaskKey, ready: Ready, seen: Seen | None = None) -> Work:
    """The work of the last turn; `seen` is the state of its files if it has just been looked at.

    Two protocol files are exempt: the todo copy, and STATE where text was only added.
    """
    turns = run.standing(key).turns
    held = run.works.get(key)
    if held is not None and held[0] == turns and held[1].base == ready.base:
        return held[1]
    seen = seen or look(ready.workspace)
    found = changes_of(run, key, ready, seen)
    reported = ""
    state = state_name(run)
    if run.site(key) is run.home and any(change.path == state for change in found):
        before = ready.workspace.repository.file_text(ready.base, state) or ""
        after = plain_text(ready.workspace.path, ready.workspace.path / state)
        if after.startswith(before):
            reported = after[len(before) :]
            found = tuple(change for change in found if change.path != state)
    landing = landing_changes(run.spec(key), found)
    paths = {change.path for change in landing} | {change.old_path for change in landing if change.old_path}
    others = {change.path for change in found if change.path not in paths}
    made = tree(
        ready.workspace,
        ready.base,
        leave_out={PLANNING, f"{PLANNING}/", *others},
        also=[change.path for change in landing if change.is_ignored],
        made=ready.snapshot.made,
        seen=seen,
    )
    work = Work(ready.base, found, landing, made, reported)
    run.works[key] = (turns, work)
    return work
