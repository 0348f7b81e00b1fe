"""Moving the checkouts of a branch along with it, without ever taking a local change away.

Owns the order of steps that makes every moment of a move repairable: a lock that dies with this process *and*
with the git it started, git's own index.lock (with our signature in it) while files and index are moved, an index
file on the side, and one rename at the end. `repair` finishes what was killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from orchestrator.errors import ConflictError
from orchestrator.nouns import dataclass
from orchestrator.vcs.checkouts import Checkout, checkouts_of, is_on
from orchestrator.vcs.index_lock import Held, copied_index, hold_index
from orchestrator.vcs.obstacles import obstacles, unresolved
from orchestrator.vcs.repair import mend
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
def following(place: Place, old: str, new: str) -> Iterator[None]:
    """Around the moving of the branch itself: the index is held, collisions are looked for, the body moves the
    branch, then files and index follow. Raises ConflictError before the body when local changes collide; when the
    body raises, nothing is moved."""
    entries = place.repository.diff(old, new)
    with ExitStack() as stack:
        held = [stack.enter_context(hold_index(checkout)) for checkout in place.checkouts]
        # One where somebody has switched to another branch since isn't to follow; while it is held nobody can switch.
        held = [one for one in held if is_on(one.checkout, place.branch)]
        for one in held:
            _refuse(obstacles(place.repository, one.checkout, one.aside, entries, old, new), one.checkout)
        yield
        for one in held:
            _put(place.repository, one, old, new)


def move(place: Place, old: str, new: str) -> None:
    """Move files and index of every checkout from `old` to `new`; refs stay as they are. Raises ConflictError,
    with nothing moved, when local changes collide."""
    with following(place, old, new):
        pass


def repair(place: Place, old: str, new: str) -> Repaired:
    """Finish a move from `old` to `new` that may have been killed at any moment. Files only ever move after their
    branch: with the branch at `old` nothing has happened to them, with it at `new` what is missing is done. Files
    that a person changed since are left alone and named; what may be half of a file or a person's is kept aside."""
    at = place.repository.resolve(f"refs/heads/{place.branch}")
    if at not in (old, new):
        return Repaired("elsewhere")
    entries = place.repository.diff(old, new) if at == new else ()
    left: list[str] = []
    kept: list[str] = []
    for checkout in place.checkouts:
        with hold_index(checkout) as held:
            if is_on(checkout, place.branch):
                alone, aside = mend(place.repository, held, entries)
                left += alone
                kept += aside
    return Repaired("new" if at == new else "old", tuple(dict.fromkeys(left)), tuple(kept))


def _refuse(paths: Sequence[str], checkout: Checkout) -> None:
    if paths:
        raise ConflictError(
            f"local changes in {checkout.root} are in the way: {', '.join(paths[:20])}",
            hint="commit them, put them away or remove them, then run the command again",
            code=COLLISION,
        )


def _put(repository: Repository, held: Held, old: str, new: str) -> None:
    done = held.command(repository).run("read-tree", "-m", "-u", old, new, ok=None, timeout=900.0, holding=held.holding)
    if done.status:
        raise ConflictError(
            f"{held.checkout.root} couldn't be moved: {done.err.strip()}",
            hint="run the command again: the move is finished or taken back then",
            code="checkout-moving",
        )
    held.swap()
