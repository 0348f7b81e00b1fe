"""Every change orch makes to STATE_N.md, each as small as the fact it writes.

Owns the edits; a table or section that isn't there is added at its place. The Note columns are the user's: orch
writes there only into an empty cell. Knows no file and no lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.errors import DocumentError
from orchestrator.formats import report_edits
from orchestrator.formats.board import HEADER, TITLE, Board, find_board
from orchestrator.formats.columns import cell_text
from orchestrator.formats.faults import trusted
from orchestrator.formats.guest_text import as_item, from_item, item_end
from orchestrator.formats.report_edits import CONTAINER
from orchestrator.formats.reports import read_reports
from orchestrator.formats.seams import append_block
from orchestrator.formats.state_file import DISCOVERED
from orchestrator.formats.state_tables import (
    BASELINE,
    BASELINE_HEADER,
    KNOWN_FAILURES,
    WAVES,
    WAVES_HEADER,
    find_baseline,
    find_waves,
    wave_numbers,
)
from orchestrator.formats.table_rows import row_text, table_head
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.front_matter_edits import set_key
from orchestrator.markdown.section_edits import insert_section
from orchestrator.markdown.source import Span
from orchestrator.markdown.table_edits import insert_row, set_cell
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.state import BaselineRow
from orchestrator.model.status import Status, WaveStatus, read_status


def set_status(doc: Document, key: TaskKey, status: Status) -> Document:
    """The document with the task's status cell changed. Raises LookupError for a task without a row.

    A cell that says so already in other words (`Wontfix`, `✅`) is somebody's own and stays as it is.
    """
    board, row = _board_row(doc, key)
    if read_status(cell_text(board.table.rows[row], board.columns["status"])) is status:
        return doc
    return set_cell(doc, board.table, row, board.columns["status"], str(status))


def set_note_if_empty(doc: Document, key: TaskKey, text: str) -> Document:
    """The document with a note in the task's row, if its cell is empty and there is a column for notes."""
    board, row = _board_row(doc, key)
    column = board.columns.get("note")
    if column is None or cell_text(board.table.rows[row], column):
        return doc
    return set_cell(doc, board.table, row, column, text)


def sync_rows(doc: Document, plan: Plan, titles: Mapping[TaskKey, str] | None = None) -> Document:
    """The document with a row for every task of the plan that had none, each at its place in the plan's order.

    `titles` holds the title that orch last wrote for a task: where the cell still has it and the plan has another,
    it is refreshed. Raises DocumentError where tables can't be told apart.
    """
    doc = _with_board(trusted(doc), plan)
    doc = _with_rows(doc, plan)
    for spec in plan.specs if titles else ():
        if titles is not None and titles.get(spec.key, spec.title) != spec.title:
            doc = _with_title(doc, spec.key, old=titles[spec.key], new=spec.title)
    return doc


OWN_NOTES = ("blocked: ", "flake: ", "new failure: ")
"""How the notes begin that orch writes into a wave's row."""


def set_wave(
    doc: Document,
    number: int,
    *,
    status: WaveStatus | None = None,
    suites: str | None = None,
    commit: str | None = None,
    note: str | None = None,
) -> Document:
    """The document with what is given written into the wave's row; None leaves a cell as it is.

    A note goes into an empty cell, or over one that orch wrote (it begins with a word of OWN_NOTES); an empty note
    clears such a one. A row, table or section that is missing is added.
    """
    doc = _with_wave_row(trusted(doc), number)
    values = {"status": None if status is None else str(status), "suites": suites, "commit": commit, "note": note}
    for name, value in values.items():
        _, table, found = find_waves(doc)
        if table is None or value is None or name not in found:
            continue
        row = next(index for index, _, one in wave_numbers(table, found) if one == number)
        if name == "note":
            there = cell_text(table.rows[row], found[name])
            if there == value or (there and not there.startswith(OWN_NOTES)):
                continue
        doc = set_cell(doc, table, row, found[name], value)
    return doc


