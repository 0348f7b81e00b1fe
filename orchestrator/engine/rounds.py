"""The loop: gather, decide, carry out, and wait only when there is nothing else to do."""

from __future__ import annotations

import time

from orchestrator.engine.checking import errors_in, stopping
from orchestrator.engine.collect import collect, salvage
from orchestrator.engine.cutting import cut_turn
from orchestrator.engine.elsewhere import begin_elsewhere
from orchestrator.engine.failing import account_change
from orchestrator.engine.follow import approve_at_gate, ask_again, follow, reopen, replan
from orchestrator.engine.foreign_lines import KnownLogs
from orchestrator.engine.gather import gather, unrecorded_landings
from orchestrator.engine.landing import give_back, land_task, record_landing
from orchestrator.engine.leftovers import end_removed
from orchestrator.engine.loosened import HeldSettings
from orchestrator.engine.moving import finish_moves
from orchestrator.engine.probing import ask_service, probe_folder, take_answer
from orchestrator.engine.questions import settle
from orchestrator.engine.reading import load_current
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.reporting import report_change
from orchestrator.engine.repositories import repo_names
from orchestrator.engine.reverting import make_reverts, report_of_revert
from orchestrator.engine.reviewing import collect_review, respawn_review, salvage_review, start_review
from orchestrator.engine.run import Run
from orchestrator.engine.session import utc
from orchestrator.engine.turns import kind, respawn, start_turn, turn_folder
from orchestrator.engine.verifying import verify
from orchestrator.engine.wave_end import end_wave
from orchestrator.errors import DocumentError, Severity, ToolError
from orchestrator.formats.state_edits import set_state_key, set_wave
from orchestrator.markdown.document import Document
from orchestrator.model.actions import Action, Decision, Verb, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.next_actions import next_actions
from orchestrator.model.stage import Stage
from orchestrator.model.status import Status, WaveStatus
from orchestrator.nouns import dataclass, replace
from orchestrator.process.running import wait

# How long to wait at most before the files are looked at again: approvals and hand edits arrive while workers work.
LOOK_AGAIN = 1.0
PATIENCE = 90.0
"""Seconds that a call waits for a paused account when nothing else is left to do; a longer pause ends the call."""


NO_HEADWAY = 25
"""So often in a row the same actions may be decided; each of them changes what is decided next, so it never comes to it
unless something is wrong."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call has seen of files that a worker without a sandbox may write in."""

    logs: KnownLogs
    settings: HeldSettings


def rounds(run: Run) -> Decision:
    """Go round until nothing is left to do without a person, or one wave has been closed. Returns the last decision."""
    seen = Seen(KnownLogs.at_first(run), HeldSettings(run.settings, run.settings))
    finish_moves(run)
    decision = _go_round(run, seen)
    _look_back(run, seen)
    return decision


def _go_round(run: Run, seen: Seen) -> Decision:
    before: tuple[Action, ...] = ()
    repeated = 0
    while True:
        _reload(run, seen)
        decision = decide(run)
        if not decision.actions:
            if not _wait(run, decision):
                return decision
            continue
        _reopen(run, decision)
        repeated = repeated + 1 if decision.actions == before else 0
        before = decision.actions
        if repeated >= NO_HEADWAY:
            _give_up(run, decision)
            continue
        for action in _first(decision.actions):
            closed = carry_out(run, action)
            if closed:
                # Its suites ran what workers wrote.
                run.had_workers = True
                _look(run, seen)
                return replace(decide(run), wave=action.wave)


def _reopen(run: Run, decision: Decision) -> None:
    """Say that a wave that was done is open again, before anything is done for a task that was put back into it."""
    number = decision.wave
    if number is None or not run.state.is_done(number):
        return

    def write(document: Document) -> Document:
        return set_state_key(set_wave(document, number, status=WaveStatus.OPEN), "status", "open")

    run.session.planning.change_state(write)
    run.say(f"wave {number}: open again")


_CAN_WAIT = (Verb.VERIFY, Verb.LAND, Verb.SUITES)


