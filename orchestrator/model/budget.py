"""Limits of `budget:` held against what was spent: whether another turn may start, what it may use, and whether one at
work has used it.

Pure; part of next_actions. What isn't known counts as nothing here and is named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from orchestrator.model.actions import Wait, Why
from orchestrator.model.costs import Spent, TurnCost, spent, turns_of
from orchestrator.model.facts import Used
from orchestrator.model.ids import TaskKey
from orchestrator.model.money import duration_text, size_text, unknown_text, usd_text
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.portions import Purse
from orchestrator.model.settings import Bounds
from orchestrator.nouns import dataclass


@dataclass(frozen=True, slots=True)
class _Kind:
    """Money or tokens: what is counted in whole units of its own."""

    key: str
    """In `budget:`, and in everything that holds an amount of it."""
    missing: str
    """What is said of turns whose use of it isn't known."""
    units: int = 1

    def of(self, holder: Bounds | Spent | TurnCost | Used) -> int | None:
        """The amount that something holds, in units; None for none."""
        amount = getattr(holder, self.key)
        # Whole amounts are exact; of a limit that is finer than the files write, the rest can't be used.
        return None if amount is None else int(amount * self.units + 1e-6)

    def words(self, units: int) -> str:
        return usd_text(units / self.units) if self.key == "usd" else size_text(units)

    def noun(self, units: int) -> str:
        return self.words(units) + ("" if self.key == "usd" else " tokens")


_USD = _Kind("usd", "at an unknown price", 10_000)
_TOKENS = _Kind("tokens", "of unknown size")
_KINDS = (_USD, _TOKENS)


