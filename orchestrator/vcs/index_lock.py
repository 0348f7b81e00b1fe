"""Holding a checkout's index: nobody else's git can write it meanwhile, and a dead holder is told from a live one.

Two locks. An OS lock on a file of ours, inherited by every git that is started under it, dies only with the last
of them. git's own index.lock keeps other gits out; ours has a signature, so that under the first lock one that is
left over is known for what it is.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.errors import ConflictError
from orchestrator.nouns import dataclass
from orchestrator.vcs.checkouts import Checkout
from orchestrator.vcs.command import Git
from orchestrator.vcs.os_lock import held
from orchestrator.vcs.repository import Repository

SIGNATURE = b"held while the files of this checkout are moved\n"
MARK = "index.mark"
PATIENCE = 10.0
# Copies of the index that this room works on: to move with, to look with, to compare with.
ASIDE = ("index.aside", "index.look", "index.probe")


@dataclass(frozen=True, slots=True)
class Held:
    """A checkout whose index is held. Work goes into `aside`, a copy of the index; `swap` puts it in place."""

    checkout: Checkout
    holding: tuple[int, ...]

    @property
    def index(self) -> Path:
        return self.checkout.git_dir / "index"

    @property
    def aside(self) -> Path:
        return self.checkout.git_dir / "index.aside"

    def command(self, repository: Repository, index: Path | None = None) -> Git:
        """git on this checkout's files with the index aside (or another one)."""
        return self.checkout.command(repository, index or self.aside)

    def swap(self) -> None:
        """The index aside becomes the index, with its times, so that git's trust in them holds."""
        with effect("replace", str(self.index)):
            self.aside.replace(self.index)


@contextmanager
def hold_index(checkout: Checkout, patience: float = PATIENCE) -> Iterator[Held]:
    """Hold the index of `checkout`. Raises ConflictError when others hold it longer than `patience` seconds."""
    lock = checkout.git_dir / "index.lock"
    deadline = time.monotonic() + patience
    with held(checkout.git_dir / "index.mover", f"files of {checkout.root} are still being moved", patience) as own:
        _make_lock(lock, deadline)
        try:
            holder = Held(checkout, (own,))
            _clear(checkout)
            _copy(holder.index, holder.aside)
            yield holder
        finally:
            _clear(checkout)
            with effect("remove", str(lock)):
                lock.unlink(missing_ok=True)


@contextmanager
def copied_index(checkout: Checkout) -> Iterator[Path]:
    """A copy of the index to look with, which goes away afterwards. Holds nothing."""
    copy = checkout.git_dir / "index.look"
    try:
        _copy(checkout.git_dir / "index", copy)
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def is_left_over(checkout: Checkout) -> bool:
    """Whether an index.lock of ours lies there: its holder died, if nobody is at work."""
    return _is_ours(checkout.git_dir / "index.lock")


def _copy(index: Path, copy: Path) -> None:
    # With its times: an index is proof of nothing about a file that isn't older than it.
    if index.exists():
        shutil.copy2(index, copy)


def _clear(checkout: Checkout) -> None:
    for name in ASIDE:
        for leftover in (name, f"{name}.lock"):
            (checkout.git_dir / leftover).unlink(missing_ok=True)
    (checkout.git_dir / MARK).unlink(missing_ok=True)


def _make_lock(lock: Path, deadline: float) -> None:
    while True:
        with effect("create", str(lock)):
            is_made = _made_signed(lock)
        if is_made:
            return
        if _is_ours(lock):
            lock.unlink(missing_ok=True)
        elif time.monotonic() > deadline:
            raise ConflictError(
                f"another git holds {lock}",
                hint="wait until it has ended; if no git is running there, remove the file",
                code="index-locked",
            )
        else:
            time.sleep(0.02)


def _made_signed(lock: Path) -> bool:
    """Make the lock, signed from its first moment on: one without a signature would be taken for another git's."""
    mark = lock.with_name(MARK)
    mark.write_bytes(SIGNATURE)
    try:
        os.link(mark, lock)
    except FileExistsError:
        return False
    except OSError:
        # A file system without links.
        return _made_by_name(lock)
    finally:
        mark.unlink(missing_ok=True)
    return True


def _made_by_name(lock: Path) -> bool:
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    try:
        os.write(handle, SIGNATURE)
    except OSError:
        # Without the signature it would be taken for another git's, and nobody would ever take it away.
        lock.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    return True


def _is_ours(lock: Path) -> bool:
    try:
        content = lock.read_bytes()[: len(SIGNATURE) + 1]
    except OSError:
        return False
    return content == SIGNATURE
