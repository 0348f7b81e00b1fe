"""Which lines an edit took out and put in, every line with its own ending."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changed:
    removed: tuple[str, ...]
    added: tuple[str, ...]
    places: int
    """How many stretches of the text changed."""


def changed_lines(old: str, new: str) -> Changed:
    """What differs, line for line; that a last line without an ending got one is no difference."""
    assert old.startswith("\ufeff") == new.startswith("\ufeff")
    before, after = _lines(old.removeprefix("\ufeff")), _lines(new.removeprefix("\ufeff"))
    if before and not before[-1].endswith(("\n", "\r")) and len(after) > len(before):
        ending = next((one for line in after if (one := line[len(line.rstrip("\r\n")) :])), "\n")
        before[-1] += ending
        after = [line if line != before[-1].rstrip("\r\n") else line + ending for line in after]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    parts = [one for one in matcher.get_opcodes() if one[0] != "equal"]
    removed = tuple(line for _, a, b, _, _ in parts for line in before[a:b])
    added = tuple(line for _, _, _, a, b in parts for line in after[a:b])
    return Changed(removed, added, len(parts))


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)
