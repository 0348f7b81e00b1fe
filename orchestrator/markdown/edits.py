"""Replacements of spans of a text. Owns the one way in which a text is changed; knows nothing of what it holds."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.markdown.source import Span
from orchestrator.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` where `span` is. A span of width zero inserts."""

    span: Span
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made at once; two insertions at one offset keep their order.

    Raises ValueError for spans that overlap or lie outside the text.
    """
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        start, end = edit.span.start, edit.span.end
        if start < at or end < start or end > len(text):
            raise ValueError(f"edit at {start}..{end} overlaps another or lies outside the text")
        parts += (text[at:start], edit.text)
        at = end
    parts.append(text[at:])
    return "".join(parts)
