"""Doing what a person wrote into a board cell: the allowed edits of the table in model/ownership.py."""

from __future__ import annotations

from orchestrator.engine.approving import UNAPPROVED, held_errors, record_approval
from orchestrator.engine.failing import account_change, counts_value
from orchestrator.engine.leftovers import BEGUN_ANEW, end_work
from orchestrator.engine.line import leave
from orchestrator.engine.prepare import find_ready, forget, keep_attempt
from orchestrator.engine.questions import settle
from orchestrator.engine.run import Run
from orchestrator.engine.turns import OvertakenError
from orchestrator.formats.task_file import keep_plan, read_task_file, set_findings
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.stage import Stage, standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts

DROPPED = "Its plan until it was set to pending by hand"


def follow(run: Run, key: TaskKey, status: Status) -> None:
    """Carry out a person's edit of a cell."""
    if status is Status.APPROVED:
        _approve(run, key)
        return
    # The person wants it to stop or to start over: nothing may go on working in its tree.
    now = run.standing(key)
    end_work(run, key, now)
    # The row's note isn't the reason: it may have stood there long before.
    entry = run.recorder.entry("decided", to=str(status), by="person")
    facts: dict[str, Value] = {}
    if status is Status.PENDING:
        ready = find_ready(run, key)
        if ready and now.turns:
            keep_attempt(run, key, ready)
            forget(run, key)
        facts = BEGUN_ANEW
    had_plan = status is Status.PENDING and now.stage in (Stage.APPROVED, Stage.AT_GATE)
    if had_plan:
        # Perhaps an editor saved an old copy of STATE: that can't be told from a wish.
        run.degrade(
            f"{key} was set to pending by hand: its plan is dropped for a new one; it is kept below ## Earlier in "
            f"{run.layout.shown(run.layout.task_path(key))}: orch takeover {key} --file FILE brings it back"
        )
    if status is Status.DONE:
        run.degrade(f"{key} was set to done by hand: no commit of orch's stands behind it")
    run.recorder.move(
        key,
        status,
        entry,
        facts=facts,
        change=lambda document: set_findings(keep_plan(document, DROPPED) if had_plan else document, ""),
        in_state=account_change(run.layout, run.state, run.spec(key), (*run.task(key).log, entry)),
        follows=status,
    )
    run.say(f"{key}: {status} by hand")


def replan(run: Run, key: TaskKey) -> None:
    """The spec changed since its micro-plan was made: a new plan is asked for."""
    why = "the spec of the task changed since this plan was made"
    leave(run, key)
    facts: dict[str, Value] = {"counts": counts_value(Counts()), **UNAPPROVED}
    entry = run.recorder.entry("revised", by="spec", why=why)
    run.recorder.move(key, Status.PLANNING, entry, facts=facts, change=lambda document: set_findings(document, ""))
    run.say(f"{key}: its spec changed, a new plan is asked for")


def reopen(run: Run, key: TaskKey) -> None:
    """The micro-plan was changed after it was approved: the approval was for another one."""
    why = "the plan was changed after it was approved"
    run.recorder.move(key, Status.PLAN_READY, run.recorder.entry("planned", why=why), facts=UNAPPROVED)
    run.say(f"{key}: its plan was changed after it was approved; it is judged again")


def ask_again(run: Run, key: TaskKey, status: Status, why: str) -> None:
    """Write the cell of a plan at the gate back: whose word the approved in it is can't be told."""
    run.recorder.board(key, status)
    run.recorder.close(key, status)
    run.say(f"{key}: {why}")
    run.degrade(f"{key}: {why}; if it is yours, run orch approve {key}")


def _approve(run: Run, key: TaskKey) -> None:
    if waiting := settle(run.recorder, key):
        run.recorder.board(key, Status.PLAN_READY)
        run.degrade(f"{key} was set to approved by hand, but {', '.join(one.id for one in waiting)} is open")
        return
    errors = held_errors(run.task(key))
    if errors:
        # The cell stays as it stands until the person has looked; orch's own word is written back with the reason.
        run.recorder.board(key, Status.PLAN_READY)
        run.degrade(f"{key} was set to approved by hand, but its plan has errors: {errors[0]}")
        return
    if approve_at_gate(run, key, by="person", follows=Status.APPROVED):
        run.say(f"{key}: approved by hand")


def approve_at_gate(run: Run, key: TaskKey, *, by: str, follows: Status | None = None) -> bool:
    """Record an approval that was decided from an earlier look. False if somebody has judged the plan since."""

    def still(document: Document) -> Document:
        if not standing(read_task_file(document, key).value.log).is_at_gate:
            raise OvertakenError
        return document

    try:
        record_approval(run.recorder, key, by=by, follows=follows, change=still)
    except OvertakenError:
        return False
    return True
