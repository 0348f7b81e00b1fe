"""Limits of `budget:` held against what was spent: whether another turn may start, and what it may cost.

Pure; part of next_actions. A turn at work is never ended by it. What isn't known counts as nothing here and is named.
"""

from __future__ import annotations

from orchestrator.model.actions import Wait, Why
from orchestrator.model.costs import Spent, TurnCost, spent, turns_of
from orchestrator.model.ids import TaskKey
from orchestrator.model.money import duration_text, size_text, unknown_text, usd_text
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import Bounds

LEAST_USD = 0.0001
"""The smallest sum that the files write; a turn is never given less."""


class Meter:
    """What was spent when a decision began, and the tasks that it begins itself."""

    def __init__(self, orchestration: Orchestration, now: str = "") -> None:
        self._budget = orchestration.settings.budget
        self._path = orchestration.settings.path
        self._now = now
        found = ((key, turns_of(task.log)) for key, task in orchestration.tasks.items())
        self._turns: dict[TaskKey, tuple[TurnCost, ...]] = {key: turns for key, turns in found if turns}
        self._begun = set(self._turns)
        self._total: Spent | None = None

    def total(self) -> Spent:
        """What all tasks together have used."""
        if self._total is None:
            self._total = spent((turn for turns in self._turns.values() for turn in turns), self._now)
        return self._total

    def of(self, key: TaskKey) -> Spent:
        """What one task has used."""
        return spent(self._turns.get(key, ()), self._now)

    @property
    def begun(self) -> int:
        """How many tasks have had a turn."""
        return len(self._begun)

    def begins(self, key: TaskKey) -> None:
        """A turn of this task will be started by the decision that is being made."""
        self._begun.add(key)

    def wait(self, key: TaskKey) -> Wait | None:
        """The wait of a task for which no turn may be started any more; None where one may."""
        found = _over(self._budget.total, self.total(), "the budget is used up", "budget")
        found = found or _over(self._budget.per_task, self.of(key), "its budget is used up", "budget: per_task")
        most = self._budget.tasks
        if not found and most is not None and key not in self._begun and self.begun >= most:
            found = (f"the budget is used up: {self.begun} of {most} tasks begun", "raise tasks under budget")
        if not found:
            return None
        reason, remedy = found
        return Wait(key, Why.BUDGET, reason, f"{remedy} in {self._path}, then run orch next-wave")

    def usd_left(self, key: TaskKey) -> float | None:
        """What one more turn of the task may cost; None without a limit in money."""
        pairs = ((self._budget.total.usd, self.total()), (self._budget.per_task.usd, self.of(key)))
        left = [limit - used.usd for limit, used in pairs if limit is not None]
        return max(LEAST_USD, min(left)) if left else None


def _over(bounds: Bounds, used: Spent, head: str, where: str) -> tuple[str, str] | None:
    """What is used up, with the numbers and what isn't known of them, and what can be done."""
    if bounds.usd is not None and used.usd >= bounds.usd:
        said = f"{usd_text(used.usd)} of {usd_text(bounds.usd)}{unknown_text(used.unpriced, 'at an unknown price')}"
        return f"{head}: {said}", f"raise usd under {where}"
    if bounds.tokens is not None and used.tokens >= bounds.tokens:
        more = unknown_text(used.uncounted, "of unknown size")
        return (
            f"{head}: {size_text(used.tokens)} of {size_text(bounds.tokens)} tokens{more}",
            f"raise tokens under {where}",
        )
    if bounds.time is not None and used.seconds >= bounds.time:
        said = f"{duration_text(used.seconds)} of {duration_text(bounds.time)} at work"
        return f"{head}: {said}", f"raise time under {where}"
    return None
