"""The one place that decides what happens next. Pure and total: same input, same decision, a reason for every task.

`facts` is None when only the files were looked at (a dry run, status): then nothing that hangs on a process or
on git is decided.
"""

from __future__ import annotations

from orchestrator.errors import Problem
from orchestrator.model.actions import Action, Decision, Verb, Wait, Why
from orchestrator.model.facts import Facts, Limits, TaskFacts, Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import (
    ANOTHER_SPEC,
    at_gate,
    before_landing,
    has_changed,
    is_stale,
    stop_wait,
    waits_for_answers,
)
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.ownership import Ruling, Verdict, rule
from orchestrator.model.plan import Wave
from orchestrator.model.settings import MANUAL
from orchestrator.model.settling import HELD, settling
from orchestrator.model.slots import Slots
from orchestrator.model.stage import FOREIGN, Stage, Standing, standing
from orchestrator.model.status import Status
from orchestrator.model.waves import Picked, all_ended, effective_status, is_stuck, pick
from orchestrator.nouns import replace
from orchestrator.patterns import regex

_NOTE = "its note: "
"""How a note on the board is told beside a status that nothing else explains: it may be about anything."""
_BLAMED = regex(r"to blame: (\d+\.\d+\.[\w-]+) ")
"""The first task that the note of a red wave names as the one that broke it."""


def next_actions(orchestration: Orchestration, facts: Facts | None, limits: Limits) -> Decision:
    """An action or a wait for every task of the orchestration, in plan order, and what its waves stand at."""
    picked = pick(orchestration, facts)
    wave = picked.current
    if wave is not None and limits.wave is not None and wave.number != limits.wave:
        waits = tuple(
            Wait(key, Why.NOT_ASKED, f"wave {wave.number} comes before wave {limits.wave}", "orch next-wave")
            if key.wave in (wave.number, limits.wave)
            else _outside(orchestration, picked, key)
            for key in orchestration.plan.in_waves()
        )
        return _decision(orchestration, picked, (), waits)
    free = Slots(orchestration, facts, limits, wave)
    actions: list[Action] = []
    waits_: list[Wait] = []
    for key in orchestration.plan.in_waves():
        result = (
            _for_task(orchestration, facts, limits, key, free)
            if wave is not None and key in wave.tasks
            else _outside(orchestration, picked, key)
        )
        if isinstance(result, Action):
            actions.append(result)
        else:
            waits_.append(result)
    if orchestration.settings.budget.is_set:
        actions, waits_ = _accounted([free.with_portion(action) for action in actions], waits_)
    # A task that has ended may still have a write to come, which failed in this call.
    if wave is not None and not actions and not any(wait.why in (Why.PROBING, Why.TROUBLE) for wait in waits_):
        ending = _wave_end(orchestration, facts, wave)
        if ending:
            actions.append(ending)
    return _decision(orchestration, picked, tuple(actions), tuple(waits_))


def _accounted(actions: list[Action], waits: list[Wait]) -> tuple[list[Action], list[Wait]]:
    """With limits, no turn is started before what those have used that have ended is written down."""
    if not any(action.verb in (Verb.COLLECT, Verb.SALVAGE, Verb.ANSWER) for action in actions):
        return actions, waits
    later = [action.key for action in actions if action.verb.starts_turn]
    reason = "waits until what an ended turn has used is written down"
    held = [Wait(key, Why.SLOT, reason) for key in later if key is not None]
    return [action for action in actions if not action.verb.starts_turn], [*waits, *held]


def _decision(
    orchestration: Orchestration, picked: Picked, actions: tuple[Action, ...], waits: tuple[Wait, ...]
) -> Decision:
    return Decision(
        wave=picked.current.number if picked.current else None,
        actions=actions,
        waits=waits,
        is_finished=picked.is_finished,
        red=picked.red,
        stuck=picked.stuck,
        stop="" if picked.is_finished else orchestration.state.stop,
    )


def _outside(orchestration: Orchestration, picked: Picked, key: TaskKey) -> Wait:
    """The wait of a task whose wave isn't the one being worked on."""
    status = effective_status(orchestration, key)
    if status is Status.BLOCKED:
        return Wait(key, Why.BLOCKED, f"blocked: {_cause(orchestration, key)}", _reset(orchestration, key))
    if key.wave in picked.done or (status is not None and status.is_ended):
        return Wait(key, Why.ENDED, str(status or "done"))
    held = _held_by(orchestration, key)
    if held:
        return held
    if picked.red and (picked.current is None or key.wave > picked.red[0]):
        number = picked.red[0]
        return Wait(
            key,
            Why.RED,
            f"wave {number} is red",
            red_remedy(orchestration, number),
        )
    waiting_for = _wave_before(orchestration, picked, key)
    return Wait(key, Why.WAVE, f"waits for wave {waiting_for}", "")


