"""Exchanging two files in one step, where the system can: Linux's renameat2 with RENAME_EXCHANGE.

Owns the call into the C library, and the lease by which writers are noticed. Must not know what is in the files.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_F_SETSIG = 10
_F_SETLEASE = 1024
# A C library older than the call (or musl) still lets it be made by number.
_CALL_NUMBERS = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "i686": 353,
    "armv7l": 382,
    "ppc64le": 357,
    "s390x": 347,
}
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)


def exchange(one: str | Path, other: str | Path) -> bool:
    """Swap what the two names stand for, atomically. False if the system or this file system can't; else OSError."""
    call = _find_call()
    if call is None:
        return False
    number = call(os.fsencode(one), os.fsencode(other))
    if number == 0:
        return True
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(other))


@cache
def _find_call() -> Callable[[bytes, bytes], int] | None:
    if sys.platform != "linux":
        return None
    # Here and not at the top: loading it costs some milliseconds, and commands that only read don't need it.
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    by_name = getattr(library, "renameat2", None)
    number = _CALL_NUMBERS.get(os.uname().machine)

    def call(one: bytes, other: bytes) -> int:
        if by_name is not None:
            failed = by_name(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE)
        elif number is not None:
            failed = library.syscall(number, _AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE)
        else:
            return errno.ENOSYS
        return ctypes.get_errno() if failed else 0

    return call


def hold_lease(handle: int) -> bool:
    """Whether nobody has the file behind `handle` (open for reading) open for writing.

    If so, opening it for writing waits until the lease is dropped: hold it for moments only. Where the system or the
    file system has no leases the answer is yes, and nobody waits.
    """
    try:
        # Should somebody open the file meanwhile, the kernel tells us by a signal: SIGURG is ignored, the usual SIGIO
        # would end the process.
        fcntl.fcntl(handle, _F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, _F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def drop_lease(handle: int) -> None:
    """End a lease, if there is one."""
    with suppress(OSError):
        fcntl.fcntl(handle, _F_SETLEASE, fcntl.F_UNLCK)


def is_being_written(path: str | Path) -> bool:
    """Whether some process has the file of that name, no link, open for writing. Raises OSError where it can't be
    opened."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return has_writer(handle)
    finally:
        os.close(handle)


def has_writer(handle: int) -> bool:
    """Whether some process has the file open for writing. Final where the file has lost its public name."""
    try:
        return not hold_lease(handle)
    finally:
        drop_lease(handle)
