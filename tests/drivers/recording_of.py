"""A recording of an agent program: its stream, and how it leaves."""

from __future__ import annotations

import json
from dataclasses import dataclass

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
SAID = "# 5.1.2 — Parse it"

Line = dict[str, object]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stream, how the program leaves (a negative code: it kills itself by that signal), what it says besides."""

    lines: tuple[object, ...] = ()
    code: int = 0
    err: str = ""
    then: str = ""
    """A line of shell at the end, before it leaves."""
    raw: str = ""
    """Bytes after the lines, without a line ending."""

    @property
    def out(self) -> str:
        """Standard output. A text among the lines is chatter."""
        return "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in self.lines) + self.raw
