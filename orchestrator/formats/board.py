"""The wave board of STATE_N.md: the table that is the one home of every task's status.

Owns how the board is found among other tables, how a row names its task, and the reading of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.columns import Columns, cell_at, cell_text, columns
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.task_names import read_key
from orchestrator.markdown.blocks import Row, Section, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.state import BoardRow
from orchestrator.model.status import Status, known_words, read_status
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

TITLE = "Wave board"
HEADER = ("Wave", "Task", "Title", "Status", "Note")
NAMES = {
    "wave": (),
    "task": ("task id", "id", "key"),
    "title": ("name", "description"),
    "status": ("state",),
    "note": ("notes", "remark", "remarks", "comment"),
}
_WAVE = regex(r"(?:wave\s*)?#?([0-9]+)(?:\W.*)?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Board:
    """The board's table, the columns it has, and the table's number in the document."""

    table: Table
    columns: Columns

    def rows(self, number: int) -> Iterator[tuple[int, Row, TaskKey | None]]:
        """Index, row and key of every row; None for a cell that is no key."""
        for index, row in enumerate(self.table.rows):
            yield index, row, row_key(row, self.columns, number)

    def find(self, key: TaskKey) -> int | None:
        """The index of the first row of a task, or None."""
        for index, _, found in self.rows(key.orchestration):
            if found == key:
                return index
        return None


def row_key(row: Row, found: Columns, number: int) -> TaskKey | None:
    """The task that a row is about: a whole key, W.id, or an id beside a wave's number."""
    word = plain(cell_text(row, found["task"]))
    whole = parse_key(word)
    if whole is not None:
        return whole
    wave = _wave_of(row, found)
    key = read_key(word, number=number, wave=wave or 1)
    if key is None or (wave is None and "." not in word):
        return None
    return key


def find_board(doc: Document, number: int, known: Collection[TaskKey] = ()) -> tuple[Board | None, tuple[Problem, ...]]:
    """The board, or None and why. Without any table that could be one there is no problem: it isn't written yet.

    It is the table under a heading with "board", else the only table whose ids are the plan's.
    """
    boards = [Board(table, found) for table in doc.tables if _can_be(found := columns(table, NAMES))]
    sections = [one for one in doc.sections if "board" in plain(one.heading.text).casefold()]
    under = [one for one in boards if any(section.body.covers(one.table.span) for section in sections)]
    candidates = under or [one for one in boards if _is_about(one, number, known)]
    if len(candidates) == 1:
        return candidates[0], ()
    if not candidates:
        misnamed = _misnamed(doc, [table for one in sections for table in doc.tables_in(one.body)])
        return None, (*misnamed, *_boxes(doc, sections))
    lines = ", ".join(str(one.table.header.line) for one in candidates)
    problem = Problem(
        "ambiguous-board",
        f"the tables in lines {lines} could all be the wave board",
        place(doc, candidates[0].table.header.span),
        f'put the right one alone under a heading "{TITLE}"',
        Severity.FILE,
    )
    return None, (problem,)


def read_board(doc: Document, number: int, known: Collection[TaskKey]) -> tuple[tuple[BoardRow, ...], list[Problem]]:
    """The rows of the plan's tasks in their order, and what is wrong with any row."""
    board, faults = find_board(doc, number, known)
    problems = list(faults)
    if board is None:
        return (), problems
    found: dict[TaskKey, BoardRow] = {}
    # A board has a thousand rows and a dozen spellings.
    spellings: dict[str, Status | None] = {}
    for _, row, key in board.rows(number):
        at = _cell_place(doc, row, board.columns["task"])
        if key is None or key not in known:
            word = plain(cell_text(row, board.columns["task"]))
            if word:
                problems.append(_stray(word, at, known))
            continue
        if key in found:
            first = found[key].at
            message = f"{key} has two rows on the board, the first in line {first.line if first else 0}"
            problems.append(Problem("duplicate-row", message, at, "keep one of them", subject=str(key)))
            continue
        wave = _wave_of(row, board.columns)
        if wave is not None and wave != key.wave:
            where = _cell_place(doc, row, board.columns["wave"])
            message = f"{key} stands in a row of wave {wave}"
            problems.append(Problem("wave-mismatch", message, where, "make key and wave agree", subject=str(key)))
        found[key] = _read_row(doc, row, key, board.columns, at, problems, spellings)
    return tuple(found.values()), problems


