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
from orchestrator.model.judgement import STALE, awaits_judgement, is_stale
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import Stage, standing
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import replace
from orchestrator.views.called import called, named
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
    stale = _stale_lines(orchestration) if not names else ()
    if not keys and not asked_about(orchestration, ()):
        first, following = what_next(session, *look(session))
        return Outcome(
            outcome="nothing",
            exit_code=Exit.DONE,
            next=following,
            first=first,
            lines=(*stale, "no plan waits at the gate"),
            data=gate_document(orchestration, ()),
        )
    changes = tuple(key for key in keys if standing(orchestration.task(key).log).is_before_landing)
    if changes:
        plans = tuple(key for key in keys if key not in changes)
        outcome = _with_changes(session, orchestration, plans, changes)
        return replace(outcome, lines=(*stale, *outcome.lines))
    answer = answer_lines(orchestration, keys, number=session.asked)[0]
    return Outcome(
        outcome="waiting",
        exit_code=Exit.WAITING,
        next=answer,
        # What comes next isn't said twice.
        lines=(
            *stale,
            *(line for line in gate_lines(orchestration, keys, number=session.asked) if line != answer),
        ),
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
        if key in orchestration.tasks and _waits(orchestration, orchestration.tasks[key])
    )


def _stale_lines(orchestration: Orchestration) -> tuple[str, ...]:
    names = called(orchestration.plan)
    return tuple(
        f"{named(key, names)}: {STALE}" for key in orchestration.plan.in_waves() if _is_stale(orchestration, key)
    )


def _is_stale(orchestration: Orchestration, key: TaskKey) -> bool:
    task = orchestration.tasks.get(key)
    return task is not None and standing(task.log).stage is Stage.AT_GATE and is_stale(orchestration.plan, task)


def _waits(orchestration: Orchestration, task: TaskFile) -> bool:
    now = standing(task.log)
    if now.stage is Stage.VERIFIED:
        return awaits_judgement(orchestration.settings, now)
    return now.stage is Stage.AT_GATE and not is_stale(orchestration.plan, task)


def _named(session: Session, orchestration: Orchestration, names: Sequence[str]) -> tuple[TaskKey, ...]:
    keys = tuple(find_task(orchestration.plan, name) for name in names)
    for key in keys:
        task = session.planning.task(key)
        if not _waits(orchestration, task):
            stage = standing(task.log).stage
            why = STALE if stage is Stage.AT_GATE else stage.words
            raise UserError(f"{key} has no plan at the gate: {why}", hint=f"orch show {key}", code="not-at-gate")
    return keys
