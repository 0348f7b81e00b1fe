"""The two locks of a repository, in git's common folder so that linked checkouts share them.

`orch-run.lock` is held by the one orchestrator at work, `orch-write.lock` for one file change. Both are locks of
the operating system that die with their holder: a file left behind locks nothing. One that is deleted while it is held
keeps nobody out, so its holder looks before each change. Must not know what is protected.
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
from orchestrator.errors import Location, LockedError, OrchError, OustedError
from orchestrator.store.flock import is_locked_within

RUN_LOCK = "orch-run.lock"
WRITE_LOCK = "orch-write.lock"
WRITE_PATIENCE = 60.0
"""Seconds to wait for the write lock. It is held for milliseconds; longer means that its holder is stopped."""

_held = threading.local()
_runs: dict[Path, int] = {}
"""The run locks of this process: the name of each, and what is open."""


@contextmanager
def run_lock(common_dir: Path, about: str) -> Iterator[None]:
    """Hold the run lock; `about` says to others what runs. Raises LockedError naming who holds it and since when."""
    path = common_dir / RUN_LOCK
    # For a moment: who asks for the holder holds the lock for as long as that takes.
    handle = _taken(path, 0.05)
    if handle is None:
        raise _refused(path)
    try:
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {os.uname().nodename} since {since}: {about}\n".encode(), 0)
        except OSError as error:
            raise refusal(error, str(path), doing="take the lock") from error
        _runs[path] = handle
        try:
            yield
        finally:
            del _runs[path]
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

    A thread that holds it may take it again. OustedError where this process has lost the run lock that it holds.
    """
    path = common_dir / WRITE_LOCK
    mine: set[Path] = _held.__dict__.setdefault("paths", set())
    if path in mine:
        yield
        return
    handle = _taken(path, patience)
    if handle is None:
        raise LockedError(
            f"another orch process has been changing a file for {patience:.0f} seconds",
            at=Location(str(path)),
            hint="look for a stopped orch process (ps -e | grep orch) and end it or let it go on",
            code="write-locked",
        )
    try:
        _keep_runs()
        mine.add(path)
        try:
            yield
        finally:
            mine.discard(path)
    finally:
        os.close(handle)


def _keep_runs() -> None:
    """Put the run locks of this process back where their files were deleted. Raises OustedError where another
    orchestrator was quicker: from then on nothing may be changed here."""
    for path, handle in _runs.items():
        if _stands(handle, path):
            continue
        said = os.pread(handle, 4096, 0)
        fresh = _taken(path, 0.0)
        if fresh is None:
            raise OustedError(
                f"the lock of this call was deleted, and another orchestrator took its place: {_holder(path)}",
                at=Location(str(path)),
                hint="leave the work to that one, and never delete the file: it locks nothing once its holder is gone",
                code="lock-lost",
            )
        os.pwrite(fresh, said, 0)
        os.dup2(fresh, handle, inheritable=False)
        os.close(fresh)


def _taken(path: Path, patience: float) -> int | None:
    """What is open and holds the lock of that name; None where another process keeps it for so many seconds."""
    deadline = time.monotonic() + patience
    while True:
        handle = _open(path)
        is_ours = False
        try:
            if not _try(handle, path, max(deadline - time.monotonic(), 0.0)):
                return None
            # While it was waited for the file may have been deleted, and made anew by somebody else.
            is_ours = _stands(handle, path)
            if is_ours:
                return handle
        finally:
            if not is_ours:
                os.close(handle)


def _stands(handle: int, path: Path) -> bool:
    """Whether what is open is still what the name stands for."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


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
