"""What a call says when it stops: the outcome, a line a task, the exit code, the next command."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.accepting import judge_acceptance
from orchestrator.engine.failing import one_line
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.red_waves import red_lines
from orchestrator.engine.run import Run
from orchestrator.engine.session import Session
from orchestrator.engine.status import what_next
from orchestrator.engine.taking_over import merge_command
from orchestrator.errors import Exit, OrchError, strongest
from orchestrator.model.actions import Decision, Wait, Why
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.status import WaveStatus
from orchestrator.views.closing import closing_lines
from orchestrator.views.documents import closing_document, waits_document
from orchestrator.views.problems import error_lines
from orchestrator.views.status import stop_lines


def sum_up(run: Run, decision: Decision) -> Outcome:
    """The outcome of a call from its last decision; `decision.wave` is the wave that was worked on."""
    note_degradations(run, decision.wave)
    _note_troubles(run)
    number = decision.wave
    if number is None:
        number = next(iter((*decision.red, *decision.stuck)), None)
    orchestration = load_current(run.session.planning)
    if number is None:
        return nothing_left(run.session, orchestration)
    keys = orchestration.plan.wave(number).tasks
    orchestration = run.session.planning.load(with_tasks=frozenset({*orchestration.tasks, *keys}))
    waits = [wait for wait in decision.waits if wait.key in keys]
    row = orchestration.state.wave(number)
    word, code = _outcome(decision, row.status if row else None, waits)
    first, following = what_next(run.session, orchestration, decision)
    lines = [
        *stop_lines(orchestration, decision),
        *closing_lines(orchestration, number, waits, degraded=run.degraded, by=run.session.by),
    ]
    told = {str(wait.key) for wait in waits if wait.why is Why.FILE}
    lines += error_lines([one for one in orchestration.problems if one.is_error and one.subject not in told])
    lines += red_lines(run.session, orchestration, decision)
    if _is_last(orchestration):
        base, branch = orchestration.state.base, orchestration.state.branch
        # With `branch: current` it has just moved it.
        where = f"all of it is on {base}" if branch == base else f"to merge it into {base} is left to you"
        lines.append(f"every wave is done; {where}")
        lines += judge_acceptance(run)
    return Outcome(
        outcome=word,
        exit_code=code,
        next=following,
        first=first,
        lines=tuple(lines),
        data={
            **closing_document(orchestration, number),
            "waits": waits_document(decision),
            "notes": list(run.degraded),
        },
    )


def nothing_left(session: Session, orchestration: Orchestration) -> Outcome:
    """Every wave is done: exit 6, so that a loop over next-wave ends."""
    return Outcome(
        outcome="nothing",
        exit_code=Exit.NOTHING,
        next=merge_command(session, orchestration),
        lines=(f"orchestration {orchestration.plan.number}: every wave is done, nothing is left to do",),
        data={"orchestration": orchestration.plan.number, "wave": None},
    )


def note_degradations(run: Run, wave: int | None) -> None:
    """Write what this run had to do without into the log of every task of its wave, once."""
    if wave is None:
        return
    for key in run.plan.wave(wave).tasks:
        task = run.task(key)
        told = {entry.get("what") for entry in task.log if entry.event == "degraded"}
        fresh = [text for text in run.degraded if text not in told]
        if task.log and fresh:
            run.recorder.note(key, *(run.recorder.entry("degraded", what=text) for text in fresh))


def _note_troubles(run: Run) -> None:
    """Write down which steps of orch's own failed: the next call tries again, and until then status can say so."""
    for key, (why, remedy) in run.trouble.items():
        try:
            run.pause(key, one_line(why), one_line(remedy))
        except OrchError:
            # What failed may be this very file; the call's own account names it.
            continue


def _is_last(orchestration: Orchestration) -> bool:
    return all(orchestration.state.is_done(wave.number) for wave in orchestration.plan.waves)


def _outcome(decision: Decision, status: WaveStatus | None, waits: Sequence[Wait]) -> tuple[str, Exit]:
    codes: list[Exit] = []
    if status is WaveStatus.RED or decision.red:
        codes.append(Exit.FAILED)
    if decision.stop:
        codes.append(Exit.WAITING)
    for wait in waits:
        if wait.why in (Why.BLOCKED, Why.RED):
            codes.append(Exit.FAILED)
        elif wait.why in (Why.TROUBLE, Why.FILE):
            codes.append(Exit.FIX)
        elif wait.why in (Why.PAUSED, Why.BUDGET):
            codes.append(Exit.PAUSED)
        elif wait.why.needs_person or wait.why in (Why.HELD, Why.UNTIL, Why.NOT_ASKED):
            codes.append(Exit.WAITING)
    code = strongest(codes)
    word = {Exit.FAILED: "failed", Exit.WAITING: "waiting", Exit.FIX: "fix", Exit.PAUSED: "paused"}.get(code, "done")
    return word, code
