"""The checkout moves with its branch: announced in the log, made, closed; a move that was killed is finished.

Where the integration branch isn't checked out anywhere there is nothing to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from orchestrator.engine.run import Run
from orchestrator.errors import ConflictError, OrchError
from orchestrator.model.ids import TaskKey
from orchestrator.name_lists import some
from orchestrator.vcs.checkout import collisions, conflicts, following, holder, move, repair


def collide(run: Run, key: TaskKey, old: str, new: str) -> bool:
    """Whether local files stand in the way of moving the checkout to `new`; notes them for the waits."""
    site = run.site(key)
    place = holder(site.repository, site.branch)
    if place is None:
        return False
    paths = collisions(place, old, new)
    if not paths:
        return False
    names = some(paths)
    why = f"{site.branch} is checked out in {place.root} and local files collide: {names}"
    remedy = f"commit or move away {names}"
    busy = next((one for one in place.checkouts if one.under_way()), None)
    if busy is not None:
        what = busy.under_way()
        why = f"{what} is under way where {site.branch} is checked out, in {busy.root}"
        remedy = f"finish or abort the {what.removeprefix('a ')} in {busy.root}"
    else:
        for root, unresolved in conflicts(place).items():
            why = f"conflicts aren't resolved where {site.branch} is checked out, in {root}: {some(unresolved)}"
            remedy = f"resolve what git status names in {root}, and git add it"
    run.hold_landing(key, why, f"{remedy}, then run orch next-wave")
    run.say(f"{key}: {why}")
    return True


@contextmanager
def move_checkout(run: Run, key: TaskKey, old: str, new: str) -> Iterator[None]:
    """Around the landing of `new`: announce the move, let the branch move, then bring the checkout along."""
    site = run.site(key)
    place = holder(site.repository, site.branch)
    if place is None:
        yield
        _catch_up(run, key, old, new)
        return
    run.recorder.note(key, run.recorder.entry("moving", old=old, new=new))
    has_moved = False
    try:
        with following(place, old, new) as spared:
            yield
            has_moved = True
    except OrchError:
        if not has_moved:
            # The branch stays where it is, and so do the files.
            run.recorder.note(key, run.recorder.entry("moved", new=old))
        raise
    _tell(run, key, spared.left, spared.kept)
    run.recorder.note(key, run.recorder.entry("moved", new=new))


def _catch_up(run: Run, key: TaskKey, old: str, new: str) -> None:
    """Bring along a checkout that somebody switched to the branch just before it moved."""
    site = run.site(key)
    place = holder(site.repository, site.branch)
    if place is None:
        return
    try:
        spared = move(place, old, new)
    except ConflictError as error:
        run.degrade(f"{key}: {site.branch} was checked out while it moved: {error.message}")
    else:
        _tell(run, key, spared.left, spared.kept)


def _tell(run: Run, key: TaskKey, left: Sequence[str], kept: Sequence[str]) -> None:
    """Name the files of a person that a move came upon."""
    if left:
        run.degrade(f"{key}: files with changes of your own were left as they are: {', '.join(left)}")
    if kept:
        what = "what stood there in part, half-written or cut short by you, or was saved again meanwhile"
        run.degrade(f"{key}: {what}, is in {', '.join(kept)}")


def finish_moves(run: Run) -> None:
    """Finish or undo every move that was announced and not closed."""
    for key in run.plan.in_waves():
        task = run.orchestration.tasks.get(key)
        if task is None or not task.log:
            continue
        announced = run.standing(key).moving
        if announced is None:
            continue
        old, new = announced
        site = run.site(key)
        place = holder(site.repository, site.branch)
        repaired = repair(place, old, new) if place is not None else None
        if repaired is not None:
            _tell(run, key, repaired.left, repaired.kept)
        run.recorder.note(key, run.recorder.entry("moved", new=site.head()))
        run.say(f"{key}: finished a move of the checkout that was cut short")
