"""The wave table of a plan: finding it, and its rows with keys and places, dependencies not yet resolved.

Owns the columns and the forms of a wave's number. Knows no spec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.columns import Columns, cell_at, cell_text, columns
from orchestrator.formats.nearest import nearest
from orchestrator.formats.task_names import read_key
from orchestrator.formats.words import blanked, is_none, without_remarks
from orchestrator.markdown.blocks import Cell, Row, Section, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.nouns import dataclass, replace
from orchestrator.patterns import regex

NAMES = {
    "wave": ("waves", "#"),
    "theme": ("focus", "name", "title", "goal"),
    "tasks": ("task", "task ids", "task id"),
    "depends on": ("depends", "dependencies", "dependency", "dependency rule", "deps", "blocked by", "after"),
}
_NUMBER = regex(r"(?:wave\s*)?#?\s*([0-9]+)(?:\b|(?=\W))\s*(.*)", re.IGNORECASE | re.DOTALL)
_MARKS = regex(r"\*+|[`\[\]]|<br\s*/?>")
_KEY = regex(r"[^\s,;+&·∥]+")
_RANGE = regex(r"(\d+)\.(\d+)\.(\d+)(?:-|–|—|\.\.+)(?:(\d+)\.(\d+)\.)(\d+)")


@dataclass(frozen=True, slots=True)
class WaveLine:
    """A row as written, each task with the place of its key.

    `waits` spans its dependency cell; None without such a column: all earlier waves.
    """

    number: int
    theme: str
    tasks: tuple[tuple[TaskKey, Span], ...]
    waits: Span | None
    at: Location


@dataclass(frozen=True, slots=True)
class WaveTable:
    lines: tuple[WaveLine, ...]
    problems: tuple[Problem, ...]


def read_wave_table(doc: Document, number: int) -> WaveTable:
    """The rows of the wave table, and what is wrong with them; no rows, and why, where there is no table."""
    problems: list[Problem] = []
    table, found = _find(doc, problems)
    if table is None:
        return WaveTable((), tuple(problems))
    lines: dict[int, WaveLine] = {}
    for row in table.rows:
        line = _read_row(doc, row, found, number, problems)
        if line is None:
            continue
        first = lines.get(line.number)
        if first is not None:
            problems.append(
                Problem(
                    "duplicate-wave",
                    f"wave {line.number} has two rows, the first in line {first.at.line}",
                    line.at,
                    "put its tasks in one row, separated by commas",
                )
            )
            # Its tasks are kept, so that one fault isn't told as many.
            line = replace(first, tasks=first.tasks + line.tasks)
        lines[line.number] = line
    return WaveTable(tuple(sorted(lines.values(), key=lambda line: line.number)), tuple(problems))


def _find(doc: Document, problems: list[Problem]) -> tuple[Table | None, Columns]:
    candidates = [(table, columns(table, NAMES)) for table in doc.tables]
    candidates = [(table, found) for table, found in candidates if "wave" in found and "tasks" in found]
    sections = [section for section in doc.sections if "wave" in plain(section.heading.text).casefold()]
    under = [pair for pair in candidates if any(section.own.covers(pair[0].span) for section in sections)]
    exact = [pair for pair in under if _is_under(doc, pair[0], sections, "waves")]
    for choice in (exact, under, candidates):
        if len(choice) == 1:
            return choice[0]
        if choice:
            places = ", ".join(str(doc.source.location(table.span.start).line) for table, _ in choice)
            where = _place(doc, choice[0][0].header.span)
            problems.append(
                Problem(
                    "ambiguous-waves",
                    f"the tables in lines {places} could all be the wave table",
                    where,
                    'put the right one alone under a heading "Waves"',
                    Severity.FILE,
                )
            )
            return None, {}
    for section in sections:
        for table in doc.tables_in(section.own):
            problems += _misnamed(doc, table)
    return None, {}


def _misnamed(doc: Document, table: Table) -> Iterator[Problem]:
    """Header cells that are likely to be meant for a column the wave table needs."""
    for cell in table.header.cells:
        name = plain(cell.text)
        meant = nearest(name, ("Wave", "Tasks"))
        if meant and meant.casefold() != name.casefold():
            hint = f'did you mean "{meant}"?'
            message = f'"{name}" is no column of the wave table'
            yield Problem("unknown-column", message, _place(doc, cell.span), hint, Severity.FILE)


def _is_under(doc: Document, table: Table, sections: list[Section], title: str) -> bool:
    return any(
        section.own.covers(table.span) and plain(section.heading.text).casefold() == title for section in sections
    )


def _read_row(doc: Document, row: Row, found: Columns, number: int, problems: list[Problem]) -> WaveLine | None:
    cell = cell_at(row, found["wave"])
    written = plain(cell.text) if cell else ""
    wave, rest = _number(written)
    at = _place(doc, cell.span if cell and len(cell.span) else row.span)
    if not wave:
        if any(plain(one.text) for one in row.cells):
            problems.append(Problem("bad-wave", f'"{written}" is no wave number', at, "waves count from 1"))
        return None
    waits = cell_at(row, found.get("depends on"))
    span = waits.span if waits else Span(row.span.start, row.span.start)
    return WaveLine(
        number=wave,
        theme=plain(cell_text(row, found.get("theme"))) or rest.strip(" :—–-"),
        tasks=tuple(_tasks(doc, cell_at(row, found["tasks"]), number, wave, problems)),
        waits=span if "depends on" in found else None,
        at=at,
    )


def _number(written: str) -> tuple[int, str]:
    """The wave's number and what else its cell says; 0 for a cell without one."""
    if written.isascii() and written.isdigit():
        return int(written), ""
    match = _NUMBER.fullmatch(written)
    return (int(match[1]), match[2]) if match else (0, "")


