"""Changes of the board: a status, a note, the rows that the plan has and the board lacks, a title.

Owns what is written where, in the form that the board has; each change is as small as the fact. How a box's line is
changed is in box_edits. The Note column is the user's: orch writes there only into an empty cell.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.errors import DocumentError
from orchestrator.formats import box_edits
from orchestrator.formats.board import HEADER, TITLE, Board, TableBoard, TableRow, find_board
from orchestrator.formats.board_status import NO_MARKS, said
from orchestrator.formats.box_board import BoxBoard, BoxRow
from orchestrator.formats.columns import cell_text
from orchestrator.formats.faults import trusted
from orchestrator.formats.pins import KEY as IDS
from orchestrator.formats.row_names import RowNames, names_of, pinned_names
from orchestrator.formats.seams import append_block, first_section
from orchestrator.formats.table_rows import row_text, table_head
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.front_matter_edits import add_entries
from orchestrator.markdown.section_edits import insert_section
from orchestrator.markdown.source import Span
from orchestrator.markdown.table_edits import set_cell
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.status import Status

_AFTER = ("Waves", "Baseline")
_BEFORE = ("Questions", "Discovered", "Task Reports")


def set_status(doc: Document, key: TaskKey, status: Status) -> Document:
    """The document with the task's status changed. Raises LookupError for a task without a row.

    A row that says so already in other words (`Wontfix`, `✅`, a ticked box) is somebody's own and stays as it is.
    """
    _, row = _board_row(doc, key)
    there = said(row.raw, row.mark, NO_MARKS)
    if there.status is status and not there.code:
        return doc
    if isinstance(row, BoxRow):
        return box_edits.set_status(row, status)
    return doc if there.status is status else set_cell(doc, row.table, row.index, row.columns["status"], str(status))


def refuse_unclear(doc: Document, plan: Plan) -> None:
    """Raise DocumentError where the board can't be told, so that no row of it can be changed."""
    _, problems = find_board(trusted(doc), names_of(plan, doc))
    if problems:
        raise DocumentError(problems)


def set_note_if_empty(doc: Document, key: TaskKey, text: str) -> Document:
    """The document with a note in the task's row, if its cell is empty and there is a column for notes."""
    _, row = _board_row(doc, key)
    if isinstance(row, BoxRow) or "note" not in row.columns or row.note:
        return doc
    return set_cell(doc, row.table, row.index, row.columns["note"], text)


def sync_rows(doc: Document, plan: Plan, titles: Mapping[TaskKey, str] | None = None) -> Document:
    """The document with a row for every task of the plan that had none, each at its place in the plan's order.

    `titles` holds the title that orch last wrote for a task: where the row still has it and the plan has another,
    it is refreshed. Raises DocumentError where the board can't be told.
    """
    names = names_of(plan, doc)
    doc = _with_board(with_pins(trusted(doc), plan), plan, names)
    doc = _with_rows(doc, plan, names)
    for key, old in titles.items() if titles else ():
        new = plan.spec(key).title
        if new != old:
            doc = _with_title(doc, key, names, old=old, new=new)
    return doc


def with_pins(doc: Document, plan: Plan) -> Document:
    """The document with the plan's local ids and their keys pinned in its front matter; pairs that are there stay."""
    local = {spec.local_id: str(spec.key) for spec in plan.specs if spec.local_id}
    return add_entries(doc, IDS, local) if local else doc


def board_rows(plan: Plan, names: RowNames) -> str:
    """The rows of a new board, all pending."""
    columns = {name.casefold(): index for index, name in enumerate(HEADER)}
    titles = {spec.key: spec.title for spec in plan.specs}
    return "".join(
        row_text(_row_values(key, titles.get(key, ""), names), columns, len(HEADER)) + "\n" for key in plan.in_waves()
    )


def _board_row(doc: Document, key: TaskKey) -> tuple[Board, TableRow | BoxRow]:
    names = pinned_names(doc, key)
    board, problems = find_board(trusted(doc), names)
    if problems:
        raise DocumentError(problems)
    row = board.find(key, names) if board else None
    if board is None or row is None:
        raise LookupError(f"the board has no row for {key}")
    return board, row


def _with_board(doc: Document, plan: Plan, names: RowNames) -> Document:
    board, problems = find_board(doc, names)
    if board is not None:
        return doc
    if problems:
        raise DocumentError(problems)
    section = next((one for one in doc.sections if one.heading.text.strip().casefold() == TITLE.casefold()), None)
    head = table_head(HEADER) + board_rows(plan, names)
    if section is not None:
        return append_block(doc, section.own, head.rstrip("\n"))
    after = first_section(doc, *_AFTER)
    before = None if after else first_section(doc, *_BEFORE)
    return insert_section(doc, f"## {TITLE}\n\n{head}", before=before, after=after)


def _row_values(key: TaskKey, title: str, names: RowNames) -> dict[str, str]:
    return {"wave": str(key.wave), "task": names.written(key), "title": title, "status": str(Status.PENDING)}


def _with_rows(doc: Document, plan: Plan, names: RowNames) -> Document:
    board, _ = find_board(doc, names)
    if board is None:
        raise RuntimeError("the board didn't read back")
    there = {key for _, key in board.rows(names)}
    keys = list(dict.fromkeys(plan.in_waves()))
    missing = [key for key in keys if key not in there]
    if not missing:
        return doc
    titles = {spec.key: spec.title for spec in plan.specs}
    if isinstance(board, BoxBoard):
        new = box_edits.with_rows(board, keys, titles, names)
    else:
        new = _with_table_rows(board, keys, titles, names)
    after, _ = find_board(new, names)
    if after is None or not {key for _, key in after.rows(names)}.issuperset(missing):
        raise RuntimeError("new rows of the board didn't read back")
    return new


def _with_table_rows(
    board: TableBoard, keys: list[TaskKey], titles: Mapping[TaskKey, str], names: RowNames
) -> Document:
    doc, table = board.doc, board.table
    spans = {key: row.row.span for row, key in reversed([*board.rows(names)]) if key is not None}
    following: list[int] = []
    after = table.span.end if table.rows else table.delimiter.end
    for key in reversed(keys):
        # Without a row of an earlier task to stand below, a new row goes above the next later one.
        after = spans[key].start if key in spans else after
        following.append(after)
    edits = []
    at: int | None = None
    for key, above in zip(keys, reversed(following), strict=True):
        if key in spans:
            at = spans[key].end
            continue
        place = above if at is None else at
        values = _row_values(key, titles.get(key, ""), names)
        line = row_text(values, board.columns, len(table.header.cells))
        ending = doc.source.ending_before(place)
        is_bare = place == len(doc.text) and not doc.text.endswith(("\n", "\r"))
        edits.append(Edit(Span(place, place), ending + line if is_bare else line + ending))
    return doc.edited(*edits)


def _with_title(doc: Document, key: TaskKey, names: RowNames, *, old: str, new: str) -> Document:
    board, _ = find_board(doc, names)
    row = board.find(key, names) if board else None
    if row is None or row.title != " ".join(old.split()):
        return doc
    if isinstance(row, BoxRow):
        return box_edits.set_title(row, new)
    if "title" not in row.columns or not cell_text(row.row, row.columns["title"]):
        return doc
    return set_cell(doc, row.table, row.index, row.columns["title"], new)
