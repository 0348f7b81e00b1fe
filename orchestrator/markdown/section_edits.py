"""Small edits of sections: replace the own text, append, insert, remove. Owns the blank lines at the seams.

Text that is put in keeps its words; its line endings become those of the place.
"""

from __future__ import annotations

import re

from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.source import Span

_BREAK = re.compile(r"\r\n?|\n")
_BLANK_END = re.compile(r"(?:[ \t]*(?:\r\n?|\n))*[ \t]*\Z")


def replace_body(doc: Document, section: Section, text: str) -> Document:
    """The document with the section's own text (up to the next heading) replaced; blank lines around it stay."""
    own = section.own
    current = own.of(doc.text)
    lead, tail = _frame(current)
    new_text = _adapted(doc, own.start, text)
    if current[lead:tail] == new_text:
        return doc
    span = Span(own.start + lead, own.start + tail)
    if lead == tail:
        return _append(doc, section, new_text) if new_text else doc
    if not new_text:
        return doc.edited(Edit(span, ""))
    return doc.edited(Edit(span, new_text))


def append_to_section(doc: Document, section: Section, text: str) -> Document:
    """The document with text on lines of its own at the end of the section's own text, before trailing blank lines."""
    return _append(doc, section, _adapted(doc, section.own.end, text))


def _append(doc: Document, section: Section, text: str) -> Document:
    own = section.own
    _, tail = _frame(own.of(doc.text))
    at = own.start + tail
    ending = doc.source.ending_before(at)
    if at < own.end or at == len(doc.text):
        lead = "" if tail == 0 and _at_line_start(doc, at) else ending
        return doc.edited(Edit(Span(at, at), lead + text + (ending if not lead else "")))
    return doc.edited(Edit(Span(at, at), text + ending))


def insert_section(
    doc: Document, text: str, *, before: Section | None = None, after: Section | None = None
) -> Document:
    """The document with a whole section (heading and all) before or after another, else at its end.

    One blank line stands on each side, where there isn't one already.
    """
    at = before.span.start if before else after.span.end if after else len(doc.text)
    ending = doc.source.ending_before(at)
    lead = "" if at == 0 else ending * (2 - _breaks_before(doc.text, at))
    follows = at < len(doc.text)
    return doc.edited(Edit(Span(at, at), lead + _adapted(doc, at, text) + ending + (ending if follows else "")))


def remove_section(doc: Document, section: Section) -> Document:
    """The document without the section, its heading and all below it."""
    return doc.edited(Edit(section.span, ""))


def _adapted(doc: Document, at: int, text: str) -> str:
    return _BREAK.sub(lambda _: doc.source.ending_before(at), text.strip("\r\n"))


def _frame(text: str) -> tuple[int, int]:
    """Where the first line that isn't blank begins, and where the last one ends; equal if all are blank."""
    tail = _BLANK_END.search(text)
    end = tail.start() if tail else len(text)
    lead = 0
    while lead < end:
        stop = _BREAK.search(text, lead)
        if not stop or text[lead : stop.start()].strip(" \t"):
            break
        lead = stop.end()
    return (0, 0) if end == 0 else (lead, end)


def _at_line_start(doc: Document, at: int) -> bool:
    return at == 0 or doc.text[at - 1] in "\r\n"


def _breaks_before(text: str, at: int) -> int:
    """How many line breaks, up to two, lie right before the offset."""
    breaks = 0
    while at > 0 and breaks < 2 and text[at - 1] in "\r\n":
        at -= 2 if text[at - 2 : at] == "\r\n" else 1
        breaks += 1
    return breaks