def _tasks(
    doc: Document, cell: Cell | None, number: int, wave: int, problems: list[Problem]
) -> Iterator[tuple[TaskKey, Span]]:
    raw = doc.text[cell.span.start : cell.span.end] if cell else ""
    if cell is None or not raw:
        return
    plain_keys = _plain_keys(raw, number)
    if plain_keys:
        yield from ((key, Span(cell.span.start + at, cell.span.start + end)) for key, at, end in plain_keys)
        return
    if is_none(cell.text):
        return
    clean = blanked(without_remarks(raw), _MARKS)
    for match in _KEY.finditer(clean):
        word = match[0].rstrip(".")
        if not word or word.casefold() == "and":
            continue
        span = Span(cell.span.start + match.start(), cell.span.start + match.start() + len(word))
        keys = _range(word, number=number, wave=wave)
        if not keys:
            problems.append(
                Problem(
                    "bad-task",
                    f'"{word}" is no task key',
                    _place(doc, span),
                    f"a key is {number}.{wave}.id, its id made of letters, digits, - and _",
                )
            )
        for key in keys:
            if key.orchestration != number:
                problems.append(
                    Problem(
                        "other-plan",
                        f"{key} is a task of plan {key.orchestration}, this is plan {number}",
                        _place(doc, span),
                        f"did you mean {number}.{key.wave}.{key.id}?",
                        subject=str(key),
                    )
                )
            else:
                yield key, span


def _plain_keys(text: str, number: int) -> list[tuple[TaskKey, int, int]]:
    """The short way for most cells: whole keys of this plan with commas between, and where each stands; else empty."""
    found = []
    at = 0
    for part in text.split(","):
        word = part.strip(" ")
        key = parse_key(word)
        if key is None or key.orchestration != number:
            return []
        start = at + part.find(word)
        found.append((key, start, start + len(word)))
        at += len(part) + 1
    return found


def _range(word: str, *, number: int, wave: int) -> list[TaskKey]:
    ends = _RANGE.fullmatch(word)
    if ends and ends[1] == ends[4] and ends[2] == ends[5] and int(ends[3]) < int(ends[6]) <= int(ends[3]) + 1000:
        ids = range(int(ends[3]), int(ends[6]) + 1)
        return [TaskKey(int(ends[1]), int(ends[2]), str(one)) for one in ids]
    key = read_key(word, number=number, wave=wave)
    return [key] if key else []


def _place(doc: Document, span: Span) -> Location:
    text = doc.text[span.start : span.end].rstrip("\r\n")
    return doc.source.location(span.start, max(len(text), 1))
