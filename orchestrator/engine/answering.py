"""`orch answer` and `orch ask`: an entry of the question queue, by command. They record; next-wave acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orchestrator.engine.by_command import begin
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.questions import entered, last_number, settle, state_names
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.session import Session
from orchestrator.engine.status import look, what_next
from orchestrator.errors import Exit, OrchError, UserError
from orchestrator.formats.guest_text import with_endings
from orchestrator.formats.question_edits import answer_question, withdraw_question
from orchestrator.formats.questions import read_questions
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.questions import Asked, Audience, answer_command, chosen, question_key
from orchestrator.model.stage import Stage, standing
from orchestrator.model.waves import pick


def answer(session: Session, pairs: Sequence[tuple[str, str]], *, other: bool = False, by: str = "session") -> Outcome:
    """Answer questions of the queue, each by itself: (id, text). Exit 1 if any was refused; the others stand.

    other: an answer that is none of a question's options is meant so. by: `person` or `session`; a session may not
    answer what is for a person.
    """
    return _end(session, "answer", pairs, by=by, end=_answered if other else _chosen)


def withdraw(session: Session, ids: Sequence[str], reason: str, *, by: str = "session") -> Outcome:
    """End questions without an answer, as `answer` does."""
    return _end(session, "answer", [(one, reason) for one in ids], by=by, end=_withdrawn)


def ask(
    session: Session,
    name: str,
    text: str,
    *,
    audience: str = str(Audience.PERSON),
    options: Sequence[str] = (),
    recommended: str = "",
    key: str = "",
    by: str = "session",
) -> Outcome:
    """Put a question about a task into the queue; one that is asked already isn't asked twice.

    A task before approval can't be approved while it is open; one after approval waits at the end of its turn.
    Raises UserError for a task that has ended.
    """
    plan, recorder = begin(session, "ask", lacks="queue")
    task = find_task(plan, name)
    now = standing(session.planning.task(task).log)
    if now.is_over:
        word = "landed" if now.stage is Stage.LANDED else str(now.decided)
        raise UserError(
            f"{task} has ended ({word}): nothing waits for an answer about it",
            hint="ask about a task that is still to be done",
            code="landed" if now.stage is Stage.LANDED else "not-open",
        )
    whole = _with_options(text.strip(), options, recommended)
    asked = Asked(
        number=0,
        task=task,
        text=whole,
        key=key or question_key(whole),
        audience=Audience(audience),
        date=recorder.now()[:10],
        unblocks=(task,),
    )
    floor = last_number(recorder)
    found = asked

    def change(document: Document) -> Document:
        nonlocal found
        document, found = entered(document, state_names(recorder, document), asked, floor=floor)
        return document

    session.planning.change_state(change)
    settle(recorder, task, by=by)
    waits = "; its worker goes on to the end of its turn" if now.is_in_flight else ""
    return Outcome(
        outcome="done",
        next=session.with_number(answer_command([found])),
        lines=(f"{found.id} asked about {task}, for {found.audience}{waits}",),
        data={"orchestration": plan.number, "question": found.id, "task": str(task)},
    )


def _with_options(text: str, options: Sequence[str], recommended: str) -> str:
    for one in (*options, recommended):
        if "·" in one or "\n" in one:
            raise UserError(
                f'the option "{one[:40]}" can\'t be told from others',
                hint="an option is one line without `·`; say more in the question",
                code="bad-option",
            )
    if recommended and options and recommended not in options:
        raise UserError(
            f'"{recommended}" is none of the options', hint=f"they are {', '.join(options)}", code="bad-option"
        )
    if options:
        text += f" Options: {' · '.join(option.strip() for option in options)}."
    return f"{text} Recommended: {recommended.strip()}." if recommended else text


_Ending = Callable[[Document, Recorder, Asked, str], Document]


def _end(session: Session, verb: str, pairs: Sequence[tuple[str, str]], *, by: str, end: _Ending) -> Outcome:
    plan, recorder = begin(session, verb, lacks="queue")
    results: list[dict[str, object]] = []
    lines: list[str] = []
    for name, text in pairs:
        try:
            asked = _end_one(recorder, name, text.strip(), by=by, end=end)
        except OrchError as error:
            results.append(
                {"question": name, "ok": False, "code": error.code, "message": error.message, "fix": error.hint}
            )
            lines.append(f"{name} not answered: {error.message}" + (f"; {error.hint}" if error.hint else ""))
            continue
        word = "withdrawn" if end is _withdrawn else "answered"
        results.append({"question": asked.id, "ok": True, "code": word, "message": "", "fix": ""})
        lines.append(f"{asked.id} {word}" + (f": {_reaches(session, asked.task)}" if asked.task else ""))
    is_refused = any(not result["ok"] for result in results)
    first, following = what_next(session, *look(session)) if is_refused else ("", session.go_on())
    return Outcome(
        outcome="fix" if is_refused else "done",
        exit_code=Exit.FIX if is_refused else Exit.DONE,
        next=following,
        first=first,
        lines=tuple(lines),
        data={"orchestration": plan.number, "results": results},
    )


def _reaches(session: Session, task: TaskKey) -> str:
    """When its task gets an answer: what a later wave is told waits for that wave."""
    current = pick(session.planning.load(with_tasks=())).current
    is_later = current is not None and current.number < task.wave
    return f"{task} gets it {f'when wave {task.wave} begins' if is_later else 'at the next orch next-wave'}"


def _end_one(recorder: Recorder, name: str, text: str, *, by: str, end: _Ending) -> Asked:
    if text.strip(" .…") == "":
        raise UserError("the answer is a placeholder", hint=f'orch answer {name} "what you decide"', code="no-answer")
    found: list[Asked] = []

    def change(document: Document) -> Document:
        asked = _find(recorder, document, name)
        if asked.audience is Audience.PERSON and by != "person":
            raise UserError(
                f"{asked.id} is for a person",
                hint=f"once a person has decided: orch answer --person {asked.id} …",
                code="for-person",
            )
        found.append(asked)
        return end(document, recorder, asked, text)

    recorder.planning.change_state(change)
    return found[-1]


def _find(recorder: Recorder, document: Document, name: str) -> Asked:
    questions, _ = read_questions(document, state_names(recorder, document))
    word = name.strip().upper().removeprefix("Q")
    for one in questions:
        if str(one.number) == word:
            return one
    still = [one.id for one in questions if one.is_open]
    hint = f"open are {', '.join(still)}" if still else "no question is open"
    raise UserError(f"there is no question {name}", hint=hint, code="no-question")


def _chosen(document: Document, recorder: Recorder, asked: Asked, text: str) -> Document:
    if asked.is_open and not chosen(asked, text):
        person = "--person " if asked.audience is Audience.PERSON else ""
        raise UserError(
            f'"{" ".join(text.split())[:40]}" is none of the options of {asked.id}: {" · ".join(asked.options)}',
            hint=f"orch answer --other {person}{asked.id} … takes any words",
            code="no-option",
        )
    return _answered(document, recorder, asked, text)


def _answered(document: Document, recorder: Recorder, asked: Asked, text: str) -> Document:
    if not asked.is_open:
        _refuse_again(asked, text, asked.answer)
    return answer_question(document, state_names(recorder, document), asked.number, text)


def _withdrawn(document: Document, recorder: Recorder, asked: Asked, text: str) -> Document:
    if not asked.is_open:
        _refuse_again(asked, text, asked.withdrawn)
    return withdraw_question(document, state_names(recorder, document), asked.number, text)


def _refuse_again(asked: Asked, text: str, there: str) -> None:
    if there != with_endings(text.strip(), "\n"):
        how = "answered" if asked.answer else "withdrawn"
        said = " ".join((asked.answer or asked.withdrawn).split())[:80]
        raise UserError(
            f"{asked.id} is {how} already: {said}",
            hint="change the words in STATE by hand before the next orch next-wave, or ask anew",
            code="answered-already",
        )
