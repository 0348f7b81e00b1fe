"""Who has a file open for writing, where the system tells: Linux's /proc."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def writers_of(target: Path) -> tuple[str, ...]:
    """The processes, as far as they can be looked at, in words. This one is the last: what it has open it was given by
    the one that called it."""
    try:
        wanted = target.stat()
    except OSError:
        return ()
    own = str(os.getpid())
    pids = [path.name for path in _PROC.glob("[0-9]*")] if _PROC.is_dir() else []
    found = [pid for pid in pids if _writes(_PROC / pid, wanted)]
    if found == [own]:
        return ("the output of this command itself",)
    return tuple(f"process {pid} ({_name(_PROC / pid)})" for pid in found if pid != own)


def _writes(process: Path, wanted: os.stat_result) -> bool:
    with suppress(OSError, ValueError):
        for handle in (process / "fd").iterdir():
            with suppress(OSError):
                if os.path.samestat(handle.stat(), wanted) and _flags(process / "fdinfo" / handle.name) & os.O_ACCMODE:
                    return True
    return False


def _flags(info: Path) -> int:
    words = dict(line.split(":", 1) for line in info.read_text("ascii").splitlines() if ":" in line)
    return int(words["flags"], 8)


def _name(process: Path) -> str:
    with suppress(OSError):
        return (process / "comm").read_text("utf-8", "replace").strip()
    return "gone by now"
