"""One numbered planning set, whole: plan, state, task files, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.errors import Problem
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.settings import Settings
from orchestrator.model.state import State
from orchestrator.model.task_file import TaskFile


@dataclass(frozen=True, slots=True)
class Orchestration:
    """Everything the files say. `tasks` holds the task files that were read; a task without one is fresh."""

    plan: Plan
    state: State
    settings: Settings
    tasks: Mapping[TaskKey, TaskFile] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def task(self, key: TaskKey) -> TaskFile:
        return self.tasks.get(key) or TaskFile(key)
