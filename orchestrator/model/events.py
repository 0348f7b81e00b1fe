"""The four events at which others are told of an orchestration: planned, decision, paused, closed.

Owns which of them is the last one, from one look at everything. Pure; must not know how they are told.
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.model.actions import Decision, Wait, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Wave
from orchestrator.model.status import Status
from orchestrator.nouns import dataclass


class Kind(StrEnum):
    PLANNED = "planned"
    """A wave is laid out and begins, or is under way."""
    DECISION = "decision"
    """Plans, changes or questions wait for somebody's word."""
    PAUSED = "paused"
    """Nothing goes on until somebody has mended something: a blocked task, a red wave, a stop, a file in the way; or
    has raised a limit."""
    CLOSED = "closed"
    """A wave is done, or all are."""


@dataclass(frozen=True, slots=True)
class Event:
    kind: Kind
    wave: int | None
    """The wave it is about; None where the plan has none, or it is about the whole."""
    waits: tuple[Wait, ...] = ()
    """What is waited for: judgements and answers of a decision, what keeps a paused one."""


_DECIDED = (Why.GATE, Why.DIFF, Why.QUESTION, Why.NEEDS_INPUT)
_PAUSING = (Why.BLOCKED, Why.RED, Why.CELL, Why.FILE, Why.CHECKOUT, Why.STOP, Why.TROUBLE, Why.BUDGET)
_AT_WORK = (Why.WORKING, Why.HOSTED, Why.TESTING, Why.PROBING)


def last_event(orchestration: Orchestration, decision: Decision) -> Event:
    """The event that the orchestration stands at."""
    if decision.is_finished:
        return Event(Kind.CLOSED, None)
    wave = decision.wave
    waits = [wait for wait in decision.waits if wait.key.wave == wave or wait.why is Why.BLOCKED]
    asked = tuple(wait for wait in waits if wait.why in _DECIDED)
    if asked:
        return Event(Kind.DECISION, wave, asked)
    goes_on = bool(decision.actions) or any(wait.why in _AT_WORK for wait in waits)
    holding = tuple(wait for wait in waits if wait.why in _PAUSING)
    if not goes_on and (holding or decision.red or decision.stuck or decision.stop):
        return Event(Kind.PAUSED, next(iter((*decision.red, *decision.stuck)), wave), holding)
    if wave is not None and not has_begun(orchestration, orchestration.plan.wave(wave)):
        earlier = (one.number for one in orchestration.plan.waves if one.number < wave)
        done = [number for number in earlier if orchestration.state.is_done(number)]
        if done:
            return Event(Kind.CLOSED, done[-1])
    return Event(Kind.PLANNED, wave)


def has_begun(orchestration: Orchestration, wave: Wave) -> bool:
    """Whether anything has been done for a task of the wave, or said of one on the board."""
    return any(is_begun(orchestration, key) for key in wave.tasks)


def is_begun(orchestration: Orchestration, key: TaskKey) -> bool:
    """Whether anything has been done for the task, or said of it on the board."""
    return bool(orchestration.task(key).log) or orchestration.effective_status(key) is not Status.PENDING
