"""Advancing a wave: read files and facts, ask what to do, do it, write it down, until nothing is left without a person.

Keeps no memory between rounds but the jobs of orch's own; stopping it and starting it again at any point is
normal use.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from orchestrator.engine.beside import changed_beside, picture
from orchestrator.engine.confining import lacking
from orchestrator.engine.elsewhere import Elsewhere, begin_elsewhere
from orchestrator.engine.going_on import told_as_it_ends
from orchestrator.engine.gone_back import refuse_gone_back
from orchestrator.engine.keeping import keep_set, kept_at_last, why_not_kept, with_kept
from orchestrator.engine.leftovers import clear_leftovers
from orchestrator.engine.limits import limits_for
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.programs import refuse_lacking
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.refusing import refuse_errors
from orchestrator.engine.repositories import repository_named, taking_part
from orchestrator.engine.rounds import rounds
from orchestrator.engine.run import Run
from orchestrator.engine.session import Session
from orchestrator.engine.starting import begin
from orchestrator.engine.suites import take_baseline
from orchestrator.engine.summing_up import nothing_left, sum_up
from orchestrator.engine.telling import events_of
from orchestrator.engine.turn_bounds import left_out
from orchestrator.errors import UserError
from orchestrator.model.facts import Limits
from orchestrator.model.heads import HOME
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.scope import claims, covers
from orchestrator.model.settings import MANUAL, REVIEW
from orchestrator.model.waves import pick
from orchestrator.name_lists import some
from orchestrator.nouns import replace
from orchestrator.store.locks import run_lock
from orchestrator.store.pointer import claim_run_folder, told_if_taken_away
from orchestrator.store.receipts import clear_receipts

ON_CHECKS = "no review worker is configured: plans pass on checks alone"
OWN_WORKERS = (
    "review_diff: changes of your own workers wait for orch approve; "
    "write review_diff: none in planning/ORCH.md to let them land"
)

LEAST_FREE = 64 * 2**20
"""Bytes that must be free before a run begins: enough for orch's own files, not for what workers build."""


def advance(
    session: Session,
    *,
    auto: bool = False,
    jobs: int | None = None,
    wave: int | None = None,
    until: str = "",
) -> Outcome:
    """Advance the current wave as far as it goes. Closes at most one wave.

    Raises DocumentError for plans and settings with errors, LockedError where another call is at work, UserError
    and ToolError where git or the settings don't allow it.
    """
    orchestration = session.planning.orchestration
    if pick(orchestration).is_finished:
        limits_for(orchestration, auto=auto, jobs=jobs, wave=wave, until=until)
        refuse_errors(session, orchestration)
        # The call that ended it all may have been killed in its last write.
        said = session.planning.sweep()
        outcome = kept_at_last(session, nothing_left(session, orchestration))
        return replace(outcome, warnings=(*said, *outcome.warnings))
    limited = opened_run(session, auto=auto, jobs=jobs, wave=wave, until=until, starts_turns=True)
    with told_as_it_ends(session), limited as run:
        # What a call that was killed left out.
        keep_set(session, run.orchestration)
        before = run.orchestration
        decision = rounds(run)
        unkept = why_not_kept(session, run.orchestration)
        if unkept:
            run.degrade(unkept)
        outcome = with_kept(session, sum_up(run, decision))
        reports = events_of(before, session.planning.orchestration, decision, outcome.next)
        data = {**outcome.data, "reports": reports}
        return replace(outcome, data=data, warnings=(*run.warnings, *outcome.warnings, *changed_beside(run)))