def red_remedy(orchestration: Orchestration, number: int) -> str:
    """What a person does about a red wave: has the task taken back that is to blame where orch asks, else mends it."""
    state = orchestration.state
    row = state.wave(number)
    blamed = _BLAMED.search(row.note) if row else None
    if blamed and orchestration.settings.on_regression == "ask":
        return f'orch retry {blamed[1]} --landed --because "…"'
    return red_mend(orchestration, number)


def red_mend(orchestration: Orchestration, number: int) -> str:
    """What a person does about a red wave who mends it; also the other way where a task would be taken back."""
    return f'commit the mend on {orchestration.state.branch}, then run orch retry --wave {number} --because "…"'


def _wave_before(orchestration: Orchestration, picked: Picked, key: TaskKey) -> int:
    """The wave that `key`'s wave waits for: one it depends on, else the current one (two never run at once)."""
    for number in orchestration.plan.wave(key.wave).depends_on:
        if number not in picked.done:
            return number
    return picked.current.number if picked.current else key.wave


def _cause(orchestration: Orchestration, key: TaskKey) -> str:
    row = orchestration.state.row(key)
    if key in orchestration.tasks:
        cause = standing(orchestration.tasks[key].log).cause
        if cause:
            return cause
    return f"{_NOTE}{row.note}" if row and row.note else "see orch show"


def _reset(orchestration: Orchestration, key: TaskKey) -> str:
    """What a person does about a blocked task."""
    now = standing(orchestration.task(key).log)
    if now.stage is Stage.BLOCKED and now.failed == "scope":
        undo = f'have its worker undo that by orch retry {key} --because "…"'
        return f'{undo}, or widen its scope, then run orch rescope {key} {now.fix or "--edit PATH"} --why "…"'
    if now.stage is Stage.BLOCKED and now.failed == FOREIGN:
        return f'look at orch show {key} --log, then run orch retry {key} --because "…"'
    if now.stage is Stage.DECIDED or (now.stage is Stage.BLOCKED and now.failed):
        return f'orch retry {key} --because "…"'
    return f"set {key} to pending in {orchestration.state.path}, then run orch next-wave"


def _mend_cell(orchestration: Orchestration, key: TaskKey, verdict: Verdict) -> str:
    return f"{orchestration.state.path}, {key}: {verdict.remedy}"


def _held_by(orchestration: Orchestration, key: TaskKey) -> Wait | None:
    """Held by a task it depends on, named with the true cause, however far up the chain that is."""
    if not orchestration.may_be_held(key):
        return None
    seen: set[TaskKey] = set()
    queue = [item.task for item in orchestration.plan.spec(key).depends_on if item.task] + [
        task for number in orchestration.plan.wave(key.wave).depends_on for task in orchestration.blocked_in(number)
    ]
    while queue:
        needed = queue.pop(0)
        if needed in seen:
            continue
        seen.add(needed)
        status = effective_status(orchestration, needed)
        if status is Status.BLOCKED:
            return Wait(
                key, Why.HELD, f"{needed} is blocked: {_cause(orchestration, needed)}", _reset(orchestration, needed)
            )
        if status is Status.SKIPPED:
            if needed in orchestration.tasks and standing(orchestration.tasks[needed].log).keeps_dependents:
                continue
            state, plan = orchestration.state.path, orchestration.plan.path
            remedy = f"set {needed} to done in {state}, or take it out of {key}'s Depends on in {plan}"
            return Wait(key, Why.HELD, f"{needed} was skipped", remedy)
        if status is Status.DONE:
            # What it needed itself has been settled, whatever became of that later.
            continue
        try:
            queue += [item.task for item in orchestration.plan.spec(needed).depends_on if item.task]
        except KeyError:
            continue
    return None


def _file_problem(orchestration: Orchestration, key: TaskKey) -> Problem | None:
    for problem in orchestration.problems:
        if problem.is_error and problem.subject == str(key):
            return problem
    return None


