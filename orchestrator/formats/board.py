"""The wave board of STATE_N.md, the one home of every task's status: a table, or boxes under wave headings.

Owns how the board is found among other tables and lists, and the reading of a board that is a table. The lines of
the other form are taken apart in box_board, the rows of both are read in board_reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.box_board import BoxBoard, box_board, wave_of_heading
from orchestrator.formats.columns import Columns, cell_at, cell_text, columns
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.places import place, wave_in
from orchestrator.formats.row_names import RowNames
from orchestrator.markdown.blocks import Row, Section, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.nouns import dataclass

TITLE = "Wave board"
HEADER = ("Wave", "Task", "Title", "Status", "Note")
NAMES = {
    "wave": (),
    "task": ("task id", "id", "key"),
    "title": ("name", "description"),
    "status": ("state",),
    "note": ("notes", "remark", "remarks", "comment"),
}


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the board's table, by its number in it."""

    doc: Document
    table: Table
    row: Row
    columns: Columns
    index: int

    @property
    def word(self) -> str:
        return plain(cell_text(self.row, self.columns["task"]))

    @property
    def wave(self) -> int | None:
        return wave_in(cell_text(self.row, self.columns.get("wave")))

    @property
    def raw(self) -> str:
        return cell_text(self.row, self.columns["status"])

    @property
    def mark(self) -> str:
        return ""

    @property
    def title(self) -> str:
        return cell_text(self.row, self.columns.get("title"))

    @property
    def note(self) -> str:
        return cell_text(self.row, self.columns.get("note"))

    def task_at(self) -> Location:
        return self._place(self.columns["task"])

    def wave_at(self) -> Location:
        return self._place(self.columns["wave"])

    def status_at(self) -> Location:
        return self._place(self.columns["status"])

    def _place(self, column: int) -> Location:
        cell = cell_at(self.row, column)
        if cell is None:
            return place(self.doc, self.row.span)
        return self.doc.source.location_in(self.row.line - 1, cell.span.start, max(len(cell.span), 1))


@dataclass(frozen=True, slots=True)
class TableBoard:
    """The board's table and the columns it has."""

    doc: Document
    table: Table
    columns: Columns

    @property
    def line(self) -> int:
        """The line of its header."""
        return self.table.header.line

    @property
    def start(self) -> Span:
        return self.table.header.span

    def rows(self, names: RowNames) -> Iterator[tuple[TableRow, TaskKey | None]]:
        """Every row with the task it is about; None for one that names none."""
        task, has_local = self.columns["task"], bool(names.local)
        for index, row in enumerate(self.table.rows):
            one = TableRow(self.doc, self.table, row, self.columns, index)
            # The usual form, of a thousand rows: a bare key, whatever the wave beside it.
            key = None if has_local else parse_key(cell_text(row, task))
            yield one, key or names.find(one.word, one.wave)

    def find(self, key: TaskKey, names: RowNames) -> TableRow | None:
        """The first row of a task, or None."""
        return next((row for row, found in self.rows(names) if found == key), None)


Board = TableBoard | BoxBoard


def find_board(doc: Document, names: RowNames) -> tuple[Board | None, tuple[Problem, ...]]:
    """The board, or None and why. Without anything that could be one there is no problem: it isn't written yet.

    It is the table or list of boxes under a heading with "board", else the only one whose ids are the plan's.
    """
    tables = [TableBoard(doc, table, found) for table in doc.tables if _can_be(found := columns(table, NAMES))]
    sections = [one for one in doc.sections if "board" in plain(one.heading.text).casefold()]
    under: list[Board] = [one for one in tables if any(section.body.covers(one.table.span) for section in sections)]
    under += _lists_under(doc, sections, names, is_alone=not under)
    candidates = under if len(under) < 2 else [one for one in under if _is_about(one, names)] or under
    if not candidates:
        candidates = [one for one in tables if _is_about(one, names)] if not under else []
        candidates += _lists_elsewhere(doc, names) if not sections and not candidates else []
    if len(candidates) == 1:
        return candidates[0], ()
    if candidates:
        return None, (_ambiguous(doc, candidates),)
    misnamed = tuple(_misnamed(doc, sections)) or tuple(_without_status(doc, sections, names))
    misnamed = (*misnamed, *_without_boxes(doc, sections, names))
    misnamed = misnamed or tuple(_unnamed(doc, sections, names))
    if misnamed or sections or not tables or (doc.front_matter and doc.front_matter.get("run")):
        return None, misnamed
    return None, (_about_others(doc, tables),)


def board_of(doc: Document, names: RowNames) -> Board | None:
    """The board, or None where there is none or it can't be told."""
    return find_board(doc, names)[0]


def _can_be(found: Columns) -> bool:
    return "task" in found and "status" in found


def _is_about(board: Board, names: RowNames) -> bool:
    return any(names.is_ours(key) for _, key in board.rows(names))


def _lists_under(doc: Document, sections: list[Section], names: RowNames, *, is_alone: bool) -> list[Board]:
    """The lists of boxes under the headings with "board"; beside a table only those that are about the plan."""
    found: list[Board] = []
    end = 0
    for section in sections:
        if section.span.start < end:
            continue
        end = section.span.end
        board = box_board(doc, section.body)
        words = plain(section.heading.text).casefold().split()
        if board is not None and (_is_about(board, names) or (is_alone and "board" in words)):
            found.append(board)
    return found