@contextmanager
def opened_run(
    session: Session,
    *,
    auto: bool = False,
    jobs: int | None = None,
    wave: int | None = None,
    until: str = "",
    starts_turns: bool = False,
) -> Iterator[Run]:
    """What a call works with, under the lock that only one call holds: files checked, repository begun, baseline taken.

    starts_turns: the call is to start those that are due, so that their programs have to be there. Raises what advance
    raises.
    """
    lock = run_lock(session.layout.common_dir, f"orch next-wave, orchestration {session.number}")
    with ExitStack() as stack, lock, told_if_taken_away(session.layout):
        orchestration = session.planning.orchestration
        if not orchestration.state.exists:
            # Of the ways to say it, this one knows which branch has it.
            refuse_gone_back(session, orchestration)
        warnings = refuse_errors(session, orchestration)
        limits = limits_for(orchestration, auto=auto, jobs=jobs, wave=wave, until=until)
        elsewhere = Elsewhere(stack)
        elsewhere.hold(session, orchestration)
        _probe(session, orchestration)
        if starts_turns:
            refuse_lacking(session, orchestration, limits)
        claim_run_folder(session.layout)
        with session.planning.locked():
            # Whoever writes from here on sees that this call is at work.
            clear_receipts(session.layout.receipts_dir())
        warnings = (*warnings, *session.planning.sweep())
        begin(session, orchestration)
        begin_elsewhere(session, session.planning.orchestration)
        orchestration = session.planning.orchestration
        recorder = Recorder(session.planning, orchestration.plan, session.now)
        run = Run(session, orchestration, limits, recorder, elsewhere)
        if limits.gate == "auto" and orchestration.settings.gate != "auto" and not _was_told(orchestration, ON_CHECKS):
            run.degrade(ON_CHECKS)
        if _judges_own_workers(orchestration, limits) and not _was_told(orchestration, OWN_WORKERS):
            run.degrade(OWN_WORKERS)
        if why := lacking(run):
            run.degrade(why)
        for silent in left_out(orchestration.settings):
            if not _was_told(orchestration, silent):
                run.degrade(silent)
        run.beside |= {site.name: picture(site) for site in run.sites()}
        run.warnings += [*warnings, *_dirty_in_scope(run)]
        clear_leftovers(run)
        if not orchestration.state.stop:
            take_baseline(run)
        run.orchestration = session.planning.orchestration
        yield run


def _judges_own_workers(orchestration: Orchestration, limits: Limits) -> bool:
    """Whether changes wait for somebody's word though the settings don't ask for that."""
    settings = orchestration.settings
    is_hosted = any(worker.driver == MANUAL for worker in settings.workers if worker.tier != REVIEW)
    return is_hosted and limits.is_attended and not settings.review_diff


def _was_told(orchestration: Orchestration, text: str) -> bool:
    """Whether a call before this one has said so: once is enough for a whole orchestration."""
    logs = (task.log for task in orchestration.tasks.values())
    return any(entry.event == "degraded" and entry.get("what") == text for log in logs for entry in log)


def _probe(session: Session, orchestration: Orchestration) -> None:
    """What a run needs before its first write, beside git itself: a name to commit with, and room on the disk."""
    for name in taking_part(session, orchestration):
        repository = repository_named(session, orchestration.settings, name)
        if repository.identity_fault():
            where, at = ("", "") if name == HOME else (f" in {name}", f" -C {repository.root}")
            raise UserError(
                f"git doesn't know who commits{where}",
                hint=f'git{at} config user.name "…" && git{at} config user.email "…"',
                code="no-identity",
            )
    for folder in (session.layout.root, nearest_there(session.layout.run)):
        free = shutil.disk_usage(folder).free
        if free < LEAST_FREE:
            raise UserError(
                f"only {free // 2**20} MiB are free on the disk of {folder}",
                hint="make room, or set worktree: {root: …} in planning/ORCH.md to a larger disk",
                code="disk",
            )


def nearest_there(folder: Path) -> Path:
    """The folder, or the nearest of those around it that is there."""
    while not folder.exists():
        folder = folder.parent
    return folder


def _dirty_in_scope(run: Run) -> tuple[str, ...]:
    """A warning for files with uncommitted changes that a task of the plan is about to edit."""
    found: list[str] = []
    for site in run.sites():
        dirty = run.beside[site.name].files
        mine = [key for key in run.plan.in_waves() if run.site(key) is site] if dirty else ()
        claimed = [path for key in mine for path in claims(run.spec(key))]
        hit = [path for path in dirty if covers(claimed, path)]
        if hit:
            where = f"files{site.words} that tasks work on"
            found.append(f"uncommitted changes in {where}: {some(hit)}; workers start from what is committed")
    return tuple(found)
