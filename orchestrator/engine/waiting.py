"""`orch wait`: until nothing is at work any more, or something has changed, so that a session needn't poll.

Reads files, the lock's holder and the processes of turns; takes no lock and writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from orchestrator.engine.going_on import workers_alive
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session, run_layout
from orchestrator.engine.status import look, what_next, workers_seen
from orchestrator.errors import Exit, strongest
from orchestrator.model.actions import Action, Decision, Verb, Why
from orchestrator.model.facts import Turn
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import standing
from orchestrator.nouns import replace
from orchestrator.store.locks import who_runs
from orchestrator.views.status import status_lines

PAUSE = 0.5
"""Seconds between two looks."""


def wait(
    session: Session,
    *,
    any_change: bool = False,
    timeout: float = 0.0,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """The outcome of status once no orch and no worker is at work, or with `any_change` once a task has moved.

    Exit 5 after `timeout` seconds (0: no limit), else what the files say: 3 waiting for somebody, 4 failed, 6 nothing
    left, 0 where next-wave can go on.
    """
    until = clock() + timeout
    orchestration, decision = _look(session)
    first = _seen(decision)
    while _is_awaited(session, orchestration, decision, any_change) and not (any_change and _seen(decision) != first):
        if timeout and clock() >= until:
            outcome = _outcome(session, orchestration, decision)
            return replace(outcome, outcome="paused", exit_code=Exit.PAUSED, next=session.command("wait"), first="")
        sleep(PAUSE)
        orchestration, decision = _look(session)
    return _outcome(session, orchestration, decision)


def _look(session: Session) -> tuple[Orchestration, Decision]:
    """What status sees, and which of the turns that were handed out have ended: those next-wave can take in."""
    orchestration, decision = look(session)
    handed_out = decision.waits_for(Why.HOSTED)
    if not handed_out:
        return orchestration, decision
    # Here and not above: it loads what a run needs, and mostly no turn is handed out.
    from orchestrator.engine.hosted import state_in

    layout = run_layout(session.layout, orchestration.state.run)
    ended = {
        wait.key: standing(orchestration.task(wait.key).log).turn
        for wait in handed_out
        if state_in(layout, wait.key, standing(orchestration.task(wait.key).log)) is Turn.ENDED
    }
    due = [Action(Verb.COLLECT, f"its {turn} turn has ended", key, key.wave) for key, turn in ended.items()]
    waits = tuple(wait for wait in decision.waits if wait.key not in ended)
    return orchestration, replace(decision, actions=(*due, *decision.actions), waits=waits)


def _is_awaited(session: Session, orchestration: Orchestration, decision: Decision, any_change: bool) -> bool:
    """Whether something may change by itself. A turn that was handed out is waited for only where any change is: nobody
    knows whether a worker has been given it."""
    is_handed_out = any_change and bool(decision.waits_for(Why.HOSTED))
    return is_handed_out or _is_at_work(session, orchestration)


def _is_at_work(session: Session, orchestration: Orchestration) -> bool:
    return bool(who_runs(session.layout.common_dir)) or bool(workers_alive(session, orchestration))


def _seen(decision: Decision) -> object:
    """What counts as a change: an action that is due, a wait for something else."""
    return decision.wave, decision.is_finished, decision.red, decision.actions, decision.waits


def _outcome(session: Session, orchestration: Orchestration, decision: Decision) -> Outcome:
    codes: list[Exit] = []
    if decision.red or any(wait.why in (Why.BLOCKED, Why.RED) for wait in decision.waits):
        codes.append(Exit.FAILED)
    takes_in = any(action.verb is Verb.COLLECT for action in decision.actions)
    waits = [wait for wait in decision.waits if not (takes_in and wait.why is Why.HOSTED)]
    if decision.stop or any(wait.why.needs_person for wait in waits):
        codes.append(Exit.WAITING)
    if any(wait.why in (Why.PAUSED, Why.BUDGET) for wait in decision.waits):
        codes.append(Exit.PAUSED)
    code = Exit.NOTHING if decision.is_finished else strongest(codes)
    first, following = what_next(session, orchestration, decision)
    words = {Exit.FAILED: "failed", Exit.WAITING: "waiting", Exit.NOTHING: "nothing", Exit.PAUSED: "paused"}
    return Outcome(
        outcome=words.get(code, "done"),
        exit_code=code,
        next=following,
        first=first,
        lines=status_lines(orchestration, decision, workers_seen(session, orchestration, decision)),
        data={"orchestration": orchestration.plan.number},
    )
