"""Front matter: the YAML between two `---` lines at the very top, each scalar a string, each value with its place.

Owns finding it, choosing the reader, and the problems people make there. Knows no key's meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.errors import Location, Problem, Severity
from orchestrator.markdown.full_yaml import YamlFault, read_full
from orchestrator.markdown.plain_yaml import NotPlain, read_plain
from orchestrator.markdown.source import BOM, Source, Span
from orchestrator.markdown.values import Entry, Value
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_FENCE = regex(r"---[ \t]*\Z")
_KEY_LIKE = regex(r"(?:[A-Za-z_][\w.-]*|'[^']*'|\"[^\"]*\"):(?:[ \t]|\Z)")
_BELOW_KEY = regex(r"[ \t]|#|-[ \t]")
_LOOK_AHEAD = 20
"""Lines among which front matter below other text is looked for."""
_MOST_FAULTS = 50
"""Keys that can't be read, told of one front matter: each costs a reading by itself."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was read. `span` holds both fences with their endings, `body` what lies between them."""

    source: Source
    span: Span
    body: Span
    entries: tuple[Entry, ...]
    by_key: dict[str, Entry]
    problems: tuple[Problem, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys in order, each once."""
        return tuple(self.by_key)

    def get(self, key: str) -> Value | None:
        """The value of a key, None where there is none; what is empty or null is the empty string."""
        entry = self.by_key.get(key)
        return None if entry is None else entry.value

    def entry(self, key: str) -> Entry | None:
        """A key with its spans, or None."""
        return self.by_key.get(key)

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
        length = min(place.end, self.source.line_at(place.start).end) - place.start
        return self.source.location(place.start, max(length, 1))


@dataclass(frozen=True, slots=True)
class Top:
    """The top of a text: its front matter or None, the index of the first line below it, and all problems there."""

    front_matter: FrontMatter | None
    lines: int
    problems: tuple[Problem, ...]


def read_top(source: Source) -> Top:
    """What stands at the top of the text. Never raises for what the text holds."""
    text = source.text
    start = len(BOM) if text.startswith(BOM) else 0
    starts, ends = source.bounds
    if not text.startswith("---", start) or not _FENCE.match(text, start, ends[0]):
        return Top(None, 0, tuple(_misplaced(source)))
    close = 1
    while close < len(starts) and not _is_fence(source, close):
        close += 1
    if close == len(starts):
        if not (len(starts) > 1 and _KEY_LIKE.match(text, starts[1], ends[1])):
            return Top(None, 0, ())
        hint = "add a line `---` after the last key"
        message = "front matter begins here and never ends"
        return Top(None, 0, (_problem(source, "unclosed-front-matter", message, Span(start, start + 3), hint),))
    if close > 1 and ends[1] == starts[1] and not any(_has_key(source, index) for index in range(1, close)):
        # A rule, a blank line and no key before the next rule: that is a text, not front matter.
        return Top(None, 0, ())
    body = Span(source.line_start(1), source.line_start(close))
    entries, problems = _read(source, body, close)
    # The last of several wins, as in every reader of YAML; that there are several is a problem of its own.
    by_key = {entry.key: entry for entry in entries}
    span = Span(start, source.line_start(close + 1))
    found = (*problems, *_duplicates(source, entries))
    return Top(FrontMatter(source, span, body, tuple(entries), by_key, found), close + 1, found)


def _read(source: Source, body: Span, close: int) -> tuple[list[Entry], list[Problem]]:
    try:
        return read_plain(source, 1, close), []
    except NotPlain:
        pass
    try:
        return read_full(body.of(source.text), body.start), []
    except YamlFault as fault:
        return _read_piecewise(source, close, fault)


def _read_piecewise(source: Source, close: int, whole: YamlFault) -> tuple[list[Entry], list[Problem]]:
    """Each top-level key by itself, so that one broken value hides neither the others nor their faults."""
    cuts = [index for index in range(2, close) if _has_key(source, index)]
    entries: list[Entry] = []
    faults: list[YamlFault] = []
    for first, stop in zip([1, *cuts], [*cuts, close], strict=True):
        piece = Span(source.line_start(first), source.line_start(stop))
        try:
            entries += read_plain(source, first, stop)
        except NotPlain:
            if whole.is_long or len(faults) == _MOST_FAULTS:
                continue
            try:
                entries += read_full(piece.of(source.text), piece.start)
            except YamlFault as fault:
                faults.append(fault)
    problems = []
    for one in faults or [whole]:
        place = Span(one.offset, one.offset + 1)
        problems.append(_problem(source, "broken-front-matter", one.message, place, one.hint))
    return entries, problems


def _duplicates(source: Source, entries: Sequence[Entry]) -> Iterator[Problem]:
    seen: dict[str, Entry] = {}
    for entry in entries:
        first = seen.setdefault(entry.key, entry)
        if first is not entry:
            message = f"key '{entry.key}' is already set on line {source.line_at(first.key_span.start).number}"
            hint = "keep one of the two"
            yield _problem(source, "duplicate-key", message, entry.key_span, hint, Severity.ITEM)
        yield from _duplicates(source, entry.inner)


def _misplaced(source: Source) -> Iterator[Problem]:
    """A problem if what looks like front matter stands below other text that isn't a heading."""
    starts, ends = source.bounds
    near = min(_LOOK_AHEAD, len(starts))
    if not near or source.text.find("---", 0, ends[near - 1]) < 0:
        return
    for opening in range(near):
        if source.text.startswith("#", starts[opening]):
            return
        if _is_fence(source, opening):
            break
    else:
        return
    for index in range(opening + 1, len(starts)):
        if _is_fence(source, index):
            if index > opening + 1:
                message = "text above the opening `---`: this isn't read as front matter"
                place = Span(starts[opening], starts[opening] + 3)
                hint = "make `---` the very first line"
                yield _problem(source, "text-above-front-matter", message, place, hint, Severity.ITEM)
            return
        inside = index > opening + 1 and _BELOW_KEY.match(source.text, starts[index], ends[index])
        if not inside and not _has_key(source, index):
            return


def _is_fence(source: Source, index: int) -> bool:
    starts, ends = source.bounds
    return _FENCE.match(source.text, starts[index], ends[index]) is not None


def _has_key(source: Source, index: int) -> bool:
    starts, ends = source.bounds
    return _KEY_LIKE.match(source.text, starts[index], ends[index]) is not None


def _problem(
    source: Source, code: str, message: str, place: Span, hint: str, severity: Severity = Severity.FILE
) -> Problem:
    return Problem(code, message, source.location(place.start, len(place)), hint=hint, severity=severity)
