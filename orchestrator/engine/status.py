"""`orch status` and `orch resume`: the files alone, no git and no lock.

Sessions call them again and again, so both are to be quick: the plan is read as an outline, and what only the JSON
document needs is loaded only for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from orchestrator.engine.outcome import Later, Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.red_waves import red_lines
from orchestrator.engine.session import Session, run_layout
from orchestrator.engine.taking_over import merge_command
from orchestrator.model.actions import Decision, Why
from orchestrator.model.facts import Limits
from orchestrator.model.foremost import foremost
from orchestrator.model.ids import TaskKey
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan
from orchestrator.model.remedies import steps
from orchestrator.model.stage import standing

if TYPE_CHECKING:
    from orchestrator.model.at_work import AtWork


def status(session: Session) -> Outcome:
    """The board with what each task waits for."""
    from orchestrator.views.status import orch_lines, status_lines

    orchestration, decision = look(session)
    first, following = what_next(session, orchestration, decision)
    work = workers_seen(session, orchestration, decision)
    who = session.other_orch()
    head, *lines = (*status_lines(orchestration, decision, work), *red_lines(session, orchestration, decision))
    return Outcome(
        outcome="status",
        next=following,
        first=first,
        lines=(head, *orch_lines(orchestration, who), *lines),
        data=Later(lambda: {**_status_document(orchestration, decision, work), "orch": who or None}),
    )


def workers_seen(session: Session, orchestration: Orchestration, decision: Decision) -> Mapping[TaskKey, AtWork]:
    """What the workers are doing whose turns are at work, as far as the run folder has them."""
    folders = {}
    layout = run_layout(session.layout, orchestration.state.run)
    for wait in decision.waits_for(Why.WORKING):
        now = standing(orchestration.task(wait.key).log)
        folder = layout.turn_dir(wait.key, now.turns, now.turn)
        if now.is_in_flight and folder.is_dir():
            folders[wait.key] = folder
    if not folders:
        return {}
    # Here and not above: it reads streams and loads drivers, for which there is no need while nobody is at work.
    from orchestrator.engine.at_work import worker_at_work

    return {key: worker_at_work(session, orchestration, key, folder) for key, folder in folders.items()}


def report_event(session: Session) -> Outcome:
    """The block that tells others of the event that the orchestration stands at, and nothing else."""
    from orchestrator.engine.telling import told_event
    from orchestrator.model.events import last_event

    orchestration, decision = look(session)
    # Landings and statuses of tasks that have ended are told too.
    orchestration = session.planning.load(with_tasks=frozenset(orchestration.plan.in_waves()))
    following = what_next(session, orchestration, decision)[1]
    document = told_event(orchestration, last_event(orchestration, decision), following)
    return Outcome(
        outcome="report",
        # The block is to be passed on as it is: what comes next stands in it.
        next="",
        lines=tuple(str(document["text"]).split("\n")),
        data={"orchestration": orchestration.plan.number, "report": document, "next": document["next"]},
    )


def _status_document(
    orchestration: Orchestration, decision: Decision, work: Mapping[TaskKey, AtWork]
) -> Mapping[str, object]:
    from orchestrator.views.documents import status_document

    return status_document(orchestration, decision, work)


def resume(session: Session) -> Outcome:
    """What a fresh session needs: where we are, what is open, the next command, gotchas for the next wave."""
    from orchestrator.views.resume import resume_lines

    orchestration, decision = look(session)
    first, following = what_next(session, orchestration, decision)
    return Outcome(
        outcome="resume",
        next=following,
        first=first,
        lines=resume_lines(orchestration, decision),
        data=Later(lambda: _resume_document(orchestration, decision)),
    )


def _resume_document(orchestration: Orchestration, decision: Decision) -> Mapping[str, object]:
    from orchestrator.views.documents import resume_document

    return resume_document(orchestration, decision)


def look(session: Session) -> tuple[Orchestration, Decision]:
    """The orchestration as the files have it, and what would be decided from them alone."""
    orchestration = load_current(session.planning, outline=True)
    settings = orchestration.settings
    return orchestration, next_actions(
        orchestration, None, Limits(jobs=settings.jobs, gate=settings.gate, now=session.now())
    )


def _is_incomplete(plan: Plan) -> bool:
    """Whether the plan lacks what a run is refused for: any task at all, or the section of one."""
    specs = {spec.key for spec in plan.specs}
    return not specs or not plan.waves or any(key not in specs for key in plan.in_waves())


def what_next(session: Session, orchestration: Orchestration, decision: Decision) -> tuple[str, str]:
    """What a person does by hand first, in words ("" for nothing), and the one command that takes it further."""
    if decision.is_finished:
        return "", merge_command(session, orchestration)
    if any(problem.is_error for problem in orchestration.problems) or _is_incomplete(orchestration.plan):
        return "", session.command("check")
    first, following = told(session, foremost(orchestration, decision))
    if following != session.command("next-wave"):
        return first, following
    following = session.go_on()
    if orchestration.state.run and following == session.command("next-wave"):
        # Here and not above: nothing can have gone before the first wave.
        from orchestrator.engine.refused_at_once import is_refused_at_once

        if is_refused_at_once(session, orchestration):
            return "", session.command("check")
    return first, following


def told(session: Session, remedy: str) -> tuple[str, str]:
    """A remedy as what is done by hand and the command after it, each as this call is to be told."""
    first, following = steps(remedy)
    return session.with_number(first), session.with_number(following)
