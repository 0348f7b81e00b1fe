"""The small reader of front matter: `key: value`, one-line `{…}` and `[…]`, lists, mappings. No library needed.

Owns the plain cases only and is sure of them: whatever it takes, YAML reads the same. Anything else it declines.
"""

from __future__ import annotations

from orchestrator.markdown.source import Source, Span
from orchestrator.markdown.values import NULLS, Entry, Value
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_MAX_KEY = 201
_DASH = regex(r"- +(?=[^ ])")
_ODD = regex(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML forbids, or reads as line breaks of its own."""
_PLAIN_ASCII = regex(r"[\x20-\x7e]*")
_FIRST = r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|-(?=[^\s,\[\]{}?:#]))"
_SCALAR = regex(rf"{_FIRST}(?:[^\s:#]|:(?=[^\s])|(?<=[^\s])\#|[ ]+(?=[^\s:#])|[ ]+:(?=[^\s]))*")
_FLOW_SCALAR = regex(rf"{_FIRST}(?:[^\s:#?,\[\]{{}}]|:(?=[A-Za-z0-9/\\])|[ ]+(?=[^\s:#?,\[\]{{}}]))*")
_SINGLE = regex(r"'((?:[^']|'')*)'")
_DOUBLE = regex(r'"([^"\\]*)"')
_REST = regex(r" *(?: #.*)?\Z")
_MAX_DEPTH = 20


class NotPlain(Exception):
    """The text isn't one of the plain cases: the general reader has to look at it."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, at: int, end: int) -> Entry:
        """The value that fills the line from `at` on, up to a comment."""
        entry = self.one(at, end, flow=False)
        self.rest(entry.span.end, end)
        return entry

    def rest(self, at: int, end: int) -> None:
        if not _REST.match(self.text, at, end):
            raise NotPlain

    def one(self, at: int, end: int, *, flow: bool, depth: int = 0) -> Entry:
        char = self.text[at : at + 1]
        if depth > _MAX_DEPTH:
            raise NotPlain
        if char == "[":
            return self.sequence(at, end, depth)
        if char == "{":
            return self.mapping(at, end, depth)
        return self.scalar(at, end, flow=flow)

    def colon(self, at: int, end: int) -> int:
        """Where the colon stands behind the key that the line begins with; -1 where it begins with none."""
        text = self.text
        colon = text.find(":", at, end)
        name = text[at:colon] if colon >= 0 else ""
        is_key = name.isascii() and name.replace("-", "_").isidentifier() and name[0] != "-" and len(name) <= _MAX_KEY
        return colon if is_key and (colon + 1 == end or text[colon + 1] == " ") else -1

    def scalar(self, at: int, end: int, *, flow: bool) -> Entry:
        text = self.text
        char = text[at : at + 1]
        if char == "'":
            found = _SINGLE.match(text, at, end)
            value = found[1].replace("''", "'") if found else ""
        elif char == '"':
            found = _DOUBLE.match(text, at, end)
            value = found[1] if found else ""
        else:
            found = (_FLOW_SCALAR if flow else _SCALAR).match(text, at, end)
            value = "" if found and found[0] in NULLS else found[0] if found else ""
        if not found:
            raise NotPlain
        span = Span(at, found.end())
        return Entry("", span, value, span)

    def blanks(self, at: int, end: int) -> int:
        while at < end and self.text[at] == " ":
            at += 1
        return at

    def sequence(self, start: int, end: int, depth: int) -> Entry:
        text = self.text
        found: list[Entry] = []
        at = self.blanks(start + 1, end)
        while text[at : at + 1] != "]" or found:
            one = self.one(at, end, flow=True, depth=depth + 1)
            found.append(Entry(str(len(found)), one.span, one.value, one.span, one.inner))
            at = self.blanks(one.span.end, end)
            if text[at : at + 1] == "]":
                break
            if text[at : at + 1] != "," or at >= end:
                raise NotPlain
            at = self.blanks(at + 1, end)
        span = Span(start, at + 1)
        if span.end > end:
            raise NotPlain
        return Entry("", span, tuple(one.value for one in found), span, tuple(found))

    def mapping(self, start: int, end: int, depth: int) -> Entry:
        text = self.text
        found: list[Entry] = []
        values: dict[str, Value] = {}
        at = self.blanks(start + 1, end)
        while text[at : at + 1] != "}" or found:
            key = self.scalar(at, end, flow=True)
            name = text[key.span.start : key.span.end] if text[at] not in "'\"" else str(key.value)
            at = key.span.end
            if text[at : at + 2] != ": " or name in values or len(key.span) > 200:
                raise NotPlain
            one = self.one(self.blanks(at + 1, end), end, flow=True, depth=depth + 1)
            found.append(Entry(name, key.span, one.value, one.span, one.inner))
            values[name] = one.value
            at = self.blanks(one.span.end, end)
            if text[at : at + 1] == "}":
                break
            if text[at : at + 1] != "," or at >= end:
                raise NotPlain
            at = self.blanks(at + 1, end)
        span = Span(start, at + 1)
        if span.end > end:
            raise NotPlain
        return Entry("", span, values, span, tuple(found))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that holds something. `column` is where its content begins, `end` where the line ends."""

    content: int
    end: int
    column: int


def read_plain(source: Source, first: int, stop: int) -> list[Entry]:
    """The entries of the lines from index `first` up to `stop`; a key that comes twice is there twice.

    Raises NotPlain where the lines hold more than the plain cases.
    """
    reader = _Reader(source.text)
    lines = _lines(reader, source, first, stop)
    if not lines:
        return []
    entries, at = _mapping(reader, lines, 0, column=0, depth=0)
    if at < len(lines):
        raise NotPlain
    return entries


def _lines(reader: _Reader, source: Source, first: int, stop: int) -> list[_Line]:
    text = source.text
    starts, ends = source.bounds
    lines = []
    for index in range(first, stop):
        start, end = starts[index], ends[index]
        if not _PLAIN_ASCII.fullmatch(text, start, end) and _ODD.search(text, start, end):
            raise NotPlain
        content = reader.blanks(start, end)
        if content < end and text[content] != "#":
            lines.append(_Line(content, end, content - start))
    return lines


def _mapping(reader: _Reader, lines: list[_Line], at: int, *, column: int, depth: int) -> tuple[list[Entry], int]:
    """The `key: value` lines that begin in this column, from line `at` on, and the line behind them."""
    entries: list[Entry] = []
    while at < len(lines) and lines[at].column >= column:
        line = lines[at]
        colon = reader.colon(line.content, line.end)
        if line.column > column or colon < 0:
            raise NotPlain
        key_span = Span(line.content, colon)
        value = reader.blanks(colon + 1, line.end)
        at += 1
        if value < line.end and (reader.text[value] != "#" or value == colon + 1):
            one = reader.value(value, line.end)
        else:
            one, at = _below(reader, lines, at, colon + 1, column=column, depth=depth)
        entries.append(Entry(key_span.of(reader.text), key_span, one.value, one.span, one.inner))
    return entries, at


def _below(reader: _Reader, lines: list[_Line], at: int, colon: int, *, column: int, depth: int) -> tuple[Entry, int]:
    """What the lines under a key without a value give it: a list, a mapping further in, or nothing."""
    empty = Entry("", Span(colon, colon), "", Span(colon, colon))
    if at == len(lines) or lines[at].column < column:
        return empty, at
    if _DASH.match(reader.text, lines[at].content, lines[at].end):
        return _items(reader, lines, at)
    if lines[at].column == column:
        return empty, at
    if depth == _MAX_DEPTH:
        raise NotPlain
    entries, at = _mapping(reader, lines, at, column=lines[at].column, depth=depth + 1)
    values = {entry.key: entry.value for entry in entries}
    if len(values) < len(entries):
        raise NotPlain
    span = Span(entries[0].key_span.start, entries[-1].span.end)
    return Entry("", span, values, span, tuple(entries)), at


def _items(reader: _Reader, lines: list[_Line], at: int) -> tuple[Entry, int]:
    """The list whose first dash is on line `at`; all its dashes stand in one column."""
    column, start = lines[at].column, lines[at].content
    items: list[Entry] = []
    while at < len(lines) and lines[at].column == column:
        dash = _DASH.match(reader.text, lines[at].content, lines[at].end)
        if not dash:
            break
        one = reader.value(dash.end(), lines[at].end)
        items.append(Entry(str(len(items)), one.span, one.value, one.span, one.inner))
        at += 1
    span = Span(start, items[-1].span.end)
    return Entry("", span, tuple(one.value for one in items), span, tuple(items)), at
