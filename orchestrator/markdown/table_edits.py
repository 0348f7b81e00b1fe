"""Small edits of tables: set a cell, add a row. Owns the writing of cells; the rest of a row stays as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.markdown.blocks import Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.source import Span

_BREAK = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t]*")


def cell_text(text: str) -> str:
    """The text as it reads back from a cell: line breaks are spaces, outer white space is cut."""
    return _BREAK.sub(" ", text).strip(" \t")


def _escaped(text: str) -> str:
    return cell_text(text).replace("|", "\\|")


def set_cell(doc: Document, table: Table | int, row: int, column: int, text: str) -> Document:
    """The document with one cell changed; `row` counts the rows below the header from 0.

    Line breaks become spaces, pipes are escaped. A row that is too short is filled up to the column. Raises
    IndexError where there is no such row or column.
    """
    index, found = _table(doc, table)
    line = found.rows[row]
    if not 0 <= column < len(found.header.cells):
        raise IndexError(f"the table on line {found.header.line} has no column {column}")
    if column < len(line.cells):
        cell = line.cells[column]
        if cell.text == cell_text(text):
            return doc
        new = doc.edited(Edit(cell.span, _framed(doc, cell.span, _escaped(text))))
    else:
        end = line.span.start + len(line.span.of(doc.text).rstrip("\r\n"))
        trimmed = line.span.start + len(doc.text[line.span.start : end].rstrip(" \t"))
        missing = [""] * (column - len(line.cells)) + [_escaped(text)]
        lead = "" if doc.text[trimmed - 1] == "|" and doc.text[trimmed - 2 : trimmed] != "\\|" else " |"
        new = doc.edited(Edit(Span(trimmed, trimmed), lead + "".join(f" {one} |" if one else " |" for one in missing)))
    after = new.tables[index].rows[row].cells
    if len(after) <= column or after[column].text != cell_text(text):
        raise RuntimeError(f"setting the cell on line {line.line} to {text!r} didn't read back")
    return new


def append_row(doc: Document, table: Table | int, cells: Sequence[str]) -> Document:
    """The document with a row below the table's last one."""
    _, found = _table(doc, table)
    return insert_row(doc, table, len(found.rows), cells)


def insert_row(doc: Document, table: Table | int, at: int, cells: Sequence[str]) -> Document:
    """The document with a row before the row of number `at` (at the end, if that is the number of rows).

    Raises IndexError for a place that isn't there, ValueError for more cells than the table has columns.
    """
    index, found = _table(doc, table)
    if not 0 <= at <= len(found.rows):
        raise IndexError(f"the table on line {found.header.line} has no place {at}")
    if len(cells) > len(found.header.cells):
        raise ValueError(f"{len(cells)} cells for a table of {len(found.header.cells)} columns")
    filled = [*cells, *([""] * (len(found.header.cells) - len(cells)))]
    above = found.rows[at - 1].span if at else found.delimiter
    line = _indent(doc, found) + "|" + "".join(f" {_escaped(one)} |" if cell_text(one) else " |" for one in filled)
    ending = doc.source.ending_before(above.end)
    bare = above.end == len(doc.text) and doc.text[-1:] not in ("\n", "\r")
    new = doc.edited(Edit(Span(above.end, above.end), ending + line if bare else line + ending))
    after = new.tables[index].rows
    if len(after) != len(found.rows) + 1 or [cell.text for cell in after[at].cells] != list(map(cell_text, filled)):
        raise RuntimeError(f"adding a row to the table on line {found.header.line} didn't read back")
    return new


def _table(doc: Document, table: Table | int) -> tuple[int, Table]:
    if isinstance(table, int):
        return table, doc.tables[table]
    for index, one in enumerate(doc.tables):
        if one.span.start == table.span.start:
            return index, one
    raise ValueError(f"the document has no table on line {table.header.line}")


def _indent(doc: Document, table: Table) -> str:
    line = table.header.span.of(doc.text).lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" "))]


def _framed(doc: Document, span: Span, text: str) -> str:
    """The text with a blank on each side where the empty cell it goes into has none."""
    if len(span) or not text:
        return text
    before = "" if doc.text[span.start - 1 : span.start] in (" ", "\t") else " "
    after = "" if doc.text[span.end : span.end + 1] in (" ", "\t") else " "
    return before + text + after
