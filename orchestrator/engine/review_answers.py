"""What follows from a reviewer's answer: an approval, a plan or a change sent back, or a wait for a person.

An answer counts only for exactly what was asked about: everything is looked at once more under the lock that writes it
down. Must not know how a reviewer is run.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.engine.approving import UNAPPROVED, record_approval
from orchestrator.engine.failing import above, climb, one_line
from orchestrator.engine.judging_changes import approval_of, send_back
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.engine.turns import OvertakenError
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import errors_held
from orchestrator.model.ladder import MOST_SEND_BACKS, Rung
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import plan_hash
from orchestrator.model.questions import open_ones
from orchestrator.model.review import Answer
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts, TaskFile

WORDS = {"plan": "plan", "diff": "change"}
"""What people call that which is reviewed."""


class ChangedError(Exception):
    """What was judged isn't what stands there now."""


def take_in(run: Run, key: TaskKey, now: Standing, answer: Answer | str, told: Mapping[str, str]) -> None:
    """Record the answer and what follows from it. told: what the log says of its turn besides.

    Raises OvertakenError where somebody else has answered meanwhile, ChangedError where what stands there now isn't
    what was asked about.
    """

    def as_asked(document: Document) -> Document:
        task = read_task_file(document, key).value
        if standing(task.log).stage is not Stage.REVIEWING:
            raise OvertakenError
        if now.reviewed == "diff":
            if standing(task.log).verified_tree != now.asked:
                raise ChangedError
        elif plan_hash(task.micro_plan) != now.asked or errors_held(task.findings) or _is_asked(task):
            raise ChangedError
        elif open_ones(run.session.planning.load(with_tasks=()).state.asked(key), key):
            # Asked meanwhile by somebody else: what is decided belongs to what a reviewer reads.
            raise ChangedError
        return document

    by = _reviewer_name(run, key)
    if isinstance(answer, str):
        why = f"its reviewer gave no answer: {answer}"
        run.recorder.note(key, ended(run, told, answer="none", why=why), change=as_asked)
        run.say(f"{key}: its {WORDS[now.reviewed]} waits for a person: {why}")
        return
    reasons = answer.text
    is_plan = now.reviewed == "plan"
    if (run.limits.gate if is_plan else run.settings.review_diff) != "review":
        # It was asked under another setting; whoever changed that wants to judge by themselves.
        why = f"its reviewer {'approves' if answer.approves else 'sends it back'}"
        why += f": {reasons}" if reasons else ""
        run.recorder.note(key, ended(run, told, answer="kept", why=why), change=as_asked)
        run.say(f"{key}: its {WORDS[now.reviewed]} waits for a person: {one_line(why, 160)}")
        return
    if not is_plan:
        before = ended(run, told, answer="approve" if answer.approves else "revise")
        if answer.approves:
            run.recorder.note(key, before, approval_of(run.recorder, now, by=by, why=reasons), change=as_asked)
            run.say(f"{key}: change approved by its reviewer")
        else:
            send_back(run, key, reasons, by=by, before=(before,), change=as_asked)
        return
    if answer.approves:
        record_approval(
            run.recorder, key, by=by, why=reasons, before=(ended(run, told, answer="approve"),), change=as_asked
        )
        run.say(f"{key}: plan approved by its reviewer")
        return
    _send_back(run, key, now, by, reasons, as_asked, told)


def _send_back(
    run: Run, key: TaskKey, now: Standing, by: str, why: str, as_asked: DocumentChange, told: Mapping[str, str]
) -> None:
    """The ladder's row: twice to its worker, then to the orchestrator, unattended to the next tier."""
    if now.sent_back < MOST_SEND_BACKS:
        entry = run.recorder.entry("revised", by=by, why=why)
        before = ended(run, told, answer="revise")
        run.recorder.move(key, Status.PLANNING, before, entry, facts=UNAPPROVED, change=as_asked)
        run.say(f"{key}: plan sent back by its reviewer: {one_line(why, 160)}")
        return
    tier = above(run, key)
    said_so = f"its reviewer would send it back again, after {MOST_SEND_BACKS} times: {why}"
    last = ended(run, told, answer="revise", why=said_so)
    if tier and not run.limits.is_attended:
        failed = run.recorder.entry("failed", kind="plan", next="tier", why=one_line(said_so))
        climb(run, key, Rung(Counts(), "plan", tier), last, failed, facts={}, change=as_asked)
        return
    run.recorder.note(key, last, change=as_asked)
    run.say(f"{key}: plan at the gate: {one_line(said_so, 160)}")


def _is_asked(task: TaskFile) -> bool:
    return any(not question.answer for question in task.micro_plan.questions)


def _reviewer_name(run: Run, key: TaskKey) -> str:
    """`review` and who that is: the model of the last review turn, else its driver."""
    started = [entry for entry in run.task(key).log if entry.event == "started" and entry.get("turn") == "review"]
    return f"review {started[-1].get('model') or started[-1].get('driver')}"


def ended(run: Run, told: Mapping[str, str], **values: str) -> LogEntry:
    """The log line of a review that came to its end."""
    return run.recorder.entry("ended", turn="review", outcome="finished", **values, **told)
