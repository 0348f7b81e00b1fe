"""The log of a task: one line an event, a closed list of events.

A line is `TIME EVENT key=value key="value with blanks"`: a value that isn't a bare word is written as a JSON
string. The list item's `- ` belongs to the file, not to the grammar.
"""

from __future__ import annotations

from orchestrator.nouns import dataclass, field
from orchestrator.patterns import regex
from orchestrator.whole_numbers import whole_number

EVENTS = frozenset(
    "board started ended planned revised approved verified failed landed reverted escalated asked answered"
    " paused decided rescoped moving moved degraded cut probing probed".split()
)

FAILURES = ("failed", "reverted")
"""Events that tell of a failure of the task, with `kind`, `next` and `why`."""

_BARE = regex(r"[^\s\"=]+")
_PAIR = regex(r"\s+([a-z][a-z0-9_-]*)=(\"(?:[^\"\\]|\\.)*\"|[^\s\"]*)")
_HEAD = regex(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\s+([a-z]+)")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One event. `time` is UTC, to the second, as written."""

    time: str
    event: str
    values: dict[str, str] = field(default_factory=dict)

    def get(self, key: str, default: str = "") -> str:
        return self.values.get(key, default)

    def number(self, key: str, default: int = 0) -> int:
        value = whole_number(self.values.get(key, ""))
        return default if value is None else value


def format_entry(entry: LogEntry) -> str:
    """The line for an entry, without list marker and ending. Raises ValueError for an unknown event."""
    if entry.event not in EVENTS:
        raise ValueError(f"unknown log event {entry.event!r}")
    words = [entry.time, entry.event]
    for key, value in entry.values.items():
        words.append(f"{key}={value if _BARE.fullmatch(value) else _quoted(value)}")
    return " ".join(words)


def parse_entry(text: str) -> LogEntry | None:
    """The entry that a line holds, or None if the line isn't one (wrong form or unknown event)."""
    line = text.strip()
    head = _HEAD.match(line)
    if not head or head[2] not in EVENTS:
        return None
    values: dict[str, str] = {}
    at = head.end()
    while at < len(line):
        pair = _PAIR.match(line, at)
        if not pair:
            return None
        raw = pair[2]
        try:
            values[pair[1]] = _unquoted(raw) if raw.startswith('"') else raw
        except ValueError:
            return None
        at = pair.end()
    return LogEntry(head[1], head[2], values)


def _quoted(value: str) -> str:
    # Here and below, not above: reading a log seldom needs it.
    import json

    return json.dumps(value, ensure_ascii=False)


def _unquoted(raw: str) -> str:
    """The value of a JSON string. Raises ValueError for what is none."""
    if "\\" not in raw:
        return raw[1:-1]
    import json

    return str(json.loads(raw, strict=False))
