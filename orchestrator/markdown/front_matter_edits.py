"""Small edits of front matter: set a key, remove a key; all other bytes stay.

Owns where a key's value lies and how a new one is put there. Refuses to touch front matter that can't be read.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.errors import DocumentError, Problem, Severity
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.front_matter import FrontMatter
from orchestrator.markdown.source import BOM, Span
from orchestrator.markdown.values import Entry, Value, as_value, write_key, write_value


def set_key(doc: Document, key: str, value: Value) -> Document:
    """The document with the key set: in place, else at the end of the front matter, else in a new one.

    Lists and maps are written in flow form, strings quoted only where they must be. A document that has the value
    already comes back as it is. Raises DocumentError where the front matter can't be read or edited, ValueError for
    a value that YAML can't hold.
    """
    value = as_value(value)
    front = _editable(doc, key)
    if front is not None and front.get(key) == value:
        return doc
    entry = front.entry(key) if front else None
    if front is not None and entry is not None:
        new = doc.edited(*_replacing(doc, entry, write_value(value)))
    else:
        line = f"{write_key(key)}: {write_value(value)}".rstrip(" ")
        new = doc.edited(_adding(doc, line, front))
    after = new.front_matter
    if after is None or after.get(key) != value or _others(after, key) != _others(front, key):
        raise RuntimeError(f"setting front matter key {key!r} to {value!r} didn't read back")
    return new


def add_entries(doc: Document, key: str, entries: Mapping[str, str]) -> Document:
    """The document with entries added to the map that the key holds, in the form it has; those there already stay.

    A key that isn't there is added with them. Raises as set_key, ValueError where the key holds something else.
    """
    front = _editable(doc, key)
    entry = front.entry(key) if front else None
    there = entry.value if entry is not None and entry.value != "" else {}
    if not isinstance(there, dict):
        raise ValueError(f"the key {key!r} holds no map")
    new = {name: value for name, value in entries.items() if name not in there}
    if not new:
        return doc
    wanted = {**there, **new}
    if entry is not None and entry.inner:
        changed = doc.edited(_more(doc, entry, new))
        after = changed.front_matter
        if after is not None and after.get(key) == wanted and _others(after, key) == _others(front, key):
            return changed
    return set_key(doc, key, wanted)


def remove_key(doc: Document, key: str) -> Document:
    """The document without the key's lines; as it is where there is no such key. Raises DocumentError as set_key."""
    front = _editable(doc, key)
    entry = front.entry(key) if front else None
    if entry is None:
        return doc
    end = max(entry.span.end, entry.key_span.end)
    new = doc.edited(Edit(_whole_lines(doc, Span(entry.key_span.start, end)), ""))
    after = new.front_matter
    if after is None or key in after.keys or _others(after, key) != _others(front, key):
        raise RuntimeError(f"removing front matter key {key!r} didn't read back")
    return new


def _editable(doc: Document, key: str) -> FrontMatter | None:
    front = doc.front_matter
    faults = [problem for problem in doc.top_problems if front is None or problem.severity is Severity.FILE]
    if front is not None and sum(entry.key == key for entry in front.entries) > 1:
        faults += [problem for problem in doc.top_problems if f"'{key}'" in problem.message]
    if front is not None and front.body.of(doc.text).lstrip()[:1] == "{":
        place = doc.source.location(front.body.start)
        faults.append(Problem("flow-front-matter", "front matter in braces", place, "write one key a line"))
    if faults:
        raise DocumentError(faults)
    return front


def _others(front: FrontMatter | None, key: str) -> dict[str, Value]:
    return {other: entry.value for other, entry in front.by_key.items() if other != key} if front else {}


def _replacing(doc: Document, entry: Entry, written: str) -> list[Edit]:
    text, span = doc.text, entry.span
    behind_colon = text.index(":", entry.key_span.end) + 1
    between = text[behind_colon : span.start]
    value = f" {written}" if written else ""
    if between.strip() and len(span):
        # A comment stands between the key and a value on lines of its own: it stays, those lines go.
        return [Edit(Span(behind_colon, behind_colon), value), Edit(_whole_lines(doc, span), "")]
    if written and between and "\n" not in between and "\r" not in between and len(span):
        return [Edit(span, written)]
    return [Edit(Span(behind_colon, max(span.end, behind_colon) if len(span) else behind_colon), value)]


def _adding(doc: Document, line: str, front: FrontMatter | None) -> Edit:
    if front is None:
        at = len(BOM) if doc.text.startswith(BOM) else 0
        ending = doc.source.ending_before(at)
        return Edit(Span(at, at), f"---{ending}{line}{ending}---{ending}")
    at = front.body.end
    first = front.entries[0].key_span.start if front.entries else at
    indent = doc.text[doc.source.line_at(first).start : first]
    return Edit(Span(at, at), indent + line + doc.source.ending_before(at))


def _more(doc: Document, entry: Entry, new: Mapping[str, str]) -> Edit:
    """New entries behind the last one of a map: in its braces, or on lines of their own."""
    written = [f"{write_key(name)}: {write_value(value, flow=True)}" for name, value in new.items()]
    if doc.text.startswith("{", entry.span.start):
        at = max(entry.inner[-1].span.end, entry.inner[-1].key_span.end)
        return Edit(Span(at, at), "".join(f", {one}" for one in written))
    last = entry.inner[-1]
    indent = doc.text[doc.source.line_at(last.key_span.start).start : last.key_span.start]
    at = doc.source.line_at(max(last.span.end, last.key_span.end)).stop
    ending = doc.source.ending_before(at)
    return Edit(Span(at, at), "".join(indent + one + ending for one in written))


def _whole_lines(doc: Document, span: Span) -> Span:
    return Span(doc.source.line_at(span.start).start, doc.source.line_at(span.end).stop)