def read_row(doc: Document, key: TaskKey) -> BoardRow | None:
    """The row of one task, the first of several; None where it has none or no board can be told."""
    board, _ = find_board(doc, key.orchestration, {key})
    index = board.find(key) if board else None
    if board is None or index is None:
        return None
    row = board.table.rows[index]
    return _read_row(doc, row, key, board.columns, _cell_place(doc, row, board.columns["task"]), [], {})


def place(doc: Document, span: Span) -> Location:
    """The place of a span with its length in its first line."""
    text = doc.text[span.start : span.end].rstrip("\r\n")
    return doc.source.location(span.start, max(len(text), 1))


def _read_row(
    doc: Document,
    row: Row,
    key: TaskKey,
    found: Columns,
    at: Location,
    problems: list[Problem],
    spellings: dict[str, Status | None],
) -> BoardRow:
    raw = cell_text(row, found["status"])
    if raw not in spellings:
        spellings[raw] = read_status(raw)
    status = spellings[raw]
    if status is None:
        problems.append(
            Problem(
                "unknown-status",
                f'"{raw}" is no status',
                _cell_place(doc, row, found["status"]),
                did_you_mean(plain(raw), known_words()) or f"the words are {', '.join(Status)}",
                subject=str(key),
            )
        )
    title, note = cell_text(row, found.get("title")), cell_text(row, found.get("note"))
    return BoardRow(key, title, raw, status, note, at)


def _stray(word: str, at: Location, known: Collection[TaskKey]) -> Problem:
    return Problem(
        "stray-row",
        f'the row "{word}" is about no task of the plan',
        at,
        did_you_mean(word, (str(key) for key in known)) or "it is left as it is",
        Severity.WARNING,
    )


def _can_be(found: Columns) -> bool:
    return "task" in found and "status" in found


def _is_about(board: Board, number: int, known: Collection[TaskKey]) -> bool:
    keys = [key for _, _, key in board.rows(number)]
    return any(key is not None and (key in known if known else key.orchestration == number) for key in keys)


def _misnamed(doc: Document, tables: list[Table]) -> Iterator[Problem]:
    for table in tables:
        for cell in table.header.cells:
            meant = did_you_mean(plain(cell.text), ("Task", "Status"))
            if meant and plain(cell.text).casefold() not in NAMES:
                message = f'"{plain(cell.text)}" is no column of the board'
                yield Problem("unknown-column", message, place(doc, cell.span), meant, Severity.FILE)


def _boxes(doc: Document, sections: list[Section]) -> Iterator[Problem]:
    """A board that is a list of boxes: another must not be put beside it."""
    for section in sections:
        items = [item for item in doc.items_in(section.body) if item.box is not None]
        if items:
            message = "a board of boxes can't be read yet"
            hint = "make it a table with the columns Task and Status"
            yield Problem("board-of-boxes", message, place(doc, items[0].text_span), hint, Severity.FILE)
            return


def wave_in(word: str) -> int | None:
    """The wave that a cell names, None for one that names none."""
    if word.isascii() and word.isdigit():
        return int(word)
    match = _WAVE.fullmatch(plain(word))
    return int(match[1]) if match else None


def _wave_of(row: Row, found: Columns) -> int | None:
    return wave_in(cell_text(row, found.get("wave")))


def _cell_place(doc: Document, row: Row, column: int) -> Location:
    cell = cell_at(row, column)
    if cell is None:
        return place(doc, row.span)
    return doc.source.location_in(row.line - 1, cell.span.start, max(len(cell.span), 1))
