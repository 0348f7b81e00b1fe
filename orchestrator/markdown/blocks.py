"""What a document is made of, as immutable values with exact spans: blocks, headings, sections, items, tables.

Owns the nouns only; how they are found is the scanner's and the views' matter.
"""

from __future__ import annotations

from orchestrator.markdown.source import Span
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


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table, its ending included in the span."""

    span: Span
    line: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `rows` leaves out the header and the delimiter row, `delimiter` is the latter's whole line."""

    span: Span
    header: Row
    delimiter: Span
    rows: tuple[Row, ...]
