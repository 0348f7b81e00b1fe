"""What a document is made of, as immutable values with exact spans: blocks, headings, sections, items, tables.

Owns the nouns only; how they are found is the scanner's and the views' matter. A row splits itself, when asked: of
the cells of a long table few are ever looked at.
"""

from __future__ import annotations

from itertools import accumulate

from orchestrator.markdown.grammar import split_row
from orchestrator.markdown.source import Source, Span
from orchestrator.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block; the spans of all blocks lie end to end and make up the text.

    `kind` is one of heading, paragraph, list, table, fence, code, html, quote, rule, blank, front_matter.
    """

    kind: str
    span: Span
    line: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, with `#` or underlined. `text` is the raw inline text; `span` is its whole lines."""

    level: int
    text: str
    span: Span
    text_span: Span
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is below it.

    `span` goes up to the next heading of the same or a higher level, `body` is that without the heading, `own`
    ends at the next heading of any level.
    """

    heading: Heading
    span: Span
    body: Span
    own: Span


@dataclass(frozen=True, slots=True)
class Item:
    """A list item. `box` is the character between its brackets, `box_span` exactly that character.

    `text` is the item's own paragraph without marker and box, lines joined by LF; `span` holds the children too.
    """

    span: Span
    line: int
    depth: int
    marker: str
    box: str | None
    box_span: Span | None
    text: str
    text_span: Span
    children: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell: its text with white space cut and escaped pipes undone; the span has width zero if it is empty."""

    text: str
    span: Span


class Row:
    """A line of a table. Immutable; what is read off it is kept."""

    __slots__ = ("_cells", "_index", "_parts", "_source", "_start", "_texts")

    def __init__(self, source: Source, index: int, start: int) -> None:
        """`index` counts the text's lines from 0, `start` is the offset of the line's first character not blank."""
        self._source = source
        self._index = index
        self._start = start
        self._parts: tuple[int, list[str]] | None = None
        self._texts: tuple[str, ...] | None = None
        self._cells: tuple[Cell, ...] | None = None

    @property
    def line(self) -> int:
        """Its number, counted from 1."""
        return self._index + 1

    @property
    def span(self) -> Span:
        """The whole line, its ending included."""
        return Span(self._source.text_start(self._index), self._source.line_start(self._index + 1))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of its cells."""
        if self._texts is None:
            self._texts = tuple(
                [
                    part.strip(" \t") if "\\" not in part else part.strip(" \t").replace("\\|", "|")
                    for part in self._split()[1]
                ]
            )
        return self._texts

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Its cells; there may be fewer or more than the header has."""
        if self._cells is None:
            lead, parts = self._split()
            starts = accumulate((len(part) + 1 for part in parts), initial=self._start + lead)
            self._cells = tuple(map(_cell, self.texts, parts, starts))
        return self._cells

    def cell(self, column: int) -> Cell:
        """One of its cells. Raises IndexError where there is none."""
        if self._cells is not None:
            return self._cells[column]
        lead, parts = self._split()
        return _cell(self.texts[column], parts[column], self._start + lead + sum(map(len, parts[:column])) + column)

    def _split(self) -> tuple[int, list[str]]:
        if self._parts is None:
            self._parts = split_row(self._source.text[self._start : self._source.bounds[1][self._index]])
        return self._parts


def _cell(text: str, part: str, at: int) -> Cell:
    """The cell that reads as `text`, of what stands between two pipes from offset `at` on."""
    content = part.strip(" \t")
    if content:
        at += part.find(content)
        return Cell(text, Span(at, at + len(content)))
    # Where text would go into an empty cell: behind its first blank, if it has one.
    at += part != ""
    return Cell("", Span(at, at))


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `rows` leaves out the header and the delimiter row, `delimiter` is the latter's whole line."""

    span: Span
    header: Row
    delimiter: Span
    rows: tuple[Row, ...]
