"""Moving the checkouts of a branch along with it, without ever taking a local change away.

Owns the order of steps that makes every moment of a move repairable: a lock that dies with this process *and*
with the git it started, git's own index.lock (with our signature in it) while files and index are moved, an index
file on the side, and one rename at the end. `repair` finishes what was killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from orchestrator.errors import ConflictError
from orchestrator.nouns import dataclass
from orchestrator.vcs.checkouts import Checkout, checkouts_of, is_on
from orchestrator.vcs.coming import Aside, Noted, look, write_coming
from orchestrator.vcs.command import Completed, remedy, z_input
from orchestrator.vcs.diffs import Entry
from orchestrator.vcs.index_lock import Held, copied_index, hold_index
from orchestrator.vcs.obstacles import obstacles, unresolved
from orchestrator.vcs.placing import Spared, clear, give_back, place_files
from orchestrator.vcs.repair import mend, removals_first
from orchestrator.vcs.repository import Repository

COLLISION = "checkout-collision"
"""The code of the error for local changes that would be lost."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a branch is checked out: in one checkout, rarely in several (`git worktree add -f`)."""

    repository: Repository
    branch: str
    checkouts: tuple[Checkout, ...]

    @property
    def root(self) -> Path:
        """The top of the first of them."""
        return self.checkouts[0].root


@dataclass(frozen=True, slots=True)
class Repaired:
    """state: old, new, or elsewhere (the branch is at neither, and nothing was done). left: paths that hold a
    person's own changes, untouched, relative to their checkout. kept: files that hold what stood half-written where
    a file was to come, as orch's git or a person had left it."""

    state: str
    left: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def holder(repository: Repository, branch: str) -> Place | None:
    """Where `branch` is checked out, or being rebased or bisected; None for nowhere."""
    checkouts = checkouts_of(repository, branch)
    return Place(repository, branch, checkouts) if checkouts else None


def collisions(place: Place, old: str, new: str) -> tuple[str, ...]:
    """What keeps the checkouts from moving from the commit `old` to the commit or tree `new`: local paths
    (tracked, untracked or ignored) that would be lost, and operations under way, as text. Empty: nothing does."""
    entries = place.repository.diff(old, new)
    found: list[str] = []
    for checkout in place.checkouts:
        with copied_index(checkout) as index:
            found += obstacles(place.repository, checkout, index, entries, old, new)
    return tuple(dict.fromkeys(found))


def conflicts(place: Place) -> dict[Path, list[str]]:
    """The paths whose conflicts aren't resolved, by the top of the checkout; only checkouts with some."""
    found = {}
    for checkout in place.checkouts:
        with copied_index(checkout) as index:
            found[checkout.root] = unresolved(checkout.command(place.repository, index))
    return {root: paths for root, paths in found.items() if paths}


@contextmanager
def following(place: Place, old: str, new: str) -> Iterator[Spared]:
    """Around the moving of the branch itself: the index is held, what comes is written aside, collisions are looked
    for, the body moves the branch, then files and index follow. Yields what of a person's was spared, complete once
    all this has ended. Raises ConflictError before the body when local changes collide or git can't write what comes;
    when the body raises, nothing is moved."""
    entries = place.repository.diff(old, new)
    spared = Spared()
    with ExitStack() as stack:
        held = [stack.enter_context(hold_index(checkout)) for checkout in place.checkouts]
        # One where somebody has switched to another branch since isn't to follow; while it is held nobody can switch.
        held = [one for one in held if is_on(one.checkout, place.branch)]
        moves = [stack.enter_context(_prepared(place.repository, one, entries, old, new, spared)) for one in held]
        yield spared
        for one in moves:
            _put(place.repository, one, entries, old, new, spared)


def move(place: Place, old: str, new: str) -> Spared:
    """Move files and index of every checkout from `old` to `new`; refs stay as they are. Returns what of a person's
    was spared. Raises ConflictError, with nothing moved, when local changes collide."""
    with following(place, old, new) as spared:
        pass
    return spared


def repair(place: Place, old: str, new: str) -> Repaired:
    """Finish a move from `old` to `new` that may have been killed at any moment. Files only ever move after their
    branch: with the branch at `old` nothing has happened to them, with it at `new` what is missing is done. Files
    that a person changed since are left alone and named; what may be half of a file or a person's is kept aside."""
    at = place.repository.resolve(f"refs/heads/{place.branch}")
    state = {new: "new", old: "old"}.get(at or "", "elsewhere")
    entries = place.repository.diff(old, new) if state == "new" else ()
    spared = Spared()
    for checkout in place.checkouts:
        aside = Aside.of(checkout)
        if state == "elsewhere" and not aside.top.exists():
            continue
        with hold_index(checkout) as held:
            give_back(aside, spared)
            clear(aside)
            if entries and is_on(checkout, place.branch):
                mend(place.repository, held, aside, entries, old, new, spared)
    return Repaired(state, tuple(dict.fromkeys(spared.left)), tuple(spared.kept))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A checkout whose files can follow: what comes lies aside, and what stands in its places was noted and found
    unchanged."""

    held: Held
    aside: Aside
    noted: dict[str, Noted]


@contextmanager
def _prepared(
    repository: Repository, held: Held, entries: Sequence[Entry], old: str, new: str, spared: Spared
) -> Iterator[_Prepared]:
    aside = Aside.of(held.checkout)
    give_back(aside, spared)
    clear(aside)
    try:
        written = write_coming(repository, held, aside, entries, old, new)
        # Noted before they are looked at: a save in between is found by the look, one after it by the note.
        noted = look(repository, held, aside, entries, old)
        _refuse(obstacles(repository, held.checkout, held.aside, entries, old, new), held.checkout)
        if written.status:
            raise _failed(held.checkout, written, "run the command again: nothing was moved")
        yield _Prepared(held, aside, noted)
    except BaseException:
        give_back(aside, spared)
        _clear_if_possible(aside)
        raise
    _clear_if_possible(aside)


def _clear_if_possible(aside: Aside) -> None:
    # What can't be removed now is swept away by the next move.
    with suppress(OSError):
        clear(aside)


def _refuse(paths: Sequence[str], checkout: Checkout) -> None:
    if paths:
        raise ConflictError(
            f"local changes in {checkout.root} are in the way: {', '.join(paths[:20])}",
            hint="commit them, put them away or remove them, then run the command again",
            code=COLLISION,
        )


def _put(repository: Repository, move: _Prepared, entries: Sequence[Entry], old: str, new: str, spared: Spared) -> None:
    held = move.held
    move.aside.note(move.noted)
    done = place_files(move.aside, move.noted, spared)
    command = held.command(repository)
    if done:
        lines = [entry.done() for entry in removals_first(entries, done=True) if entry.path in done]
        command.run("update-index", "-z", "--index-info", input=z_input(lines))
        command.run("update-index", "-q", "--refresh", ok=None)
    if len(done) < len(entries):
        args = ("read-tree", "-m", "-u", old, new)
        ended = command.run(*args, ok=None, timeout=900.0, holding=held.holding)
        if ended.status:
            raise _failed(held.checkout, ended, "run the command again: the move is finished or taken back then")
    held.swap()


def _failed(checkout: Checkout, ended: Completed, hint: str) -> ConflictError:
    why = ended.err.strip() or f"git ended with {ended.status}"
    return ConflictError(
        f"{checkout.root} couldn't be moved: {why}", hint=remedy(ended.err) or hint, code="checkout-moving"
    )
