"""Exchanging two files in one step, where the system can: Linux's renameat2 with RENAME_EXCHANGE.

Owns the call into the C library, and the question whether anybody still has a file open for writing. Must not know
what is in the files.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_F_SETSIG = 10
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


def exchange(one: Path, other: Path) -> bool:
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


def has_writer(handle: int) -> bool:
    """Whether some process has the file behind `handle` (open for reading) open for writing.

    Asked of a file that has lost its public name, False is final. Where the system can't tell, the answer is False.
    """
    set_lease = getattr(fcntl, "F_SETLEASE", None)
    if set_lease is None or sys.platform != "linux":
        return False
    try:
        # The kernel grants a read lease only on a file that nobody has open for writing. Should somebody open it in
        # the instant we hold the lease, the kernel signals us: SIGURG is ignored, the usual SIGIO would end us.
        fcntl.fcntl(handle, _F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, set_lease, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.fcntl(handle, set_lease, fcntl.F_UNLCK)
    return False