class Meter:
    """What was spent when a decision began, what turns at work may use, and the turns that it begins itself."""

    def __init__(
        self,
        orchestration: Orchestration,
        now: str = "",
        *,
        awaited: Collection[TaskKey] | None = None,
        used: Mapping[TaskKey, Used] | None = None,
    ) -> None:
        """awaited: the tasks whose turns will be waited for; None for all. used: of turns at work, as far as known."""
        self._budget = orchestration.settings.budget
        self._path = orchestration.settings.path
        self._now = now
        found = ((key, turns_of(task.log)) for key, task in orchestration.tasks.items())
        self._turns: dict[TaskKey, tuple[TurnCost, ...]] = {key: turns for key, turns in found if turns}
        self._running = {key: turns[-1] for key, turns in self._turns.items() if turns[-1].runs}
        self._used = used or {}
        self._begun = set(self._turns)
        self._total: Spent | None = None
        self._usual: dict[tuple[str, str], int] = {}
        self.granted: dict[TaskKey, Bounds] = {}
        """What the turns that the decision begins may use."""
        self._purses: dict[str, Purse] = {}
        for kind in _KINDS:
            limit = kind.of(self._budget.total)
            if limit is not None:
                self._purses[kind.key] = self._purse(kind, limit, awaited)

    def _purse(self, kind: _Kind, limit: int, awaited: Collection[TaskKey] | None) -> Purse:
        purse = Purse(limit, kind.of(self.total()) or 0)
        for key, turn in self._running.items():
            cap = kind.of(turn.cap)
            held = max(self._usually(kind, turn.tier) if cap is None else cap, self._so_far(kind, key) or 0)
            if awaited is None or key in awaited:
                purse.promised += held
            else:
                purse.away += held
        return purse

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

    def promised(self) -> dict[str, str]:
        """What turns at work may use of the limits of all tasks, in words, by the keys of those limits."""
        purses = ((kind, self._purses.get(kind.key)) for kind in _KINDS)
        return {kind.key: kind.words(purse.promised) for kind, purse in purses if purse and purse.promised}

    def _so_far(self, kind: _Kind, key: TaskKey) -> int | None:
        used = self._used.get(key)
        return None if used is None else kind.of(used)

    def _usually(self, kind: _Kind, tier: str) -> int:
        """What the finished turns of the tier have used on average; 0 where none is known."""
        place = (kind.key, tier)
        if place not in self._usual:
            known = [
                amount
                for turns in self._turns.values()
                for turn in turns
                if turn.tier == tier and turn.outcome == "finished" and (amount := kind.of(turn)) is not None
            ]
            self._usual[place] = sum(known) // len(known) if known else 0
        return self._usual[place]

    def wait(self, key: TaskKey) -> Wait | None:
        """The wait of a task for which no turn may be started any more; None where one may."""
        found = _over(self._budget.total, self.total(), "the budget is used up", "budget")
        found = found or self._is_away() or _over(self._budget.per_task, self.of(key), *_EACH)
        most = self._budget.tasks
        if not found and most is not None and key not in self._begun and self.begun >= most:
            found = (f"the budget is used up: {self.begun} of {most} tasks begun", "raise tasks under budget")
        if not found:
            return None
        reason, remedy = found
        return Wait(key, Why.BUDGET, reason, f"{remedy} in {self._path}, then run orch next-wave")

    def _is_away(self) -> tuple[str, str] | None:
        """What turns that nobody waits for now leave nothing of."""
        for kind in _KINDS:
            purse = self._purses.get(kind.key)
            if purse and purse.away and purse.limit <= purse.spent + purse.away:
                given = f"{kind.words(purse.away)} given to turns at work of other waves"
                said = f"{kind.words(purse.spent)} of {kind.noun(purse.limit)}, and {given}"
                return f"the budget is used up: {said}", f"raise {kind.key} under budget"
        return None

    def begin(self, key: TaskKey, tier: str, *, sharers: int) -> Wait | None:
        """A turn of this task will be started by the decision that is being made; or the wait of one that has to be put
        off until another one has ended.

        sharers: how many turns may be started now, this one too. What it may use stands in `granted` then.
        """
        portions: dict[str, int] = {}
        for kind in _KINDS:
            each = kind.of(self._budget.per_task)
            own = None if each is None else max(1, each - (kind.of(self.of(key)) or 0))
            purse = self._purses.get(kind.key)
            if purse is not None:
                usual = self._usually(kind, tier)
                found = purse.portion(usual=usual if own is None else min(own, usual), sharers=sharers)
                if found is None and not purse.promised:
                    return self._used_up_but(key, kind, purse, usual)
                if found is None:
                    return Wait(key, Why.SLOT, _too_little(kind, purse))
                own = found if own is None else min(own, found)
            if own is not None:
                portions[kind.key] = own
        for name, purse in self._purses.items():
            purse.promised += portions[name]
        usd, tokens = (portions.get(kind.key) for kind in _KINDS)
        self.granted[key] = Bounds(None if usd is None else usd / _USD.units, tokens)
        self._begun.add(key)
        return None

    def _used_up_but(self, key: TaskKey, kind: _Kind, purse: Purse, usual: int) -> Wait:
        """The wait of a task for whose turn too little is left, with none at work that might leave something."""
        rest = f"what is left is less than half of what a turn uses ({kind.words(usual)})"
        said = f"the budget is used up: {kind.words(purse.spent)} of {kind.noun(purse.limit)}, and {rest}"
        return Wait(key, Why.BUDGET, said, f"raise {kind.key} under budget in {self._path}, then run orch next-wave")

    def used_up(self, key: TaskKey) -> str:
        """Why a task's turn at work has to be ended, by what it has used so far; empty as long as it needn't.

        Past its portion it may go on as long as nothing of what it takes then is promised to another one.
        """
        turn = self._running.get(key)
        for kind in _KINDS if turn is not None else ():
            used = self._so_far(kind, key)
            if used is None:
                continue
            each, before = kind.of(self._budget.per_task), kind.of(self.of(key)) or 0
            if each is not None and before + used >= each:
                return f"{_EACH[0]}: {kind.words(before + used)} of {kind.noun(each)}"
            purse = self._purses.get(kind.key)
            if purse is None:
                continue
            whole = purse.spent + sum(self._so_far(kind, one) or 0 for one in self._running)
            if whole >= purse.limit:
                return f"the budget is used up: {kind.words(whole)} of {kind.noun(purse.limit)}"
            cap = kind.of(turn.cap) if turn else None
            if cap is not None and used >= cap and purse.left <= 0:
                return f"it has used {kind.words(used)} of the {kind.noun(cap)} that the budget left it"
        return ""


_EACH = ("its budget is used up", "budget: per_task")


def _too_little(kind: _Kind, purse: Purse) -> str:
    rest = f"only {kind.noun(purse.left)} of the budget" if purse.left > 0 else "nothing of the budget"
    return f"{rest} is left beside what turns at work may use; waits for one of them to end"


def _over(bounds: Bounds, used: Spent, head: str, where: str) -> tuple[str, str] | None:
    """What is used up, with the numbers and what isn't known of them, and what can be done."""
    for kind, missing in ((_USD, used.unpriced), (_TOKENS, used.uncounted)):
        limit, had = kind.of(bounds), kind.of(used) or 0
        if limit is not None and had >= limit:
            least = "at least " if used.partial else ""
            said = f"{least}{kind.words(had)} of {kind.noun(limit)}{unknown_text(missing, kind.missing)}"
            return f"{head}: {said}", f"raise {kind.key} under {where}"
    if bounds.time is not None and used.seconds >= bounds.time:
        said = f"{duration_text(used.seconds)} of {duration_text(bounds.time)} at work"
        return f"{head}: {said}", f"raise time under {where}"
    return None
