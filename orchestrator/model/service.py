"""What a task's log says of the service behind its workers: whether it is in doubt, was asked, and works.

Pure, and read from the log alone. A turn that its service failed puts the account of its driver in doubt; the next one
is started once a small question (a probe) was answered, or a turn of the same account ended well.
"""

from __future__ import annotations

from orchestrator.model.log import LogEntry
from orchestrator.nouns import dataclass, replace

DUE = "probe"
"""In the log's `ended`, as `then`: the account is asked before its next turn."""
VOID = "void"
"""The outcome of a probe that says nothing, as its worker isn't in the settings any more."""
TOLD = ("started", "ended", "probing", "probed")
"""The events that say something of a service."""

At = tuple[str, str]
"""A driver, whose account it is about, and when."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question to an account that was announced and whose answer isn't written down."""

    driver: str
    tier: str
    """That of the worker whose program, model and flags it is asked with; `review` for the reviewer."""
    marker: str


@dataclass(frozen=True, slots=True)
class Service:
    """What the log adds up to. Of doubt and proof of one account, the one that came later is kept."""

    doubted: At | None = None
    proven: At | None = None
    probe: Probe | None = None
    in_vain: int = 0
    """How many probes in a row found it out of use."""
    why: str = ""
    """What the last of them was told."""
    rests: str = ""
    """The driver whose account `until` is about, where a probe has set it."""


def service_after(now: Service, entry: LogEntry, driver: str) -> Service:
    """What is known after one more entry. driver: what took the task's last turn."""
    match entry.event:
        case "started":
            return replace(now, why="", rests="") if now.why or now.rests else now
        case "ended":
            now = replace(now, why="", rests="") if now.why or now.rests else now
            if entry.get("then") == DUE:
                return _doubted(now, driver, entry.time)
            return _proven(now, driver, entry.time) if entry.get("outcome") == "finished" else now
        case "probing":
            probe = Probe(entry.get("driver"), entry.get("tier"), entry.get("marker"))
            return replace(now, probe=probe)
        case "probed":
            asked = entry.get("driver")
            now = replace(now, probe=None, why="", rests="")
            if entry.get("outcome") == VOID:
                return now
            if entry.get("until"):
                why, in_vain = entry.get("why"), now.in_vain + 1
                return replace(_doubted(now, asked, entry.time), why=why, in_vain=in_vain, rests=asked)
            return _proven(now, asked, entry.time)
    return now


def _doubted(now: Service, driver: str, time: str) -> Service:
    proven = None if now.proven and now.proven[0] == driver else now.proven
    return replace(now, doubted=(driver, time), proven=proven)


def _proven(now: Service, driver: str, time: str) -> Service:
    doubted = None if now.doubted and now.doubted[0] == driver else now.doubted
    return replace(now, doubted=doubted, proven=(driver, time), in_vain=0)
