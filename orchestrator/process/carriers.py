"""Which processes live: by pid and start time, and by the marker in their environment.

Reads /proc where there is one (with the shim's readers), else asks psutil. What can't be seen counts as alive.
Knows no folder and no order.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator, Sequence

from orchestrator.effects import effect
from orchestrator.process import shim
from orchestrator.process.environment import MARKER
from orchestrator.process.shim import Process

HAS_PROC = os.path.exists("/proc/self/stat")  # noqa: PTH110 - pathlib costs more here and nothing is a path


def identity(pid: int) -> Process | None:
    """The process that has this pid now; None if there is none, or it has ended and waits to be reaped."""
    if HAS_PROC:
        stat = shim.stat_of(pid)
        return (pid, stat[2]) if stat and stat[0] not in b"ZX" else None
    import psutil  # only where there is no /proc

    try:
        found = psutil.Process(pid)
        return None if found.status() == psutil.STATUS_ZOMBIE else (pid, repr(found.create_time()).encode())
    except psutil.NoSuchProcess:
        return None
    except psutil.AccessDenied:
        return (pid, b"")


def is_alive(process: Process, marker: str) -> bool:
    """Whether exactly this process is there; a start time that neither side knows can't speak against it."""
    now = identity(process[0])
    if now is None:
        return False
    if now[1] and process[1] and now[1] != process[1]:
        return False
    # After a restart of the machine pid and start time may meet by chance; the marker doesn't.
    return not HAS_PROC or shim.carries(process[0], os.fsencode(marker)) is not False


def carriers(marker: str) -> list[Process]:
    """Every living process of ours that carries the marker in its environment."""
    if HAS_PROC:
        return shim.family(os.fsencode(marker))
    return [process for process, environ in _environments() if environ.get(MARKER) == marker]


def bearing(name: str, value: str) -> dict[str, list[Process]]:
    """Every living process of a run that has this variable in its environment, by the run's marker: one look for many
    runs."""
    found: dict[str, list[Process]] = {}
    for process, environ in _environments():
        if environ.get(name) == value and MARKER in environ:
            found.setdefault(environ[MARKER], []).append(process)
    return found


def _environments() -> Iterator[tuple[Process, dict[str, str]]]:
    """Every living process but this one, with what can be seen of its environment."""
    if not HAS_PROC:
        import psutil  # only where there is no /proc

        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):  # ended meanwhile, or another user's
                if process.pid != os.getpid():
                    yield (process.pid, repr(process.create_time()).encode()), process.environ()
        return
    for pid in os.listdir("/proc"):  # noqa: PTH208
        data = shim.read_file(f"/proc/{pid}/environ") if pid.isdigit() and int(pid) != os.getpid() else None
        found = identity(int(pid)) if data else None
        if data and found:
            pairs = (one.partition("=") for one in os.fsdecode(data).split("\0"))
            yield found, {name: value for name, _, value in pairs}


def send(process: Process, signum: int) -> bool:
    """Send a signal to exactly this process, never to another that got its pid; False if it is gone."""
    with effect("signal", f"{signum} {process[0]}"):
        if HAS_PROC:
            return shim.strike(process, signum)
        if identity(process[0]) != process:
            return False
        try:
            os.kill(process[0], signum)
        except OSError:
            return False
        return True


def end_carriers(marker: str, grace: float) -> bool:
    """End every process that carries the marker: SIGTERM, after `grace` seconds SIGKILL. True if none is left."""
    return not shim.sweep(lambda: carriers(marker), send, time.sleep, grace)


def reap(process: Process, patience: float = 0.0) -> None:
    """Take in the end of a process if it is a child of ours: else it stays a zombie.

    `patience` is in seconds, for one that is about to end.
    """
    if HAS_PROC:
        stat = shim.stat_of(process[0])
        if stat is None or stat[2] != process[1]:
            return  # gone, or the pid is another child's by now, whose end isn't ours to take
    try:
        if os.waitpid(process[0], os.WNOHANG) == (0, 0) and patience:
            until_over([process], patience)
            os.waitpid(process[0], os.WNOHANG)
    except ChildProcessError:
        return


def until_over(processes: Sequence[Process], seconds: float) -> None:
    """Sleep until one of the processes has ended, or a good moment to look again, `seconds` at most."""
    if not hasattr(os, "pidfd_open"):
        time.sleep(min(seconds, 0.02))
        return
    poll = select.poll()
    handles: list[int] = []
    try:
        for process in processes:
            handles.append(os.pidfd_open(process[0]))
            if identity(process[0]) != process:
                return
            poll.register(handles[-1], select.POLLIN)
        poll.poll(max(0.0, seconds) * 1000)
    except ProcessLookupError:
        return
    finally:
        for handle in handles:
            os.close(handle)
