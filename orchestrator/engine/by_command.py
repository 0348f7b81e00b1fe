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
from orchestrator.model.plan import Plan


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
    return plan, Recorder(session.planning, plan, session.now)


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
