"""The rows of the board read, whichever form it has, with every problem at its cell. How it is found is in board."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.board import NAMES, TableBoard, board_of, find_board
from orchestrator.formats.board_status import Marks, Said, said
from orchestrator.formats.columns import misspelt
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.row_names import RowNames, pinned_names
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.state import BoardRow


class Line(Protocol):
    """A row of a board of either form."""

    @property
    def word(self) -> str: ...
    @property
    def wave(self) -> int | None: ...
    @property
    def raw(self) -> str: ...
    @property
    def mark(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def note(self) -> str: ...
    def task_at(self) -> Location: ...
    def wave_at(self) -> Location: ...
    def status_at(self) -> Location: ...


def read_board(doc: Document, names: RowNames, marks: Marks) -> tuple[tuple[BoardRow, ...], list[Problem]]:
    """The rows of the plan's tasks in their order, and what is wrong with any row."""
    board, faults = find_board(doc, names)
    problems = list(faults)
    if isinstance(board, TableBoard):
        problems += misspelt(doc, board.table, NAMES)
    if board is None:
        return (), problems
    found: dict[TaskKey, BoardRow] = {}
    # A board has a thousand rows and a dozen spellings.
    spellings: dict[tuple[str, str], Said] = {}
    for row, key in board.rows(names):
        at = row.task_at()
        if key is None or key not in names.known:
            if row.word:
                problems.append(_stray(row.word, at, names))
            continue
        if key in found:
            first = found[key].at
            message = f"{key} has two rows on the board, the first in line {first.line if first else 0}"
            problems.append(Problem("duplicate-row", message, at, "keep one of them", subject=str(key)))
            continue
        if row.wave is not None and row.wave != key.wave:
            message = f"{key} stands in a row of wave {row.wave}"
            hint = "make key and wave agree"
            problems.append(Problem("wave-mismatch", message, row.wave_at(), hint, subject=str(key)))
        found[key] = _read_row(row, key, at, problems, spellings, marks)
    return tuple(found.values()), problems


def read_row(doc: Document, key: TaskKey, marks: Marks | None = None) -> BoardRow | None:
    """The row of one task, the first of several; None where it has none or no board can be told."""
    row = _find(doc, key)
    return _read_row(row, key, row.task_at(), [], {}, marks or {}) if row else None


def status_place(doc: Document, key: TaskKey) -> Location | None:
    """Where the status of a task stands on the board; None where that can't be told from the document alone."""
    row = _find(doc, key)
    return row.status_at() if row else None


def _find(doc: Document, key: TaskKey) -> Line | None:
    names = pinned_names(doc, key)
    board = board_of(doc, names)
    return board.find(key, names) if board else None


def _read_row(
    row: Line,
    key: TaskKey,
    at: Location,
    problems: list[Problem],
    spellings: dict[tuple[str, str], Said],
    marks: Marks,
) -> BoardRow:
    raw, mark = row.raw, row.mark
    if (raw, mark) not in spellings:
        spellings[raw, mark] = said(raw, mark, marks)
    it = spellings[raw, mark]
    if it.code:
        problems.append(Problem(it.code, it.message, row.status_at(), it.hint, it.severity, subject=str(key)))
    return BoardRow(key, row.title, raw, it.status, row.note, at)


def _stray(word: str, at: Location, names: RowNames) -> Problem:
    meant = names.beginning(word)
    if len(meant) > 1:
        several = " or ".join(name for name, key in names.local.items() if key in meant)
        message = f'the row "{word}" could be about {several}'
        return Problem("ambiguous-row", message, at, "write the whole id")
    return Problem(
        "stray-row",
        f'the row "{word}" is about no task of the plan',
        at,
        did_you_mean(word, _words(names.known, names)) or "it is left as it is",
        Severity.WARNING,
    )


def _words(known: Collection[TaskKey], names: RowNames) -> list[str]:
    return [*names.local, *map(str, known)]
