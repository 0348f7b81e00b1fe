"""What stubs of agent programs replay: recordings of the real ones, and what is made of these or written by hand.

By hand is what a real program can't be brought to do: to say nothing at all, to print chatter and events that nobody
knows yet, to have its line cut in the middle by a full disk.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import replace

from tests.support.recordings import STAYS, Recorded, recordings

NAMES = ("claude", "codex", "gemini", "qwen", "copilot", "opencode")
AGENTS: Mapping[str, Mapping[str, Recorded]] = {name: recordings(name) for name in NAMES}
NOTHING = Recorded()
HANGS = Recorded(then=STAYS)
"""It hangs before it has said anything."""


def begun(name: str) -> Recorded:
    """A turn up to its last event, which would say that it is done."""
    whole = AGENTS[name]["finished"]
    return replace(whole, lines=whole.lines[:-1])


def with_chatter(name: str) -> Recorded:
    """A whole turn among lines that are none of its stream."""
    first, *rest = AGENTS[name]["finished"].lines
    noise = ("warning: old terminal", "{broken", "[1]", {"type": "new"}, {"type": ["x"]})
    return replace(AGENTS[name]["finished"], lines=(*noise[:3], first, *noise[3:], *rest))


def cut(name: str, code: int = -signal.SIGKILL) -> Recorded:
    """A whole turn but for the end of its last line."""
    *lines, last = AGENTS[name]["finished"].lines
    return replace(AGENTS[name]["finished"], lines=tuple(lines), raw=json.dumps(last)[:-9], code=code)
