"""tasks/N.W.id.todo.md: run facts, log and body of one task; orch's own file and the worker's copy of it.

Owns the front matter's keys, the log, and what is taken from a worker's copy into orch's file: the named sections
and nothing else, set in so that they can't be read as structure. How a body is read is in todo_body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.errors import UserError
from orchestrator.formats.faults import trusted
from orchestrator.formats.guest_text import quoted, set_in, set_in_exactly, with_endings
from orchestrator.formats.printed import plan_in, report_in
from orchestrator.formats.seams import append_block, replace_content
from orchestrator.formats.task_reading import EARLIER, FINDINGS, LOG, own_section
from orchestrator.formats.task_reading import read_micro_plan as read_micro_plan
from orchestrator.formats.task_reading import read_task_file as read_task_file
from orchestrator.formats.todo_body import (
    DISCOVERED,
    GOAL,
    NOTES,
    PARTS,
    QUESTIONS,
    REPORT,
    STEPS,
    find_part,
    part_source,
    part_text,
    questions_text,
    read_body,
    read_questions,
    read_steps,
)
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.front_matter_edits import remove_key, set_key
from orchestrator.markdown.quote import quote
from orchestrator.markdown.section_edits import insert_section, remove_section
from orchestrator.markdown.source import BOM
from orchestrator.markdown.values import Value, write_value
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry, format_entry
from orchestrator.model.micro_plan import Question
from orchestrator.nouns import replace

_ORCHS_OWN = (FINDINGS, LOG, EARLIER)
PROPOSED = "Proposed answer"


def printed_plan(output: str, names: Sequence[str]) -> str | None:
    """See `printed.plan_in`; `task_names.names_for` tells the names."""
    return plan_in(output, names)


def printed_report(output: str) -> str | None:
    """See `printed.report_in`."""
    return report_in(output)


LEGEND = (
    "<!-- What happened, a line an event, times in UTC. board: the status that was written in STATE; accept: the"
    " acceptance failed; session: whoever runs orch. orch goes by this list: read it, and leave it as it is. -->"
)
"""Stands above the log of a new file, for a reader who doesn't have orch."""


def new_task_file_text(key: TaskKey, title: str, local_id: str = "") -> str:
    """The text of a new todo file of orch's: front matter, heading, all sections, empty."""
    named = f"id: {write_value(local_id)}\n" if local_id else ""
    return f"---\ntask: {key}\n{named}---\n{empty_copy_text(key, title)}\n## {LOG}\n\n{LEGEND}\n"


def empty_copy_text(key: TaskKey, title: str) -> str:
    """What a plan turn starts from in its workspace: heading and empty sections."""
    sections = "".join(f"\n## {part}\n" for part in PARTS)
    return f"# {key} — {' '.join(title.split())}\n{sections}"


def worker_copy_text(doc: Document, key: TaskKey, title: str) -> str:
    """The body of orch's file for the workspace: without front matter, findings, log and what was there earlier."""
    start = doc.front_matter.span.end if doc.front_matter else 0
    own = [section for name in _ORCHS_OWN if (section := own_section(doc, name)) is not None]
    text = doc.edited(*(Edit(section.span, "") for section in own)).text[start:]
    return text.rstrip() + "\n" if text.strip() else empty_copy_text(key, title)


def adopted(doc: Document, key: TaskKey, title: str, local_id: str = "") -> Document:
    """A todo file that orch didn't write made into one of its own, the older body kept, quoted, below Earlier.

    The older text is there to the byte behind the quote marks; new lines end as its own do. A file with a log is
    orch's already and comes back as it is; front matter stays where it is.
    """
    if own_section(doc, LOG) is not None:
        return doc
    start = doc.front_matter.span.end if doc.front_matter else len(BOM) if doc.text.startswith(BOM) else 0
    start += len(doc.text) - start - len(doc.text[start:].lstrip("\r\n"))
    head, body = doc.text[:start], doc.text[start:]
    ending = doc.source.ending_before(start)
    if doc.front_matter and not head.endswith(("\n", "\r")):
        head += ending
    earlier = f"\n## {EARLIER}\n\n" if body else ""
    new = with_endings(f"{empty_copy_text(key, title)}\n## {LOG}\n\n{LEGEND}\n{earlier}", ending)
    fresh = Document.parse(f"{head}{new}{quote(body)}", doc.source.name)
    fresh = set_key(fresh, "task", str(key))
    return set_key(fresh, "id", local_id) if local_id else fresh


