"""Every change orch makes to STATE_N.md, each as small as the fact it writes.

Owns the edits; a table or section that isn't there is added at its place. The Note columns are the user's: orch
writes there only into an empty cell. Knows no file and no lock.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.formats import report_edits
from orchestrator.formats.board import TITLE
from orchestrator.formats.board_edits import refuse_unclear as refuse_unclear
from orchestrator.formats.board_edits import set_note_if_empty as set_note_if_empty
from orchestrator.formats.board_edits import set_status as set_status
from orchestrator.formats.board_edits import sync_rows as sync_rows
from orchestrator.formats.columns import cell_text
from orchestrator.formats.faults import trusted
from orchestrator.formats.guest_text import as_item, from_item, with_endings
from orchestrator.formats.questions import QUESTIONS
from orchestrator.formats.report_edits import CONTAINER
from orchestrator.formats.reports import read_reports
from orchestrator.formats.row_names import pinned_names
from orchestrator.formats.seams import append_block, append_items, first_section
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
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.front_matter_edits import set_key
from orchestrator.markdown.section_edits import insert_section
from orchestrator.markdown.source import Span
from orchestrator.markdown.table_edits import insert_row, set_cell
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.state import BaselineRow, Fork, WaveRow
from orchestrator.model.status import WaveStatus
from orchestrator.model.wave_note import BLOCKED, only_blocked, with_blocked

FLAKE = "flake: "
RAN_AGAIN = "run again: "
OWN_NOTES = (BLOCKED, FLAKE, "new failure: ", "to blame: ", "reverted: ", "reverted ", RAN_AGAIN)
"""How the notes begin that orch writes into a wave's row; several are parted by `; `."""


def kept_notes(note: str) -> list[str]:
    """What of a wave's note stays true whatever its suites come to next; nothing of a note that orch didn't write."""
    parts = note.split("; ") if note.startswith(OWN_NOTES) else []
    return [part for part in parts if part.startswith((FLAKE, RAN_AGAIN))]


def set_fork(doc: Document, repo: str, fork: Fork) -> Document:
    """Note where the orchestration stands in another repository, in the front matter."""
    before = doc.front_matter.get("repos") if doc.front_matter else None
    there: dict[str, Value] = dict(before) if isinstance(before, dict) else {}
    there[repo] = {"base": fork.base, "fork": fork.fork, "branch": fork.branch}
    return set_key(doc, "repos", there)


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


def note_blocked(doc: Document, key: TaskKey, *, is_blocked: bool) -> Document:
    """The document whose wave's row, where the wave has come to its end before, calls the task blocked or doesn't, as
    it is. A note of a person's own stays."""
    _, table, found = find_waves(trusted(doc))
    if table is None or "note" not in found or "commit" not in found:
        return doc
    row = next((index for index, _, number in wave_numbers(table, found) if number == key.wave), None)
    if row is None:
        return doc
    there = cell_text(table.rows[row], found["note"])
    if not is_blocked:
        note = only_blocked(there, lambda name: name != str(key))
    elif not cell_text(table.rows[row], found["commit"]) or (there and not there.startswith(OWN_NOTES)):
        return doc
    else:
        note = with_blocked(there, str(key))
    return doc if note == there else set_cell(doc, table, row, found["note"], note)


def add_waves(doc: Document, rows: Sequence[WaveRow]) -> Document:
    """The document with a table of the waves' own states; as it is where it has one."""
    if find_waves(trusted(doc))[1] is not None:
        return doc
    columns = {name.casefold(): index for index, name in enumerate(WAVES_HEADER)}
    lines = "".join(
        row_text({"wave": str(row.number), "status": str(row.status), "note": row.note}, columns, len(columns)) + "\n"
        for row in rows
    )
    return _with_wave_table(doc, lines)


def set_baseline(doc: Document, rows: Sequence[BaselineRow], known_failures: Sequence[str]) -> Document:
    """The document with these rows in orch's table under Baseline, and these failures below it."""
    section, table, found = find_baseline(trusted(doc))
    if table is None:
        head = table_head(BASELINE_HEADER)
        if section is None:
            doc = insert_section(doc, f"## {BASELINE}\n\n{head}", before=first_section(doc, WAVES, TITLE))
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
        first_report = next(iter(read_reports(doc, pinned_names(doc, key))), None)
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
    texts = dict.fromkeys(with_endings(item.strip(), "\n") for item in items)
    new = [text for text in texts if text and f"{key}: {text}" not in there]
    if not new:
        return doc
    return append_items(doc, section, "\n".join(as_item(f"{key}: ", text) for text in new))


def set_state_key(doc: Document, key: str, value: Value) -> Document:
    """The document with a key of its front matter set."""
    return set_key(doc, key, value)


def _with_wave_table(doc: Document, lines: str = "") -> Document:
    text = f"{table_head(WAVES_HEADER)}{lines}".rstrip("\n")
    section = find_waves(doc)[0]
    if section is not None:
        return append_block(doc, section.own, text)
    board = next((one for one in doc.sections if "board" in one.heading.text.casefold()), None)
    before = board or first_section(doc, QUESTIONS, DISCOVERED, CONTAINER)
    return insert_section(doc, f"## {WAVES}\n\n{text}", before=before)


def _with_wave_row(doc: Document, number: int) -> Document:
    if find_waves(doc)[1] is None:
        doc = _with_wave_table(doc)
    _, table, found = find_waves(doc)
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
    baseline = doc.section(BASELINE)
    if baseline is None:
        return doc
    section = doc.section(KNOWN_FAILURES, within=baseline.body)
    there = {item.text for item in doc.items_in(section.body)} if section else set()
    lines = [f"- {' '.join(one.split())}" for one in known_failures]
    new = "\n".join(line for line in lines if line[2:] not in there)
    if not new:
        return doc
    if section is not None:
        return append_items(doc, section, new)
    return insert_section(doc, f"{'#' * (baseline.heading.level + 1)} {KNOWN_FAILURES}\n\n{new}", after=baseline)
