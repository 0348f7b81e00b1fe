"""What is said of a worker at work: in a few words beside its task, and as a document."""

from __future__ import annotations

from orchestrator.model.at_work import AtWork, State
from orchestrator.model.money import duration_text, size_text, usd_text
from orchestrator.views.printable import one_line


def work_text(work: AtWork) -> str:
    """`execute turn 12m, producing, > Edit a.py; 48.2k tokens so far, $0.31 before this turn`."""
    act = f", {one_line(work.act, 70)}" if work.act else ""
    used = _used(work)
    return f"{work.turn} turn {duration_text(work.seconds)}, {_state(work)}{act}" + (f"; {used}" if used else "")


def _state(work: AtWork) -> str:
    match work.state:
        case State.QUIET:
            return f"quiet for {duration_text(work.quiet)}"
        case State.STALLED:
            return f"stalled, nothing for {duration_text(work.quiet)}"
        case State.ENDED:
            return "has ended"
        case State.GONE:
            return "its worker is gone"
        case _:
            return "producing"


def _used(work: AtWork) -> str:
    before = work.before
    counted = work.read is not None or before.uncounted < before.turns
    tokens = before.tokens + (work.read or 0) + (work.written or 0)
    lacks = before.uncounted + before.partial
    is_less = not work.is_whole or lacks > 0 or (before.turns > 0 and work.read is None)
    parts = [f"{'at least ' if is_less else ''}{size_text(tokens)} tokens so far"] if counted and tokens else []
    if before.unpriced < before.turns:
        least = "at least " if before.unpriced or before.partial else ""
        parts.append(f"{least}{usd_text(before.usd)} before this turn")
    return ", ".join(parts)


def work_document(work: AtWork) -> dict[str, object]:
    """The same as values; null for what isn't known. `usd` is what the turns before this one cost."""
    before = work.before
    is_counted = work.read is not None and work.is_whole
    is_priced = before.unpriced < before.turns
    return {
        "state": str(work.state),
        "turn": work.turn,
        "seconds": round(work.seconds),
        "quiet": round(work.quiet),
        "act": work.act or None,
        "input": work.read if is_counted else None,
        "output": work.written if is_counted else None,
        "usd_before": round(before.usd, 4) if is_priced else None,
        "unpriced_before": before.unpriced,
    }