def _lists_elsewhere(doc: Document, names: RowNames) -> list[Board]:
    """The lists of boxes about the plan's tasks, each with all the wave headings beside the one it stands below."""
    found: list[Board] = []
    end = 0
    for index, section in enumerate(doc.sections):
        if section.span.start < end:
            continue
        scope = section.own
        if wave_of_heading(section) is not None:
            # The waves that follow it, one after another.
            stop = section.span.end
            for later in doc.sections[index + 1 :]:
                if later.span.start == stop and wave_of_heading(later) is not None:
                    stop = later.span.end
            scope = Span(section.span.start, stop)
        board = box_board(doc, scope)
        if board is not None and _is_about(board, names):
            found.append(board)
            end = scope.end
    return found


def _ambiguous(doc: Document, candidates: list[Board]) -> Problem:
    lines = ", ".join(str(one.line) for one in sorted(candidates, key=lambda one: one.line))
    kinds = {type(one) for one in candidates}
    what = "tables" if kinds == {TableBoard} else "lists" if kinds == {BoxBoard} else "table and list"
    return Problem(
        "ambiguous-board",
        f"the {what} in lines {lines} could all be the wave board",
        place(doc, min((one.start for one in candidates), key=lambda span: span.start)),
        f'put the right one alone under a heading "{TITLE}"',
        Severity.FILE,
    )


def _about_others(doc: Document, tables: list[TableBoard]) -> Problem:
    """A set that isn't orch's yet, with tables of tasks and statuses whose ids aren't the plan's."""
    shown = ", ".join(f'line {one.line} ("{_first_word(one)}", …)' for one in tables[:4])
    return Problem(
        "no-board",
        f"no table is about the plan's tasks; those of tasks and statuses: {shown}",
        place(doc, tables[0].start),
        f'put the board under a heading "{TITLE}", or add that heading alone to have one made',
        Severity.FILE,
    )


def _first_word(board: TableBoard) -> str:
    word = next((plain(cell_text(row, board.columns["task"])) for row in board.table.rows), "")
    return word if len(word) <= 20 else word[:19] + "…"


def _misnamed(doc: Document, sections: list[Section]) -> Iterator[Problem]:
    for table in (table for one in sections for table in doc.tables_in(one.body)):
        for cell in table.header.cells:
            meant = did_you_mean(plain(cell.text), ("Task", "Status"))
            if meant and plain(cell.text).casefold() not in NAMES:
                message = f'"{plain(cell.text)}" is no column of the board'
                yield Problem("unknown-column", message, place(doc, cell.span), meant, Severity.FILE)


def _without_status(doc: Document, sections: list[Section], names: RowNames) -> Iterator[Problem]:
    """A table about the plan's tasks without a column for their status: a second one must not be put beside it."""
    for table in (table for one in sections for table in doc.tables_in(one.body)):
        task = columns(table, NAMES).get("task")
        if task is None:
            continue
        found = (names.find(plain(cell_text(row, task)), None) for row in table.rows)
        if any(key is not None and names.is_ours(key) for key in found):
            hint = "call the column that says pending, running or done Status"
            message = "the board has no column Status"
            yield Problem("no-status-column", message, place(doc, table.header.span), hint, Severity.FILE)


def _unnamed(doc: Document, sections: list[Section], names: RowNames) -> Iterator[Problem]:
    """Tables about the plan's tasks whose header says so in other words: a board must not be made beside one."""
    for table in doc.tables:
        if sections and not any(one.body.covers(table.span) for one in sections):
            continue
        width = len(table.header.cells)
        found = [column for column in range(width) if _names_tasks(table, column, names)]
        if not found:
            continue
        known = columns(table, NAMES)
        header = [plain(cell.text) for cell in table.header.cells]
        lacking = [name.capitalize() for name in ("task", "status") if name not in known]
        call = f'call its column "{header[found[0]]}" Task' if "task" not in known else "give it a column Status"
        if len(lacking) == 2:
            call += ", and the one that says pending, running or done Status"
        yield Problem(
            "no-board",
            f"this table names the plan's tasks, but has no column {' and no column '.join(lacking)}",
            place(doc, table.header.span),
            call if sections else f'if it is the board, {call}; else add a heading "{TITLE}" alone to have one made',
            Severity.FILE,
        )


def _names_tasks(table: Table, column: int, names: RowNames) -> bool:
    """Whether a column names the plan's tasks, and little else."""
    words = [word for row in table.rows if (word := plain(cell_text(row, column)))]
    ours = sum(names.is_ours(names.find(word, None)) for word in words)
    return ours > 0 and 2 * ours >= len(words)


def _without_boxes(doc: Document, sections: list[Section], names: RowNames) -> Iterator[Problem]:
    """A board that is a list of another kind: a second one must not be put beside it."""
    for section in sections:
        for item in doc.items_in(section.body):
            words = plain(item.text).split(maxsplit=1)
            key = names.find(words[0].rstrip(":.,"), None) if words else None
            if key is not None and item.box is None and names.is_ours(key):
                message = f"the item of {words[0].rstrip(':.,')} has no box, so it is no row of a board"
                hint = "write - [ ] before the task, or make the board a table with the columns Task and Status"
                yield Problem("board-without-boxes", message, place(doc, item.text_span), hint, Severity.FILE)
                return
