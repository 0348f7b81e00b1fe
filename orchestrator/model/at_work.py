"""A worker at work as somebody who looks from outside sees it: a value, and how its silence is read.

Pure; knows neither where it was looked at nor how it is said.
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.model.costs import Spent
from orchestrator.nouns import dataclass, field

QUIET_AFTER = 60.0
"""Seconds without output from which on a worker counts as quiet: a long answer of a model is normal."""


class State(StrEnum):
    PRODUCING = "producing"
    QUIET = "quiet"
    STALLED = "stalled"
    """Silent for longer than its settings allow."""
    ENDED = "ended"
    """Its process has ended, and nobody has taken its turn in yet."""
    GONE = "gone"
    """Its process is gone without an end."""


@dataclass(frozen=True, slots=True)
class AtWork:
    """One turn at work. Times are seconds."""

    state: State
    turn: str
    seconds: float = 0.0
    """Since the turn was started."""
    quiet: float = 0.0
    """Since its last output."""
    act: str = ""
    """What it said, used or met last, in a line."""
    before: Spent = field(default_factory=Spent)
    """What the task's turns before this one used."""
    read: int | None = None
    written: int | None = None
    """Tokens of this turn so far; None where its program doesn't tell before the end."""
    is_whole: bool = True
    """Whether the whole output was looked at; if not, it has used more than that."""


def state_of(quiet: float, stall: float) -> State:
    """How the silence of a living worker is read. stall: the most it may be silent, 0 for any time."""
    if stall and quiet >= stall:
        return State.STALLED
    return State.QUIET if quiet >= QUIET_AFTER else State.PRODUCING
