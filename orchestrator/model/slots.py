"""What one decision has to give away: turns that may still be started, by workers alive, accounts and the budget.

Owns how much of it is left while a decision is being made. Must not know what a turn is for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.model.accounts import account_pauses, account_wait, accounts_in_doubt
from orchestrator.model.actions import Action, Verb, Wait, Why
from orchestrator.model.facts import Facts, Limits, Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Wave
from orchestrator.model.settings import REVIEW
from orchestrator.model.stage import Stage, standing
from orchestrator.nouns import replace

if TYPE_CHECKING:
    from orchestrator.model.budget import Meter


_ENDED = (Stage.WORK_ENDED, Stage.VERIFIED)
_OVER = (Stage.LANDED, Stage.BLOCKED, Stage.DECIDED)


class Slots:
    """How many more turns may be started in this decision: `jobs` less the workers alive or being prepared."""

    def __init__(self, orchestration: Orchestration, facts: Facts | None, limits: Limits, wave: Wave | None) -> None:
        busy = 0
        self._waiting = 0
        for key in wave.tasks if wave else ():
            now = standing(orchestration.task(key).log)
            alive = facts is None or facts.task(key).turn in (Turn.ALIVE, Turn.NEVER_STARTED)
            # A test is no worker: while it runs, or its task waits in line to land, another worker can be at work.
            is_set_up = facts is not None and facts.task(key).is_busy and now.stage not in _ENDED
            busy += (now.is_in_flight and alive) or is_set_up
            self._waiting += not now.is_in_flight and now.stage not in _OVER
        tasks = orchestration.tasks.values()
        self.has_workers = any(standing(task.log).is_in_flight for task in tasks) or bool(facts and facts.had_workers)
        """Whether what was changed since the last look may be the doing of a worker of the set."""
        self._free = max(0, limits.jobs - busy)
        self._jobs = limits.jobs
        self._orchestration = orchestration
        self._pauses = account_pauses(orchestration, limits.now)
        self._doubts = accounts_in_doubt(orchestration, wave.tasks if wave else ())
        self._meter: Meter | None = None
        if orchestration.settings.budget.is_set:
            # Here and not above: few settings set limits, and commands that look are to be quick.
            from orchestrator.model.budget import Meter

            used = {key: fact.used for key, fact in (facts.tasks if facts else {}).items() if fact.used}
            self._meter = Meter(orchestration, limits.now, awaited=wave.tasks if wave else (), used=used)

    def resting(self, key: TaskKey, *, of_review: bool = False) -> Wait | None:
        """The wait of a task whose worker's account rests, or whose reviewer's does."""
        return account_wait(self._orchestration, self._pauses, key, of_review=of_review)

    def probe(self, key: TaskKey, *, of_review: bool = False) -> Action | Wait | None:
        """What becomes of a task whose worker's account is in doubt, or whose reviewer's is: it is asked, once however
        many tasks wait for the answer."""
        if not self._doubts:
            # A task without a section has no tier to ask for.
            return None
        worker = self._orchestration.worker(key, of_review=of_review)
        if worker is None or worker.driver not in self._doubts:
            return None
        if over := self._meter.wait(key) if self._meter else None:
            return over
        asked = self._doubts[worker.driver]
        if asked is not None:
            return Wait(key, Why.PROBING, f"waits until {worker.driver} was asked whether it works (at {asked})")
        self._doubts[worker.driver] = key
        return Action(Verb.PROBE, f"{worker.driver} failed the last time", key, key.wave)

    def take_review(self, key: TaskKey) -> Action | Wait | None:
        """As take, for a turn of the reviewer."""
        return self.resting(key, of_review=True) or self.probe(key, of_review=True) or self.take(key, of_review=True)

    def take(self, key: TaskKey, *, of_review: bool = False) -> Wait | None:
        """Take a turn for this task, or the wait of one for which there is none."""
        over = self._meter.wait(key) if self._meter else None
        if over:
            return over
        if self._free <= 0:
            return Wait(key, Why.SLOT, f"waits for one of {self._jobs} slots")
        if self._meter:
            worker = self._orchestration.worker(key, of_review=of_review)
            tier = worker.tier if worker else REVIEW if of_review else ""
            put_off = self._meter.begin(key, tier, sharers=min(self._free, self._waiting))
            if put_off:
                return put_off
        self._free -= 1
        self._waiting -= 1
        return None

    def with_portion(self, action: Action) -> Action:
        """The action, with what the turn that it starts may use by the budget."""
        if self._meter is None or action.key is None or not action.verb.starts_turn:
            return action
        return replace(action, most=self._meter.granted.get(action.key, action.most))

    def used_up(self, key: TaskKey) -> str:
        """Why a turn at work has to be ended by the budget; empty as long as it needn't."""
        return self._meter.used_up(key) if self._meter else ""
