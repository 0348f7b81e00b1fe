"""Tables by the names of their columns, in any order, with other people's columns between.

Owns how a header cell is compared and how a row is written for a given header. Knows no file kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.formats.labels import label_name
from orchestrator.markdown.blocks import Cell, Row, Table
from orchestrator.markdown.plain import plain
from orchestrator.markdown.table_edits import cell_text as written_text

Columns = dict[str, int]


def columns(table: Table, names: Mapping[str, Sequence[str]]) -> Columns:
    """The index of each known column that the table has. `names` maps a column's name to its further spellings."""
    known = {label_name(spelling): name for name, more in names.items() for spelling in (name, *more)}
    found: Columns = {}
    for index, cell in enumerate(table.header.cells):
        name = known.get(label_name(plain(cell.text)))
        if name is not None:
            found.setdefault(name, index)
    return found


def cell_at(row: Row, column: int | None) -> Cell | None:
    """The cell of a row in a column; None where the row is short or there is no such column."""
    if column is None or column >= len(row.cells):
        return None
    return row.cells[column]


def cell_text(row: Row, column: int | None) -> str:
    """The cell's text as written, trimmed; "" where there is none."""
    cell = cell_at(row, column)
    return cell.text if cell is not None else ""


def row_text(values: Mapping[str, str], found: Columns, width: int) -> str:
    """The line for a row, without its ending: known values under their columns, all other cells empty."""
    cells = [""] * width
    for name, value in values.items():
        if name in found:
            cells[found[name]] = cell_form(value)
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def cell_form(text: str) -> str:
    """A text as it can stand in a cell: pipes escaped, line breaks turned into blanks."""
    return written_text(text).replace("|", "\\|")
