"""The question queue: micro-plans' questions are entered in STATE, answers reach the micro-plan, cells follow.

STATE is written first, the todo file next, the cell last; what is due is worked out anew from the files each time,
so a killed call is finished by the next one. Must not start anything: an answer is taken in by the next next-wave.
"""

from __future__ import annotations

from orchestrator.engine.recorder import Recorder
from orchestrator.formats.question_edits import answer_question, enter_question, withdraw_question
from orchestrator.formats.questions import read_questions
from orchestrator.formats.row_names import RowNames, names_of
from orchestrator.formats.task_file import answer_question as answer_in_plan
from orchestrator.formats.task_file import append_answered, append_log, read_task_file, set_findings
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.micro_plan import Question
from orchestrator.model.questions import Asked, audience_in, question_key
from orchestrator.model.settling import Settling, asked_by, settling
from orchestrator.model.stage import standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import replace
from orchestrator.whole_numbers import whole_number

WITHDRAWN = "withdrawn: "
"""How a micro-plan is told that one of its questions is settled without an answer."""


def settle(recorder: Recorder, key: TaskKey, *, by: str = "hand") -> tuple[Asked, ...]:
    """Bring STATE, micro-plan and cell together. Returns the open questions that the task waits for now.

    by: who asked what the log doesn't know yet and the micro-plan doesn't ask.
    """
    due = _due(recorder, key)
    if due.enter or due.close or due.withdraw:
        floor = last_number(recorder) if due.enter else 0
        recorder.planning.change_state(lambda document: _in_state(recorder, document, key, due, floor))
        due = _due(recorder, key)
    if due.note or due.take:
        recorder.note(key, change=lambda document: _in_task(recorder, document, key, by))
        due = _due(recorder, key)
    queue = _queue(recorder, key)
    waiting = tuple(one for one in queue if one.is_open)
    if due.cell is not None:
        words = {"q": ",".join(one.id for one in waiting)}
        event = "asked" if due.cell is Status.NEEDS_INPUT else "answered"
        recorder.move(key, due.cell, recorder.entry(event, **words))
    return waiting


def last_number(recorder: Recorder) -> int:
    """The highest number that any task's log knows: a question's number isn't given again, though its entry be gone."""
    numbers = [0]
    for task in recorder.planning.load(with_tasks="all").tasks.values():
        for entry in task.log:
            if entry.event == "asked":
                numbers += [whole_number(word[1:]) or 0 for word in entry.get("q").split(",")]
    return max(numbers)


def state_names(recorder: Recorder, document: Document) -> RowNames:
    """The names by which STATE's questions may call tasks."""
    return names_of(recorder.plan, document)


def entered(document: Document, names: RowNames, asked: Asked, *, floor: int) -> tuple[Document, Asked]:
    """The document with a question, numbered behind all others; as it is where it asks that already."""
    there, _ = read_questions(document, names)
    for one in there:
        if one.is_open and one.task == asked.task and one.key == asked.key:
            return document, one
    asked = replace(asked, number=max([floor, *(one.number for one in there)]) + 1)
    return enter_question(document, names, asked), asked


def _due(recorder: Recorder, key: TaskKey) -> Settling:
    task = recorder.planning.task(key)
    return settling(_queue(recorder, key), task, standing(task.log), key)


def _queue(recorder: Recorder, key: TaskKey) -> tuple[Asked, ...]:
    return recorder.planning.load(with_tasks=()).state.asked(key)


def _in_state(recorder: Recorder, document: Document, key: TaskKey, due: Settling, floor: int) -> Document:
    names = state_names(recorder, document)
    for question in due.enter:
        document, _ = entered(document, names, _from_plan(recorder, key, question), floor=floor)
    still_open = {one.number for one in read_questions(document, names)[0] if one.is_open}
    for one, answer in due.close:
        if one.number in still_open:
            document = answer_question(document, names, one.number, answer)
    for one, reason in due.withdraw:
        if one.number in still_open:
            document = withdraw_question(document, names, one.number, reason)
    return document


def _from_plan(recorder: Recorder, key: TaskKey, question: Question) -> Asked:
    return Asked(
        number=0,
        task=key,
        text=question.text,
        key=question_key(question.text),
        audience=audience_in(question.text),
        date=recorder.now()[:10],
        unblocks=(key,),
    )


def _in_task(recorder: Recorder, document: Document, key: TaskKey, by: str) -> Document:
    # Worked out once more on the file as it stands under the lock: two calls may have seen the same answer.
    task = read_task_file(document, key).value
    due = settling(_queue(recorder, key), task, standing(task.log), key)
    for one in due.note:
        who = asked_by(task, one) or by
        document = append_log(document, recorder.entry("asked", q=one.id, key=one.key, by=who))
    for one, number in due.take:
        document = _taken(document, key, one, number)
        ended = {"withdrawn": "yes"} if not one.answer else {}
        document = append_log(document, recorder.entry("answered", q=one.id, **ended))
    return document


def _taken(document: Document, key: TaskKey, one: Asked, number: int | None) -> Document:
    text = one.answer or WITHDRAWN + one.withdrawn
    if number is not None:
        document = answer_in_plan(document, number, text)
        return _without_finding(document, read_task_file(document, key).value, number)
    # Asked by somebody else: what was decided is for the worker to read all the same.
    return append_answered(document, one.text, one.answer) if one.answer else document


def _without_finding(document: Document, task: TaskFile, number: int) -> Document:
    """The document without the finding that the question is open, which it no longer is."""
    lines = task.findings.split("\n")
    kept = [line for line in lines if line != f"- warning: question {number} is open"]
    return document if kept == lines else set_findings(document, "\n".join(kept))
