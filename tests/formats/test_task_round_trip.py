"""Whatever a worker's copy holds: orch's file keeps its structure and reads as the copy does."""

from __future__ import annotations

from hypothesis import example, given, settings

from orchestrator.formats.task_file import (
    answer_question,
    append_log,
    new_task_file_text,
    read_micro_plan,
    read_task_file,
    set_findings,
    take_plan,
    take_progress,
    worker_copy_text,
)
from orchestrator.formats.todo_body import PARTS
from orchestrator.markdown.document import Document
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan, plan_hash
from tests.formats.foreign_text import endings, texts
from tests.support.planning import key

KEY = key("5.1.1")
ENTRY = LogEntry("2026-11-29T10:02:11Z", "started", {"turn": "plan"})
FRESH = append_log(Document.parse(new_task_file_text(KEY, "T")), ENTRY)


def plan(doc: Document) -> MicroPlan:
    return read_micro_plan(doc).value


def check(doc: Document) -> None:
    """Nothing but the sections' contents has changed."""
    tops = [section.heading.text for section in doc.sections if section.heading.level <= 2]
    assert tops == ["5.1.1 — T", *PARTS, "Log"]
    found = read_task_file(doc, KEY)
    assert (found.value.log, [problem for problem in found.problems if problem.is_error]) == ((ENTRY,), [])


@settings(max_examples=40)
@given(texts, texts, texts, texts)
@example("", "- [ ] a\n```\n- [ ] b", "", "")
@example("> x", "- [ ] 1. a\n\n  > b\n  >\n- [ ] 2. c", "1. a\n   Answer: b", ">")
def test_any_copy_is_taken_without_harm(goal: str, steps: str, notes: str, questions: str) -> None:
    copy = f"## Goal\n{goal}\n## TODO items\n{steps}\n## Notes\n{notes}\n## Questions\n{questions}\n"
    new = take_plan(FRESH, copy)
    check(new)
    taken, written = plan(new), plan(Document.parse(copy))
    assert plan_hash(taken) == plan_hash(written)
    assert [step.mark for step in taken.steps] == [step.mark for step in written.steps]
    assert all(question.answer == "" for question in taken.questions)
    assert take_plan(new, copy).text == new.text
    again = worker_copy_text(new, KEY, "T")
    assert plan_hash(plan(Document.parse(again))) == plan_hash(taken)
    for change in (take_plan, take_progress):
        assert change(new, again).text == new.text


@settings(max_examples=40)
@given(texts, texts, texts)
def test_any_progress_is_taken_without_harm(notes: str, discovered: str, report: str) -> None:
    base = take_plan(FRESH, "## Goal\n\nx\n\n## TODO items\n\n- [ ] a\n")
    copy = f"## Notes\n{notes}\n## Discovered\n{discovered}\n## Report\n{report}\n"
    new = take_progress(base, copy)
    check(new)
    taken, written = plan(new), plan(Document.parse(copy))
    assert (taken.notes, taken.discovered) == (written.notes, written.discovered)
    assert taken.report == written.report
    assert plan_hash(taken) == plan_hash(plan(base))
    assert take_progress(new, copy).text == new.text


@settings(max_examples=40)
@given(texts, endings)
def test_findings_come_back_as_they_went_in(text: str, ending: str) -> None:
    doc = Document.parse(FRESH.text.replace("\n", ending))
    new = set_findings(doc, text)
    found = read_task_file(new, KEY)
    assert (found.value.findings.replace("\r\n", "\n"), found.value.log) == (text, (ENTRY,))
    assert set_findings(new, text).text == new.text
    assert set_findings(new, "").text == doc.text


@settings(max_examples=40)
@given(texts, texts)
@example("", "```")
def test_an_answer_of_any_words_is_an_answer(question: str, answer: str) -> None:
    doc = take_plan(FRESH, f"## Questions\n\n1. First?\n2. {question}\n")
    questions = plan(doc).questions
    new = answer_question(doc, questions[0].number, answer)
    check(new)
    after = plan(new).questions
    assert [one.text for one in after] == [one.text for one in questions]
    assert [" ".join(one.answer.split()) for one in after] == [
        " ".join(answer.split()),
        *(one.answer for one in questions[1:]),
    ]
