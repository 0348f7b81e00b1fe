"""Front matter: the YAML between two `---` lines at the very top, each scalar a string, each value with its place.

Owns finding it, choosing the reader, and the problems people make there. Knows no key's meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from orchestrator.errors import Location, Problem, Severity
from orchestrator.markdown.full_yaml import YamlFault, read_full
from orchestrator.markdown.plain_yaml import NotPlain, read_plain
from orchestrator.markdown.source import BOM, Source, Span
from orchestrator.markdown.values import Entry, Value

_FENCE = re.compile(r"---[ \t]*\Z")
_KEY_LIKE = re.compile(r"[\"']?[A-Za-z_][\w .-]*[\"']?:(?:[ \t]|\Z)")
_INNER = re.compile(r"[ \t]|#|-[ \t]|\Z")
_LOOK_AHEAD = 20
"""Lines among which front matter below other text is looked for."""


@dataclass(frozen=True)
class FrontMatter:
    """What was read. `span` holds both fences with their endings, `body` what lies between."""

    source: Source
    span: Span
    body: Span
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    _by_key: dict[str, Entry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # The last of several wins, as in every reader of YAML; that there are several is a problem of its own.
        object.__setattr__(self, "_by_key", {entry.key: entry for entry in self.entries})

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys in order, each once."""
        return tuple(dict.fromkeys(entry.key for entry in self.entries))

    def get(self, key: str) -> Value | None:
        """The value of a key, None where there is none; what is empty or null is the empty string."""
        entry = self._by_key.get(key)
        return None if entry is None else entry.value

    def entry(self, key: str) -> Entry | None:
        """A key with its spans, or None."""
        return self._by_key.get(key)

    def location(self, *path: str | int) -> Location:
        """The place of a value (of its key, if it is empty); as near as the path leads, else the opening fence."""
        place = Span(self.span.start, self.span.start + 3)
        inner: tuple[Entry, ...] = self.entries
        for step in path:
            found = [entry for entry in inner if entry.key == str(step)]
            if not found:
                break
            place = found[-1].span if len(found[-1].span) else found[-1].key_span
            inner = found[-1].inner
        return self.source.location(place.start, _length_on_line(self.source, place))


def find_front_matter(source: Source) -> tuple[FrontMatter | None, int, tuple[Problem, ...]]:
    """The front matter if there is one, the index of the first line after it, and problems of what isn't one."""
    text = source.text
    start = len(BOM) if text.startswith(BOM) else 0
    if not text.startswith("---", start):
        return None, 0, tuple(_misplaced(source, start))
    starts, ends = source.bounds
    if not _FENCE.match(text, start, ends[0]):
        return None, 0, ()
    close = 1
    while close < len(starts) and not (
        text.startswith("---", starts[close]) and _FENCE.match(text, starts[close], ends[close])
    ):
        close += 1
    keyed = len(starts) > 1 and _KEY_LIKE.match(text, starts[1], ends[1]) is not None
    if close == len(starts):
        if not keyed:
            return None, 0, ()
        message = "front matter is opened here and never closed"
        return (
            None,
            0,
            (_problem(source, "unclosed-front-matter", message, start, 3, "add a line `---` after the last key"),),
        )
    if len(starts) > 1 and close > 1 and starts[1] == ends[1] and not _any_key(source, 1, close):
        # A rule, a blank line and no key before the next rule: that is a text, not front matter.
        return None, 0, ()
    stop = starts[close + 1] if close + 1 < len(starts) else len(text)
    body = Span(starts[1], starts[close])
    entries, problems = _read(source, body, close)
    return FrontMatter(source, Span(start, stop), body, tuple(entries), tuple(problems)), close + 1, ()


def _read(source: Source, body: Span, close: int) -> tuple[list[Entry], list[Problem]]:
    try:
        entries = read_plain(source, 1, close)
    except NotPlain:
        try:
            entries = read_full(body.of(source.text), body.start)
        except YamlFault as fault:
            return [], [_problem(source, "broken-front-matter", fault.message, fault.offset, 1, fault.hint)]
    return entries, list(_duplicates(source, entries))


def _duplicates(source: Source, entries: list[Entry] | tuple[Entry, ...]) -> Iterator[Problem]:
    seen: dict[str, Entry] = {}
    for entry in entries:
        if entry.key in seen and not entry.key.isdigit():
            first = source.location(seen[entry.key].key_span.start)
            yield _problem(
                source,
                "duplicate-key",
                f"key '{entry.key}' is already set on line {first.line}",
                entry.key_span.start,
                len(entry.key_span),
                "keep one of the two",
                Severity.ITEM,
            )
        seen.setdefault(entry.key, entry)
        yield from _duplicates(source, entry.inner)


def _any_key(source: Source, first: int, stop: int) -> bool:
    starts, ends = source.bounds
    return any(_KEY_LIKE.match(source.text, starts[index], ends[index]) for index in range(first, stop))


def _misplaced(source: Source, start: int) -> Iterator[Problem]:
    """A problem if what looks like front matter stands below other text that isn't a heading."""
    starts, ends = source.bounds
    text = source.text
    if text.find("---", 0, ends[min(_LOOK_AHEAD, len(ends)) - 1] if ends else 0) < 0:
        return
    for index in range(min(len(starts), _LOOK_AHEAD)):
        if text.startswith("#", starts[index]):
            return
        if _FENCE.match(text, starts[index], ends[index]):
            break
    else:
        return
    for inner in range(index + 1, len(starts)):
        if _FENCE.match(text, starts[inner], ends[inner]):
            if inner > index + 1:
                message = "text above the opening `---`: this isn't read as front matter"
                yield _problem(
                    source,
                    "text-above-front-matter",
                    message,
                    starts[index],
                    3,
                    "make `---` the very first line",
                    Severity.ITEM,
                )
            return
        if not (
            _KEY_LIKE.match(text, starts[inner], ends[inner])
            or (inner > index + 1 and _INNER.match(text, starts[inner], ends[inner]))
        ):
            return


def _problem(
    source: Source, code: str, message: str, offset: int, length: int, hint: str, severity: Severity = Severity.FILE
) -> Problem:
    return Problem(code, message, source.location(offset, length), hint=hint, severity=severity)


def _length_on_line(source: Source, span: Span) -> int:
    return max(1, min(span.end, source.line_at(span.start).end) - span.start)
