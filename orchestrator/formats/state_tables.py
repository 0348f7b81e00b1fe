"""`## Baseline` and `## Waves` of STATE_N.md: their columns, and the reading of their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from orchestrator.errors import Problem, Severity
from orchestrator.formats.columns import Columns, cell_at, cell_text, columns, misspelt
from orchestrator.formats.labels import one_line
from orchestrator.formats.nearest import did_you_mean, nearest
from orchestrator.formats.places import place
from orchestrator.markdown.blocks import Row, Section, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.state import BaselineRow, WaveRow
from orchestrator.model.status import Status, WaveStatus, read_wave_status
from orchestrator.nouns import replace
from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER, whole_number

BASELINE = "Baseline"
BASELINE_HEADER = ("Repo", "Suite", "Result", "Passed", "Failed", "Commit")
BASELINE_NAMES = {
    "repo": ("repository",),
    "suite": (),
    "result": (),
    "passed": (),
    "failed": (),
    "commit": (),
}
KNOWN_FAILURES = "Known failures"
RESULTS = ("pass", "fail", "error")

WAVES = "Waves"
WAVES_HEADER = ("Wave", "Status", "Suites", "Commit", "Note")
NOT_CHECKED = "not checked"
WAVES_NAMES = {"wave": (), "status": ("state",), "suites": (), "commit": ("head",), "note": ("notes",)}
_NUMBER = regex(rf"(?:wave\s*)?#?({NUMBER})", re.IGNORECASE)


def find_baseline(doc: Document) -> tuple[Section | None, Table | None, Columns]:
    """The section, orch's table in it and that table's columns; a table of other columns is the user's."""
    section = doc.section(BASELINE)
    for table in doc.tables_in(section.body) if section else ():
        found = columns(table, BASELINE_NAMES)
        if {"suite", "result"} <= found.keys():
            return section, table, found
    return section, None, {}


def read_baseline(doc: Document) -> tuple[tuple[BaselineRow, ...], bool, list[Problem]]:
    """The rows, whether a baseline was recorded at all (an empty table is one), and what is wrong."""
    section, table, found = find_baseline(doc)
    problems = _misspelt(doc, section, table, BASELINE_NAMES, ("suite", "result"))
    if table is None:
        return (), False, problems
    rows = []
    for row in table.rows:
        result = plain(cell_text(row, found["result"])).casefold()
        suite = plain(cell_text(row, found["suite"]))
        if result not in RESULTS:
            cell = cell_at(row, found["result"])
            problems.append(
                Problem(
                    "unknown-result",
                    f'"{result}" is no result of a suite',
                    place(doc, cell.span if cell else row.span),
                    did_you_mean(result, RESULTS) or f"the words are {', '.join(RESULTS)}",
                )
            )
            continue
        rows.append(
            BaselineRow(
                repo=plain(cell_text(row, found.get("repo"))) or ".",
                suite=suite,
                result=result,
                passed=_count(row, found.get("passed")),
                failed=_count(row, found.get("failed")),
                commit=plain(cell_text(row, found.get("commit"))),
            )
        )
    return tuple(rows), True, problems


def read_known_failures(doc: Document) -> tuple[str, ...]:
    """The items of `### Known failures`, each on one line."""
    baseline = doc.section(BASELINE)
    section = doc.section(KNOWN_FAILURES, within=baseline.body) if baseline else None
    if section is None:
        return ()
    return tuple(one_line(item.text) for item in doc.items_in(section.body))


def _misspelt(
    doc: Document,
    section: Section | None,
    table: Table | None,
    names: Mapping[str, Sequence[str]],
    needed: Sequence[str],
) -> list[Problem]:
    """Columns that are likely to be known ones misspelt.

    Where that keeps the table from being found nothing is written to the file: a second table would come beside it.
    """
    if table is not None:
        return list(misspelt(doc, table, names))
    for other in doc.tables_in(section.body) if section else ():
        told = list(misspelt(doc, other, names))
        meant = {nearest(plain(cell.text), needed) for cell in other.header.cells} | columns(other, names).keys()
        if told and meant.issuperset(needed):
            return [replace(problem, severity=Severity.FILE) for problem in told]
    return []


def find_waves(doc: Document) -> tuple[Section | None, Table | None, Columns]:
    """The section of the waves' own states, its table and that table's columns."""
    section = doc.section(WAVES)
    for table in doc.tables_in(section.body) if section else ():
        found = columns(table, WAVES_NAMES)
        if {"wave", "status"} <= found.keys():
            return section, table, found
    return section, None, {}


def wave_numbers(table: Table, found: Columns) -> Iterator[tuple[int, Row, int | None]]:
    """Index, row and wave number of every row; None for a cell that is no number."""
    for index, row in enumerate(table.rows):
        word = plain(cell_text(row, found["wave"]))
        number = whole_number(word)
        if number is not None:
            yield index, row, number
            continue
        match = _NUMBER.fullmatch(word)
        yield index, row, int(match[1]) if match else None


def read_waves(doc: Document) -> tuple[tuple[WaveRow, ...], list[Problem]]:
    """The rows in their order, and what is wrong with them."""
    section, table, found = find_waves(doc)
    problems = _misspelt(doc, section, table, WAVES_NAMES, ("wave", "status"))
    rows: dict[int, WaveRow] = {}
    for _, row, number in wave_numbers(table, found) if table else ():
        wave = cell_at(row, found["wave"])
        at = place(doc, wave.span if wave else row.span)
        if number is None:
            word = plain(cell_text(row, found["wave"]))
            if word:
                problems.append(Problem("bad-wave", f'"{word}" is no wave number', at, "waves count from 1"))
            continue
        if number in rows:
            problems.append(Problem("duplicate-wave", f"wave {number} has two rows", at, "keep one of them"))
            continue
        raw = cell_text(row, found["status"])
        status = read_wave_status(raw)
        if status is None:
            cell = cell_at(row, found["status"])
            where = place(doc, cell.span if cell else row.span)
            hint = did_you_mean(plain(raw), WaveStatus) or f"the words are {', '.join(WaveStatus)}"
            problems.append(Problem("unknown-wave-status", f'"{raw}" is no status of a wave', where, hint))
        suites, note = cell_text(row, found.get("suites")), cell_text(row, found.get("note"))
        rows[number] = WaveRow(number, status, suites, plain(cell_text(row, found.get("commit"))), note, at)
    return tuple(rows.values()), problems


def believed_waves(plan: Plan, statuses: Mapping[TaskKey, Status | None]) -> tuple[WaveRow, ...]:
    """The waves of a set without the section whose tasks are all done or skipped on the board: done, not checked."""
    return tuple(
        WaveRow(wave.number, WaveStatus.DONE, note=NOT_CHECKED)
        for wave in plan.waves
        if (found := [statuses.get(key) for key in wave.tasks])
        and Status.DONE in found
        and all(status in (Status.DONE, Status.SKIPPED) for status in found)
    )


def _count(row: Row, column: int | None) -> int | None:
    return whole_number(plain(cell_text(row, column)))
