"""What the world says besides the files: processes and git, gathered before a decision."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, field


class Turn(StrEnum):
    """The process of a task's last started turn, or of the question that is put to its account."""

    NONE = "none"
    ALIVE = "alive"
    ENDED = "ended"
    LOST = "lost"
    """Gone without an exit code: killed with its shim, or the machine went down."""
    NEVER_STARTED = "never-started"
    """Announced in the log; orch died before it was spawned."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a turn at work has used so far; None for what isn't known."""

    usd: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TaskFacts:
    turn: Turn = Turn.NONE
    quiet_for: float = 0.0
    """Seconds since the worker last wrote anything."""
    used: Used | None = None
    """What a turn at work has used so far, where there are limits and its program tells."""
    landed: str = ""
    """A landing found in git that is on the integration branch."""
    in_the_way: tuple[str, str] | None = None
    """Why a verified task can't land in this call, such as local files that collide, and the remedy."""
    revert_due: bool = False
    """The log says that its landing is taken back, and git that it isn't yet."""
    trouble: tuple[str, str] | None = None
    """What went wrong for it in this call, and the remedy."""
    hosted: str = ""
    """Where a turn of the manual driver was handed out: its worktree and prompt."""
    is_busy: bool = False
    """orch itself is at work for the task: its setup or its targeted test is running."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Tasks that aren't in the mapping have no facts. `head` names the heads of the integration branches."""

    head: str = ""
    tasks: Mapping[TaskKey, TaskFacts] = field(default_factory=dict)
    had_workers: bool = False
    """Whether a turn was in flight when the files were looked at the last time, or a test of some work ran since."""
    checked: frozenset[int] = frozenset()
    """Waves whose suites ran at an earlier head, with nothing behind it but landings of other waves."""

    def task(self, key: TaskKey) -> TaskFacts:
        return self.tasks.get(key) or TaskFacts()


@dataclass(frozen=True, slots=True)
class Limits:
    """What this call may do. `wave` restricts to one wave, `until_plan` starts no execute turn."""

    jobs: int = 4
    gate: str = "stop"
    wave: int | None = None
    until_plan: bool = False
    is_attended: bool = True
    """Somebody answers plans that rest at the gate; else a worker that can't plan gives way to the next tier."""
    now: str = ""
    """This moment, as the files write it; without one every pause of an account is still on."""
