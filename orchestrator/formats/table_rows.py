"""Lines of tables as orch writes them: a row for a given header, and the head of a new table. Knows no file kind."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.formats.columns import Columns
from orchestrator.markdown.table_edits import cell_text as written_text


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


def table_head(names: tuple[str, ...]) -> str:
    """Header and delimiter row of a table, with their endings."""
    return f"| {' | '.join(names)} |\n|{' --- |' * len(names)}\n"
