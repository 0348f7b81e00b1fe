"""A lock that is gone when its last holder is: this process, or a git that was started under it and outlives it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import ConflictError


@contextmanager
def held(path: Path, what: str, patience: float = 30.0) -> Iterator[int]:
    """Hold the lock on the file `path`, made if need be; yields the open file to hand on to git. Raises ConflictError
    if others hold it for more than `patience` seconds; `what` says in the message what they are doing."""
    deadline = time.monotonic() + patience
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not _taken(handle):
            if time.monotonic() > deadline:
                raise ConflictError(
                    f"{what} by another process",
                    hint="wait until it has ended, then run the command again",
                    code="busy",
                )
            time.sleep(0.02)
        yield handle
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
