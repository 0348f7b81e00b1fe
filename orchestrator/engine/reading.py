"""How much of a set a question needs: the plan, the state, and only those todo files that matter now."""

from __future__ import annotations

from orchestrator.model.orchestration import Orchestration
from orchestrator.model.waves import pick
from orchestrator.store.planning_set import PlanningSet


def load_current(planning: PlanningSet, *, outline: bool = False) -> Orchestration:
    """The set with the todo files of the tasks in flight and of the wave that is worked on.

    outline: see PlanningSet.load; enough for a decision, not for work.
    """
    first = planning.load(with_tasks="in-flight", outline=outline)
    wave = pick(first, "").current
    if wave is None or all(key in first.tasks for key in wave.tasks):
        return first
    return planning.load(with_tasks=frozenset({*first.tasks, *wave.tasks}), outline=outline)
