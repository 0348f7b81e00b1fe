"""EXECUTION_PLAN_N.md → Plan, with every problem that can be told from the text alone.

Owns how headings, wave table and fields come together. Whether the plan is a good one (scopes, cycles, missing
fields) is the model's matter; files beside the plan are unknown here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.errors import Problem, Read
from orchestrator.formats.dependencies import DependencyReader, first_line
from orchestrator.formats.faults import in_order, text_faults
from orchestrator.formats.labels import one_line
from orchestrator.formats.local_ids import Numbering
from orchestrator.formats.misspelt_sections import misspelt_sections
from orchestrator.formats.pins import Pins
from orchestrator.formats.plan_parts import plan_title, slug_of, wave_of
from orchestrator.formats.prose_dependencies import prose_dependencies
from orchestrator.formats.spec_fields import fields_below, fields_in
from orchestrator.formats.spec_section import SpecReader
from orchestrator.formats.task_names import TaskNames
from orchestrator.formats.task_sections import TaskHeadings, TaskSection, task_sections
from orchestrator.formats.wave_headings import read_waves
from orchestrator.formats.wave_line import Named, keys_of, place
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import write_value
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Dependency, Plan, Spec
from orchestrator.nouns import replace

SECTIONS = ("Goal", "Backlog", "Acceptance")
"""Sections that are found by their heading alone."""


def read_plan(doc: Document, number: int, pins: Pins | None = None) -> Read[Plan]:
    """The plan as far as it can be read, and all problems found. Never raises for what the text holds.

    `pins` are the keys that STATE has given to tasks with local ids.
    """
    problems = [*text_faults(doc), *misspelt_sections(doc, SECTIONS)]
    title = plan_title(doc, number, problems)
    headings = TaskHeadings(doc, number)
    table = read_waves(doc, number, headings)
    problems += table.problems
    numbering = Numbering(doc, number, pins or {}, headings.own_keys())
    lines = numbering.lines(table.lines)
    problems += numbering.problems
    sections = task_sections(headings, lines, numbering.local, problems)
    named = {one.key: one for line in lines for one in reversed(line.tasks) if one.key is not None}
    names = TaskNames(number, [*keys_of(lines), *(one.key for one in sections)], numbering.local)
    reader = DependencyReader(doc.source, names, tuple(line.number for line in lines))
    beside = {key: reader.read(one.waits, wave=key.wave, subject=key) for key, one in named.items() if one.waits}
    specs = [*_specs_of_sections(doc, sections, reader, problems)]
    in_sections = {spec.key for spec in specs}
    for key, one in named.items():
        item = table.items.get(one.word)
        if key not in in_sections and item is not None:
            specs += _specs_of_item(doc, one, item, reader, problems)
    if beside or numbering.local:
        called = {key: word for word, key in numbering.local.items()}
        specs = [_completed(spec, beside.get(spec.key, ()), called.get(spec.key, "")) for spec in specs]
    by_key = {spec.key: spec for spec in reversed(specs)}
    numbers = [line.number for line in lines]
    waves = tuple(wave_of(line, by_key, beside, reader, numbers) for line in lines)
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
        local_ids=numbering.local,
        acceptance=tuple(one_line(item.text) for item in doc.items_in(acceptance.body)) if acceptance else (),
    )
    return Read(plan, in_order(problems))


def _specs_of_sections(
    doc: Document, sections: Sequence[TaskSection], reader: DependencyReader, problems: list[Problem]
) -> Iterator[Spec]:
    for index, one in enumerate(sections):
        stop = sections[index + 1].section.span.start if index + 1 < len(sections) else len(doc.text)
        body = one.section.body
        fields = SpecReader(doc, one.key, fields_in(doc, one.section.own), local_id=one.local_id)
        text = doc.text[body.start : min(body.end, stop)]
        spec = fields.spec(title=one.title, at=place(doc, one.section.heading.text_span), text=text)
        problems += fields.problems
        waits = _dependencies(spec.key, fields, reader)
        known = {wait.task for wait in waits}
        problems += prose_dependencies(doc, one.section.own, reader.names, subject=spec.key, known=known)
        yield replace(spec, depends_on=waits) if waits else spec


def _specs_of_item(
    doc: Document, one: Named, item: Item, reader: DependencyReader, problems: list[Problem]
) -> Iterator[Spec]:
    """The spec of a task that is an item below its wave's heading, its fields nested in it; none without any field."""
    key = one.key
    assert key is not None, "the numbering has given every task a key"
    fields = SpecReader(doc, key, fields_below(doc, item), local_id="" if one.word == str(key) else one.word)
    if not fields.has_any:
        return
    begin = doc.source.line_start(doc.source.line_at(item.children[0].span.start).number - 1)
    spec = fields.spec(title=one.title, at=place(doc, item.text_span), text=doc.text[begin : item.span.end])
    problems += fields.problems
    yield replace(spec, depends_on=_dependencies(key, fields, reader))


def _dependencies(key: TaskKey, fields: SpecReader, reader: DependencyReader) -> tuple[Dependency, ...]:
    field = fields.fields.get("depends on")
    if field is None:
        return ()
    spans = [first_line(reader.source.text, field.value), *field.more]
    return tuple(found for span in spans if len(span) for found in reader.read(span, wave=key.wave, subject=key))


def _completed(spec: Spec, beside: Sequence[Dependency], local_id: str) -> Spec:
    """The spec with its local id, and waiting for what its own row of the wave table lists beyond its field too."""
    known = {one.task or one.wave for one in spec.depends_on}
    more = [one for one in beside if (one.task or one.wave) not in known]
    return replace(spec, local_id=local_id, depends_on=(*spec.depends_on, *more))


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
