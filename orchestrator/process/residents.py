"""Whether anybody is in a folder: a process, of whomever, that has it or one below it as its working folder."""

from __future__ import annotations

import os
import time
from pathlib import Path


def is_lived_in(folder: Path) -> bool:
    """Whether a process is known to work in `folder` or below. False where that can't be seen: without /proc, and of
    other users' processes."""
    return bool(residents(folder))


def residents(folder: Path, patience: float = 0.0) -> tuple[int, ...]:
    """The numbers of the processes that are known to work in `folder` or below, sorted. Those that go within `patience`
    seconds aren't counted."""
    top = os.path.realpath(folder)
    until = time.monotonic() + patience
    while True:
        found = _in(top)
        if not found or time.monotonic() >= until:
            return found
        time.sleep(0.05)


def _in(top: str) -> tuple[int, ...]:
    if not os.path.isdir(top):  # noqa: PTH112
        return ()
    try:
        pids = os.listdir("/proc")  # noqa: PTH208
    except OSError:
        return ()
    return tuple(sorted(int(pid) for pid in pids if pid[0] in "123456789" and _is_in(pid, top)))


def _is_in(pid: str, top: str) -> bool:
    try:
        where = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
    except OSError:
        return False
    return where == top or where.startswith(top + "/")