def _for_task(
    orchestration: Orchestration, facts: Facts | None, limits: Limits, key: TaskKey, slots: Slots
) -> Action | Wait:
    now = standing(orchestration.task(key).log)
    fact = facts.task(key) if facts else TaskFacts()
    row = orchestration.state.row(key)
    if fact.trouble:
        # Before all else: what failed once in this call would fail again, whatever it was.
        return Wait(key, Why.TROUBLE, *fact.trouble)
    if now.service.probe:
        return _asked(key, now.service.probe.driver, fact, is_known=facts is not None)
    if fact.revert_due and fact.in_the_way:
        return Wait(key, Why.CHECKOUT, *fact.in_the_way)
    if fact.revert_due:
        return Action(Verb.REVERT, "its landing is to be taken back", key, key.wave)
    verdict = rule(
        cell=row.status if row else now.opened,
        raw=row.raw_status if row else "",
        standing=now,
        worker_alive=fact.turn is Turn.ALIVE or slots.has_workers,
    )
    if fact.landed and now.stage is not Stage.LANDED:
        return Action(Verb.RECORD, f"its commit {fact.landed[:7]} is on the branch", key, key.wave)
    problem = _file_problem(orchestration, key)
    if problem and now.stage is not Stage.LANDED:
        return Wait(
            key, Why.FILE, problem.message, f"mend {problem.at}" + (f": {problem.hint}" if problem.hint else "")
        )
    match verdict.ruling:
        case Ruling.HOLD | Ruling.REFUSE:
            # What has landed has ended all the same; the cell says otherwise.
            has_landed = verdict.ruling is Ruling.REFUSE and now.stage is Stage.LANDED
            remedy = _mend_cell(orchestration, key, verdict)
            return Wait(key, Why.ENDED if has_landed else Why.CELL, verdict.reason, remedy)
        case Ruling.CLOSE:
            return Action(Verb.CLOSE, "its board write was made and not closed", key, key.wave, verdict.status)
        case Ruling.REPAIR:
            why = verdict.reason or "its board write was begun and not made"
            return Action(Verb.REPAIR, why, key, key.wave, verdict.status)
        case Ruling.ASK_AGAIN:
            return Action(Verb.ASK_AGAIN, verdict.reason, key, key.wave, verdict.status)
        case Ruling.FOLLOW:
            return Action(Verb.FOLLOW, f"its cell was set to {verdict.status} by hand", key, key.wave, verdict.status)
    due = settling(orchestration.state.asked(key), orchestration.task(key), now, key)
    # From the files alone a question that stands in the micro-plan is open, wherever else it will be entered.
    if due.is_due and not fact.is_busy and (facts is not None or not due.is_entry_alone):
        return Action(Verb.SETTLE, "its questions have changed", key, key.wave)
    if now.stage in HELD and not fact.is_busy and (waiting := waits_for_answers(orchestration, key)):
        return waiting
    found = _by_stage(orchestration, facts, limits, key, now, fact, slots)
    if facts is None and now.paused and isinstance(found, Action):
        return replace(found, reason=f"{found.reason}; the last time: {now.paused[0]}")
    return found


def _by_stage(
    orchestration: Orchestration,
    facts: Facts | None,
    limits: Limits,
    key: TaskKey,
    now: Standing,
    fact: TaskFacts,
    slots: Slots,
) -> Action | Wait:
    match now.stage:
        case Stage.LANDED:
            return Wait(key, Why.ENDED, "done")
        case Stage.BLOCKED:
            return Wait(key, Why.BLOCKED, f"blocked: {now.cause or 'see orch show'}", _reset(orchestration, key))
        case Stage.DECIDED:
            return _decided(orchestration, key, now)
        case Stage.PLANNING | Stage.WORKING | Stage.REVIEWING if fact.is_busy:
            return Wait(key, Why.TESTING, "its workspace is being laid anew")
        case Stage.PLANNING | Stage.WORKING | Stage.REVIEWING:
            is_hosted = (now.driver or orchestration.task(key).driver) == MANUAL
            if is_hosted and (facts is None or fact.turn is Turn.ALIVE):
                return _handed_out(key, now, fact)
            return _in_flight(key, now, fact, now.cut or slots.used_up(key), is_known=facts is not None)
        case Stage.WORK_ENDED | Stage.VERIFIED if fact.is_busy:
            return Wait(key, Why.TESTING, "its targeted test is running")
        case Stage.WORK_ENDED | Stage.VERIFIED | Stage.RETRY_DUE if is_stale(
            orchestration.plan, orchestration.task(key)
        ):
            return Action(Verb.REPLAN, ANOTHER_SPEC, key, key.wave)
        case Stage.WORK_ENDED:
            return Action(Verb.VERIFY, "its worker has ended its work", key, key.wave)
        case Stage.VERIFIED if fact.in_the_way:
            return Wait(key, Why.CHECKOUT, *fact.in_the_way)
        case Stage.VERIFIED if facts is None and now.paused:
            return Wait(key, Why.CHECKOUT, *now.paused)
        case Stage.VERIFIED:
            return before_landing(orchestration, limits, key, now, slots.take_review)
        case Stage.AT_GATE:
            return at_gate(orchestration, limits, key, now, slots.take_review)
        case _:
            return _start(orchestration, limits, key, now, fact, slots)


