"""One numbered planning set, whole: plan, state, task files, settings."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.errors import Problem
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.settings import Settings
from orchestrator.model.stage import Stage, standing
from orchestrator.model.state import State
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import dataclass, field


@dataclass(frozen=True, slots=True)
class Orchestration:
    """Everything the files say. `tasks` holds the task files that were read; a task without one is fresh."""

    plan: Plan
    state: State
    settings: Settings
    tasks: Mapping[TaskKey, TaskFile] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    # What has been worked out about it: asked for again and again in one decision, and it can't change.
    _statuses: dict[TaskKey, Status | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _held: list[bool] = field(default_factory=list, init=False, repr=False, compare=False)
    _blocked: dict[int, tuple[TaskKey, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def task(self, key: TaskKey) -> TaskFile:
        return self.tasks.get(key) or TaskFile(key)

    def effective_status(self, key: TaskKey) -> Status | None:
        """What a task counts as: what its log proves, else the board's word, else pending. None: unknown word.

        A landed task is done whatever its cell says.
        """
        if key not in self._statuses:
            row = self.state.row(key)
            status = row.status if row else Status.PENDING
            if key in self.tasks and standing(self.tasks[key].log).stage is Stage.LANDED:
                status = Status.DONE
            self._statuses[key] = status
        return self._statuses[key]

    @property
    def holds_any(self) -> bool:
        """Whether a task is blocked or skipped, so that it may hold others."""
        if not self._held:
            holders = (Status.BLOCKED, Status.SKIPPED)
            self._held.append(any(self.effective_status(row.key) in holders for row in self.state.board))
        return self._held[0]

    def blocked_in(self, wave: int) -> tuple[TaskKey, ...]:
        """The blocked tasks of a wave. Raises KeyError for a wave that the plan doesn't have."""
        if wave not in self._blocked:
            keys = self.plan.wave(wave).tasks
            self._blocked[wave] = tuple(key for key in keys if self.effective_status(key) is Status.BLOCKED)
        return self._blocked[wave]
