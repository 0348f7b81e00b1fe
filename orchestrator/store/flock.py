"""Trying for a lock of the operating system, for a bounded time. Must not know what it guards, nor who is told."""

from __future__ import annotations

import fcntl
import time

_PAUSE = 0.002


def is_locked_within(handle: int, patience: float) -> bool:
    """Whether what is open was locked, for this process alone, within so many seconds; 0 for one try. Raises OSError
    where the file system has no locks."""
    # Trying again beats a blocking call: that one can't be given up when the holder is stopped.
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
        time.sleep(_PAUSE)