def set_baseline(doc: Document, rows: Sequence[BaselineRow], known_failures: Sequence[str]) -> Document:
    """The document with these rows in orch's table under Baseline, and these failures below it."""
    section, table, found = find_baseline(trusted(doc))
    if table is None:
        head = table_head(BASELINE_HEADER)
        if section is None:
            doc = insert_section(doc, f"## {BASELINE}\n\n{head}", before=_first(doc, WAVES, TITLE))
        else:
            doc = append_block(doc, section.own, head.rstrip("\n"))
        section, table, found = find_baseline(doc)
    if table is None or section is None:
        raise RuntimeError("the baseline's table didn't read back")
    width = len(table.header.cells)
    ending = doc.source.ending_before(table.delimiter.end)
    lines = [row_text(_baseline_values(row), found, width) + ending for row in rows]
    delimiter = doc.text[table.delimiter.start : table.delimiter.end]
    lead = "" if delimiter.endswith(("\n", "\r")) else ending
    doc = doc.edited(Edit(Span(table.delimiter.end, table.span.end), lead + "".join(lines)))
    return _with_known_failures(doc, known_failures)


def put_report(doc: Document, key: TaskKey, title: str, lines: Sequence[str]) -> Document:
    """See `report_edits.put_report`."""
    return report_edits.put_report(trusted(doc), key, title, lines)


def add_discovered(doc: Document, key: TaskKey, items: Sequence[str]) -> Document:
    """The document with these items of a task's discovered work, those that stand there already left out."""
    section = trusted(doc).section(DISCOVERED)
    if section is None:
        first_report = next(iter(read_reports(doc)), None)
        before = None
        if first_report is not None and first_report.at is not None:
            line = first_report.at.line
            before = next(one for one in doc.sections if one.heading.line == line)
            before = doc.section(CONTAINER) or before
        doc = insert_section(doc, f"## {DISCOVERED}", before=before)
        section = doc.section(DISCOVERED)
    if section is None:
        raise RuntimeError("the section for discovered work didn't read back")
    there = {from_item(doc, item) for item in doc.items_in(section.body)}
    new = [text for text in dict.fromkeys(item.strip() for item in items) if text and f"{key}: {text}" not in there]
    if not new:
        return doc
    return _append_items(doc, section, "\n".join(as_item(f"{key}: ", text) for text in new))


def set_state_key(doc: Document, key: str, value: Value) -> Document:
    """The document with a key of its front matter set."""
    return set_key(doc, key, value)


def _board_row(doc: Document, key: TaskKey) -> tuple[Board, int]:
    board, problems = find_board(trusted(doc), key.orchestration)
    if problems:
        raise DocumentError(problems)
    row = board.find(key) if board else None
    if board is None or row is None:
        raise LookupError(f"the board has no row for {key}")
    return board, row


def _with_board(doc: Document, plan: Plan) -> Document:
    board, problems = find_board(doc, plan.number)
    if board is not None:
        return doc
    if problems:
        raise DocumentError(problems)
    section = next((one for one in doc.sections if one.heading.text.strip().casefold() == TITLE.casefold()), None)
    head = table_head(HEADER) + _new_rows(plan)
    if section is not None:
        return append_block(doc, section.own, head.rstrip("\n"))
    after = _first(doc, WAVES, BASELINE)
    before = None if after else _first(doc, "Questions", DISCOVERED, CONTAINER)
    return insert_section(doc, f"## {TITLE}\n\n{head}", before=before, after=after)


def _new_rows(plan: Plan) -> str:
    columns = {name.casefold(): index for index, name in enumerate(HEADER)}
    titles = {spec.key: spec.title for spec in plan.specs}
    return "".join(
        row_text(_row_values(key, titles.get(key, "")), columns, len(HEADER)) + "\n" for key in plan.in_waves()
    )


def _row_values(key: TaskKey, title: str) -> dict[str, str]:
    return {"wave": str(key.wave), "task": str(key), "title": title, "status": str(Status.PENDING)}


