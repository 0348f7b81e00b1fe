"""Which wave is worked on, and what holds the others. Pure; the board's words are enough for it."""

from __future__ import annotations

from orchestrator.model.facts import Facts
from orchestrator.model.heads import is_at
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Wave
from orchestrator.model.status import Status, WaveStatus
from orchestrator.nouns import dataclass


def effective_status(orchestration: Orchestration, key: TaskKey) -> Status | None:
    """What a task counts as: see Orchestration.effective_status."""
    return orchestration.effective_status(key)


@dataclass(frozen=True, slots=True)
class Picked:
    """`current` is the wave to work on. `red` and `stuck` are waves that hold others."""

    current: Wave | None
    done: frozenset[int]
    red: tuple[int, ...]
    stuck: tuple[int, ...]
    is_finished: bool


def all_ended(orchestration: Orchestration, wave: Wave) -> bool:
    """Whether every task of the wave is done, skipped or blocked."""
    statuses = [effective_status(orchestration, key) for key in wave.tasks]
    return all(status is not None and status.is_ended for status in statuses)


def has_blocked(orchestration: Orchestration, wave: Wave) -> bool:
    """Whether a task of the wave is blocked."""
    return bool(orchestration.blocked_in(wave.number))


def has_work(orchestration: Orchestration, wave: Wave) -> bool:
    """Whether a task of the wave is at neither an end nor a word that nobody knows: of a wave that was done, one that
    was put back, or added since."""
    for key in wave.tasks:
        status = effective_status(orchestration, key)
        if status is not None and status not in (Status.DONE, Status.SKIPPED):
            return True
    return False


def suites_ran(orchestration: Orchestration, wave: Wave, facts: Facts | None) -> bool:
    """Whether the wave's row records its suites at the head, or at one that is as good; without facts, at any."""
    row = orchestration.state.wave(wave.number)
    if row is None or row.status is not WaveStatus.OPEN or not row.commit:
        return False
    return facts is None or wave.number in facts.checked or is_at(row.commit, facts.head)


def is_stuck(orchestration: Orchestration, wave: Wave, facts: Facts | None) -> bool:
    """Whether the wave waits on blocked tasks alone: all have ended and the suites ran."""
    return (
        all_ended(orchestration, wave) and has_blocked(orchestration, wave) and suites_ran(orchestration, wave, facts)
    )


def pick(orchestration: Orchestration, facts: Facts | None = None) -> Picked:
    """The lowest wave that isn't done and isn't held; a red wave holds all later ones, a stuck one its dependents."""
    done: set[int] = set()
    red: list[int] = []
    stuck: list[int] = []
    held: set[int] = set()
    for wave in orchestration.plan.waves:
        row = orchestration.state.wave(wave.number)
        status = row.status if row else WaveStatus.OPEN
        if status is WaveStatus.DONE and not has_work(orchestration, wave):
            done.add(wave.number)
        elif status is WaveStatus.RED:
            red.append(wave.number)
            break
        elif any(number in held for number in wave.depends_on):
            held.add(wave.number)
        elif is_stuck(orchestration, wave, facts):
            stuck.append(wave.number)
            held.add(wave.number)
        else:
            return Picked(wave, frozenset(done), tuple(red), tuple(stuck), is_finished=False)
    finished = bool(orchestration.plan.waves) and len(done) == len(orchestration.plan.waves)
    return Picked(None, frozenset(done), tuple(red), tuple(stuck), is_finished=finished)
