"""Which parts of the disk a process may change, where a sandbox is wanted: what it is given, and little more.

Owns what every process needs besides its own folder. Must not know whose process it is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from orchestrator.nouns import replace
from orchestrator.process import landlock
from orchestrator.process.invocation import Invocation

# Where programs write that keep nothing.
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")
_SHARED = ("/tmp", "/var/tmp", "/dev/shm")


def fault() -> str:
    """Why this system can't hold a process; empty if it can."""
    if not sys.platform.startswith("linux"):
        return "only Linux has Landlock"
    return "" if landlock.version() >= landlock.LEAST else f"the kernel has no Landlock {landlock.LEAST} or newer"


def confined(invocation: Invocation, *, writable: Sequence[str], kept: Sequence[str], scratch: str) -> Invocation:
    """The same process, allowed to change only what lies in `writable`, and its own temporary folder `scratch`.

    kept: folders that must not be changed. The system's temporary folders are open too, unless one of these is in one.
    """
    real = [os.path.realpath(path) for path in kept]
    shared = [folder for folder in _SHARED if not any(_is_in(path, os.path.realpath(folder)) for path in real)]
    open_ = [*writable, scratch, *shared, *_DEVICES]
    argv = (sys.executable, "-I", "-S", str(Path(landlock.__file__)), *open_, "--", *invocation.argv)
    return replace(invocation, argv=argv, env={**invocation.env, "TMPDIR": scratch})


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
