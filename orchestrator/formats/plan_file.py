"""EXECUTION_PLAN_N.md → Plan, with every problem that can be told from the text alone.

Owns how headings, wave table and fields come together. Whether the plan is a good one (scopes, cycles, missing
fields) is the model's matter; files beside the plan are unknown here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from orchestrator.errors import Read
from orchestrator.formats.dependencies import DependencyReader, first_line
from orchestrator.formats.faults import in_order, text_faults
from orchestrator.formats.labels import one_line
from orchestrator.formats.local_ids import Numbering
from orchestrator.formats.pins import Pins
from orchestrator.formats.plan_parts import plan_title, slug_of, wave_of
from orchestrator.formats.spec_section import SpecReader
from orchestrator.formats.task_names import TaskNames
from orchestrator.formats.task_sections import TaskHeadings, task_sections
from orchestrator.formats.wave_line import Named, keys_of, place
from orchestrator.formats.wave_table import read_wave_table
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import write_value
from orchestrator.model.plan import Plan, Spec
from orchestrator.nouns import replace


def read_plan(doc: Document, number: int, pins: Pins | None = None) -> Read[Plan]:
    """The plan as far as it can be read, and all problems found. Never raises for what the text holds.

    `pins` are the keys that STATE has given to tasks with local ids.
    """
    problems = [*text_faults(doc)]
    title = plan_title(doc, number, problems)
    table = read_wave_table(doc, number)
    problems += table.problems
    headings = TaskHeadings(doc, number)
    numbering = Numbering(doc, number, pins or {}, headings.own_keys())
    lines = numbering.lines(table.lines)
    problems += numbering.problems
    sections = task_sections(headings, lines, numbering.local, problems)
    named = {one.key: one for line in lines for one in reversed(line.tasks) if one.key is not None}
    names = TaskNames(number, [*keys_of(lines), *(one.key for one in sections)], numbering.local)
    reader = DependencyReader(doc.source, names, tuple(line.number for line in lines))
    starts = [item.span.start for item in doc.items]
    specs = []
    for index, one in enumerate(sections):
        stop = sections[index + 1].section.span.start if index + 1 < len(sections) else len(doc.text)
        own, body = one.section.own, one.section.body
        items = doc.items[bisect_left(starts, own.start) : bisect_right(starts, own.end - 1)] if len(own) else ()
        fields = SpecReader(doc, one.key, items)
        text = doc.text[body.start : min(body.end, stop)]
        spec = fields.spec(title=one.title, at=place(doc, one.section.heading.text_span), text=text)
        spec = replace(spec, local_id=one.local_id) if one.local_id else spec
        problems += fields.problems
        specs.append(_with_dependencies(spec, fields, reader, named.get(one.key)))
    by_key = {spec.key: spec for spec in reversed(specs)}
    waves = tuple(wave_of(line, by_key, reader, [other.number for other in lines]) for line in lines)
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


def _with_dependencies(spec: Spec, fields: SpecReader, reader: DependencyReader, named: Named | None) -> Spec:
    """The spec with what its field lists, and with what its own row of the wave table lists beyond that."""
    field = fields.fields.get("depends on")
    spans = []
    if field is not None:
        spans = [first_line(reader.source.text, field.value), *(child.text_span for child in field.item.children)]
    beside = reader.read(named.waits, wave=spec.key.wave, subject=spec.key) if named and named.waits else ()
    found = [
        dependency
        for span in spans
        if len(span)
        for dependency in reader.read(span, wave=spec.key.wave, subject=spec.key)
    ]
    known = {one.task or one.wave for one in found}
    found += [one for one in beside if (one.task or one.wave) not in known]
    return replace(spec, depends_on=tuple(found)) if found else spec


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
