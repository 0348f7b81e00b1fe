"""Discovered work: what several tasks came upon is told once, with all of their keys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.patterns import regex
from orchestrator.views.folding import grouped

_ITEM = regex(r"(\d+\.\d+\.[\w-]+): (.+)", re.DOTALL)


def told_once(items: Sequence[str]) -> list[str]:
    """The items, those of one text together: `5.1.1, 5.1.2: the fixture is slow`."""
    lines = []
    for text, same in grouped(items, _text):
        keys = dict.fromkeys(match[1] for match in map(_ITEM.fullmatch, same) if match)
        lines.append(f"{', '.join(keys)}: {text}" if keys else text)
    return lines


def _text(item: str) -> str:
    match = _ITEM.fullmatch(item)
    return match[2].strip() if match else item
