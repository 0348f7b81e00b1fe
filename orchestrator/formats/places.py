"""Places of spans, and the wave that a cell or heading names. Owns nothing else; knows no table by name."""

from __future__ import annotations

import re

from orchestrator.errors import Location
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER, whole_number

_WAVE = regex(rf"(?:wave\s*)?#?({NUMBER})(?:\W.*)?", re.IGNORECASE | re.DOTALL)
_BREAK = regex(r"[\r\n]")


def place(doc: Document, span: Span) -> Location:
    """The place of a span with its length in its first line."""
    text = _BREAK.split(doc.text[span.start : span.end], maxsplit=1)[0]
    return doc.source.location(span.start, max(len(text), 1))


def wave_in(word: str) -> int | None:
    """The wave that a cell names, None for one that names none."""
    number = whole_number(word)
    if number is not None:
        return number
    match = _WAVE.fullmatch(plain(word))
    return int(match[1]) if match else None