def keep_report(doc: Document, text: str) -> Document:
    """The document with a report of STATE that gives way to a new one kept, quoted, below Earlier."""
    return _keep(doc, "Report in STATE until it was replaced", text)


def keep_plan(doc: Document, why: str) -> Document:
    """The document with its micro-plan, goal and steps, kept, quoted, below Earlier too. why: what became of it."""
    sections = [own_section(trusted(doc), name) for name in ("Goal", "TODO items")]
    return _keep(doc, why, "\n\n".join(one.span.of(doc.text).strip() for one in sections if one is not None))


def _keep(doc: Document, about: str, text: str) -> Document:
    block = f"{about}:\n\n{quoted(with_endings(text.strip(), chr(10)))}"
    section = own_section(trusted(doc), EARLIER)
    if section is None:
        return insert_section(doc, f"## {EARLIER}\n\n{block}")
    if block in with_endings(section.own.of(doc.text), "\n"):
        return doc
    return append_block(doc, section.own, block)


LONGEST_FACT = 2000
"""So many characters of a text the front matter takes: every reader goes through it, and the log has the text whole."""


def set_facts(doc: Document, facts: Mapping[str, Value]) -> Document:
    """The document with keys of its front matter set, long texts cut; an empty value takes the key out."""
    for key, value in facts.items():
        if isinstance(value, str) and len(value) > LONGEST_FACT:
            value = f"{value[: LONGEST_FACT - 1]}…"
        doc = set_key(doc, key, value) if value else remove_key(doc, key)
    return doc


def append_log(doc: Document, *entries: LogEntry) -> Document:
    """The document with the entries at the end of its log."""
    if not entries:
        return doc
    if own_section(trusted(doc), LOG) is None:
        doc = insert_section(doc, f"## {LOG}", before=own_section(doc, EARLIER))
    log = own_section(doc, LOG)
    if log is None:
        raise RuntimeError("the log didn't read back")
    text = "\n".join(f"- {format_entry(entry)}" for entry in entries)
    return append_block(doc, log.own, text, tight=bool(doc.items_in(log.own)))


def set_findings(doc: Document, text: str) -> Document:
    """The document with this text as its findings, which reads back exactly; without the section for an empty one."""
    section = own_section(doc, FINDINGS)
    if not text:
        return remove_section(doc, section) if section else doc
    return _put(doc, FINDINGS, set_in_exactly(text))


def take_plan(doc: Document, copy: str) -> Document:
    """Before approval: goal, steps, notes, questions and discovered work of a worker's copy, into orch's file.

    Answers are a person's: those in orch's file stay with their questions, one that the worker wrote itself is
    marked as proposed. Front matter, log and all else of the copy are passed over.
    """
    source = Document.parse(copy)
    asked = _merged(read_body(doc).questions, read_questions(part_text(source, QUESTIONS)))
    for part in (GOAL, STEPS, NOTES, DISCOVERED):
        text = part_source(source, part)
        if text or part in (GOAL, STEPS):
            doc = _put(doc, part, set_in(text or ""))
    text = part_source(source, QUESTIONS) or ""
    return _put(doc, QUESTIONS, set_in(text if asked is None else questions_text(asked)))


def take_progress(doc: Document, copy: str) -> Document:
    """After approval: ticks of steps that read the same, notes, discovered work and report of a worker's copy."""
    source = Document.parse(copy)
    doc = _with_ticks(doc, source)
    for part in (NOTES, DISCOVERED, REPORT):
        text = part_source(source, part)
        if text or (text is not None and part == REPORT):
            doc = _put(doc, part, set_in(text))
    return doc


