"""Limits: no turn starts past one, what is at work ends by itself, and the wait says what was used and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from orchestrator.model.actions import Action, Wait, Why
from orchestrator.model.budget import Meter
from orchestrator.model.facts import Limits, Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.money import duration_text, size_text, usd_text
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import Bounds, Budget
from tests.model.test_next_actions import APPROVED, ENDED, GATE, VERIFIED, A, B, entry, facts, orchestration, said

USED = {"usd": "0.75", "in": "900", "out": "100"}


def with_cost(*log: LogEntry, **more: str) -> tuple[LogEntry, ...]:
    """The log with a plan turn before it that told what it used, from 10:00 to 10:30."""
    ended = LogEntry("2026-11-29T10:30:00Z", "ended", {"turn": "plan", "outcome": "finished", **USED, **more})
    return (entry("started", turn="plan", tier="small"), ended, *log)


def bounded(budget: Budget, logs: Mapping[TaskKey, tuple[LogEntry, ...]]) -> Orchestration:
    whole = orchestration(dict(logs))
    return replace(whole, settings=replace(whole.settings, budget=budget))


def both(budget: Budget, log: tuple[LogEntry, ...]) -> tuple[Action | Wait, Action | Wait]:
    """What is decided for A, which has that log, and for B, which is fresh."""
    decision = next_actions(bounded(budget, {A: log}), facts(a=Turn.NONE), Limits())
    every: list[Action | Wait] = [*decision.actions, *decision.waits]
    found = {one.key: one for one in every}
    return found[A], found[B]


APPROVED_WITH_COST = with_cost(*APPROVED[1:])
ORCH_MD = "planning/ORCH.md, then run orch next-wave"


@pytest.mark.parametrize(
    ("bounds", "reason", "key"),
    [
        (Bounds(usd=0.75), "$0.75 of $0.75", "usd"),
        (Bounds(usd=0.5), "$0.75 of $0.50", "usd"),
        (Bounds(tokens=1000), "1k of 1k tokens", "tokens"),
        (Bounds(time=1800), "30m of 30m at work", "time"),
        (Bounds(usd=0), "$0.75 of $0", "usd"),
    ],
)
def test_past_a_limit_no_turn_starts_and_the_wait_names_it_with_its_remedy(
    bounds: Bounds, reason: str, key: str
) -> None:
    for decided in both(Budget(total=bounds), APPROVED_WITH_COST):
        assert isinstance(decided, Wait)
        assert (decided.why, decided.reason) == (Why.BUDGET, f"the budget is used up: {reason}")
        assert decided.remedy == f"raise {key} under budget in {ORCH_MD}"


@pytest.mark.parametrize("bounds", [Bounds(usd=0.7501), Bounds(tokens=1001), Bounds(time=1801.0), Bounds()])
def test_below_every_limit_turns_start(bounds: Bounds) -> None:
    assert all(isinstance(decided, Action) for decided in both(Budget(total=bounds), APPROVED_WITH_COST))


def test_a_limit_for_each_task_holds_that_task_alone() -> None:
    mine, other = both(Budget(per_task=Bounds(tokens=500)), APPROVED_WITH_COST)
    assert isinstance(mine, Wait) and isinstance(other, Action)
    assert (mine.why, mine.reason) == (Why.BUDGET, "its budget is used up: 1k of 500 tokens")
    assert mine.remedy == f"raise tokens under budget: per_task in {ORCH_MD}"


def test_a_limit_of_tasks_holds_those_not_begun_also_within_one_decision() -> None:
    budget = Budget(tasks=1)
    mine, other = both(budget, APPROVED_WITH_COST)
    assert isinstance(mine, Action) and isinstance(other, Wait)
    assert (other.why, other.reason) == (Why.BUDGET, "the budget is used up: 1 of 1 tasks begun")
    assert said(next_actions(bounded(budget, {}), facts(), Limits())) == {
        "5.1.1": "plan",
        "5.1.2": "budget",
        "5.2.1": "wave",
        "5.2.2": "wave",
    }


def test_what_is_not_known_is_named_and_no_reason_to_stop() -> None:
    log = with_cost(*APPROVED[1:], usd="unknown", out="unknown")
    assert isinstance(both(Budget(total=Bounds(usd=0.5)), log)[0], Action)
    other = with_cost(*APPROVED[1:])
    whole = bounded(Budget(total=Bounds(usd=0.5)), {A: log, B: other})
    (mine, *_) = next_actions(whole, facts(), Limits()).waits_for(Why.BUDGET)
    assert mine.reason == "the budget is used up: $0.75 of $0.50, and 1 turn at an unknown price"


@pytest.mark.parametrize(
    ("log", "turn", "word"),
    [
        (with_cost(*ENDED[1:-1]), Turn.ALIVE, "working"),
        (with_cost(*ENDED[1:-1]), Turn.ENDED, "collect"),
        (with_cost(*ENDED[1:]), Turn.NONE, "verify"),
        (with_cost(*VERIFIED[1:]), Turn.NONE, "land"),
    ],
)
def test_what_is_at_work_ends_normally_and_lands(log: tuple[LogEntry, ...], turn: Turn, word: str) -> None:
    whole = bounded(Budget(total=Bounds(usd=0.1)), {A: log})
    assert said(next_actions(whole, facts(a=turn), Limits()))["5.1.1"] == word


def test_nothing_starts_before_what_an_ended_turn_used_is_written_down() -> None:
    logs = {A: with_cost(*ENDED[1:-1])}
    bound = bounded(Budget(total=Bounds(usd=5.0)), logs)
    assert said(next_actions(bound, facts(a=Turn.ENDED), Limits()))["5.1.2"] == "slot"
    assert said(next_actions(bound, facts(a=Turn.ALIVE), Limits()))["5.1.2"] == "plan"
    free = bounded(Budget(), logs)
    assert said(next_actions(free, facts(a=Turn.ENDED), Limits()))["5.1.2"] == "plan"


def test_no_reviewer_is_asked_past_a_limit_and_a_person_still_may_judge() -> None:
    whole = bounded(Budget(total=Bounds(usd=0.1)), {A: with_cost(*GATE[1:])})
    assert said(next_actions(whole, facts(), Limits(gate="review")))["5.1.1"] == "budget"
    assert said(next_actions(whole, facts(), Limits(gate="stop")))["5.1.1"] == "gate"


def test_what_a_turn_may_cost_is_the_least_that_is_left() -> None:
    def left(budget: Budget, key: TaskKey) -> float | None:
        return Meter(bounded(budget, {A: APPROVED_WITH_COST})).usd_left(key)

    assert left(Budget(total=Bounds(usd=2.0)), A) == 1.25
    both_set = Budget(total=Bounds(usd=2.0), per_task=Bounds(usd=1.0))
    assert (left(both_set, A), left(both_set, B)) == (0.25, 1.0)
    assert left(Budget(total=Bounds(tokens=5)), A) is None
    assert left(Budget(total=Bounds(usd=0.1)), A) == 0.0001


def test_sums_are_written_in_few_characters() -> None:
    assert [usd_text(usd) for usd in (0, 0.0132, 0.5, 1, 3.12, 20)] == ["$0", "$0.0132", "$0.50", "$1", "$3.12", "$20"]
    sizes = (0, 950, 999, 1000, 48_211, 999_949, 999_950, 5_000_000)
    assert [size_text(size) for size in sizes] == ["0", "950", "999", "1k", "48.2k", "999.9k", "1M", "5M"]
    assert [duration_text(time) for time in (0, 59.9, 60, 3600, 21_720)] == ["0s", "59s", "1m", "1h", "6h 2m"]