def _decided(orchestration: Orchestration, key: TaskKey, now: Standing) -> Wait:
    match now.decided:
        case Status.BLOCKED:
            cause = _cause(orchestration, key)
            reason = f"blocked by hand{';' if cause.startswith(_NOTE) else ':'} {cause}"
            return Wait(key, Why.BLOCKED, reason, _reset(orchestration, key))
        case Status.NEEDS_INPUT:
            return Wait(key, Why.NEEDS_INPUT, "set to needs-input by hand", _reset(orchestration, key))
        case _:
            return Wait(key, Why.ENDED, f"{now.decided} by hand")


def _handed_out(key: TaskKey, now: Standing, fact: TaskFacts) -> Wait:
    """Its turn is with a worker of whoever runs orch: until that one has written its word there is nothing to do."""
    is_again = now.cause and now.turn in ("plan", "retry") and not now.tiers
    why = f"it was sent back: {now.cause}; " if is_again else ""
    # Last comes what a session copies.
    where = f": {fact.hosted}" if fact.hosted else " (orch prompt KEY)"
    return Wait(key, Why.HOSTED, f"{why}its {now.turn} turn is yours to give{where}", f"orch prompt {key}")


def _in_flight(key: TaskKey, now: Standing, fact: TaskFacts, used_up: str, *, is_known: bool) -> Action | Wait:
    if not is_known:
        ended = f", and is to be ended: {now.cut}" if now.cut else ""
        return Wait(key, Why.WORKING, f"its {now.turn} turn was started{ended}")
    match fact.turn:
        case Turn.ENDED:
            return Action(Verb.COLLECT, f"its {now.turn} turn has ended", key, key.wave)
        case Turn.LOST:
            return Action(Verb.SALVAGE, f"its worker is gone without an end of its {now.turn} turn", key, key.wave)
        case Turn.NONE | Turn.NEVER_STARTED:
            return Action(Verb.RESPAWN, f"its {now.turn} turn was announced and never started", key, key.wave)
        case Turn.ALIVE if used_up:
            return Action(Verb.CUT, used_up, key, key.wave)
        case Turn.ALIVE:
            return Wait(key, Why.WORKING, f"its worker is at work on the {now.turn} turn")


def _asked(key: TaskKey, driver: str, fact: TaskFacts, *, is_known: bool) -> Action | Wait:
    """An account is being asked at this task whether it works."""
    if is_known and fact.turn in (Turn.ENDED, Turn.LOST):
        return Action(Verb.ANSWER, f"{driver} was asked whether it works", key, key.wave)
    if is_known and fact.turn is not Turn.ALIVE:
        return Action(Verb.PROBE, f"{driver} was to be asked whether it works, and never was", key, key.wave)
    return Wait(key, Why.PROBING, f"{driver} is being asked whether it works")


def _start(
    orchestration: Orchestration, limits: Limits, key: TaskKey, now: Standing, fact: TaskFacts, slots: Slots
) -> Action | Wait:
    if fact.is_busy:
        return Wait(key, Why.TESTING, "its workspace is being set up")
    held = stop_wait(orchestration, key) or _held_by(orchestration, key)
    if held:
        return held
    verb, reason = _due(orchestration, key, now)
    if verb.starts_turn and (resting := slots.resting(key)):
        return resting
    if verb in (Verb.EXECUTE, Verb.RETRY) and limits.until_plan:
        return Wait(key, Why.UNTIL, "its plan is approved; this call goes only as far as the plans", "orch next-wave")
    if verb.starts_turn and (instead := slots.probe(key) or slots.take(key)):
        return instead
    return Action(verb, reason, key, key.wave)


def _due(orchestration: Orchestration, key: TaskKey, now: Standing) -> tuple[Verb, str]:
    again = "; the last worker died" if now.is_continued else f"; the last turn: {now.weather}" if now.weather else ""
    match now.stage:
        case Stage.APPROVED if is_stale(orchestration.plan, orchestration.task(key)):
            return Verb.REPLAN, ANOTHER_SPEC
        case Stage.APPROVED if has_changed(orchestration.task(key)):
            return Verb.REOPEN, "its micro-plan was changed after it was approved"
        case Stage.APPROVED:
            return Verb.EXECUTE, "its micro-plan is approved" + again
        case Stage.RETRY_DUE:
            return Verb.RETRY, (now.cause or "its work was sent back") + again
        case Stage.FRESH if now.tiers:
            return Verb.PLAN, f"its work failed on the tier {now.tiers[-1][0]}"
        case Stage.SENT_BACK:
            return Verb.PLAN, (f"its micro-plan was sent back: {now.cause}" if now.cause else "its plan turn is due")
        case _:
            return Verb.PLAN, "its dependencies are done"


def _wave_end(orchestration: Orchestration, facts: Facts | None, wave: Wave) -> Action | None:
    if orchestration.state.stop or not all_ended(orchestration, wave) or is_stuck(orchestration, wave, facts):
        return None
    return Action(Verb.SUITES, "every task of the wave has ended", wave=wave.number)
