"""`orch next-wave`: the main verb, and its dry run that decides from the files alone."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.engine.checking import errors_in, stopping
from orchestrator.engine.limits import limits_for
from orchestrator.engine.outcome import Later, Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.repositories import repo_names
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.engine.status import what_next
from orchestrator.errors import DocumentError
from orchestrator.model.actions import Decision
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.nouns import replace
from orchestrator.views.dry_run import dry_run_lines

CHECKED = 40
"""A dry run checks the specs of plans of at most so many tasks, as a run does; of larger ones it says that it didn't.

Checking is what takes time: of a plan this long as much as the start of orch, of a long one ten times that.
"""


def next_wave(
    session: Session,
    *,
    auto: bool = False,
    dry_run: bool = False,
    jobs: int | None = None,
    wave: int | None = None,
    until: str | None = None,
) -> Outcome:
    """Advance the current wave as far as it goes, or say what would be done.

    Raises DocumentError for plans and settings with errors, LockedError where another call is at work, UserError
    and ToolError where git or the settings don't allow it.
    """
    if dry_run:
        return _look_ahead(session, auto=auto, jobs=jobs, wave=wave, until=until or "")
    refuse_worker(session, "next-wave")
    # Imported here because it loads GitPython and the template engine, which a dry run never needs.
    from orchestrator.engine.advance import advance

    return advance(session, auto=auto, jobs=jobs, wave=wave, until=until or "")


def _look_ahead(session: Session, *, auto: bool, jobs: int | None, wave: int | None, until: str) -> Outcome:
    orchestration = load_current(session.planning, outline=True)
    is_checked = len(orchestration.plan.specs) <= CHECKED
    if is_checked:
        orchestration = load_current(session.planning)
    number = orchestration.plan.number
    errors = (
        errors_in(orchestration, repo_names(session, orchestration.settings))
        if is_checked
        else stopping(orchestration.problems, plan_number=number)
    )
    if errors:
        raise DocumentError(errors)
    limits = limits_for(orchestration, auto=auto, jobs=jobs, wave=wave, until=until)
    decision = next_actions(orchestration, None, replace(limits, now=session.now()))
    first, following = what_next(session, orchestration, decision)
    return Outcome(
        outcome="dry-run",
        next=following,
        first=first,
        lines=dry_run_lines(orchestration, decision, is_checked=is_checked),
        data=Later(lambda: _document(orchestration, decision, following, is_checked=is_checked)),
    )


def _document(
    orchestration: Orchestration, decision: Decision, following: str, *, is_checked: bool
) -> Mapping[str, object]:
    # Here and not above: an answer in text doesn't need them.
    from orchestrator.engine.telling import planned_event
    from orchestrator.views.documents import dry_run_document

    document = dry_run_document(orchestration, decision, is_checked=is_checked)
    return {**document, "reports": planned_event(orchestration, following)}
