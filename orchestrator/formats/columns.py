"""Tables by the names of their columns, in any order, with other people's columns between.

Owns how a header cell is compared. Knows no file kind; rows are written in table_rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.formats.labels import label_name
from orchestrator.markdown.blocks import Cell, Row, Table
from orchestrator.markdown.plain import plain

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
    if column is None or column >= len(row.texts):
        return None
    return row.cell(column)


def cell_text(row: Row, column: int | None) -> str:
    """The cell's text as written, trimmed; "" where there is none."""
    texts = row.texts
    return texts[column] if column is not None and column < len(texts) else ""
