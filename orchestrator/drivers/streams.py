"""Event streams of agent programs: JSON objects, one a line, among chatter.

Owns how a stream is read: as bytes, to the end, keys in any order; whatever isn't an object is skipped, so is a line
that was cut in the middle. Knows no program's events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

Event = Mapping[str, object]
_NOTHING: Event = {}


def events(path: Path) -> Iterator[Event]:
    """The objects of the file in their order; none if it can't be read."""
    try:
        file = path.open("rb")
    except OSError:
        return
    with file:
        for line in file:
            if not line.lstrip().startswith(b"{"):
                continue
            try:
                found = json.loads(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield cast(Event, found)


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
    """The number under the keys; 0 where there is none."""
    found = part(event, *keys[:-1]).get(keys[-1])
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else 0.0


def texts(event: object, *keys: str, kind: str = "text") -> str:
    """The joined texts of the items of that kind in the list under the keys: what a message says in words."""
    found = part(event, *keys[:-1]).get(keys[-1])
    items = found if isinstance(found, list) else ()
    return "".join(text(item, kind) for item in items if text(item, "type") == kind)
