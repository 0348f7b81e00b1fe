"""The numbered door: every file replace, git command, spawn and signal of this process passes here.

A test (or `orch selftest`) sets ORCH_EFFECTS to a JSON object and can then look at the sequence, stop at one
step, or kill the process with SIGKILL just before or just after it:

    {"log": "/path/effects.log", "kill": 17, "when": "before" | "after", "stop": 17 | "every"}

`every` stops it before and after each. Without the variable the door costs an increment. Knows no product word and
imports nothing of the package.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, get_ident
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "ORCH_EFFECTS"
_ON_FILES = ("replace", "create", "remove")

_lock = allocate_lock()
_count = 0
_orders: dict[str, object] | None = None


def _read_orders() -> dict[str, object]:
    global _orders
    if _orders is None:
        text = os.environ.get(VARIABLE, "")
        orders = {}
        if text:
            # Here and below, not above: only a test gives orders.
            import json

            orders = json.loads(text)
        _orders = orders
    return _orders


def count() -> int:
    """How many effects have begun in this process."""
    return _count


@contextmanager
def effect(kind: str, detail: str = "") -> Iterator[int]:
    """Wrap one effect on the world outside this process; yields its number, counting from 1.

    kind is one of: replace, create, remove, git, spawn, signal, message. Of the first three the detail is the path of
    the file: an OSError that names none, as those of open files do, leaves with that name.
    """
    global _count
    orders = _read_orders()
    with _lock:
        _count += 1
        number = _count
    if orders:
        _reach(orders, number, "before", kind, detail)
    if kind in _ON_FILES:
        with naming(detail):
            yield number
    else:
        yield number
    if orders:
        _reach(orders, number, "after", kind, detail)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """An OSError that names no file, as those of files that are open do, leaves with this name."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
        raise


def _reach(orders: dict[str, object], number: int, when: str, kind: str, detail: str) -> None:
    log = orders.get("log")
    if isinstance(log, str):
        import json

        line = json.dumps([number, when, kind, detail]) + "\n"
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)
    is_here = orders.get("when", "before") == when
    kills = is_here and orders.get("kill") == number
    stops = orders.get("stop") == "every" or (is_here and orders.get("stop") == number)
    if not kills and not stops:
        return
    # As json: only a test comes here.
    import signal

    if kills:
        os.kill(os.getpid(), signal.SIGKILL)
    # To this thread, so that it doesn't take another step before the process stands.
    signal.pthread_kill(get_ident(), signal.SIGSTOP)
