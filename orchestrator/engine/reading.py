"""How much of a set a question needs: the plan, the state, and only those todo files that matter now."""

from __future__ import annotations

from orchestrator.model.orchestration import Orchestration
from orchestrator.model.status import Status
from orchestrator.model.waves import pick
from orchestrator.store.planning_set import PlanningSet


def load_current(planning: PlanningSet, *, outline: bool = False) -> Orchestration:
    """The set with the todo files of the tasks in flight, of the wave that is worked on, and of waves that are stuck:
    whether those still are depends on the branch's head, which only the caller may know.

    outline: see PlanningSet.load; enough for a decision, not for work.
    """
    first = planning.load(with_tasks="in-flight", outline=outline)
    picked = pick(first, "")
    # Whether those that need a skipped task may go on is written in its log.
    skipped = [row.key for row in first.state.board if row.status is Status.SKIPPED]
    waves = [*([picked.current] if picked.current else []), *(first.plan.wave(number) for number in picked.stuck)]
    return planning.with_tasks(first, (*skipped, *(key for wave in waves for key in wave.tasks)))
