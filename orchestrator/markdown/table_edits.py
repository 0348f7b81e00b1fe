"""Small edits of tables: set a cell, add a row. Owns the writing of cells; the rest of a row stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.markdown.blocks import Cell, Row, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.source import Span
from orchestrator.patterns import regex

# Blanks count only from their first one on: a run of them that no line break follows is looked through once.
_BREAKS = regex(r"(?:(?<![ \t])[ \t]++)?(?:\r\n?|\n)[ \t\r\n]*")


def cell_text(text: str) -> str:
    """The text as it reads back from a cell: line breaks are spaces, white space at both ends is cut."""
    return _BREAKS.sub(" ", text).strip(" \t")


def set_cell(doc: Document, table: Table | int, row: int, column: int, text: str) -> Document:
    """The document with one cell changed; `row` counts the rows below the header from 0.

    Line breaks become spaces, pipes are escaped. A row that is too short is filled up to the column. Raises
    IndexError where there is no such row or column, ValueError where the document has no such table.
    """
    index, found = _find(doc, table)
    line = found.rows[row]
    if not 0 <= column < len(found.header.cells):
        raise IndexError(f"the table on line {found.header.line} has no column {column}")
    wanted = cell_text(text)
    if column < len(line.cells):
        if line.cells[column].text == wanted:
            return doc
        edit = _refill(doc, line, column, _escaped(wanted))
    else:
        edit = _lengthen(doc, line, [*[""] * (column - len(line.cells)), _escaped(wanted)])
    new = doc.edited(edit)
    expected = [cell.text for cell in line.cells] + [""] * (column + 1 - len(line.cells))
    expected[column] = wanted
    if [cell.text for cell in _find(new, index)[1].rows[row].cells] != expected:
        raise RuntimeError(f"setting the cell on line {line.line} to {text!r} didn't read back")
    return new


def append_row(doc: Document, table: Table | int, cells: Sequence[str]) -> Document:
    """The document with a row below the table's last one. Raises as insert_row."""
    return insert_row(doc, table, len(_find(doc, table)[1].rows), cells)


def insert_row(doc: Document, table: Table | int, at: int, cells: Sequence[str]) -> Document:
    """The document with a row before the row of number `at` (below the last, if that is the number of rows).

    Missing cells are empty. Raises IndexError for a place that isn't there, ValueError for more cells than columns
    or where the document has no such table.
    """
    index, found = _find(doc, table)
    if not 0 <= at <= len(found.rows):
        raise IndexError(f"the table on line {found.header.line} has no place {at}")
    if len(cells) > len(found.header.cells):
        raise ValueError(f"{len(cells)} cells for a table of {len(found.header.cells)} columns")
    filled = [cell_text(one) for one in cells] + [""] * (len(found.header.cells) - len(cells))
    above = found.rows[at - 1].span.end if at else found.delimiter.end
    ending = doc.source.ending_before(above)
    lead = "" if doc.text[above - 1] in "\r\n" else ending
    line = _indent(doc, found) + "|" + "".join(map(_framed, filled))
    new = doc.edited(Edit(Span(above, above), lead + line + ending))
    expected = [_texts(one) for one in found.rows]
    expected.insert(at, filled)
    if [_texts(one) for one in _find(new, index)[1].rows] != expected:
        raise RuntimeError(f"adding a row to the table on line {found.header.line} didn't read back")
    return new


def _find(doc: Document, table: Table | int) -> tuple[int, Table]:
    if isinstance(table, int):
        return table, doc.tables[table]
    for index, one in enumerate(doc.tables):
        if one.span.start == table.span.start:
            return index, one
    raise ValueError(f"the document has no table on line {table.header.line}")


def _texts(row: Row) -> list[str]:
    return [cell.text for cell in row.cells]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _framed(text: str) -> str:
    return f" {_escaped(text)} |" if text else " |"


def _refill(doc: Document, line: Row, column: int, text: str) -> Edit:
    """Put text where a cell is, with the pipes and blanks that it needs to stay a cell of its own."""
    cell: Cell = line.cells[column]
    before = doc.text[line.span.start : cell.span.start]
    behind = doc.text[cell.span.end : line.span.end].rstrip("\r\n")
    if column == 0 and "|" not in before:
        # Without a pipe before it, an empty cell would be none, and `- x` would be a list.
        text = f"| {text}"
    elif text and not len(cell.span) and before[-1:] not in (" ", "\t"):
        text = f" {text}"
    if not behind.strip(" \t"):
        text += " |" if not text.strip("| \t") or text.endswith("\\") else ""
    elif text and behind[0] not in " \t" and (not len(cell.span) or text.endswith("\\")):
        text += " "
    return Edit(cell.span, text)


def _lengthen(doc: Document, line: Row, texts: list[str]) -> Edit:
    content = line.span.of(doc.text).rstrip("\r\n").rstrip(" \t")
    at = line.span.start + len(content)
    lead = "" if content.endswith("|") and not content.endswith("\\|") else " |"
    return Edit(Span(at, at), lead + "".join(f" {text} |" if text else " |" for text in texts))


def _indent(doc: Document, table: Table) -> str:
    line = table.header.span.of(doc.text)
    return line[: len(line) - len(line.lstrip(" "))]
