"""Moving the checkouts of a branch along with it, without ever taking a local change away.

Owns the order of steps that makes every moment of a move repairable: a lock that dies with orch *and* with the
git it started, git's own index.lock (with our signature in it) while files and index are moved, an index file on
the side, and one rename at the end. `repair` finishes what was killed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from orchestrator.errors import ConflictError
from orchestrator.vcs.checkouts import Checkout, checkouts_of
from orchestrator.vcs.diffs import Entry
from orchestrator.vcs.index_lock import Held, hold_index
from orchestrator.vcs.landing import land
from orchestrator.vcs.obstacles import in_the_way, locally_changed
from orchestrator.vcs.repair import Repaired, mend
from orchestrator.vcs.repository import Repository


def collisions(repository: Repository, *, branch: str, old: str, new: str) -> tuple[str, ...]:
    """What keeps the checkouts of `branch` from moving from `old` to `new`: local paths (tracked, untracked or
    ignored) that would be lost, and operations under way, as text. Empty: nothing does."""
    found: list[str] = []
    entries = repository.diff(old, new)
    for checkout in checkouts_of(repository, branch):
        found += _obstacles(repository, checkout, entries, old)
    return tuple(dict.fromkeys(found))


def advance(repository: Repository, *, branch: str, old: str, new: str, landing_ref: str) -> None:
    """`land`, and every checkout of the branch moved with it. Raises ConflictError, with nothing moved, when a
    checkout can't follow or the refs aren't as expected."""
    with _held(repository, branch) as held:
        entries = repository.diff(old, new)
        for one in held:
            _refuse(_obstacles(repository, one.checkout, entries, old), one.checkout)
        land(repository, branch=branch, old=old, new=new, landing_ref=landing_ref)
        for one in held:
            _put(repository, one, old, new)


def move(repository: Repository, *, branch: str, old: str, new: str) -> None:
    """Move files and index of every checkout of `branch` from `old` to `new`; refs stay as they are. Raises
    ConflictError, with nothing moved, when local changes collide."""
    with _held(repository, branch) as held:
        entries = repository.diff(old, new)
        for one in held:
            _refuse(_obstacles(repository, one.checkout, entries, old), one.checkout)
        for one in held:
            _put(repository, one, old, new)


def repair(repository: Repository, *, branch: str, old: str, new: str) -> Repaired:
    """Bring every checkout of `branch` to where the branch is, `old` or `new`, after a move between the two that
    may have been killed at any moment. Files that a person changed since are left alone and named."""
    at = repository.resolve(f"refs/heads/{branch}")
    if at not in (old, new):
        return Repaired("elsewhere", ())
    target, other = (new, old) if at == new else (old, new)
    left: list[str] = []
    with _held(repository, branch) as held:
        entries = repository.diff(other, target)
        for one in held:
            left += mend(repository, one, entries)
    return Repaired("new" if at == new else "old", tuple(dict.fromkeys(left)))


@contextmanager
def _held(repository: Repository, branch: str) -> Iterator[list[Held]]:
    with ExitStack() as stack:
        yield [stack.enter_context(hold_index(checkout)) for checkout in checkouts_of(repository, branch)]


def _obstacles(repository: Repository, checkout: Checkout, entries: Sequence[Entry], old: str) -> list[str]:
    under_way = checkout.under_way()
    if under_way:
        return [f"{under_way} is under way in {checkout.root}"]
    return [*in_the_way(repository, checkout, entries, old), *locally_changed(repository, checkout, entries, old)]


def _refuse(paths: Sequence[str], checkout: Checkout) -> None:
    if paths:
        raise ConflictError(
            f"local changes in {checkout.root} are in the way: {', '.join(paths[:20])}",
            hint="commit them, put them away or remove them, then run the command again",
            code="checkout-collision",
        )


def _put(repository: Repository, held: Held, old: str, new: str) -> None:
    command = held.command(repository)
    command.run("update-index", "-q", "--refresh", ok=None, holding=held.holding)
    done = command.run("read-tree", "-m", "-u", old, new, ok=None, timeout=900.0, holding=held.holding)
    if done.status:
        raise ConflictError(
            f"{held.checkout.root} couldn't be moved: {done.err.strip()}",
            hint="run the command again: the move is finished or taken back then",
            code="checkout-moving",
        )
    held.swap()
