"""The links that say which place a task has: `work/5.1.1` leads to `work/1`.

Owns their form and their reading. Must not know who makes them, nor what lies in a place.
"""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.patterns import regex
from orchestrator.store.layout import Layout

_PLACE = regex(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*-)?[1-9][0-9]*")


def is_place(name: str) -> bool:
    """Whether a folder's name is that of a place."""
    return _PLACE.fullmatch(name) is not None and not parse_key(name)


def place_in(link: Path) -> str:
    """The place that a link names; empty for anything that isn't such a link."""
    try:
        name = os.readlink(link)  # noqa: PTH115 - a link to elsewhere must stay text
    except OSError:
        return ""
    return name if is_place(name) else ""


def workspace_dir(layout: Layout, key: TaskKey) -> Path:
    """The folder of the task's workspace; where it has none yet, the one that bears its name."""
    own = layout.workspace_dir(key)
    place = place_in(own)
    return own.with_name(place) if place else own
