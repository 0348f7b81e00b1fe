"""Event streams of agent programs: JSON objects, one a line, among chatter.

Owns how a stream is read: as bytes, to the end, keys in any order; whatever isn't an object is skipped, so is a line
that was cut in the middle. Knows no program's events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

Event = Mapping[str, object]
_NOTHING: Event = {}
_LONGEST = 160
_GREATEST = 1e15


def events(path: Path) -> Iterator[Event]:
    """The objects of the file in their order; none if it can't be read."""
    try:
        file = path.open("rb")
    except OSError:
        return
    with file:
        for line in file:
            found = event_in(line)
            if found is not None:
                yield found


def event_in(line: bytes) -> Event | None:
    """The object that a line holds; None if it holds none. Half of a pair of surrogates is a question mark."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        found = json.loads(line.decode("utf-8", "replace"))
        if b"\\ud" in line.lower():
            # JSON can write what no file can hold.
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return cast(Event, found) if isinstance(found, dict) else None


def part(event: object, *keys: str) -> Event:
    """The object under the keys; an empty one where there is none."""
    for key in keys:
        event = event.get(key) if isinstance(event, Mapping) else None
    return cast(Event, event) if isinstance(event, Mapping) else _NOTHING


def text(event: object, *keys: str) -> str:
    """The text under the keys; empty where there is none."""
    found = part(event, *keys[:-1]).get(keys[-1])
    return found if isinstance(found, str) else ""


def number(event: object, *keys: str) -> float:
    """The number under the keys; 0 where there is none, or one beyond all that is counted, such as NaN."""
    found = part(event, *keys[:-1]).get(keys[-1])
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        return 0.0
    # False for NaN; whole numbers that no float holds are compared as they are.
    return float(found) if abs(found) < _GREATEST else 0.0


def parts(event: object, *keys: str) -> tuple[Event, ...]:
    """The objects in the list under the keys; none where there is none."""
    found = part(event, *keys[:-1]).get(keys[-1])
    return tuple(item for item in found if isinstance(item, Mapping)) if isinstance(found, list) else ()


def first_line(words: str) -> str:
    """The first line that says something, cut to 160 characters."""
    line = next((line.strip() for line in words.splitlines() if line.strip()), "")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def tool_line(name: str, given: object, keys: Iterable[str]) -> str:
    """What people read of the use of a tool: its name and what it is used on, the first of the keys that has a text."""
    about = next((found for key in keys if (found := text(given, key))), "")
    return f"> {name} {first_line(about)}".rstrip()


def texts(event: object, *keys: str) -> str:
    """The joined texts in the list under the keys: what a message says in words."""
    return "".join(text(item, "text") for item in parts(event, *keys) if text(item, "type") == "text")
