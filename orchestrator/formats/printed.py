"""Micro-plans and reports that a worker printed instead of writing them into its todo file.

Owns where such a text begins and ends in the tail of an output. What it says is read as any copy is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.markdown.document import Document
from orchestrator.patterns import regex

LIMIT = 65536
"""Only so many characters from the end are looked at."""

_ESCAPES = regex(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_BREAK = regex(r"\r\n?|\n")
_REPORT = regex(r"#{1,6}[ \t]+\**report\**[ \t]*:?\**[ \t]*#*[ \t]*", re.IGNORECASE)
_FENCE = regex(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")


def plan_in(output: str, names: Sequence[str]) -> str | None:
    """The text from the last heading line that names the task to the end of what was printed, or None.

    names: what the task is called, the surest first: a later one counts only where no heading bears an earlier one.
    """
    lines = _lines(output)
    for name in names:
        heading = re.compile(rf"#{{1,6}}[ \t]+[*`]*(?:task[ \t]+)?{re.escape(name)}(?![\w.-]).*", re.IGNORECASE)
        start = _last(lines, heading)
        if start is not None:
            return _upto_fence(lines, start)
    return None


def report_in(output: str) -> str | None:
    """The text from the last line `## Report` to the next heading of its level or the end, or None."""
    lines = _lines(output)
    start = _last(lines, _REPORT)
    if start is None:
        return None
    text = _upto_fence(lines, start)
    sections = Document.parse(text).sections
    return text[: sections[0].span.end].rstrip() + "\n" if sections else text


def _lines(output: str) -> list[str]:
    return _BREAK.split(_ESCAPES.sub("", output[-LIMIT:]))


def _last(lines: list[str], pattern: re.Pattern[str]) -> int | None:
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].startswith("#") and pattern.fullmatch(lines[index]):
            return index
    return None


def _upto_fence(lines: list[str], start: int) -> str:
    """The lines from `start` on; if they stand in a fence, only those before its end.

    Agents wrap Markdown in a fence and put fences of the same length into it: one that names a language opens.
    """
    depth = 1 if _is_in_fence(lines[:start]) else 0
    if depth:
        for index in range(start, len(lines)):
            fence = _FENCE.fullmatch(lines[index])
            if fence:
                depth += 1 if fence[2] else -1
                if depth == 0:
                    return "\n".join(lines[start:index]) + "\n"
    return "\n".join(lines[start:]).rstrip("\n") + "\n"


def _is_in_fence(before: list[str]) -> bool:
    depth = 0
    for line in before:
        fence = _FENCE.fullmatch(line)
        if fence:
            depth = depth + 1 if fence[2] or depth == 0 else depth - 1
    return depth > 0
