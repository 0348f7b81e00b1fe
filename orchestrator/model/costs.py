"""What turns used, read from the logs alone: price, tokens, time at work; and what isn't known of it.

Owns how the log's numbers add up. A turn that told nothing is unknown, never zero. Knows no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from orchestrator.model.log import LogEntry
from orchestrator.model.settings import Bounds, Price
from orchestrator.model.stage import standing
from orchestrator.nouns import dataclass, field, replace
from orchestrator.patterns import regex

_TIME = regex(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z", re.ASCII)
UNKNOWN = "unknown"
"""In the log and the front matter: the number isn't known."""
AT_LEAST = "at least "
"""In the front matter, before a sum of which a part isn't known."""
NEVER_RAN = "never-ran"
"""The outcome of a turn that cost nothing for certain: its program was never started."""
PARTIAL = "partial"
"""In the log's `ended`, beside `yes`: the turn was cut off before it told its sums, and used at least what is there."""
CAP, CAP_TOKENS = "cap", "cap_tokens"
"""In the log's `started`: what the turn may use by the budget, in dollars and in tokens."""


TOOK = "took"
"""In the log's end of a turn: the seconds it was at work, where the times of the lines tell something else."""
PROBE = "probe"
"""What a question to an account counts as, beside the turns."""
ENDS = ("ended", "probed")
"""Events that tell what was used."""


@dataclass(frozen=True, slots=True)
class TurnCost:
    """One turn. `ended` is empty while it runs; a number that isn't known is None. Tokens: `read` in, `written` out."""

    turn: str
    tier: str
    driver: str
    started: str
    ended: str = ""
    outcome: str = ""
    usd: float | None = None
    read: int | None = None
    written: int | None = None
    cached: int | None = None
    """Of those read, what came from a cache."""
    is_partial: bool = False
    """It was cut off: the numbers are the least that it used."""
    cap: Bounds = field(default_factory=Bounds)
    """What it may use by the budget; None for no limit."""
    took: float | None = None
    """Seconds at work, where the times of its lines don't tell: its end was taken in later, or the clock was set."""

    @property
    def runs(self) -> bool:
        return not self.ended

    @property
    def tokens(self) -> int | None:
        return None if self.read is None or self.written is None else self.read + self.written


@dataclass(frozen=True, slots=True)
class Spent:
    """The sum of some turns, of what is known; `unpriced` and `uncounted` ended turns are missing in it, a part of each
    of the `partial` ones."""

    turns: int = 0
    """Those that have ended."""
    running: int = 0
    usd: float = 0.0
    unpriced: int = 0
    read: int = 0
    written: int = 0
    uncounted: int = 0
    partial: int = 0
    seconds: float = 0.0
    """Time in which at least one of them was at work."""

    @property
    def tokens(self) -> int:
        return self.read + self.written


def turns_of(log: tuple[LogEntry, ...]) -> tuple[TurnCost, ...]:
    """Every turn that was started, reviews and probes too, in order. One whose end was never written down ended with
    the next line that says where the task went on, and nothing of it is known."""
    found: list[TurnCost] = []
    for entry in log:
        is_open = bool(found) and found[-1].runs
        if entry.event in ("started", "probing"):
            if is_open:
                found[-1] = replace(found[-1], ended=entry.time)
            tokens = number_in(entry.get(CAP_TOKENS))
            cap = Bounds(number_in(entry.get(CAP)), None if tokens is None else int(tokens))
            turn = entry.get("turn") or PROBE
            found.append(TurnCost(turn, entry.get("tier"), entry.get("driver"), entry.time, cap=cap))
        elif entry.event in ENDS and is_open:
            found[-1] = _ended(found[-1], entry)
    now = standing(log)
    if found and found[-1].runs and not now.is_in_flight and not now.service.probe:
        found[-1] = replace(found[-1], ended=log[-1].time)
    return tuple(found)


def _ended(turn: TurnCost, entry: LogEntry) -> TurnCost:
    is_free = entry.get("outcome") == NEVER_RAN
    usd, read, written, cached = (number_in(entry.get(name)) for name in ("usd", "in", "out", "cached"))
    return replace(
        turn,
        ended=entry.time,
        outcome=entry.get("outcome"),
        usd=0.0 if usd is None and is_free else usd,
        read=0 if is_free else None if read is None else int(read),
        written=0 if is_free else None if written is None else int(written),
        cached=None if cached is None else int(cached),
        is_partial=bool(entry.get(PARTIAL)),
        took=number_in(entry.get(TOOK)),
    )


def with_price(usage: Mapping[str, float], price: Price | None) -> dict[str, float]:
    """What a turn used, its money by these prices whatever its program says of it; as the program says for None."""
    if price is None:
        return dict(usage)
    counts = {name: count for name, count in usage.items() if name != "usd"}
    if "in" not in counts or "out" not in counts:
        return counts
    cached = min(counts.get("cached", 0.0), counts["in"])
    usd = (counts["in"] - cached) * price.read + cached * price.cached + counts["out"] * price.written
    return {**counts, "usd": usd / 1_000_000}


def number_in(word: str) -> float | None:
    """The number that a word of the log or the front matter is; None for one that isn't known."""
    try:
        found = float(word)
    except ValueError:
        return None
    # Neither `nan` nor `inf` nor a debt: whatever somebody wrote there, it isn't what a turn used.
    return found if 0 <= found < float("inf") else None


def spent(turns: Iterable[TurnCost], now: str = "") -> Spent:
    """The sum of the turns. now: this moment as the files write it, for those at work; empty leaves their time out."""
    turns = tuple(turns)
    over = [turn for turn in turns if not turn.runs]
    return Spent(
        turns=len(over),
        running=len(turns) - len(over),
        usd=sum(turn.usd for turn in over if turn.usd is not None),
        unpriced=sum(turn.usd is None for turn in over),
        read=sum(turn.read or 0 for turn in over),
        written=sum(turn.written or 0 for turn in over),
        uncounted=sum(turn.tokens is None for turn in over),
        partial=sum(turn.is_partial for turn in over),
        seconds=_at_work(turns, now),
    )


def _at_work(turns: Iterable[TurnCost], now: str) -> float:
    """Seconds in which at least one of the turns was at work."""
    spans = sorted(_span(turn, now) for turn in turns)
    total = reached = 0.0
    for start, end in spans:
        if start and end > max(start, reached):
            total += end - max(start, reached)
            reached = end
    return total


def _span(turn: TurnCost, now: str) -> tuple[float, float]:
    start = seconds_of(turn.started)
    return start, seconds_of(turn.ended or now) if turn.took is None else start + turn.took


def seconds_of(time: str) -> float:
    """Seconds since 1970 of a time as the files write it; 0 for anything else."""
    found = _TIME.fullmatch(time)
    if not found:
        return 0.0
    year, month, day, hours, minutes, seconds = (int(part) for part in found.groups())
    # Counted from March on the leap day is a year's last. The standard library would take longer to load.
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = year * 365 + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
