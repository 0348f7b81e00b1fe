"""A board that is a list of boxes under wave headings: `- [x] `T1.1-scaffold` (done) — text`.

Owns how such a line is taken apart, and the spans that a change of it needs. Which list is the board is told in
board, what its words mean in board_status.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from orchestrator.errors import Location
from orchestrator.formats.places import place, wave_in
from orchestrator.formats.reports import begins_with_status
from orchestrator.formats.row_names import RowNames
from orchestrator.markdown.blocks import Item, Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_LINE = regex(
    r"(?P<open>(?:[*_`~]|\[(?=[^\]\r\n]{0,300}\]\())*)(?:task[ \t]+)?(?P<id>\w(?:[\w.-]*\w)?)"
    r"(?P<close>(?:[*_`~]|\]\([^()\s]*\))*)"
    r"(?:[ \t]*\((?P<status>[^()\r\n]*(?:\([^()\r\n]*\)[^()\r\n]*)*)\)(?P<tail>[*_`~]*))?"
    r"(?P<dash>[ \t]*(?:—|–|--?(?=\s)|:)[ \t]*|[ \t]+|[.,;][ \t]+|$)",
    re.IGNORECASE | re.MULTILINE,
)
_WAVE_HEADING = regex(r"wave\s*#?[0-9]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BoxRow:
    """One box of the board. `words` spans what stands in the parentheses behind the id, None where there are none."""

    doc: Document
    item: Item
    section: Section | None
    wave: int | None
    word: str
    mark: str
    name: Span
    after_name: int
    """Where parentheses go that aren't there yet."""
    words: Span | None
    title_span: Span
    lead: str
    """What stands between the box and the id: backticks, stars."""
    trail: str
    """What closes it."""
    dash: str

    @property
    def raw(self) -> str:
        return self.words.of(self.doc.text).strip() if self.words else ""

    @property
    def title(self) -> str:
        return " ".join(self.title_span.of(self.doc.text).split())

    @property
    def note(self) -> str:
        return ""

    def task_at(self) -> Location:
        return place(self.doc, self.name)

    def wave_at(self) -> Location:
        heading = self.section.heading.text_span if self.section else self.name
        return place(self.doc, heading)

    def status_at(self) -> Location:
        if self.words is not None and len(self.words):
            return place(self.doc, self.words)
        box = self.item.box_span or self.name
        return self.doc.source.location(box.start - 1, len(box) + 2)


@dataclass(frozen=True, slots=True)
class BoxBoard:
    """The boxes of the board in their order, and the part of the document that they stand in."""

    doc: Document
    rows_: tuple[BoxRow, ...]
    scope: Span

    @property
    def line(self) -> int:
        """The line of its first box."""
        return self.rows_[0].item.line

    @property
    def start(self) -> Span:
        return self.rows_[0].item.span

    def rows(self, names: RowNames) -> Iterator[tuple[BoxRow, TaskKey | None]]:
        """Every box with the task it is about; None for one that names none."""
        for row in self.rows_:
            yield row, names.find(row.word, row.wave)

    def find(self, key: TaskKey, names: RowNames) -> BoxRow | None:
        """The first box of a task, or None."""
        return next((row for row, found in self.rows(names) if found == key), None)


def box_board(doc: Document, scope: Span) -> BoxBoard | None:
    """The boxes in a part of the document that begin with a word which could be an id; None without any."""
    rows: list[BoxRow] = []
    for section, part in _parts(doc, scope):
        wave = wave_of_heading(section) if section else None
        rows += (row for item in doc.items_in(part) if (row := box_row(doc, item, section, wave)) is not None)
    return BoxBoard(doc, tuple(rows), scope) if rows else None


def wave_of_heading(section: Section) -> int | None:
    """The wave that a heading names (`Wave 2`, `Wave 2: API`), or None."""
    name = plain(section.heading.text)
    return wave_in(name) if _WAVE_HEADING.match(name) else None


def box_row(doc: Document, item: Item, section: Section | None, wave: int | None) -> BoxRow | None:
    """The row that a list item is, or None for one without a box or without an id behind it."""
    if item.box is None:
        return None
    start, end = item.text_span.start, item.text_span.end
    match = _LINE.match(doc.text, start, end)
    if match is None:
        return None
    words = Span(*match.span("status")) if match["status"] is not None else None
    after = match.end("close")
    return BoxRow(
        doc,
        item,
        section,
        wave,
        match["id"],
        item.box,
        Span(*match.span("id")),
        after,
        words,
        Span(min(match.end(), end), end),
        match["open"],
        match["close"],
        match["dash"],
    )


def _parts(doc: Document, scope: Span) -> Iterator[tuple[Section | None, Span]]:
    """The stretches of the scope, each with the wave heading that it stands below, if any."""
    first_inside = bisect_left(doc.sections, scope.start, key=lambda one: one.span.start)
    stop = bisect_left(doc.sections, scope.end, lo=first_inside, key=lambda one: one.span.start)
    inside = [one for one in doc.sections[first_inside:stop] if scope.covers(one.span)]
    first = inside[0].span.start if inside else scope.end
    yield None, Span(scope.start, first)
    above: Section | None = None
    for section in inside:
        if wave_of_heading(section) is not None:
            above = section
        elif above is not None and not above.span.covers(section.span):
            above = None
        if not begins_with_status(doc, section.own):
            # The boxes of a report are the report's.
            yield above, section.own
