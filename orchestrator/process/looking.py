"""What has become of a run: its folder and its processes, read without changing either.

Owns the names of the files in a run's folder and what they say. Never signals and never starts anything.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Literal, get_args

from orchestrator.nouns import dataclass
from orchestrator.process import shim
from orchestrator.process.carriers import carriers, is_alive, reap
from orchestrator.process.shim import Process

Reason = Literal["exit", "timeout", "start", "silence", "never-ran", "killed", "output"]
REASONS: tuple[Reason, ...] = get_args(Reason)
NEVER_STARTED: Literal["never-started"] = "never-started"


@dataclass(frozen=True, slots=True)
class Alive:
    """At work, or at least not proven gone. `quiet_for` is seconds since the last sign of life: a byte of output, or
    what the shim saw besides (signs.py)."""

    pid: int
    started: str
    """When the kernel started it, in the kernel's own units: with the pid, its identity."""
    quiet_for: float
    guarded: bool = True
    """Whether the shim still stands over it. If not, nothing keeps its limits: end it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. Times are seconds since 1970. `exit_code` is None where a signal ended it."""

    exit_code: int | None
    signal: int | None
    reason: Reason
    started: float
    ended: float
    stdout: Path
    stderr: Path
    message: str = ""
    left: tuple[int, ...] = ()
    """Processes of the run that couldn't be ended."""

    @property
    def how(self) -> str:
        """In few words: `exit 127`, `ended by signal 9 (SIGKILL)`, or why it was ended."""
        if self.reason != "exit":
            return self.message or self.reason
        return f"exit {self.exit_code}" if self.signal is None else by_signal(self.signal)


def by_signal(number: int) -> str:
    """That a signal ended it, with its name."""
    # Here and not above: who only looks at what is at work has no use for it.
    import signal

    names = {one.value: one.name for one in signal.Signals}
    return f"ended by signal {number} ({names.get(number, 'unknown')})"


@dataclass(frozen=True, slots=True)
class Lost:
    """It began, and neither its end is on record nor any of its processes alive."""


Seen = Literal["never-started"] | Alive | Ended | Lost


def look(folder: Path, marker: str) -> Seen:
    """What has become of the run with this marker. Looks at its folder, then for its processes."""
    place = os.fspath(folder)
    seen = _on_record(place, marker)
    # One look through /proc can miss a process in the middle of a fork or an exec; where none was ordered, one will do.
    looks = 2 if recorded(f"{place}/order", b"marker") == marker else 1
    while not seen and looks:
        found = carriers(marker)
        seen = _on_record(place, marker)
        if found and not seen:
            # The shim notes itself before anything begins: without its note, it is the shim that was found.
            is_shim = _guard(place, marker) is None
            seen = Alive(found[0][0], found[0][1].decode(), _quiet_for(place), guarded=is_shim)
        looks -= 1
        if looks and not seen:
            time.sleep(0.005)
    if seen:
        return seen
    return Lost() if _guard(place, marker) else NEVER_STARTED


def _on_record(place: str, marker: str) -> Alive | Ended | None:
    """What the folder alone can tell: the end, or a living shim."""
    guard = _guard(place, marker)
    ended = _ended(place, marker)
    if ended:
        if guard:
            reap(guard, 1.0)
        return ended
    if guard and is_alive(guard, marker):
        return Alive(guard[0], guard[1].decode(), _quiet_for(place))
    # It may have written its end and gone between the two looks above.
    ended = _ended(place, marker)
    if guard:
        reap(guard)
    return ended


def _guard(place: str, marker: str) -> Process | None:
    fields = dict(shim.read_record(f"{place}/pid"))
    pid = fields.get(b"pid", b"")
    if fields.get(b"marker") != os.fsencode(marker) or not pid.isdigit():
        return None
    return int(pid), fields.get(b"started", b"")


def _ended(place: str, marker: str) -> Ended | None:
    fields = dict(shim.read_record(f"{place}/exit"))
    if fields.get(b"marker") != os.fsencode(marker):
        return None
    text = {key.decode(): value.decode("utf-8", "replace") for key, value in fields.items()}
    try:
        return Ended(
            exit_code=int(text["code"]) if "code" in text else None,
            signal=int(text["signal"]) if "signal" in text else None,
            reason=REASONS[REASONS.index(text["reason"])],
            started=float(text["started"]),
            ended=float(text["ended"]),
            stdout=Path(place, "stdout"),
            stderr=Path(place, "stderr"),
            message=text.get("message", ""),
            left=tuple(int(pid) for pid in text.get("left", "").split()),
        )
    except (KeyError, ValueError):
        return None  # not the shim's writing: a run can reach its own folder


def recorded(path: str, key: bytes) -> str:
    """A field of one of the folder's records; empty if there is no such file or field."""
    return os.fsdecode(dict(shim.read_record(path)).get(key, b""))


def _quiet_for(place: str) -> float:
    times = [0.0]
    for name in ("stdout", "stderr", "life", "order"):
        with contextlib.suppress(OSError):
            times.append(os.stat(f"{place}/{name}").st_mtime)  # noqa: PTH116
    return max(0.0, time.time() - max(times))
