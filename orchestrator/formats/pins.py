"""The pairs of local id and key that STATE holds in its front matter, so that a new task renames no other.

Owns the reading of `ids:`. What is wrong with it is told by the reader of STATE; here what can't be read is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.formats.task_names import own_key
from orchestrator.markdown.front_matter import FrontMatter, read_top
from orchestrator.markdown.source import BOM, Source
from orchestrator.model.ids import TaskKey

KEY = "ids"

Pins = Mapping[str, TaskKey]
"""Keys by local id."""


def pins_in(text: str, number: int) -> dict[str, TaskKey]:
    """The pairs in the front matter of a STATE's text; none where there is no front matter or no `ids:`."""
    if not text.startswith(("---", f"{BOM}---")):
        return {}
    end = text.find("\n---", 3)
    if end >= 0 and KEY not in text[:end]:
        # The usual case, and every command passes here: nothing more is read.
        return {}
    front = read_top(Source(text, "")).front_matter
    return pins_of(front, number) if front else {}


def pins_of(front: FrontMatter, number: int) -> dict[str, TaskKey]:
    """The pairs in front matter that can be read: a map from local ids to keys of plan `number`, whole or `W.id`."""
    value = front.get(KEY)
    found: dict[str, TaskKey] = {}
    if isinstance(value, dict):
        for name, written in value.items():
            key = own_key(written, number=number) if isinstance(written, str) else None
            if key is not None:
                found[name] = key
    return found
