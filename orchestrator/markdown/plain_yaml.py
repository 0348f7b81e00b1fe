"""The small reader of front matter: `key: value`, one-line `{…}` and `[…]`, simple lists. No library needed.

Owns the plain cases only and is sure of them: whatever it takes, YAML reads the same. Anything else it declines.
"""

from __future__ import annotations

import re

from orchestrator.markdown.source import Source, Span
from orchestrator.markdown.values import NULLS, Entry, Value

_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]{0,200}):(?=[ ]|\Z)")
_DASH = re.compile(r"( *)- +(?=[^ ])")
# Characters that YAML forbids, or reads as line breaks of its own.
_ODD = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_FIRST = r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|-(?=[^\s,\[\]{}?:#]))"
_SCALAR = re.compile(rf"{_FIRST}(?:[^\s:#]|:(?=[^\s])|(?<=[^\s])\#|[ ]+(?=[^\s:#])|[ ]+:(?=[^\s]))*")
_FLOW_SCALAR = re.compile(rf"{_FIRST}(?:[^\s:#?,\[\]{{}}]|:(?=[A-Za-z0-9/\\])|[ ]+(?=[^\s:#?,\[\]{{}}]))*")
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE = re.compile(r'"([^"\\]*)"')
_REST = re.compile(r" *(?: #.*)?\Z")
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


def read_plain(source: Source, first: int, stop: int) -> list[Entry]:
    """The entries of the lines from index `first` up to `stop`; a key that comes twice is there twice.

    Raises NotPlain where the lines hold more than the plain cases.
    """
    text = source.text
    starts, ends = source.bounds
    reader = _Reader(text)
    entries: list[Entry] = []
    items: list[Entry] = []
    # Where the dash of the list's first item stands, -1 outside a list; all its dashes stand in one column.
    dash_at = column = -1
    for index in range(first, stop):
        start, end = starts[index], ends[index]
        if _ODD.search(text, start, end):
            raise NotPlain
        content = reader.blanks(start, end)
        if content == end or text[content] == "#":
            continue
        dash = _DASH.match(text, start, end)
        if dash and entries and entries[-1].value == "" and not len(entries[-1].span):
            if not items:
                dash_at, column = dash.end(1), len(dash[1])
            elif column != len(dash[1]):
                raise NotPlain
            one = reader.value(dash.end(), end)
            items.append(Entry(str(len(items)), one.span, one.value, one.span, one.inner))
            continue
        _take_items(entries, items, dash_at)
        key = _KEY.match(text, start, end)
        if not key:
            raise NotPlain
        key_span = Span(start, start + len(key[1]))
        at = reader.blanks(key.end(), end)
        if at == end or (text[at] == "#" and at > key.end()):
            entries.append(Entry(key[1], key_span, "", Span(key.end(), key.end())))
        else:
            one = reader.value(at, end)
            entries.append(Entry(key[1], key_span, one.value, one.span, one.inner))
    _take_items(entries, items, dash_at)
    return entries


def _take_items(entries: list[Entry], items: list[Entry], start: int) -> None:
    """Give the list items gathered so far to the key above them."""
    if not items:
        return
    owner = entries[-1]
    span = Span(start, items[-1].span.end)
    entries[-1] = Entry(owner.key, owner.key_span, tuple(one.value for one in items), span, tuple(items))
    items.clear()
