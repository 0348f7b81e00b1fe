"""Which sections of a plan are its tasks: headings compared with what the waves name.

Owns the forms of a task's heading. Knows no field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from orchestrator.errors import Problem
from orchestrator.formats.plan_parts import HEADING, SEPARATOR, in_wave_heading
from orchestrator.formats.task_names import own_key
from orchestrator.formats.wave_line import Named, WaveLine, place
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_LOCAL = regex(rf"(?:task\s+)?#?([^\W_](?:[\w.-]*\w)?)(?:{SEPARATOR}(.*)|)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class TaskSection:
    """A task's section; `local_id` is what the plan calls it, "" for its key."""

    key: TaskKey
    title: str
    section: Section
    local_id: str = ""


@dataclass(frozen=True, slots=True)
class KeyHeading:
    """A heading that begins with a whole key: the match of its form and the key."""

    section: Section
    match: re.Match[str]
    key: TaskKey


class TaskHeadings:
    """The headings of a plan, sorted once: those with a whole key, the others, and what lies below Backlog."""

    def __init__(self, doc: Document, number: int) -> None:
        self.doc = doc
        self.number = number
        self.backlogs = [one.span for one in doc.sections if plain(one.heading.text).casefold() == "backlog"]
        self.with_key: list[KeyHeading] = []
        self.others: list[tuple[Section, str]] = []
        for section in doc.sections:
            name = plain(section.heading.text)
            match = HEADING.fullmatch(name)
            key = parse_key(match[1]) if match else None
            if match is not None and key is not None:
                self.with_key.append(KeyHeading(section, match, key))
            else:
                self.others.append((section, name))

    def own_keys(self) -> frozenset[TaskKey]:
        """The whole keys of this plan that headings name."""
        return frozenset(one.key for one in self.with_key if one.key.orchestration == self.number)

    def in_backlog(self, section: Section) -> bool:
        return any(span.covers(section.span) for span in self.backlogs)


def task_sections(
    headings: TaskHeadings, lines: Sequence[WaveLine], local: Mapping[str, TaskKey], problems: list[Problem]
) -> list[TaskSection]:
    """The sections that are tasks, in the order of the file; headings and waves are compared on the way."""
    named = {one.key: one for line in lines for one in reversed(line.tasks) if one.key is not None}
    finder = _Finder(headings, named, local, problems)
    for one in headings.with_key:
        finder.take_key(one)
    finder.take_local()
    finder.tell_backlogged()
    finder.tell_other_waves()
    return sorted(finder.found.values(), key=lambda one: one.section.span.start)


