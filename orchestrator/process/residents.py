"""Whether anybody is in a folder: a process, of whomever, that has it or one below it as its working folder."""

from __future__ import annotations

import os
from pathlib import Path


def is_lived_in(folder: Path) -> bool:
    """Whether a process is known to work in `folder` or below. False where that can't be seen: without /proc, and of
    other users' processes."""
    top = os.path.realpath(folder)
    if not os.path.isdir(top):  # noqa: PTH112
        return False
    try:
        pids = os.listdir("/proc")  # noqa: PTH208
    except OSError:
        return False
    return any(_is_in(pid, top) for pid in pids if pid[0] in "123456789")


def _is_in(pid: str, top: str) -> bool:
    try:
        where = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
    except OSError:
        return False
    return where == top or where.startswith(top + "/")
