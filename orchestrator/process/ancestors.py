"""Where the runs are at work that this process descends from: a worker may take the mark off, not its descent.

Reads /proc; where there is none nothing is seen.
"""

from __future__ import annotations

import contextlib
import os

from orchestrator.process import shim

_MARK = shim.MARKER + b"="
_PLACE = b"ORCH_WORKTREE="


def places_of_runs() -> tuple[str, ...]:
    """The folders of the processes above this one that bear the mark of a run: those they were given, and those they
    are in."""
    found: list[str] = []
    seen = shim.stat_of(os.getpid())
    while seen and seen[1] > 1:
        above = seen[1]
        environ = (shim.read_file(f"/proc/{above}/environ") or b"").split(b"\0")
        if any(one.startswith(_MARK) and one != _MARK for one in environ):
            found += [os.fsdecode(one.removeprefix(_PLACE)) for one in environ if one.startswith(_PLACE)]
            # It may have ended, or be another user's.
            with contextlib.suppress(OSError):
                found.append(os.readlink(f"/proc/{above}/cwd"))  # noqa: PTH115 - as in residents.py
        seen = shim.stat_of(above)
    return tuple(found)