class _Finder:
    def __init__(
        self,
        headings: TaskHeadings,
        named: Mapping[TaskKey, Named],
        local: Mapping[str, TaskKey],
        problems: list[Problem],
    ) -> None:
        self.headings = headings
        self.doc = headings.doc
        self.number = headings.number
        self.named = named
        self.local = local
        self.local_of = {key: word for word, key in local.items()}
        self.problems = problems
        self.found: dict[TaskKey, TaskSection] = {}
        self.loose: list[tuple[Section, str]] = [*headings.others]
        self.backlogged: dict[TaskKey, Section] = {}
        self.task_end = 0

    def take_key(self, one: KeyHeading) -> None:
        """A heading with a whole key: a task, wherever it stands, if a separator follows and it isn't nested."""
        section, match, key = one.section, one.match, one.key
        if match[1] in self.local:
            self.loose.append((section, plain(section.heading.text)))
            return
        if self.headings.in_backlog(section):
            self.backlogged[key] = section
            return
        nested = section.span.start < self.task_end
        if key.orchestration != self.number:
            if not nested and match[2] is not None:
                hint = f"did you mean {self.number}.{key.wave}.{key.id}?"
                message = f"{key} is a task of plan {key.orchestration}, this is plan {self.number}"
                at = place(self.doc, section.heading.text_span)
                self.problems.append(Problem("other-plan", message, at, hint))
            return
        if key not in self.named and match[2] is None and (nested or match[4] is not None):
            return
        self._take(key, (match[3] or match[5] or "").strip(), section)
        self.task_end = max(self.task_end, section.span.end)

    def take_local(self) -> None:
        """Headings with a local id; then, for tasks without a heading, those with W.id or a part of the id."""
        rest: list[tuple[Section, str, str]] = []
        mentions: list[tuple[TaskKey, Section]] = []
        self.task_end = 0
        for section, name in sorted(self.loose, key=lambda one: one[0].span.start) if self._missing() else ():
            match = _LOCAL.fullmatch(name)
            if match is None:
                continue
            key = self.local.get(match[1])
            if key is None:
                rest.append((section, match[1], (match[2] or "").strip()))
            elif self.headings.in_backlog(section):
                self.backlogged[key] = section
            elif match[2] is None and section.span.start < self.task_end:
                # Inside another task a name alone is a mention, as long as there is a better heading.
                mentions.append((key, section))
            else:
                self._take(key, (match[2] or "").strip(), section)
                self.task_end = max(self.task_end, section.span.end)
        for key, section in mentions:
            if key not in self.found:
                self._take(key, "", section)
        missing = self._missing()
        for section, word, title in rest if missing else ():
            if self.headings.in_backlog(section):
                continue
            meant = [key for key in self._meant(word, missing) if key not in self.found]
            if len(meant) == 1:
                self._take(meant[0], title, section)

    def _missing(self) -> list[TaskKey]:
        return [key for key in self.named if key not in self.found]

    def _meant(self, word: str, missing: list[TaskKey]) -> list[TaskKey]:
        """The tasks without a heading that a heading's word could name: by id, by W.id, by a beginning of an id."""
        with_id = [key for key in missing if key.id == word and key not in self.local_of]
        if with_id:
            return with_id
        short = own_key(word, number=self.number)
        if short in missing and short not in self.local_of:
            return [short]
        return [
            key
            for key in missing
            if (name := self.local_of.get(key)) and (name.startswith(f"{word}-") or word.startswith(f"{name}-"))
        ]

    def _take(self, key: TaskKey, title: str, section: Section) -> None:
        local_id = self.local_of.get(key, "")
        if key in self.found:
            first = self.found[key].section.heading.line
            self.problems.append(
                Problem(
                    "duplicate-task",
                    f"{local_id or key} has two headings, the first in line {first}",
                    place(self.doc, section.heading.text_span),
                    "give one of them another id",
                    subject=str(key),
                )
            )
            return
        beside = self.named[key].title if key in self.named else ""
        self.found[key] = TaskSection(key, title or beside, section, local_id)

    def tell_backlogged(self) -> None:
        for key, named in self.named.items():
            if key not in self.found and key in self.backlogged:
                line = self.backlogged[key].heading.line
                name = self.local_of.get(key) or str(key)
                self.problems.append(
                    Problem(
                        "in-backlog",
                        f"{name} is in the wave table, but its section in line {line} is below Backlog",
                        place(self.doc, named.at),
                        "move the section below Tasks, or take the key out of the table",
                        subject=str(key),
                    )
                )

    def tell_other_waves(self) -> None:
        """Tasks whose section stands below the heading of another wave than theirs."""
        waves = list(_wave_spans(self.headings.others))
        for key, one in self.found.items() if waves else ():
            for span, number, line in waves:
                if span.covers(one.section.span) and number != key.wave and key in self.named:
                    self.problems.append(
                        Problem(
                            "wave-mismatch",
                            f"{one.local_id or key} is in wave {key.wave},"
                            f" its section stands below the heading of wave {number} in line {line}",
                            place(self.doc, one.section.heading.text_span),
                            "make table and heading agree",
                            subject=str(key),
                        )
                    )


def _wave_spans(sections: Sequence[tuple[Section, str]]) -> Iterator[tuple[Span, int, int]]:
    for section, name in sections:
        number = in_wave_heading(name)
        if number:
            yield section.span, number[0], section.heading.line
