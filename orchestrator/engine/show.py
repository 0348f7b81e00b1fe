"""`orch show TASK`: one task, whole or in parts."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.repositories import repository_of
from orchestrator.engine.session import Session, run_layout
from orchestrator.engine.status import what_next
from orchestrator.model.facts import Limits
from orchestrator.model.ids import TaskKey
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import standing
from orchestrator.store.text_files import read
from orchestrator.views.documents import show_document
from orchestrator.views.show import show_lines


def show(session: Session, name: str, parts: Sequence[str] = ()) -> Outcome:
    """A task's summary, or the parts asked for: spec, plan, report, log, diff, prompt. Raises UserError."""
    orchestration = load_current(session.planning)
    key = find_task(orchestration.plan, name)
    orchestration = session.planning.load(with_tasks=frozenset({*orchestration.tasks, key}))
    settings = orchestration.settings
    decision = next_actions(orchestration, None, Limits(jobs=settings.jobs, gate=settings.gate, now=session.now()))
    texts: dict[str, str] = {}
    if "prompt" in parts:
        texts["prompt"] = _prompt(session, key)
    if "diff" in parts:
        texts["diff"] = _diff(session, orchestration, key)
    # A part is asked for to be read or saved as it is.
    first, following = ("", "") if parts else what_next(session, orchestration, decision)
    lines = show_lines(orchestration, decision, key, parts, texts=texts)
    if not parts:
        lines = tuple(session.with_number(line) if line.startswith(("to go on: ", "see: ")) else line for line in lines)
    said = (f"to go on: {following}", f"to go on: {first}", f"to go on: {first}, then run {following}")
    return Outcome(
        outcome="show",
        next=following,
        first=first,
        # What comes next isn't said twice.
        lines=lines if parts else tuple(line for line in lines if line not in said),
        data=show_document(orchestration, decision, key, parts, texts=texts),
    )


def _prompt(session: Session, key: TaskKey) -> str:
    """The text of the last turn, from the run folder; what a gone run folder held can't be shown."""
    now = standing(session.planning.task(key).log)
    if not now.turns:
        return "no turn has been started yet\n"
    layout = run_layout(session.layout, session.planning.load(with_tasks=()).state.run)
    text = read(layout.turn_dir(key, now.turns, now.turn) / "prompt.md")
    return text if text is not None else "the run folder no longer has it\n"


def _diff(session: Session, orchestration: Orchestration, key: TaskKey) -> str:
    """What the task changed: its landed commit, what was verified, else its last kept turn against its base."""
    # Imported here because they load GitPython, which no other part of show needs.
    from orchestrator.engine.landed import numbered
    from orchestrator.vcs.history import patch

    task = session.planning.task(key)
    repository = repository_of(session, orchestration, key)
    now = standing(task.log)
    if now.landing:
        return patch(repository, f"{now.landing}^", now.landing)
    if now.is_before_landing and now.verified_tree:
        return patch(repository, now.verified_head, now.verified_tree)
    run = session.planning.load(with_tasks=()).state.run
    kept = numbered(repository.refs(f"refs/orch/{run}/{key}/"), f"refs/orch/{run}/{key}/turn-")
    if not kept or not task.base:
        return "nothing was kept of it yet\n"
    return patch(repository, task.base, kept[max(kept)])
