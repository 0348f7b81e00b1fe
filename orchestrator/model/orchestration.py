"""One numbered planning set, whole: plan, state, task files, settings."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.errors import Problem
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.settings import Settings, Worker
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
    _below: list[frozenset[TaskKey]] = field(default_factory=list, init=False, repr=False, compare=False)
    _blocked: dict[int, tuple[TaskKey, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def task(self, key: TaskKey) -> TaskFile:
        return self.tasks.get(key) or TaskFile(key)

    def worker(self, key: TaskKey, *, of_review: bool = False) -> Worker | None:
        """The worker that serves the task's tier, or its reviewer; None where the settings have none."""
        if of_review:
            return self.settings.reviewer
        return self.settings.worker_for(self.task(key).tier or self.plan.spec(key).tier)

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

    def may_be_held(self, key: TaskKey) -> bool:
        """Whether a blocked or skipped task may hold this one: it needs one, however far up, or its wave waits for one.

        Worked out once for all, downward from those that hold: walking up from each task would be quadratic.
        """
        if not self._below:
            self._below.append(frozenset(self._find_below()))
        return key in self._below[0]

    def _find_below(self) -> set[TaskKey]:
        holders = (Status.BLOCKED, Status.SKIPPED)
        queue = [row.key for row in self.state.board if self.effective_status(row.key) in holders]
        found: set[TaskKey] = set()
        if not queue:
            return found
        needed_by: dict[TaskKey, list[TaskKey]] = {}
        for spec in self.plan.specs:
            for item in spec.depends_on:
                if item.task:
                    needed_by.setdefault(item.task, []).append(spec.key)
        while queue:
            for key in needed_by.get(queue.pop(), ()):
                if key not in found:
                    found.add(key)
                    queue.append(key)
        numbers = {wave.number for wave in self.plan.waves}
        for wave in self.plan.waves:
            if any(number in numbers and self.blocked_in(number) for number in wave.depends_on):
                found.update(wave.tasks)
        return found

    def blocked_in(self, wave: int) -> tuple[TaskKey, ...]:
        """The blocked tasks of a wave. Raises KeyError for a wave that the plan doesn't have."""
        if wave not in self._blocked:
            keys = self.plan.wave(wave).tasks
            self._blocked[wave] = tuple(key for key in keys if self.effective_status(key) is Status.BLOCKED)
        return self._blocked[wave]
