"""`orch approve` and `orch revise`: the two answers to a micro-plan. They record; next-wave acts.

They work while next-wave runs: every change is made under the write lock on the file as it stands then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from orchestrator.engine.approving import UNAPPROVED, end_review, held_errors, record_approval
from orchestrator.engine.by_command import recorded, recorder_beside
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.questions import settle
from orchestrator.engine.recorder import DocumentChange, Recorder
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.engine.status import look, what_next
from orchestrator.errors import Exit, OrchError, UserError
from orchestrator.formats.task_file import answer_question, read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import STALE, diff_judge, is_stale
from orchestrator.model.ladder import MOST_SEND_BACKS
from orchestrator.model.log import LogEntry
from orchestrator.model.plan import Plan
from orchestrator.model.questions import Asked, Audience, answer_command, question_key
from orchestrator.model.settling import names_of
from orchestrator.model.stage import Stage, standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.views.folding import counted


def approve(
    session: Session,
    names: Sequence[str],
    *,
    answers: Mapping[int, str] | None = None,
    force: bool = False,
    why: str = "",
    by: str = "session",
) -> Outcome:
    """Approve each named plan that may be approved. Exit 1 if any was refused; the others stand."""
    refuse_worker(session, "approve")
    plan = session.planning.plan().value
    recorder = recorder_beside(session, plan)
    _try_board(session)
    results: list[dict[str, object]] = []
    lines: list[str] = []
    following = ""
    for name in dict.fromkeys(names):
        kept = ""
        try:
            key = find_task(plan, name)
            with session.planning.locked():
                # Nobody else's word may come between the look and what is written.
                task = session.planning.task(key)
                is_change = _is_change(session, task)
                if is_change:
                    _approve_change(recorder, key, task, by=by, why=why)
            if is_change:
                end_review(session, key, task)
                results.append({"task": str(key), "ok": True, "code": "approved", "message": "", "fix": ""})
                lines.append(f"{key} approved: its change lands at the next orch next-wave")
                continue
            with session.planning.locked():
                task = session.planning.task(key)
                _refuse_stage(key, task)
                _refuse_stale(session, plan, key, task)
                waiting = settle(recorder, key)
                task = session.planning.task(key)
                change = _answers(answers or {})
                _refuse_answers(key, task, answers or {})
                try:
                    _refuse(key, task, answers or {}, force=force, waiting=waiting, by=by)
                    _refuse_asked(task, waiting, answers or {}, by=by)
                except UserError:
                    kept = _keep(recorder, key, task, waiting, answers or {}, by=by)
                    raise
                forced = force and bool(held_errors(task))
                record_approval(recorder, key, by="forced" if forced else by, why=why if forced else "", change=change)
                settle(recorder, key)
            end_review(session, key, task)
        except OrchError as error:
            if error.code == "approved-already" and not answers:
                # What was asked for is so.
                said = {"task": name, "ok": True, "code": error.code, "message": error.message, "fix": error.hint}
                results.append(said)
                lines.append(f"{error.message}; {error.hint}")
                continue
            if error.code == "open-question" and len(names) == 1:
                following = session.with_number(error.hint)
            results.append({"task": name, "ok": False, "code": error.code, "message": error.message, "fix": error.hint})
            lines.append(f"{name} not approved: {error.message}" + (f"; {error.hint}" if error.hint else "") + kept)
            continue
        results.append({"task": str(key), "ok": True, "code": "approved", "message": "", "fix": ""})
        lines.append(f"{key} approved: {_what_next(plan, key, task)}")
    refused = {str(result["code"]) for result in results if not result["ok"]}
    first, then = ("", following) if following else _then(session, refused - {"approved-already"})
    return Outcome(
        outcome="fix" if refused else "done",
        exit_code=Exit.FIX if refused else Exit.DONE,
        next=then,
        first=first,
        lines=tuple(lines),
        data={"orchestration": plan.number, "results": results},
    )


def _then(session: Session, refused: Collection[str]) -> tuple[str, str]:
    """What comes next where something was refused is whatever most needs somebody now."""
    return what_next(session, *look(session)) if refused else ("", session.go_on())


def revise(session: Session, name: str, message: str, *, by: str = "session") -> Outcome:
    """Send a plan back with what is to change, also an approved one whose work hasn't been started.

    Raises UserError for any other.
    """
    refuse_worker(session, "revise")
    plan = session.planning.plan().value
    key = find_task(plan, name)
    task = session.planning.task(key)
    if _is_change(session, task) and message.strip():
        return _revise_change(session, key, task, message.strip(), by=by)
    _refuse_revising(key, task.log)
    if standing(task.log).sent_back >= MOST_SEND_BACKS:
        raise UserError(
            f"the plan of {key} was sent back {MOST_SEND_BACKS} times already",
            hint=f"write it yourself: orch takeover {key} --file PLAN.md; or approve it",
            code="sent-back-twice",
        )
    if not message.strip():
        raise UserError("the message is empty", hint=f'say what is to change: orch revise {key} -m "…"', code="empty")
    recorder = recorder_beside(session, plan)
    _try_board(session)

    def change(document: Document) -> Document:
        # Once more on the file as it stands under the lock: next-wave may have started the work meanwhile.
        _refuse_revising(key, read_task_file(document, key).value.log)
        return document

    entry = recorder.entry("revised", by=by, why=message.strip())
    recorder.move(key, Status.PLANNING, entry, facts=UNAPPROVED, change=change)
    end_review(session, key, task)
    return recorded(
        session, [key], "revised", [f"{key} sent back; its worker gets your message with the next plan turn"]
    )


def _is_change(session: Session, task: TaskFile) -> bool:
    """Whether what can be answered now is a verified change and not a plan."""
    now = standing(task.log)
    return now.is_before_landing and diff_judge(session.planning.load(with_tasks=()).settings, now) != "none"


def _approve_change(recorder: Recorder, key: TaskKey, task: TaskFile, *, by: str, why: str) -> None:
    # Here and not above: it needs git, which plans don't.
    from orchestrator.engine.judging_changes import approve_change

    now = standing(task.log)
    if now.judged == now.verified_tree:
        raise UserError(f"{key} is approved already", hint="orch next-wave lands it", code="approved-already")
    approve_change(recorder, key, now, by=by, why=why)


def _revise_change(session: Session, key: TaskKey, task: TaskFile, message: str, *, by: str) -> Outcome:
    from orchestrator.engine.judging_changes import revise_change

    _try_board(session)
    revise_change(session, key, standing(task.log), message, by=by)
    end_review(session, key, task)
    then = standing(session.planning.task(key).log)
    what = "blocked" if then.stage is Stage.BLOCKED else "sent back; its worker gets your message"
    return recorded(session, [key], "revised", [f"{key} {what}"])


def _try_board(session: Session) -> None:
    """Raise what a change of STATE would raise, before anything is written: an answer is recorded whole or not."""
    if session.planning.state_document() is None:
        raise UserError(
            f"orchestration {session.number} has no board: it hasn't begun, or its STATE is gone",
            hint="run orch next-wave; it says which",
            code="not-begun",
        )
    session.planning.change_state(lambda document: document)


def _what_next(plan: Plan, key: TaskKey, task: TaskFile) -> str:
    goal = (task.micro_plan.goal.strip().split("\n")[0] or plan.spec(key).title).rstrip(".")
    return f"{goal}. Its worker carries out {counted(len(task.micro_plan.steps), 'step')} at the next orch next-wave."


def _refuse_stage(key: TaskKey, task: TaskFile) -> None:
    now = standing(task.log)
    stage = now.stage
    if now.is_at_gate:
        return
    if stage is Stage.APPROVED:
        hint = f"orch next-wave goes on with it; orch revise {key} takes the approval back"
        raise UserError(f"{key} is approved already", hint=hint, code="approved-already")
    raise UserError(f"{key} has no plan at the gate: {stage.words}", hint=f"orch show {key}", code="not-at-gate")


def _refuse_stale(session: Session, plan: Plan, key: TaskKey, task: TaskFile) -> None:
    if is_stale(plan, task):
        raise UserError(
            f"{key} can't be approved: {STALE}", hint=f"{session.command('next-wave')} asks for it", code="spec-changed"
        )


def _refuse_revising(key: TaskKey, log: Sequence[LogEntry]) -> None:
    """Raise UserError where a plan can't be sent back: it isn't at the gate, or its work has been started."""
    now = standing(log)
    if now.is_at_gate or (now.stage is Stage.APPROVED and not now.is_continued):
        return
    what = "its work has been started" if now.stage is Stage.APPROVED else now.stage.words
    raise UserError(f"{key} has no plan at the gate: {what}", hint=f"orch show {key}", code="not-at-gate")


def _keep(
    recorder: Recorder,
    key: TaskKey,
    task: TaskFile,
    waiting: Sequence[Asked],
    answers: Mapping[int, str],
    *,
    by: str,
) -> str:
    """Record the answers that were given with an approval that is refused, but for those that a person has to give.
    Returns words that say so."""
    for_person = {name for one in waiting if one.audience is Audience.PERSON for name in names_of(one)}
    theirs = {one.number for one in task.micro_plan.questions if question_key(one.text) in for_person}
    given = {number: text for number, text in answers.items() if by == "person" or number not in theirs}
    if not given:
        return ""
    recorder.note(key, change=_answers(given))
    settle(recorder, key)
    return f"; {'answer' if len(given) == 1 else 'answers'} {', '.join(map(str, sorted(given)))} recorded"


def _refuse_answers(key: TaskKey, task: TaskFile, answers: Mapping[int, str]) -> None:
    """Raise UserError where nothing can be said of the plan: it has no steps, or lacks a question that is answered."""
    if not task.micro_plan.steps:
        raise UserError(
            "there is no plan to approve: its worker wrote no steps",
            hint=f'orch revise {key} -m "…", or set its board cell to pending to begin anew',
            code="no-plan",
        )
    empty = sorted(number for number, text in answers.items() if text.strip(" .…") == "")
    if empty:
        raise UserError(
            f"the answer to question {empty[0]} is a placeholder",
            hint=f'orch approve {key} --answer {empty[0]}="what you decide"',
            code="no-answer",
        )
    for question in task.micro_plan.questions:
        if question.number in answers and question.answer not in ("", answers[question.number].strip()):
            raise UserError(
                f"question {question.number} is answered already: {' '.join(question.answer.split())[:80]}",
                hint=f"orch approve {key} without that answer; or change the words in its todo file by hand",
                code="answered-already",
            )
    numbers = {question.number for question in task.micro_plan.questions}
    unknown = sorted(set(answers) - numbers)
    if unknown:
        there = ", ".join(str(number) for number in sorted(numbers)) or "none"
        raise UserError(
            f"the plan has no question {unknown[0]}", hint=f"its questions are numbered {there}", code="no-question"
        )


def _refuse(
    key: TaskKey, task: TaskFile, answers: Mapping[int, str], *, force: bool, waiting: Sequence[Asked], by: str
) -> None:
    """Raise UserError where the plan may not be approved: open questions, errors without force."""
    still_open = [item for item in task.micro_plan.questions if not item.answer and item.number not in answers]
    if still_open:
        first = still_open[0]
        open_keys = {question_key(item.text) for item in still_open}
        unreached = [one for one in waiting if open_keys.intersection(names_of(one))]
        raise UserError(
            f"question {first.number} is open: {first.text[:120]}",
            hint=answer_command(unreached)
            if any(one.audience is Audience.PERSON for one in unreached) and by != "person"
            else f"orch approve {key}" + "".join(f' --answer {item.number}="…"' for item in still_open),
            code="open-question",
        )
    errors = held_errors(task)
    if errors and not force:
        raise UserError(
            f"the checks hold an error against the plan: {errors[0]}",
            hint=f'orch revise {key} -m "…", or orch approve {key} --force --why "…"',
            code="plan-error",
        )


def _refuse_asked(task: TaskFile, waiting: Sequence[Asked], answers: Mapping[int, str], *, by: str) -> None:
    """Raise UserError where the queue holds an open question that these answers don't reach, or may not answer."""
    given = {question_key(one.text) for one in task.micro_plan.questions if one.number in answers}
    for one in waiting:
        if not given.intersection(names_of(one)):
            raise UserError(
                f"{one.id} is open: {' '.join(one.text.split())[:120]}",
                hint=answer_command([one]),
                code="open-question",
            )
        if one.audience is Audience.PERSON and by != "person":
            raise UserError(
                f"{one.id} is for a person",
                hint=f"once a person has decided: orch answer --person {one.id} …",
                code="for-person",
            )


def _answers(answers: Mapping[int, str]) -> DocumentChange:
    def change(document: Document) -> Document:
        for number, text in sorted(answers.items()):
            document = answer_question(document, number, text)
        return document

    return change
