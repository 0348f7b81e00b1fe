"""The wave table of a plan: finding it, and its rows with what they call their tasks, dependencies not yet resolved.

Owns the columns, a row a wave and a row a task alike. Knows no spec.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.errors import Problem, Severity
from orchestrator.formats.columns import Columns, cell_at, cell_text, columns, misspelt
from orchestrator.formats.nearest import nearest
from orchestrator.formats.task_words import TaskWords
from orchestrator.formats.wave_line import Named, WaveLine, Waves, place, wave_number
from orchestrator.markdown.blocks import Row, Section, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.nouns import dataclass, replace

NAMES = {
    "wave": ("waves", "#"),
    "theme": ("focus", "goal"),
    "title": ("name", "description", "summary"),
    "tasks": ("task", "task ids", "task id", "id", "ids", "key", "keys"),
    "depends on": (
        *("depends", "dependencies", "dependency", "dependency rule", "deps", "needs", "requires", "blocked by"),
        "after",
    ),
}
_OF_ONE = ("task", "task id", "id", "key")
"""Names of the tasks' column in a table with a row a task."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The table, its columns, and whether each row is about a task and not about a wave."""

    table: Table
    columns: Columns
    is_per_task: bool


def read_wave_table(doc: Document, number: int) -> Waves:
    """The waves of the wave table, and what is wrong with them; no waves, and why, where there is no table."""
    problems: list[Problem] = []
    found = _find(doc, problems)
    if found is None:
        return Waves((), tuple(problems), is_found=any(one.code == "ambiguous-waves" for one in problems))
    words = TaskWords(doc, number, problems)
    lines: dict[int, WaveLine] = {}
    for row in found.table.rows:
        line = _read_row(doc, row, found, words, problems)
        if line is None:
            continue
        first = lines.get(line.number)
        if first is not None:
            if not found.is_per_task:
                problems.append(
                    Problem(
                        "duplicate-wave",
                        f"wave {line.number} has two rows, the first in line {first.at.line}",
                        line.at,
                        "put its tasks in one row, separated by commas",
                    )
                )
            # Its tasks are kept, so that one fault isn't told as many.
            line = replace(first, theme=first.theme or line.theme, tasks=first.tasks + line.tasks)
        lines[line.number] = line
    return Waves(
        tuple(sorted(lines.values(), key=lambda line: line.number)),
        tuple(problems),
        is_found=True,
        is_per_task=found.is_per_task,
    )


def _find(doc: Document, problems: list[Problem]) -> _Found | None:
    candidates = [(table, columns(table, NAMES)) for table in doc.tables]
    candidates = [(table, found) for table, found in candidates if "wave" in found and "tasks" in found]
    sections = [section for section in doc.sections if "wave" in plain(section.heading.text).casefold()]
    under = [pair for pair in candidates if any(section.own.covers(pair[0].span) for section in sections)]
    exact = [pair for pair in under if _is_under(doc, pair[0], sections, "waves")]
    headed = [(table, found) for table, found in candidates if _counts_waves(table, found["wave"])]
    for choice in (exact, under, headed):
        if len(choice) == 1:
            problems += misspelt(doc, choice[0][0], NAMES)
            return _Found(*choice[0], _is_per_task(*choice[0]))
        if choice:
            places = ", ".join(str(doc.source.location(table.span.start).line) for table, _ in choice)
            where = place(doc, choice[0][0].header.span)
            problems.append(
                Problem(
                    "ambiguous-waves",
                    f"the tables in lines {places} could all be the wave table",
                    where,
                    'put the right one alone under a heading "Waves"',
                    Severity.FILE,
                )
            )
            return None
    for section in sections:
        for table in doc.tables_in(section.own):
            problems += _misnamed(doc, table)
    return None


def _counts_waves(table: Table, column: int) -> bool:
    """Whether a table that stands below no heading about waves could be one of waves all the same."""
    if plain(table.header.texts[column]) == "#":
        # It counts something else as often as waves.
        return False
    return any(wave_number(plain(cell_text(row, column)))[0] for row in table.rows)


def _is_per_task(table: Table, found: Columns) -> bool:
    """Whether each row is about one task: the column says so, and a wave has several rows."""
    if plain(table.header.texts[found["tasks"]]).casefold() not in _OF_ONE:
        return False
    numbers = [wave_number(plain(cell_text(row, found["wave"])))[0] for row in table.rows]
    return len(set(numbers)) < len(numbers)


def tables_without_tasks(doc: Document) -> Iterator[Problem]:
    """The problem of a plan whose table of waves doesn't say which tasks they have; of several the likeliest one's."""
    found = [table for table in doc.tables if "wave" in columns(table, NAMES)]
    sections = [section for section in doc.sections if "wave" in plain(section.heading.text).casefold()]
    likely = [table for table in found if any(section.own.covers(table.span) for section in sections)]
    for table in (likely or found)[:1]:
        yield Problem(
            "no-task-column",
            "this table of waves has no column for their tasks",
            place(doc, table.header.span),
            'add a column "Tasks" with the keys of each wave\'s tasks',
            Severity.FILE,
        )


def _misnamed(doc: Document, table: Table) -> list[Problem]:
    """Header cells meant for a column that the wave table needs, if the other one is there or meant too."""
    found: list[Problem] = []
    wanted = {"Wave", "Tasks"} - {name.capitalize() for name in columns(table, NAMES)}
    for cell in table.header.cells:
        name = plain(cell.text)
        meant = nearest(name, sorted(wanted))
        if meant:
            wanted.discard(meant)
            hint = f'did you mean "{meant}"?'
            message = f'"{name}" is no column of the wave table'
            found.append(Problem("unknown-column", message, place(doc, cell.span), hint, Severity.FILE))
    return [] if wanted else found


def _is_under(doc: Document, table: Table, sections: list[Section], title: str) -> bool:
    return any(
        section.own.covers(table.span) and plain(section.heading.text).casefold() == title for section in sections
    )


def _read_row(doc: Document, row: Row, table: _Found, words: TaskWords, problems: list[Problem]) -> WaveLine | None:
    found = table.columns
    cell = cell_at(row, found["wave"])
    written = plain(cell.text) if cell else ""
    wave, rest = wave_number(written)
    at = place(doc, cell.span if cell and len(cell.span) else row.span)
    if not wave:
        if any(plain(one.text) for one in row.cells):
            problems.append(Problem("bad-wave", f'"{written}" is no wave number', at, "waves count from 1"))
        return None
    waits = cell_at(row, found.get("depends on"))
    nothing = Span(row.span.start, row.span.start)
    span = (waits.span if waits else nothing) if "depends on" in found else None
    tasks = cell_at(row, found["tasks"])
    named = words.read(tasks.span, wave=wave, is_single=table.is_per_task) if tasks else ()
    theme, title = plain(cell_text(row, found.get("theme"))), plain(cell_text(row, found.get("title")))
    if table.is_per_task:
        named = tuple(Named(one.word, one.at, one.title or title, span, one.key) for one in named)
        span, title = None if span is None else nothing, ""
    return WaveLine(number=wave, theme=theme or title or rest.strip(" :—–-"), tasks=named, waits=span, at=at)