def _with_rows(doc: Document, plan: Plan) -> Document:
    board, _ = find_board(doc, plan.number)
    if board is None:
        raise RuntimeError("the board didn't read back")
    table = board.table
    rows = {key: row for _, row, key in reversed([*board.rows(plan.number)]) if key is not None}
    keys = list(dict.fromkeys(plan.in_waves()))
    missing = [key for key in keys if key not in rows]
    if not missing:
        return doc
    spans = {key: row.span for key, row in rows.items()}
    titles = {spec.key: spec.title for spec in plan.specs}
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
        line = row_text(_row_values(key, titles.get(key, "")), board.columns, len(table.header.cells))
        ending = doc.source.ending_before(place)
        is_bare = place == len(doc.text) and not doc.text.endswith(("\n", "\r"))
        edits.append(Edit(Span(place, place), ending + line if is_bare else line + ending))
    new = doc.edited(*edits)
    after_board, _ = find_board(new, plan.number)
    there = {key for _, _, key in after_board.rows(plan.number)} if after_board else set()
    if not there.issuperset(missing):
        raise RuntimeError("new rows of the board didn't read back")
    return new


def _with_title(doc: Document, key: TaskKey, *, old: str, new: str) -> Document:
    board, row = _board_row(doc, key)
    column = board.columns.get("title")
    if column is None or cell_text(board.table.rows[row], column) != " ".join(old.split()):
        return doc
    return set_cell(doc, board.table, row, column, new)


def _with_wave_row(doc: Document, number: int) -> Document:
    section, table, found = find_waves(doc)
    if table is None:
        if section is None:
            board = next((one for one in doc.sections if "board" in one.heading.text.casefold()), None)
            before = board or _first(doc, "Questions", DISCOVERED, CONTAINER)
            doc = insert_section(doc, f"## {WAVES}\n\n{table_head(WAVES_HEADER)}", before=before)
        else:
            doc = append_block(doc, section.own, table_head(WAVES_HEADER).rstrip("\n"))
        section, table, found = find_waves(doc)
    if table is None:
        raise RuntimeError("the table of the waves didn't read back")
    numbers = [one for _, _, one in wave_numbers(table, found)]
    if number in numbers:
        return doc
    at = next((index for index, one in enumerate(numbers) if one is not None and one > number), len(numbers))
    cells = [""] * len(table.header.cells)
    cells[found["wave"]], cells[found["status"]] = str(number), str(WaveStatus.OPEN)
    return insert_row(doc, table, at, cells)


def _baseline_values(row: BaselineRow) -> dict[str, str]:
    return {
        "repo": row.repo,
        "suite": row.suite,
        "result": row.result,
        "passed": "" if row.passed is None else str(row.passed),
        "failed": "" if row.failed is None else str(row.failed),
        "commit": row.commit,
    }


def _with_known_failures(doc: Document, known_failures: Sequence[str]) -> Document:
    section = doc.section(KNOWN_FAILURES)
    baseline = doc.section(BASELINE)
    if baseline is None:
        return doc
    if section is not None and not baseline.body.covers(section.span):
        section = None
    there = {item.text for item in doc.items_in(section.body)} if section else set()
    lines = [f"- {' '.join(one.split())}" for one in known_failures]
    new = "\n".join(line for line in lines if line[2:] not in there)
    if not new:
        return doc
    if section is not None:
        return _append_items(doc, section, new)
    return insert_section(doc, f"{'#' * (baseline.heading.level + 1)} {KNOWN_FAILURES}\n\n{new}", after=baseline)


def _append_items(doc: Document, section: Section, text: str) -> Document:
    """Items at the end of a section, a blank line before them unless they go on with its list."""
    items = doc.items_in(section.own)
    goes_on = bool(items) and not doc.text[item_end(doc, items[-1]) : section.own.end].strip()
    return append_block(doc, section.own, text, tight=goes_on)


def _first(doc: Document, *titles: str) -> Section | None:
    for title in titles:
        section = doc.section(title)
        if section is not None:
            return section
    return None
