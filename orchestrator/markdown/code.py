"""Text as code: in a fence or between back-ticks that nothing in it can close."""

from __future__ import annotations

from itertools import count

from orchestrator.patterns import regex

_TICKS = regex(r"`+")


def fenced(text: str, language: str = "") -> str:
    """The text inside a code fence that nothing in it can close."""
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])
    body = text.strip("\r\n")
    return f"{fence}{language}\n{body}\n{fence}"


def code(text: str) -> str:
    """The text as inline code that nothing in it can close."""
    runs = {len(run) for run in _TICKS.findall(text)}
    ticks = "`" * next(length for length in count(1) if length not in runs)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"
