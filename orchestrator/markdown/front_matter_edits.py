"""Small edits of front matter: set a key, remove a key; all other bytes stay.

Owns where a key's value lies and how a new one is put there. Refuses to touch front matter that can't be read.
"""

from __future__ import annotations

from orchestrator.errors import DocumentError, Severity
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.front_matter import FrontMatter
from orchestrator.markdown.source import BOM, Span
from orchestrator.markdown.values import Entry, Value, as_value, write_value


def set_key(doc: Document, key: str, value: Value) -> Document:
    """The document with the key set: in place, else at the end of the front matter, else in a new one.

    Lists and maps are written in flow form, strings quoted only where they must be. A document that has the value
    already comes back as it is. Raises DocumentError where the front matter can't be read, ValueError for a string
    that YAML can't hold.
    """
    value = as_value(value)
    front = _readable(doc, key)
    if front is not None and front.get(key) == value:
        return doc
    written = write_value(value)
    if front is None:
        new = _with_new(doc, f"{_key(key)}: {written}".rstrip(" "))
    else:
        entry = front.entry(key)
        new = _appended(doc, front, key, written) if entry is None else _replaced(doc, entry, written)
    after = new.front_matter
    if after is None or after.get(key) != value or _others(after, key) != _others(front, key):
        raise RuntimeError(f"setting front matter key {key!r} to {value!r} didn't read back")
    return new


def remove_key(doc: Document, key: str) -> Document:
    """The document without the key's lines; as it is where there is no such key. Raises DocumentError as set_key."""
    front = _readable(doc, key)
    entry = front.entry(key) if front else None
    if front is None or entry is None:
        return doc
    first = doc.source.line_at(entry.key_span.start)
    last = doc.source.line_at(max(entry.span.end, entry.key_span.end))
    new = doc.edited(Edit(Span(first.start, last.stop), ""))
    after = new.front_matter
    if after is None or after.get(key) is not None or _others(after, key) != _others(front, key):
        raise RuntimeError(f"removing front matter key {key!r} didn't read back")
    return new


def _readable(doc: Document, key: str) -> FrontMatter | None:
    front = doc.front_matter
    faults = [problem for problem in doc.problems if problem.severity is Severity.FILE]
    if front is not None:
        faults += [one for one in front.problems if one.code == "duplicate-key" and f"'{key}'" in one.message]
    if faults:
        raise DocumentError(faults)
    return front


def _others(front: FrontMatter | None, key: str) -> dict[str, Value | None]:
    return {other: front.get(other) for other in front.keys if other != key} if front else {}


def _key(key: str) -> str:
    return write_value(key, flow=True)


def _replaced(doc: Document, entry: Entry, written: str) -> Document:
    text = doc.text
    span = entry.span
    colon = text.index(":", entry.key_span.end)
    between = text[colon + 1 : span.start]
    if "\n" in between or "\r" in between:
        # A value in block form goes on the key's own line; what stood between (a comment, say) goes with it.
        comment_free = between.strip()
        span = Span(colon + 1, span.end) if not comment_free else span
        if comment_free:
            return doc.edited(
                Edit(Span(colon + 1, colon + 1), f" {written}" if written else ""),
                Edit(_whole_lines(doc, entry.span), ""),
            )
    if not len(entry.span):
        span = Span(colon + 1, max(entry.span.end, colon + 1))
    if not written:
        return doc.edited(Edit(Span(colon + 1, span.end), ""))
    blank = "" if text[span.start - 1] in " \t" else " "
    return doc.edited(Edit(span, blank + written))


def _whole_lines(doc: Document, span: Span) -> Span:
    return Span(doc.source.line_at(span.start).start, doc.source.line_at(span.end).stop)


def _appended(doc: Document, front: FrontMatter, key: str, written: str) -> Document:
    at = front.body.end
    line = f"{_key(key)}: {written}".rstrip(" ")
    return doc.edited(Edit(Span(at, at), line + doc.source.ending_before(at)))


def _with_new(doc: Document, line: str) -> Document:
    at = len(BOM) if doc.text.startswith(BOM) else 0
    ending = doc.source.ending_before(at)
    return doc.edited(Edit(Span(at, at), f"---{ending}{line}{ending}---{ending}"))
