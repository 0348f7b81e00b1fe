"""`orch next-wave`: the main verb, and its dry run that decides from the files alone."""

from __future__ import annotations

from orchestrator.engine.checking import errors_in
from orchestrator.engine.limits import limits_for
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.engine.status import next_command
from orchestrator.errors import DocumentError
from orchestrator.model.next_actions import next_actions
from orchestrator.views.documents import dry_run_document
from orchestrator.views.dry_run import dry_run_lines


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
    orchestration = load_current(session.planning)
    errors = errors_in(orchestration, session.own_names)
    if errors:
        raise DocumentError(errors)
    limits = limits_for(orchestration, auto=auto, jobs=jobs, wave=wave, until=until)
    decision = next_actions(orchestration, None, limits)
    return Outcome(
        outcome="dry-run",
        next=next_command(session, orchestration, decision),
        lines=dry_run_lines(orchestration, decision),
        data=dry_run_document(orchestration, decision),
    )