def _first(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Those to carry out before it is decided anew: a free slot is filled before finished work is looked through."""
    return tuple(action for action in actions if action.verb not in _CAN_WAIT) or actions


def _reload(run: Run, seen: Seen) -> None:
    """Read the files again. Raises DocumentError if plan, settings or STATE were saved with an error meanwhile: orch
    stops there, workers go on, and the next call takes in what they did."""
    before = run.orchestration
    run.note_workers()
    _look(run, seen)
    run.resting.clear()
    now = run.orchestration
    if now.plan is before.plan and now.settings is before.settings and now.state.exists == before.state.exists:
        found = [problem for problem in now.problems if problem.severity is Severity.FILE]
        errors = stopping(found, plan_number=now.plan.number) if found else ()
    else:
        errors = errors_in(now, repo_names(run.session, now.settings))
    if errors:
        raise DocumentError(errors)
    if run.elsewhere is not None and (now.plan is not before.plan or now.settings is not before.settings):
        # A repository that takes part since the files were edited.
        run.elsewhere.hold(run.session, now)
        begin_elsewhere(run.session, now)
        _look(run, seen)
    if now.plan is not before.plan:
        run.recorder.plan = now.plan
        end_removed(run)


def _look(run: Run, seen: Seen) -> None:
    """Read the files, and go by them as far as no worker can have written what counts."""
    run.orchestration = load_current(run.session.planning)
    if seen.logs.look(run):
        run.orchestration = load_current(run.session.planning)
    seen.settings.look(run)


def _look_back(run: Run, seen: Seen) -> None:
    """Look, at the end of a call in which workers were alive, at the logs that weren't needed: the next call takes what
    stands there for orch's own."""
    if run.had_workers or run.ever_had_workers:
        current = run.orchestration
        run.orchestration = run.session.planning.orchestration
        seen.logs.look(run)
        run.orchestration = current


def _give_up(run: Run, decision: Decision) -> None:
    """The same actions again and again without effect: hold their tasks and say so, instead of spinning."""
    for action in decision.actions:
        if action.key is None:
            raise ToolError(f"orch makes no headway with wave {action.wave}: {action.reason}", code="no-headway")
        text = f"orch makes no headway: it would {action.verb.words} ({action.reason}), again and again"
        run.trouble[action.key] = (text, f"look at orch show {action.key} --log, then run orch next-wave")
        run.say(f"{action.key}: {text}")


def decide(run: Run) -> Decision:
    """What the model says is to be done now, as far as this call may do it."""
    decision = next_actions(run.orchestration, gather(run), replace(run.limits, now=run.session.now()))
    return decision if run.only is None else replace(decision, actions=run.allowed(decision.actions))


def carry_out(run: Run, action: Action) -> bool:
    """Carry out one action. True if it ended a wave."""
    if action.key is None:
        return action.verb is not Verb.SUITES or action.wave is None or end_wave(run, action.wave)
    with run.contained(action.key):
        _for_task(run, action.key, action)
    return False


def _for_task(run: Run, key: TaskKey, action: Action) -> None:
    match action.verb:
        case Verb.PLAN | Verb.EXECUTE | Verb.RETRY:
            start_turn(run, key, kind(action.verb.value), action.most)
        case Verb.REVIEW:
            start_review(run, key, action.most)
        case Verb.RESPAWN if run.standing(key).stage is Stage.REVIEWING:
            respawn_review(run, key)
        case Verb.COLLECT if run.standing(key).stage is Stage.REVIEWING:
            collect_review(run, key)
        case Verb.SALVAGE if run.standing(key).stage is Stage.REVIEWING:
            salvage_review(run, key)
        case Verb.RESPAWN:
            respawn(run, key)
        case Verb.CUT:
            cut_turn(run, key, action.reason)
        case Verb.COLLECT:
            collect(run, key)
        case Verb.SALVAGE:
            salvage(run, key)
        case Verb.VERIFY if run.may_test:
            verify(run, key)
        case Verb.VERIFY:
            # The round's first ones have taken all places; its turn comes when one is free.
            pass
        case Verb.PROBE:
            ask_service(run, key)
        case Verb.ANSWER:
            take_answer(run, key)
        case Verb.LAND:
            land_task(run, key)
        case Verb.REVERT:
            make_reverts(run)
        case Verb.RECORD:
            record_landing(run, key, unrecorded_landings(run)[key])
        case Verb.APPROVE:
            if approve_at_gate(run, key, by="checks"):
                run.say(f"{key}: plan approved by the checks")
        case Verb.SETTLE:
            waiting = settle(run.recorder, key)
            if waiting:
                run.say(f"{key}: waits for {', '.join(one.id for one in waiting)}")
        case Verb.REPLAN:
            replan(run, key)
        case Verb.REOPEN:
            reopen(run, key)
        case Verb.FOLLOW if action.status is not None:
            follow(run, key, action.status)
        case Verb.ASK_AGAIN if action.status is not None:
            ask_again(run, key, action.status, action.reason)
        case Verb.REPAIR if action.status is not None:
            _repair(run, key, action.status)
        case Verb.CLOSE if action.status is not None:
            run.recorder.close(key, action.status)
            if run.standing(key).landing:
                give_back(run, key)
        case _:
            raise AssertionError(f"nobody carries out {action.verb}")


def _repair(run: Run, key: TaskKey, status: Status) -> None:
    """Make the board write that was announced, with all that belongs into it: for a landing that is its report."""
    landing = run.standing(key).landing
    if landing and status is Status.DONE:
        report: DocumentChange | None = report_change(run, key, landing, None)
    else:
        account = account_change(run.layout, run.state, run.spec(key), run.task(key).log)
        report = report_of_revert(run, key) or account
    run.recorder.board(key, status, in_state=report)
    run.recorder.close(key, status)
    if landing:
        give_back(run, key)


def _wait(run: Run, decision: Decision) -> bool:
    """Wait for a worker or a job to end. False if there is none to wait for."""
    folders = [(job.folder, job.marker) for job in run.jobs.values()]
    at_work = {}
    for waiting in decision.waits_for(Why.WORKING) if run.only is None else ():
        at_work[waiting.key] = turn_folder(run, waiting.key, run.standing(waiting.key))
        folders.append((at_work[waiting.key], run.task(waiting.key).marker))
    for waiting in decision.waits_for(Why.PROBING) if run.only is None else ():
        now = run.standing(waiting.key)
        if now.service.probe:
            folders.append((probe_folder(run.layout, waiting.key, now), now.service.probe.marker))
    if not folders:
        return _wait_for_account(run, decision)
    if not run.finish_jobs():
        wait(folders, LOOK_AGAIN)
        run.finish_jobs()
        if run.session.is_watched:
            # Only a terminal is told while workers are at work.
            from orchestrator.engine.watched import tell_workers

            tell_workers(run, at_work)
    return True


def _wait_for_account(run: Run, decision: Decision) -> bool:
    """Wait a moment where a task waits for an account that can be used again soon. False where none does."""
    soon = utc(run.session.clock() + PATIENCE)
    paused = decision.waits_for(Why.PAUSED) if run.only is None else ()
    if not any(wait.until <= soon for wait in paused):
        return False
    time.sleep(LOOK_AGAIN)
    return True
