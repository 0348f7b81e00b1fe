"""tasks/N.W.id.todo.md → TaskFile: run facts, body and log. The edits are in task_file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.errors import Problem, Read, Severity
from orchestrator.formats.faults import in_order, text_faults
from orchestrator.formats.guest_text import taken_out
from orchestrator.formats.labels import one_line
from orchestrator.formats.misspelt_sections import misspelt_sections
from orchestrator.formats.task_facts import read_facts
from orchestrator.formats.todo_body import DISCOVERED, QUESTIONS, REPORT, read_body
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry, parse_entry
from orchestrator.model.micro_plan import MicroPlan
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import replace

FINDINGS, LOG, EARLIER = "Findings", "Log", "Earlier"
SECTIONS = (QUESTIONS, DISCOVERED, REPORT, LOG)


def read_task_file(doc: Document | None, key: TaskKey) -> Read[TaskFile]:
    """The run facts, body and log as far as they can be read, and all problems; a fresh task for None."""
    if doc is None:
        return Read(TaskFile(key))
    facts, faults = read_facts(doc, key)
    log, more = _read_log(doc)
    unclear = misspelt_sections(doc, SECTIONS)
    problems = [replace(problem, subject=str(key)) for problem in (*text_faults(doc), *faults, *unclear, *more)]
    findings = own_section(doc, FINDINGS)
    text = doc.text[findings.body.start : findings.body.end] if findings else ""
    return Read(replace(facts, micro_plan=read_body(doc), findings=taken_out(text), log=log), in_order(problems))


def read_log(doc: Document) -> tuple[LogEntry, ...]:
    """The entries of the log alone."""
    return _read_log(doc)[0]


def read_micro_plan(doc: Document) -> Read[MicroPlan]:
    """The micro-plan and report that orch's file or a worker's copy holds, and the faults of the text."""
    return Read(read_body(doc), text_faults(doc))


def name_problems(task: TaskFile, local: Mapping[str, TaskKey]) -> Iterator[Problem]:
    """Where a todo file's `id:` and heading name another task than the file does; `local` holds the plan's own ids."""
    mine = next((name for name, key in local.items() if key == task.key), "") if task.id or local else ""
    if task.id and task.id != mine:
        says = f'"{mine}"' if mine else "by its key"
        message = f'the front matter says id "{task.id}", the plan calls {task.key} {says}'
        hint = f"write id: {mine}" if mine else "take the line out"
        yield Problem("key-mismatch", message, task.id_at, hint, subject=str(task.key))
    at = task.micro_plan.at
    for word in task.micro_plan.heading.split()[:3] if local else ():
        # A name without a digit could be a word of the title.
        other = local.get(word.rstrip(":,")) if not word.isalpha() else None
        if other is not None and other != task.key and at is not None:
            where = at.source.find(word)
            place = replace(at, column=where + 1, length=len(word)) if where >= 0 else at
            message = f'the file is named for {task.key}, its heading says "{word.rstrip(":,")}", which is {other}'
            yield Problem("key-mismatch", message, place, "make them agree", subject=str(task.key))
        if other is not None:
            return


def _read_log(doc: Document) -> tuple[tuple[LogEntry, ...], list[Problem]]:
    section = own_section(doc, LOG)
    entries: list[LogEntry] = []
    problems: list[Problem] = []
    for item in doc.items_in(section.own) if section else ():
        entry = parse_entry(one_line(item.text))
        if entry is not None:
            entries.append(entry)
            continue
        where = doc.source.location(item.text_span.start, max(len(one_line(item.text)), 1))
        hint = "a line is TIME EVENT key=value; it is left as it is"
        problems.append(Problem("unknown-log-line", "this line is no entry of the log", where, hint, Severity.WARNING))
    return tuple(entries), problems


def own_section(doc: Document, title: str) -> Section | None:
    """A section of orch's own file: at level two, the last of that name."""
    wanted = title.casefold()
    for section in reversed(doc.sections):
        if section.heading.level == 2 and plain(section.heading.text).casefold() == wanted:
            return section
    return None
