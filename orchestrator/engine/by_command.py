"""What the commands that decide about a task have in common: how they begin, and what they answer.

Knows no command by name. What is decided is each command's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.outcome import Outcome
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.errors import UserError
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry, format_entry
from orchestrator.model.plan import Plan
from orchestrator.store.receipts import leave_receipt


def begin(session: Session, verb: str, *, lacks: str = "board") -> tuple[Plan, Recorder]:
    """The plan, and what writes a decision down. Raises UserError for a worker, and before there is a STATE, which
    `lacks` what the command changes."""
    refuse_worker(session, verb)
    plan = session.planning.plan().value
    if session.planning.state_document() is None:
        raise UserError(
            f"orchestration {plan.number} hasn't begun: there is no {lacks} yet",
            hint="change the plan itself, or run orch next-wave first",
            code="not-begun",
        )
    return plan, recorder_beside(session, plan)


def recorder_beside(session: Session, plan: Plan) -> Recorder:
    """What writes a command's decisions down. While another orch is at work, which otherwise couldn't tell them from
    what a worker wrote, the lines are left as a receipt too."""

    def leave(key: TaskKey, lines: Sequence[LogEntry]) -> None:
        if session.other_orch():
            text = "".join(f"{format_entry(entry)}\n" for entry in lines)
            leave_receipt(session.layout.receipts_dir(), str(key), text)

    return Recorder(session.planning, plan, session.now, leave)


def recorded(session: Session, keys: Sequence[TaskKey], code: str, lines: Sequence[str]) -> Outcome:
    """The answer to a decision that is written down for these tasks: next-wave acts on it."""
    return Outcome(
        outcome="done",
        next=session.go_on(),
        lines=tuple(lines),
        data={
            "orchestration": session.number,
            "results": [{"task": str(key), "ok": True, "code": code} for key in keys],
        },
    )
