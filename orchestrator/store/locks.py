"""The two locks of a repository, in git's common folder so that linked checkouts share them.

`orch-run.lock` is held by the one orchestrator at work, `orch-write.lock` for one file change. Both are locks of
the operating system that die with their holder: a file left behind locks nothing. Must not know what is protected.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.disk_faults import refusal
from orchestrator.errors import Location, LockedError, OrchError
from orchestrator.store.flock import is_locked_within

RUN_LOCK = "orch-run.lock"
WRITE_LOCK = "orch-write.lock"
WRITE_PATIENCE = 60.0
"""Seconds to wait for the write lock. It is held for milliseconds; longer means that its holder is stopped."""

_held = threading.local()


@contextmanager
def run_lock(common_dir: Path, about: str) -> Iterator[None]:
    """Hold the run lock; `about` says to others what runs. Raises LockedError naming who holds it and since when."""
    path = common_dir / RUN_LOCK
    handle = _open(path)
    try:
        # For a moment: who asks for the holder holds the lock for as long as that takes.
        if not _try(handle, path, 0.05):
            raise _refused(path)
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {os.uname().nodename} since {since}: {about}\n".encode(), 0)
        except OSError as error:
            raise refusal(error, str(path), doing="take the lock") from error
        try:
            yield
        finally:
            # A name that stays says nothing once nobody holds the lock.
            with suppress(OSError):
                os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def who_runs(common_dir: Path) -> str:
    """What the holder of the run lock says of itself (`process P on HOST since TIME: what`); "" if there is none."""
    path = common_dir / RUN_LOCK
    try:
        # For reading alone: who only asks may have no right to write here.
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise refusal(error, str(path), doing="read") from error
    try:
        return "" if _try(handle, path) else _holder(path)
    finally:
        os.close(handle)


@contextmanager
def write_lock(common_dir: Path, *, patience: float = WRITE_PATIENCE) -> Iterator[None]:
    """Hold the write lock, waiting for it up to `patience` seconds; LockedError after that.

    A thread that holds it may take it again.
    """
    path = common_dir / WRITE_LOCK
    mine: set[Path] = _held.__dict__.setdefault("paths", set())
    if path in mine:
        yield
        return
    handle = _open(path)
    try:
        if not _try(handle, path, patience):
            raise LockedError(
                f"another orch process has been changing a file for {patience:.0f} seconds",
                at=Location(str(path)),
                hint="look for a stopped orch process (ps -e | grep orch) and end it or let it go on",
                code="write-locked",
            )
        mine.add(path)
        try:
            yield
        finally:
            mine.discard(path)
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    try:
        # O_CLOEXEC: a child that inherited the descriptor would keep the lock alive after its parent's death.
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise refusal(error, str(path), doing="take the lock") from error


def _try(handle: int, path: Path, patience: float = 0.0) -> bool:
    try:
        return is_locked_within(handle, patience)
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
            raise OrchError(
                "this file system has no locks, so two orchestrators couldn't be kept apart",
                at=Location(str(path)),
                hint="move the repository to a local file system",
                code="no-locks",
            ) from error
        raise


def _refused(path: Path) -> LockedError:
    who = _holder(path)
    return LockedError(
        f"another orchestrator is at work in this repository: {who}",
        at=Location(str(path)),
        hint="wait for it to end; orch status, approve and revise work meanwhile",
        code="locked",
    )


def _holder(path: Path) -> str:
    for _ in range(20):
        text = path.read_bytes().decode(errors="replace").strip()
        if text:
            return text
        # The holder has locked the file and not yet written its name into it.
        time.sleep(0.005)
    return "a process that hasn't said its name"
