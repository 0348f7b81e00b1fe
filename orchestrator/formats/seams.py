"""Putting text into a section so that blank lines stand where people would put them.

Owns the seams between what is there and what is put in; changes no other character. Knows no section by name.
"""

from __future__ import annotations

from orchestrator.formats.guest_text import item_end, with_endings
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.source import Span


def content_span(doc: Document, body: Span) -> Span:
    """The part of a section's body from its first line that isn't blank to the end of its last; else empty."""
    part = body.of(doc.text)
    blank = len(part) - len(part.lstrip())
    if blank == len(part):
        return Span(body.start, body.start)
    start = max(part.rfind("\n", 0, blank), part.rfind("\r", 0, blank)) + 1
    stop = len(part.rstrip(" \t\r\n"))
    breaks = [at for at in (part.find("\n", stop), part.find("\r", stop)) if at >= 0]
    return Span(body.start + start, body.start + min(breaks, default=len(part)))


def append_block(doc: Document, body: Span, text: str, *, tight: bool = False) -> Document:
    """The document with a block at the end of a section's body; `tight`: no blank line before it, as in a list."""
    content = content_span(doc, body)
    ending = doc.source.ending_before(content.end if len(content) else body.start)
    text = with_endings(text, ending)
    if len(content):
        tail = "" if body.end > content.end else ending
        if body.end < len(doc.text) and doc.text[body.end] != "#" and doc.source.line_at(content.end).stop == body.end:
            # An underlined heading follows at once: its words would go on with the block.
            tail += ending
        return doc.edited(Edit(Span(content.end, content.end), ending * (1 if tight else 2) + text + tail))
    lead = ending if body.start and doc.text[body.start - 1] in "\r\n" else ending * 2
    tail = ending if body.end > body.start or body.end == len(doc.text) else ending * 2
    return doc.edited(Edit(Span(body.start, body.start), lead + text + tail))


def append_items(doc: Document, section: Section, text: str) -> Document:
    """The document with items at the end of a section, a blank line before them unless they go on with its list."""
    items = doc.items_in(section.own)
    goes_on = bool(items) and not doc.text[item_end(doc, items[-1]) : section.own.end].strip()
    return append_block(doc, section.own, text, tight=goes_on)


def replace_content(doc: Document, body: Span, text: str) -> Document:
    """The document with all that stands in a section's body replaced; an empty text leaves an empty section."""
    content = content_span(doc, body)
    if not len(content):
        return append_block(doc, body, text) if text else doc
    if not text:
        rest = doc.source.ending_before(body.end) if body.end < len(doc.text) else ""
        return doc.edited(Edit(body, rest))
    if with_endings(content.of(doc.text), "\n") == with_endings(text, "\n"):
        # Line endings that another editor wrote are no difference.
        return doc
    return doc.edited(Edit(content, with_endings(text, doc.source.ending_before(body.start))))


def first_section(doc: Document, *titles: str) -> Section | None:
    """The section of the first of these titles that the document has, or None."""
    for title in titles:
        section = doc.section(title)
        if section is not None:
            return section
    return None
