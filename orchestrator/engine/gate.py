"""`orch gate`: what waits for a judgement, in a form that a person or a session can answer."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.session import Session
from orchestrator.engine.status import look, what_next
from orchestrator.errors import Exit, UserError
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import awaits_judgement
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.views.documents import gate_document
from orchestrator.views.gate import answer_lines, asked_about, gate_lines
from orchestrator.views.gate_changes import change_answers, change_document, change_lines


def show_gate(session: Session, names: Sequence[str] = ()) -> Outcome:
    """Digests, findings and questions of the plans at the gate: all of them, or those named.

    Exit 3 while something waits, 0 if nothing does. Raises UserError for a task that isn't at the gate.
    """
    orchestration = load_current(session.planning)
    keys = _named(session, orchestration, names) if names else waiting(orchestration)
    if names:
        orchestration = session.planning.load(with_tasks=frozenset({*orchestration.tasks, *keys}))
    if not keys and not asked_about(orchestration, ()):
        first, following = what_next(session, *look(session))
        return Outcome(
            outcome="nothing",
            exit_code=Exit.DONE,
            next=following,
            first=first,
            lines=("no plan waits at the gate",),
            data=gate_document(orchestration, ()),
        )
    changes = tuple(key for key in keys if standing(orchestration.task(key).log).is_before_landing)
    if changes:
        return _with_changes(session, orchestration, tuple(key for key in keys if key not in changes), changes)
    answer = answer_lines(orchestration, keys, number=session.asked)[0]
    return Outcome(
        outcome="waiting",
        exit_code=Exit.WAITING,
        next=answer,
        # What comes next isn't said twice.
        lines=tuple(line for line in gate_lines(orchestration, keys, number=session.asked) if line != answer),
        data=gate_document(orchestration, keys),
    )


def _with_changes(
    session: Session, orchestration: Orchestration, plans: Sequence[TaskKey], changes: Sequence[TaskKey]
) -> Outcome:
    # Here and not above: it needs git, which plans don't.
    from orchestrator.engine.judging_changes import sizes_of

    sizes = {key: sizes_of(session, orchestration, key) for key in changes}
    lines: list[str] = []
    if plans or asked_about(orchestration, ()):
        lines += [*gate_lines(orchestration, plans, number=session.asked), ""]
    lines += change_lines(orchestration, sizes, number=session.asked)
    first = change_answers(changes, number=session.asked)[0]
    document = [change_document(orchestration, key, files) for key, files in sizes.items()]
    return Outcome(
        outcome="waiting",
        exit_code=Exit.WAITING,
        next=first,
        lines=tuple(line for line in lines if line != first),
        data={**gate_document(orchestration, plans), "changes": document},
    )


def waiting(orchestration: Orchestration) -> tuple[TaskKey, ...]:
    """The tasks whose micro-plans are at the gate, or whose changes wait to land, in plan order."""
    return tuple(
        key
        for key in orchestration.plan.in_waves()
        if key in orchestration.tasks and _waits(orchestration, standing(orchestration.tasks[key].log))
    )


def _waits(orchestration: Orchestration, now: Standing) -> bool:
    if now.stage is Stage.VERIFIED:
        return awaits_judgement(orchestration.settings, now)
    return now.stage is Stage.AT_GATE


def _named(session: Session, orchestration: Orchestration, names: Sequence[str]) -> tuple[TaskKey, ...]:
    keys = tuple(find_task(orchestration.plan, name) for name in names)
    for key in keys:
        now = standing(session.planning.task(key).log)
        stage = now.stage
        if not _waits(orchestration, now):
            raise UserError(
                f"{key} has no plan at the gate: {stage.words}", hint=f"orch show {key}", code="not-at-gate"
            )
    return keys
