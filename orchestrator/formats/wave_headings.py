"""The waves of a plan without a wave table: headings such as `Wave 2: Frontend`, with tasks or boxes beneath.

Owns which headings, items and rows below a wave's heading are its tasks. Knows no spec.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from orchestrator.errors import Problem
from orchestrator.formats.columns import cell_at, cell_text, columns
from orchestrator.formats.labels import field_of
from orchestrator.formats.plan_parts import in_wave_heading
from orchestrator.formats.spec_labels import canonical_label
from orchestrator.formats.task_forms import named_task
from orchestrator.formats.task_names import own_key
from orchestrator.formats.task_sections import TaskHeadings
from orchestrator.formats.task_words import TaskWords
from orchestrator.formats.wave_line import Named, WaveLine, Waves, place
from orchestrator.formats.wave_table import NAMES, read_wave_table, tables_without_tasks
from orchestrator.markdown.blocks import Item, Section, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.nouns import replace

_LISTS = ("tasks", "task list", "task specs", "task board")
"""Headings below a wave's heading whose list names its tasks."""


def read_waves(doc: Document, number: int, headings: TaskHeadings) -> Waves:
    """The waves of the wave table; where there is none, of the headings; and what is wrong with them."""
    table = read_wave_table(doc, number)
    if table.lines or (table.is_found and table.problems):
        return table
    waves = _Reader(doc, number, headings).read()
    if waves.lines or waves.problems or table.problems:
        return replace(waves, problems=(*table.problems, *waves.problems))
    if table.is_found:
        return table
    return replace(table, problems=(*table.problems, *tables_without_tasks(doc)))


class _Reader:
    def __init__(self, doc: Document, number: int, headings: TaskHeadings) -> None:
        self.doc = doc
        self.number = number
        self.headings = headings
        self.problems: list[Problem] = []
        self.items: dict[str, Item] = {}
        self._starts = [one.span.start for one in doc.sections]
        self.words = TaskWords(doc, number, self.problems)

    def read(self) -> Waves:
        lines: dict[int, WaveLine] = {}
        for section, name in self.headings.others:
            found = in_wave_heading(name)
            if found is None or self.headings.in_backlog(section):
                continue
            wave, theme = found
            at = place(self.doc, section.heading.text_span)
            if wave < 1:
                message = f'"{wave}" is no wave number'
                self.problems.append(Problem("bad-wave", message, at, "waves count from 1"))
                continue
            tasks = tuple(self._tasks(section, wave))
            line = WaveLine(wave, theme, tasks, self._waits(section), at)
            first = lines.get(wave)
            if first is not None:
                if first.tasks and tasks:
                    message = f"wave {wave} has two headings with tasks, the first in line {first.at.line}"
                    self.problems.append(Problem("duplicate-wave", message, at, "put its tasks below one of them"))
                line = first if not tasks else replace(first if first.tasks else line, tasks=first.tasks + tasks)
            lines[wave] = line
        found_lines = tuple(sorted(lines.values(), key=lambda line: line.number))
        return Waves(found_lines, tuple(self.problems), items=self.items)

    def _waits(self, section: Section) -> Span | None:
        """The value of a field such as `Depends on:` right below the heading; None for all earlier waves."""
        for item in self.doc.items_in(section.own):
            field = field_of(self.doc, item)
            if field is not None and canonical_label(field.name) == "depends on":
                return field.value
        return None

    def _tasks(self, section: Section, wave: int) -> Iterator[Named]:
        """The tasks of a wave: the rows of a table of tasks; else its list's, then its headings' not yet named."""
        for table in self.doc.tables_in(section.body):
            if "tasks" in columns(table, NAMES):
                yield from self._rows(table, wave)
                return
        below = list(self._headings(section))
        seen: set[str] = set()
        for named in (*self._listed(section, wave, has_headings=bool(below)), *below):
            if named.word not in seen:
                seen.add(named.word)
                yield named

    def _rows(self, table: Table, wave: int) -> Iterator[Named]:
        found = columns(table, NAMES)
        for row in table.rows:
            cell = cell_at(row, found["tasks"])
            title = plain(cell_text(row, found.get("title")) or cell_text(row, found.get("theme")))
            waits = cell_at(row, found.get("depends on"))
            for named in self.words.read(cell.span, wave=wave, is_single=True) if cell else ():
                yield Named(named.word, named.at, named.title or title, waits.span if waits else None, named.key)

    def _headings(self, section: Section) -> Iterator[Named]:
        """Headings that are tasks by their form; not what stands inside one of them."""
        end = section.body.start
        for one in self._inside(section):
            if one.span.start < end:
                continue
            found = named_task(one.heading.text)
            if found is not None:
                end = one.span.end
                yield self._named(found[0], found[1], one.heading.text_span)

    def _inside(self, section: Section) -> Sequence[Section]:
        """The sections below a section's heading."""
        first, stop = (bisect_left(self._starts, at) for at in (section.body.start, section.body.end))
        return self.doc.sections[first:stop]

    def _listed(self, section: Section, wave: int, *, has_headings: bool) -> Iterator[Named]:
        spans = [section.own]
        for one in self._inside(section):
            if plain(one.heading.text).casefold() in _LISTS:
                spans.append(one.own)
        for span in spans:
            for item in self.doc.items_in(span):
                found = named_task(item.text.partition("\n")[0], is_dressed=item.box is not None)
                if found is not None:
                    self.items.setdefault(found[0], item)
                    yield self._named(found[0], found[1], item.text_span)
                elif item.box is not None and not has_headings:
                    hint = f"begin it with the task's id: {self.number}.{wave}.1 — …"
                    at = place(self.doc, item.text_span)
                    self.problems.append(Problem("bad-task", "this box of a wave names no task", at, hint))

    def _named(self, word: str, title: str, span: Span) -> Named:
        start = self.doc.text.find(word, span.start, span.end)
        at = Span(start, start + len(word)) if start >= 0 else span
        key = own_key(word, number=self.number) if word.count(".") == 2 else None
        return Named(word, at, title, None, key)
