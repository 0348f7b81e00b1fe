"""How much of a set a question needs: the plan, the state, and only those todo files that matter now."""

from __future__ import annotations

from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import REVIEW
from orchestrator.model.stage import standing
from orchestrator.model.status import Status
from orchestrator.model.waves import has_work, pick
from orchestrator.store.planning_set import PlanningSet


def load_current(planning: PlanningSet, *, outline: bool = False) -> Orchestration:
    """The set with the todo files of the tasks in flight, of the wave that is worked on, and of waves that are stuck:
    whether those still are depends on the branch's head, which only the caller may know. With limits set,
    all there are.

    outline: see PlanningSet.load; enough for a decision, not for work. The whole plan where the tier of a task is
    asked for: whose account rests is told by it.
    """
    found = planning.load(with_tasks="in-flight", outline=outline)
    if outline and _asks_for_tiers(found):
        return load_current(planning)
    # Whether those that need a skipped task may go on is written in its log.
    skipped = [row.key for row in found.state.board if row.status is Status.SKIPPED]
    # Whether a done wave really has work again is written in the logs: a landed task is done whatever its cell says.
    done = [wave for wave in found.plan.waves if found.state.is_done(wave.number)]
    reopened = [key for wave in done if has_work(found, wave) for key in wave.tasks]
    found = planning.with_tasks(found, (*skipped, *reopened))
    picked = pick(found)
    waves = [*([picked.current] if picked.current else []), *(found.plan.wave(number) for number in picked.stuck)]
    wanted: tuple[TaskKey, ...] = tuple(key for wave in waves for key in wave.tasks)
    found = planning.with_tasks(found, wanted)
    # Looking sums up what all have used from their logs alone; work has read the files anyway.
    accounts = _accounts(planning, found)
    return planning.with_logs(found, accounts) if outline else planning.with_tasks(found, accounts)


def _asks_for_tiers(found: Orchestration) -> bool:
    """Whether the account of one kind of worker rests or is in doubt while there is another."""
    drivers = {worker.driver for worker in found.settings.workers if worker.tier != REVIEW}
    return len(drivers) > 1 and any(task.until or standing(task.log).service.doubted for task in found.tasks.values())


def _accounts(planning: PlanningSet, found: Orchestration) -> tuple[TaskKey, ...]:
    """The tasks whose logs say what was used, where limits are held against that."""
    if not found.settings.budget.is_set:
        return ()
    there = frozenset(planning.layout.todo_names())
    return tuple(key for key in found.plan.in_waves() if str(key) in there)
