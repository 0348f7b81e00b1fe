"""What has become of a run: its folder and its processes, read without changing either.

Owns the names of the files in a run's folder and what they say. Never signals and never starts anything.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from orchestrator.process import shim
from orchestrator.process.carriers import carriers, is_alive, reap
from orchestrator.process.shim import Process

Reason = Literal["exit", "timeout", "silence", "never-ran", "killed", "output"]
NEVER_STARTED: Literal["never-started"] = "never-started"


@dataclass(frozen=True, slots=True)
class Alive:
    """At work, or at least not proven gone. `quiet_for` is seconds since the last byte of output."""

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


@dataclass(frozen=True, slots=True)
class Lost:
    """It began, and neither its end is on record nor any of its processes alive."""


Seen = Literal["never-started"] | Alive | Ended | Lost


def look(folder: Path, marker: str) -> Seen:
    """What has become of the run with this marker. Looks at its folder, then for its processes."""
    place = os.fspath(folder)
    seen = _on_record(place, marker)
    if seen:
        return seen
    for last in (False, True):
        found = carriers(marker)
        if found:
            # Without a pid on record the shim has yet to note itself, so the process found is the shim.
            guarded = recorded(f"{place}/pid", b"marker") != marker
            return Alive(found[0][0], found[0][1].decode(), _quiet_for(place), guarded)
        seen = _on_record(place, marker)
        if seen:
            return seen
        if not last:
            time.sleep(0.005)  # one look through /proc can miss a process in the middle of a fork or an exec
    return Lost() if recorded(f"{place}/pid", b"marker") == marker else NEVER_STARTED


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
    if fields.get(b"marker") != os.fsencode(marker):
        return None
    return int(fields[b"pid"]), fields[b"started"]


def _reason(word: str) -> Reason:
    for reason in get_args(Reason):
        if reason == word:
            return reason  # type: ignore[no-any-return]
    raise ValueError(f"unknown reason {word!r} on record")


def _ended(place: str, marker: str) -> Ended | None:
    fields = dict(shim.read_record(f"{place}/exit"))
    if fields.get(b"marker") != os.fsencode(marker):
        return None
    text = {key.decode(): value.decode("utf-8", "replace") for key, value in fields.items()}
    return Ended(
        exit_code=int(text["code"]) if "code" in text else None,
        signal=int(text["signal"]) if "signal" in text else None,
        reason=_reason(text["reason"]),
        started=float(text["started"]),
        ended=float(text["ended"]),
        stdout=Path(place, "stdout"),
        stderr=Path(place, "stderr"),
        message=text.get("message", ""),
        left=tuple(int(pid) for pid in text.get("left", "").split()),
    )


def recorded(path: str, key: bytes) -> str:
    """A field of one of the folder's records; empty if there is no such file or field."""
    return os.fsdecode(dict(shim.read_record(path)).get(key, b""))


def _quiet_for(place: str) -> float:
    times = [0.0]
    for name in ("stdout", "stderr", "order"):
        with contextlib.suppress(OSError):
            times.append(os.stat(f"{place}/{name}").st_mtime)  # noqa: PTH116
    return max(0.0, time.time() - max(times))
