"""`orch gate`: what waits for a judgement, in a form that a person or a session can answer."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.session import Session
from orchestrator.engine.status import look, next_command
from orchestrator.errors import Exit, UserError
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import Stage, standing
from orchestrator.views.documents import gate_document
from orchestrator.views.gate import answer_lines, asked_about, gate_lines


def show_gate(session: Session, names: Sequence[str] = ()) -> Outcome:
    """Digests, findings and questions of the plans at the gate: all of them, or those named.

    Exit 3 while something waits, 0 if nothing does. Raises UserError for a task that isn't at the gate.
    """
    orchestration = load_current(session.planning)
    keys = _named(session, orchestration, names) if names else waiting(orchestration)
    if names:
        orchestration = session.planning.load(with_tasks=frozenset({*orchestration.tasks, *keys}))
    if not keys and not asked_about(orchestration, ()):
        return Outcome(
            outcome="nothing",
            exit_code=Exit.DONE,
            next=next_command(session, *look(session)),
            lines=("no plan waits at the gate",),
            data=gate_document(orchestration, ()),
        )
    first = answer_lines(orchestration, keys, number=session.asked)[0]
    return Outcome(
        outcome="waiting",
        exit_code=Exit.WAITING,
        next=first,
        # What comes next isn't said twice.
        lines=tuple(line for line in gate_lines(orchestration, keys, number=session.asked) if line != first),
        data=gate_document(orchestration, keys),
    )


def waiting(orchestration: Orchestration) -> tuple[TaskKey, ...]:
    """The tasks whose micro-plans are at the gate, in plan order."""
    return tuple(
        key
        for key in orchestration.plan.in_waves()
        if key in orchestration.tasks and standing(orchestration.tasks[key].log).stage is Stage.AT_GATE
    )


def _named(session: Session, orchestration: Orchestration, names: Sequence[str]) -> tuple[TaskKey, ...]:
    keys = tuple(find_task(orchestration.plan, name) for name in names)
    for key in keys:
        stage = standing(session.planning.task(key).log).stage
        if stage is not Stage.AT_GATE:
            raise UserError(
                f"{key} has no plan at the gate: {stage.words}", hint=f"orch show {key}", code="not-at-gate"
            )
    return keys
