"""EXECUTION_PLAN_N.md → Plan, with every problem that can be told from the text alone.

Owns how headings, wave table and fields come together. Whether the plan is a good one (scopes, cycles, missing
fields) is the model's matter; files beside the plan are unknown here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from orchestrator.errors import Location, Problem, Read
from orchestrator.formats.dependencies import DependencyReader, first_line
from orchestrator.formats.faults import in_order, text_faults
from orchestrator.formats.labels import one_line
from orchestrator.formats.plan_parts import HEADING, SEPARATOR, place, plan_title, slug_of, wave_of
from orchestrator.formats.spec_section import SpecReader
from orchestrator.formats.task_names import TaskNames, read_key
from orchestrator.formats.wave_table import read_wave_table
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.markdown.values import write_value
from orchestrator.model.ids import ID, TaskKey, parse_key
from orchestrator.model.plan import Plan, Spec
from orchestrator.nouns import dataclass, replace
from orchestrator.patterns import regex

_LOCAL = regex(rf"(?:task\s+)?((?:\d+\.)?{ID})(?:{SEPARATOR}(.*)|)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class _TaskSection:
    key: TaskKey
    title: str
    section: Section


def read_plan(doc: Document, number: int) -> Read[Plan]:
    """The plan as far as it can be read, and all problems found. Never raises for what the text holds."""
    problems = [*text_faults(doc)]
    title = plan_title(doc, number, problems)
    table = read_wave_table(doc, number)
    problems += table.problems
    in_table = {key: at for line in table.lines for key, at in reversed(line.tasks)}
    sections = _task_sections(doc, number, in_table, problems)
    names = TaskNames(number, [*(key for line in table.lines for key, _ in line.tasks), *(one.key for one in sections)])
    reader = DependencyReader(doc.source, names, tuple(line.number for line in table.lines))
    starts = [item.span.start for item in doc.items]
    specs = []
    for index, one in enumerate(sections):
        stop = sections[index + 1].section.span.start if index + 1 < len(sections) else len(doc.text)
        own, body = one.section.own, one.section.body
        items = doc.items[bisect_left(starts, own.start) : bisect_right(starts, own.end - 1)] if len(own) else ()
        fields = SpecReader(doc, one.key, items)
        text = doc.text[body.start : min(body.end, stop)]
        spec = fields.spec(title=one.title, at=place(doc, one.section.heading.text_span), text=text)
        problems += fields.problems
        specs.append(_with_dependencies(spec, fields, reader))
    by_key = {spec.key: spec for spec in reversed(specs)}
    waves = tuple(wave_of(line, by_key, reader, [other.number for other in table.lines]) for line in table.lines)
    problems += reader.problems
    goal, acceptance = doc.section("Goal"), doc.section("Acceptance", level=2)
    plan = Plan(
        number=number,
        title=title,
        path=doc.source.name,
        goal=doc.text[goal.body.start : goal.body.end].strip() if goal else "",
        slug=slug_of(title),
        waves=waves,
        specs=tuple(by_key[key] for key in dict.fromkeys(spec.key for spec in specs)),
        acceptance=tuple(one_line(item.text) for item in doc.items_in(acceptance.body)) if acceptance else (),
    )
    return Read(plan, in_order(problems))


def _task_sections(
    doc: Document, number: int, in_table: dict[TaskKey, Span], problems: list[Problem]
) -> list[_TaskSection]:
    """The sections that are tasks, in the order of the file; headings and table are compared on the way."""
    backlogs = [one.span for one in doc.sections if plain(one.heading.text).casefold() == "backlog"]
    found: dict[TaskKey, _TaskSection] = {}
    loose: list[Section] = []
    backlogged: dict[TaskKey, Section] = {}
    task_end = 0
    for section in doc.sections:
        match = HEADING.fullmatch(plain(section.heading.text))
        key = parse_key(match[1]) if match else None
        if match is None or key is None:
            loose.append(section)
            continue
        if any(span.covers(section.span) for span in backlogs):
            backlogged[key] = section
            continue
        at = place(doc, section.heading.text_span)
        nested = section.span.start < task_end
        if key.orchestration != number:
            if not nested and match[2] is not None:
                hint = f"did you mean {number}.{key.wave}.{key.id}?"
                message = f"{key} is a task of plan {key.orchestration}, this is plan {number}"
                problems.append(Problem("other-plan", message, at, hint))
            continue
        if key not in in_table and match[2] is None and (nested or match[4] is not None):
            continue
        if key in found:
            first = found[key].section.heading.line
            problems.append(
                Problem(
                    "duplicate-task",
                    f"{key} has two headings, the first in line {first}",
                    at,
                    "give one of them another id",
                    subject=str(key),
                )
            )
            continue
        found[key] = _TaskSection(key, (match[3] or match[5] or "").strip(), section)
        task_end = max(task_end, section.span.end)
    _find_local(doc, number, in_table, found, loose, backlogs)
    for key, span in in_table.items():
        if key not in found and key in backlogged:
            problems.append(_in_backlog(key, place(doc, span), backlogged[key].heading.line))
    return sorted(found.values(), key=lambda one: one.section.span.start)


def _find_local(
    doc: Document,
    number: int,
    in_table: dict[TaskKey, Span],
    found: dict[TaskKey, _TaskSection],
    loose: list[Section],
    backlogs: list[Span],
) -> None:
    """Headings with W.id or a local id, for keys of the table that have no heading with the whole key."""
    missing = [key for key in in_table if key not in found and key.orchestration == number]
    by_id: dict[str, list[TaskKey]] = {}
    for key in missing:
        by_id.setdefault(key.id, []).append(key)
    for section in loose if missing else ():
        match = _LOCAL.fullmatch(plain(section.heading.text))
        if match is None or any(span.covers(section.span) for span in backlogs):
            continue
        meant = by_id.get(match[1], [])
        short = read_key(match[1], number=number, wave=0) if "." in match[1] else None
        keys = meant if len(meant) == 1 else [short] if short in missing else []
        for key in keys:
            if key is not None and key not in found:
                found[key] = _TaskSection(key, (match[2] or "").strip(), section)


def _in_backlog(key: TaskKey, at: Location, line: int) -> Problem:
    return Problem(
        "in-backlog",
        f"{key} is in the wave table, but its section in line {line} is below Backlog",
        at,
        "move the section below Tasks, or take the key out of the table",
        subject=str(key),
    )


def _with_dependencies(spec: Spec, fields: SpecReader, reader: DependencyReader) -> Spec:
    field = fields.fields.get("depends on")
    if field is None:
        return spec
    spans = [first_line(reader.source.text, field.value), *(child.text_span for child in field.item.children)]
    found = [
        dependency
        for span in spans
        if len(span)
        for dependency in reader.read(span, wave=spec.key.wave, subject=spec.key)
    ]
    return replace(spec, depends_on=tuple(found))


def new_plan_text(number: int, title: str, created: str) -> str:
    """The text of a new plan, to be filled in; `created` is a date."""
    title = " ".join(title.split())
    return f"""---
orchestration: {number}
title: {write_value(title)}
created: {created}
---
# Execution plan {number} — {title}

## Goal

Why, what is in, what is out.

## Waves

| Wave | Theme | Tasks | Depends on |
| --- | --- | --- | --- |

## Tasks

<!-- One section a task. Scope, acceptance and test are required:

### {number}.1.1 — Title

- **Depends on:** none
- **Must edit:** `src/file.py`
- **Can create:** `tests/test_file.py`
- **Acceptance:** what is true when it is done
- **Test:** `python -m pytest -q tests/test_file.py`
- **Tier:** small

What the worker has to know, as long as needed.
-->
"""
