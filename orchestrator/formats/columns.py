"""Tables by the names of their columns, in any order, with other people's columns between.

Owns how a header cell is compared. Knows no file kind; rows are written in table_rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from orchestrator.errors import Problem, Severity
from orchestrator.formats.labels import label_name
from orchestrator.formats.nearest import did_you_mean
from orchestrator.markdown.blocks import Cell, Row, Table
from orchestrator.markdown.document import Document
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


def misspelt(doc: Document, table: Table, names: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """A warning for each header cell that is likely to be a known column misspelt, one that the table lacks.

    A column that isn't understood would else count as not there, without a word.
    """
    found = columns(table, names)
    lacking = [spelling for name, more in names.items() if name not in found for spelling in (name, *more)]
    for index, cell in enumerate(table.header.cells):
        word = plain(cell.text)
        hint = did_you_mean(word, lacking) if lacking and index not in found.values() else ""
        if hint:
            at = doc.source.location(cell.span.start, max(len(cell.span), 1))
            yield Problem("unknown-column", f'"{word}" is no column that orch knows', at, hint, Severity.WARNING)


def cell_at(row: Row, column: int | None) -> Cell | None:
    """The cell of a row in a column; None where the row is short or there is no such column."""
    if column is None or column >= len(row.texts):
        return None
    return row.cell(column)


def cell_text(row: Row, column: int | None) -> str:
    """The cell's text as written, trimmed; "" where there is none."""
    texts = row.texts
    return texts[column] if column is not None and column < len(texts) else ""
