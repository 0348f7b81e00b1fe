"""The one spawner: start a process under its shim, look at it, wait for it, end it.

Everything about a run lies in its folder (order, stdin, pid, stdout, stderr, exit) and in the marker that its
processes carry, so any later orch can take over from one that was killed. Knows no driver, task or git.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import struct
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from orchestrator.disk_faults import refusal_of
from orchestrator.effects import effect
from orchestrator.errors import ToolError, UserError
from orchestrator.process import shim
from orchestrator.process.carriers import HAS_PROC, end_carriers, identity, reap, send, until_over
from orchestrator.process.environment import MARKER
from orchestrator.process.invocation import Invocation
from orchestrator.process.looking import NEVER_STARTED, Alive, Ended, Lost, Reason, Seen, look, recorded

_ROOT = str(Path(__file__).resolve().parents[2])
"""Where the shim finds the module for signs of life."""
_OWN = ("order", "stdin", "pid", "stdout", "stderr", "exit", "life", "shim.log")
"""Files that orch itself keeps of a run."""

# What a run has become is told by looking.py; who runs things finds both here.
__all__ = ["NEVER_STARTED", "Alive", "Ended", "Lost", "Reason", "Seen", "end", "look", "run", "start", "tail", "wait"]


def start(invocation: Invocation, folder: Path, marker: str) -> None:
    """Write the order and spawn the shim that carries it out; returns as soon as the shim is on record.

    A command that can't be run is no error here: `look` says never-ran. Raises ToolError if the order can't be
    written, the interpreter can't be started, or an earlier run in this folder is still alive; UserError if one of the
    invocation's files hasn't a name of its own.
    """
    place = os.path.abspath(folder)  # noqa: PTH100 - the shim changes its folder
    for name in invocation.files:
        if name in (*_OWN, "", ".", "..") or "/" in name:
            raise UserError(f'a driver can\'t lay "{name}" beside a run: the name has to be a plain one of its own')
    earlier = recorded(f"{place}/order", b"marker")
    if earlier and isinstance(look(folder, earlier), Alive):
        raise ToolError(
            f"a process of an earlier run is still at work in {folder}", hint="wait for it, or end it first"
        )
    env = {**invocation.env, MARKER: marker}
    try:
        with effect("create", f"{place}/order"):
            os.makedirs(place, exist_ok=True)  # noqa: PTH103
            for name in ("exit", "pid", "stdout", "stderr", "life") if earlier else ():
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{place}/{name}")  # noqa: PTH108
            for name, text in (("stdin", invocation.stdin), *invocation.files.items()):
                shim.write_file(f"{place}/{name}", text.encode("utf-8", "surrogateescape"))
            shim.write_record(f"{place}/order", _order(invocation, marker, env))
        with effect("spawn", invocation.argv[0]):
            pid = _spawn(place, env)
        process = identity(pid)
        with effect("create", f"{place}/pid"):
            # The shim does so too, before it begins anything: this only saves looking for it until then.
            if process and recorded(f"{place}/pid", b"marker") != marker:
                with contextlib.suppress(OSError):
                    shim.write_pid(place, os.fsencode(marker), process)
    except OSError as error:
        refused = refusal_of(error)
        if refused is not None:
            raise refused from error
        raise ToolError(
            f'can\'t start "{invocation.argv[0]}": {error.strerror or error}',
            argv=invocation.argv,
            hint="look at the free space of the disk and the number of processes",
            code="spawn",
        ) from error


def _order(invocation: Invocation, marker: str, env: dict[str, str]) -> list[tuple[bytes, bytes]]:
    fields = [
        ("marker", marker),
        ("cwd", invocation.cwd),
        *(("limit", limit) for limit in _limits(invocation)),
        ("pulse", repr(float(invocation.pulse))),
        ("transcript", invocation.transcript),
        ("named", invocation.named),
        ("root", _ROOT),
        ("grace", repr(float(invocation.grace))),
        ("gentle", str(int(invocation.gentle))),
        ("cap", str(invocation.output_cap)),
        *(("arg", item) for item in invocation.argv),
        *(("env", name) for name in env),
    ]
    for _, value in fields:
        if "\0" in value:
            raise UserError(f"a command line can't hold a NUL character: {value!r}")
    return [(key.encode(), os.fsencode(value)) for key, value in fields]


def _limits(invocation: Invocation) -> list[str]:
    """The limits that are set, each with the reason of the end that it brings about, its seconds, and what is said."""
    silent = "no sign of life for" if invocation.pulse else "no output for"
    limits: list[tuple[Reason, float, str]] = [
        ("timeout", float(invocation.timeout), "not over after"),
        ("start", float(invocation.start), "never said a word within"),
        ("silence", float(invocation.silence), silent),
    ]
    return [f"{reason} {length!r} {said} {_as_set(length)}" for reason, length, said in limits if length]


def _as_set(length: float) -> str:
    """A duration as settings write it."""
    return f"{length / 60:g}m" if length % 60 == 0 else f"{length:g}s"


def _spawn(place: str, env: dict[str, str]) -> int:
    """Start the shim, detached: own session, nothing of ours open. Its complaints go to FOLDER/shim.log."""
    argv = [sys.executable, "-I", "-S", _program(), place]
    log_flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return os.posix_spawn(
        sys.executable,
        argv,
        env,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, f"{place}/shim.log", log_flags, 0o600),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=shim.RESET,
    )


@functools.cache
def _program() -> str:
    """The shim as a file to run: its compiled form if that is up to date, which saves a third of the start."""
    source = str(shim.__file__)
    compiled = shim.__spec__.cached if shim.__spec__ else None
    header = (shim.read_file(compiled) or b"")[4:16] if compiled else b""
    about = os.stat(source)  # noqa: PTH116
    current = struct.pack("<III", 0, int(about.st_mtime) & 0xFFFFFFFF, about.st_size & 0xFFFFFFFF)
    return compiled if compiled and header == current else source


def wait(folders: Sequence[tuple[Path, str]], timeout: float) -> None:
    """Return as soon as one of the runs is no longer alive, or has lost its shim, or after `timeout` seconds."""
    until = time.monotonic() + timeout
    unguarded: list[str] | None = None
    while True:
        seen = [(marker, look(folder, marker)) for folder, marker in folders]
        alive = [state for _, state in seen if isinstance(state, Alive)]
        left = until - time.monotonic()
        before = unguarded
        unguarded = [marker for marker, state in seen if isinstance(state, Alive) and not state.guarded]
        if len(alive) < len(seen) or left <= 0 or before not in (None, unguarded):
            return
        until_over([(state.pid, state.started.encode()) for state in alive], left)


def end(folder: Path, marker: str) -> bool:
    """End the run: the shim does it gently first; what withstands, or has no shim, is ended by its marker.

    Returns whether all its processes are proven gone. Never signals a process that isn't exactly the one on record.
    """
    seen = look(folder, marker)
    found = (seen.pid, seen.started.encode()) if isinstance(seen, Alive) else None
    grace = float(recorded(os.fspath(folder) + "/order", b"grace") or 0.0)
    if found and isinstance(seen, Alive) and seen.guarded:
        # The program's own signal, its group, by force, then what is left: the shim's steps, each bounded.
        send(found, signal.SIGTERM)
        send(found, signal.SIGCONT)  # a stopped one would hear of it only then
        wait([(folder, marker)], 2 * grace + 3.0)
        seen = look(folder, marker)
    if isinstance(seen, Ended) and HAS_PROC:
        return not any(identity(pid) for pid in seen.left)
    gone = end_carriers(marker, grace if isinstance(seen, Alive) and not seen.guarded else 0.0)
    if found:
        reap(found)
    return gone


def run(invocation: Invocation, folder: Path, marker: str) -> Ended:
    """Start, and wait for the end. An earlier run in the folder is ended first; an interrupt ends this one."""
    earlier = recorded(os.fspath(folder) + "/order", b"marker")
    if earlier:
        end(folder, earlier)
    start(invocation, folder, marker)
    try:
        while True:
            wait([(folder, marker)], 3600.0)
            seen = look(folder, marker)
            if isinstance(seen, Ended):
                return seen
            if not isinstance(seen, Alive) or not seen.guarded:
                break
    except BaseException:
        end(folder, marker)
        raise
    end(folder, marker)
    now = time.time()
    place = Path(folder)
    message = "the process that watched over it was killed"
    return Ended(None, None, "killed", now, now, place / "stdout", place / "stderr", message)


def tail(path: Path, limit: int = 65536) -> str:
    """The last `limit` bytes of a file as text, whatever bytes they are; empty if there is no such file."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit))
            data = file.read(limit)
    except OSError:
        return ""
    if size > limit:  # the cut may have gone through a character
        data = data.lstrip(bytes(range(0x80, 0xC0)))
    return data.decode("utf-8", "replace")
