"""Where a task's workspace lies: in a place that one task after another is given, or in a folder of its own.

A place is a folder `work/1`, of another repository `work/ui-1`; that a task has it is said by a link beside it,
`work/5.1.1`, which is made once the place has been laid for that task, and removed when it is given back. So a place
without such a link holds nothing that anybody needs, however a call ended. Its path never changes, because what a
setup makes often holds its own path.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.effects import effect
from orchestrator.engine.site import Site
from orchestrator.folders import names_in
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.process.residents import is_lived_in
from orchestrator.store.layout import Layout
from orchestrator.store.places import is_place, place_in, workspace_dir

if TYPE_CHECKING:
    from orchestrator.engine.run import Run


def is_shared_place(layout: Layout, key: TaskKey) -> bool:
    """Whether the task's workspace lies in a place that others get after it."""
    return bool(place_in(layout.workspace_dir(key)))


def has_folder(layout: Layout, key: TaskKey) -> bool:
    """Whether there is a folder that is, or was to become, the task's workspace."""
    return workspace_dir(layout, key).is_dir()


def place_for(site: Site, key: TaskKey) -> Path:
    """The folder in which to lay the workspace of a task that has none: a place that nobody has, of those that were
    used before if there is one; without `worktree: reuse` a folder of its own."""
    own = site.run.layout.workspace_dir(key)
    if not site.worktree.reuse:
        return own
    taken = set(_taken(own.parent).values())
    prefix = "" if site.name == HOME else f"{site.name}-"
    number = 1
    while True:
        place = own.with_name(f"{prefix}{number}")
        # A person may have gone there to look, or something that a worker left may still run there.
        if place.name not in taken and not is_lived_in(place):
            return place
        number += 1


def assign(layout: Layout, key: TaskKey, folder: Path) -> None:
    """Say that the task has the place that has just been laid for it."""
    own = layout.workspace_dir(key)
    if folder == own:
        return
    partial = own.with_name(f"{own.name}.link")
    with effect("create", str(own)):
        partial.unlink(missing_ok=True)
        partial.symlink_to(folder.name)
        partial.replace(own)


def vacate(layout: Layout, key: TaskKey) -> None:
    """Say that the task doesn't need its place any more."""
    own = layout.workspace_dir(key)
    if own.is_symlink():
        with effect("remove", str(own)):
            own.unlink(missing_ok=True)


def idle_places(layout: Layout) -> tuple[Path, ...]:
    """The places that no task has, sorted."""
    work = layout.run / "work"
    taken = set(_taken(work).values())
    names = [name for name in names_in(work) if is_place(name) and name not in taken]
    return tuple(work / name for name in names if (work / name).is_dir() and not (work / name).is_symlink())


def discard_idle(run: Run) -> None:
    """Remove the places that no task has, once no task will want one."""
    for place in idle_places(run.layout):
        run.home.workspaces.discard(place)


def _taken(work: Path) -> dict[str, str]:
    """Task → place, of all that have one."""
    return {name: place for name in names_in(work) if parse_key(name) and (place := place_in(work / name))}
