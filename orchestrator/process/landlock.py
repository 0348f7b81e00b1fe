"""A program of its own: gives up the right to change anything but what it is told, then becomes the command behind.

    python -I -S landlock.py PATH [PATH ...] -- COMMAND [ARGUMENT ...]

Below these folders, and in these files, the command and all that it starts may write; everywhere else they may read
and run. They can't send signals to processes outside either, where the system can hold that (Landlock 6, Linux 6.12).
Works without root. Ends with 126 where it can't be done: what asks for it must never run without.
The numbers are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_WRITE_FILE, _TRUNCATE, _REFER = 1 << 1, 1 << 14, 1 << 13
# Removing folders and files, making devices, folders, files, sockets, pipes and links.
_CHANGES = sum(1 << bit for bit in range(4, 13))
_SIGNALS = 1 << 1
LEAST = 3
"""From this version on a file can't be cut short either; before it the promise would be a half one."""


def version() -> int:
    """Which Landlock the running system has; 0 for none."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return max(0, int(library.syscall(_CREATE, None, 0, 1)))
    except (OSError, AttributeError):
        return 0


def confine(writable: list[str]) -> None:
    """Confine this process and all that come from it. Raises OSError where that can't be done."""
    library = ctypes.CDLL(None, use_errno=True)
    there = version()
    if there < LEAST:
        raise OSError(0, f"this system has no Landlock {LEAST} or newer")
    handled = _WRITE_FILE | _TRUNCATE | _REFER | _CHANGES
    rules = struct.pack("QQQ", handled, 0, _SIGNALS) if there >= 6 else struct.pack("QQ", handled, 0)
    rules = rules if there >= 4 else rules[:8]
    ruleset = _checked(library.syscall(_CREATE, rules, len(rules), 0))
    for path in writable:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        rights = handled if os.path.isdir(path) else _WRITE_FILE | _TRUNCATE  # noqa: PTH112
        # The structure is packed: no gap behind the descriptor.
        _checked(library.syscall(_ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0))
        os.close(place)
    _checked(library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(library.syscall(_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def main(arguments: list[str]) -> int:
    """Confine, then run the command. Comes back only where that fails."""
    at = arguments.index("--")
    command = arguments[at + 1 :]
    try:
        confine(arguments[:at])
    except OSError as error:
        print(f"the sandbox can't be set up: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 126
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]} can't be run: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