def answer_question(doc: Document, number: int, text: str) -> Document:
    """The document with the answer under a question. Raises UserError where there is no such question."""
    questions = read_body(doc).questions
    if number not in [question.number for question in questions]:
        numbers = ", ".join(str(question.number) for question in questions)
        hint = f"the questions are {numbers}" if numbers else "its micro-plan asks nothing"
        raise UserError(f"there is no question {number}", hint=hint, code="no-question")
    answered = [replace(one, answer=text.strip()) if one.number == number else one for one in questions]
    return _put(doc, QUESTIONS, set_in(questions_text(answered)))


def append_answered(doc: Document, text: str, answer: str) -> Document:
    """The document with a question that somebody else asked about the task, and its answer, behind its own."""
    questions = read_body(doc).questions
    number = max((question.number for question in questions), default=0) + 1
    return _put(doc, QUESTIONS, set_in(questions_text([*questions, Question(number, text, answer.strip())])))


def append_step(doc: Document, text: str) -> Document:
    """The document with one more step, numbered as the others are."""
    steps = read_steps(doc)
    last = steps[-1] if steps else None
    is_numbered = last is not None and last[1].text.lstrip("*")[:1].isdigit()
    number = f"{last[0].number + 1}. " if last is not None and is_numbered else ""
    line = f"- [ ] {number}{' '.join(text.split())}"
    section = find_part(doc, STEPS)
    if section is None:
        return _put(doc, STEPS, line)
    return append_block(doc, section.body, line, tight=last is not None)


def _put(doc: Document, title: str, text: str) -> Document:
    """The document with the text as the content of a section, which is added in its order if it isn't there."""
    is_orchs = title in _ORCHS_OWN
    section = own_section(trusted(doc), title) if is_orchs else find_part(doc, title)
    if section is not None:
        doc = replace_content(doc, section.body, text)
        return doc if text or is_orchs else _without_twins(doc, title)
    if not text:
        return doc
    order = (*PARTS, FINDINGS, LOG, EARLIER)
    following = (own_section(doc, name) for name in order[order.index(title) + 1 :])
    before = next((one for one in following if one is not None), None)
    return insert_section(doc, f"## {title}\n\n{text}", before=before)


def _without_twins(doc: Document, title: str) -> Document:
    """The document in which no second section of a part that was emptied is read in its place: what somebody wrote
    there is kept, quoted, below Earlier."""
    while (section := find_part(doc, title)) is not None and (text := section.body.of(doc.text).strip()):
        doc = _keep(
            replace_content(doc, section.body, ""), f"Another section {title}, until the first one was emptied", text
        )
    return doc


def _with_ticks(doc: Document, source: Document) -> Document:
    marks: dict[str, list[str]] = {}
    for step, _ in read_steps(source):
        marks.setdefault(" ".join(step.text.split()), []).append(step.mark)
    edits = []
    for step, item in read_steps(doc):
        found = marks.get(" ".join(step.text.split()))
        mark = found.pop(0) if found else ""
        if mark and mark in " xX" and item.box_span is not None and item.box != mark:
            edits.append(Edit(item.box_span, mark))
    return doc.edited(*edits) if edits else doc


def _merged(kept: Sequence[Question], asked: Sequence[Question]) -> list[Question] | None:
    """The copy's questions with the answers that orch's file has; None where the copy can be taken as it is."""
    answers = {_asked(question): question.answer for question in kept if question.answer}
    merged: list[Question] = []
    for question in asked:
        answer = answers.pop(_asked(question), "")
        text = question.text
        if question.answer and question.answer != answer:
            text += f"\n{PROPOSED}: {' '.join(question.answer.split())}"
        merged.append(Question(question.number, text, answer))
    is_same = all(
        one.text == other.text and one.answer == other.answer for one, other in zip(merged, asked, strict=True)
    )
    if is_same and not answers:
        return None
    # An answered question that the copy no longer asks stays: a person wrote the answer.
    left = [question for question in kept if _asked(question) in answers]
    first = max((question.number for question in merged), default=0) + 1
    return merged + [replace(question, number=first + index) for index, question in enumerate(left)]


def _asked(question: Question) -> str:
    """The question as it is compared: without a proposed answer, blind to white space."""
    return " ".join(question.text.partition(f"\n{PROPOSED}:")[0].split()).casefold()
