"""Small edits of sections: replace the text, append, insert, remove. Owns the blank lines at the seams.

Text that is put in keeps its words; its line endings become those of the place. No edit may change what the rest
of the document is: text whose fence or comment never ends, or that would run into a neighbour, is refused.
"""

from __future__ import annotations

from orchestrator.errors import DocumentError
from orchestrator.markdown.blocks import Heading, Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.scanner import LIST, TABLE
from orchestrator.markdown.source import BOM, Source, Span
from orchestrator.patterns import regex

_BREAK = regex(r"\r\n?|\n")
_BLANK_TOP = regex(r"(?:[ \t]*(?:\r\n?|\n))+")
_LIST_ITEM = regex(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|[\r\n]|\Z)")
_TABLE_ROW = regex(r" {0,3}\|")


def replace_body(doc: Document, section: Section, text: str, *, whole: bool = False) -> Document:
    """The document with the section's own text (up to the next heading) replaced; the blank lines around it stay.

    With `whole`, its sub-sections are replaced too. Raises ValueError for text that would change the structure
    around it, or that holds headings which aren't below the section's (any, without `whole`).
    """
    own = section.body if whole else section.own
    content = _content(doc, own)
    put = _adapted(doc, content.start, text)
    if _adapted(doc, content.start, content.of(doc.text)) == put:
        return doc
    # After a blank line, so that a leading `---` isn't taken for front matter.
    if any(not whole or heading.level <= section.heading.level for heading in Document.parse("\n" + put).headings):
        raise ValueError("the text holds a heading that would end the section")
    if not len(content):
        return append_to_section(doc, section, text)
    if not put:
        return _changed(doc, content, [""])
    final = doc.source.line_at(content.end - 1).ending
    return _changed(doc, content, [put + final, put + final + doc.source.ending_before(content.end)])


def append_to_section(doc: Document, section: Section, text: str) -> Document:
    """The document with text on lines of its own at the end of the section's own text, before trailing blank lines.

    It is set off by a blank line unless it goes on with the list or table that stands there. Raises ValueError for
    text that would change the structure around it, DocumentError where what stands there never ends.
    """
    content = _content(doc, section.own)
    at = content.end
    put = _adapted(doc, at, text)
    if not put:
        return doc
    ending = doc.source.ending_before(at)
    lead = "" if at == 0 or doc.text[at - 1] in "\r\n" else ending
    if len(content) and not _joins(doc.blocks_in(content)[-1].kind, put):
        lead += ending
    whole = lead + put + ending
    # Where blank lines stood between two headings, one stands on each side of the text.
    framed = not len(content) and section.own.start < at == section.own.end < len(doc.text)
    return _changed(doc, Span(at, at), [whole + ending] if framed else [whole, whole + ending])


def insert_section(
    doc: Document, text: str, *, before: Section | None = None, after: Section | None = None
) -> Document:
    """The document with a whole section, heading and all, before or after another, else at its end.

    A blank line stands on each side of it. Raises as append_to_section.
    """
    at = before.span.start if before else after.span.end if after else len(doc.text)
    ending = doc.source.ending_before(at)
    lead = tail = ""
    if at > _top(doc):
        lead = "" if doc.text[at - 1] in "\r\n" else ending
        lead += "" if _is_blank(doc.source, at - 1) else ending
    if at < len(doc.text) and not _is_blank(doc.source, at):
        tail = ending
    return _changed(doc, Span(at, at), [lead + _adapted(doc, at, text) + ending + tail])


def remove_section(doc: Document, section: Section) -> Document:
    """The document without the section, its heading and all below it."""
    return _changed(doc, section.span, ["", doc.source.ending_before(section.span.start)])


def _top(doc: Document) -> int:
    """Where the text proper begins: behind a BOM and front matter."""
    front = doc.front_matter
    return front.span.end if front else len(BOM) if doc.text.startswith(BOM) else 0


def _adapted(doc: Document, at: int, text: str) -> str:
    """The text as it goes in at an offset: without blank lines at its ends, with the endings of the place."""
    rest = _BREAK.search(text, len(text.rstrip(" \t\r\n")))
    text = text[: rest.start()] if rest else text
    blank = _BLANK_TOP.match(text)
    text = text[blank.end() :] if blank else text
    ending = doc.source.ending_before(at)
    return _BREAK.sub(lambda _: ending, text) if text.strip(" \t") else ""


def _content(doc: Document, own: Span) -> Span:
    """The lines from the first to the last that aren't blank; empty where text would go if all are blank."""
    blocks = [block for block in doc.blocks_in(own) if block.kind != "blank"]
    if blocks:
        return Span(blocks[0].span.start, blocks[-1].span.end)
    # Between heading and text stands one blank line, where there is one.
    at = min(doc.source.line_at(own.start).stop, own.end) if own.start < own.end else own.start
    return Span(at, at)


def _joins(kind: str, text: str) -> bool:
    """Whether the text goes on with a block of that kind: an item with a list, rows with a table."""
    if kind == LIST:
        return _LIST_ITEM.match(text) is not None
    return kind == TABLE and _TABLE_ROW.match(text) is not None and not Document.parse("\n" + text).tables


def _is_blank(source: Source, offset: int) -> bool:
    line = source.line_at(offset)
    return not source.text[line.start : line.end].strip(" \t")


def _changed(doc: Document, span: Span, candidates: list[str]) -> Document:
    """The document with the first of the candidates that leaves all around the span what it was."""
    for text in candidates:
        inside = Document.parse("\n" + text)
        if any(problem.code.startswith("unclosed-") for problem in inside.problems):
            raise ValueError("the text has a code fence or comment that never ends")
        new = doc.edited(Edit(span, text))
        if _holds(doc, new, span, text, inside.headings):
            return new
    unclosed = [problem for problem in doc.problems if problem.code.startswith("unclosed-")]
    if unclosed:
        raise DocumentError(unclosed)
    raise ValueError("the text can't stand there: it would change what is around it")


def _holds(old: Document, new: Document, span: Span, text: str, inside: tuple[Heading, ...]) -> bool:
    """Whether the headings outside the span are the same as before, those inside are the text's own, and the text
    begins where it was put, not within something that stood there."""
    shift = len(text) - len(span)
    expected = [(one.level, one.text, one.span.start) for one in old.headings if one.span.start < span.start]
    # The text was parsed behind one line ending.
    expected += [(one.level, one.text, one.span.start - 1 + span.start) for one in inside]
    expected += [(one.level, one.text, one.span.start + shift) for one in old.headings if one.span.start >= span.end]
    if expected != [(one.level, one.text, one.span.start) for one in new.headings]:
        return False
    content = text.lstrip("\r\n")
    return not content or _begins_block(new, span.start + len(text) - len(content))


def _begins_block(doc: Document, at: int) -> bool:
    """Whether a block, a list item or a table's row begins at the offset."""
    index = doc.source.index_at(at)
    holding = [node for node in doc.root.children if node.first <= index <= node.last]
    if not holding or holding[0].first == index:
        return True
    if holding[0].kind == LIST:
        return any(item.first == index for item in holding[0].children)
    return holding[0].kind == TABLE
