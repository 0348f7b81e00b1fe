"""Limits: no turn starts past one, what is at work ends by itself, and the wait says what was used and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from orchestrator.model.actions import Action, Verb, Wait, Why
from orchestrator.model.budget import Meter
from orchestrator.model.facts import Facts, Limits, TaskFacts, Turn, Used
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.money import duration_text, size_text, usd_text
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import Bounds, Budget, Worker
from tests.model.test_next_actions import (
    APPROVED,
    ENDED,
    GATE,
    HEAD,
    VERIFIED,
    A,
    B,
    C,
    entry,
    facts,
    orchestration,
    said,
)

USED = {"usd": "0.75", "in": "900", "out": "100"}


def with_cost(*log: LogEntry, **more: str) -> tuple[LogEntry, ...]:
    """The log with a plan turn before it that told what it used, from 10:00 to 10:30."""
    ended = LogEntry("2026-11-29T10:30:00Z", "ended", {"turn": "plan", "outcome": "finished", **USED, **more})
    return (entry("started", turn="plan", tier="small"), ended, *log)


def bounded(budget: Budget, logs: Mapping[TaskKey, tuple[LogEntry, ...]]) -> Orchestration:
    whole = orchestration(dict(logs))
    return replace(whole, settings=replace(whole.settings, budget=budget, workers=(Worker("small", "claude"),)))


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


@pytest.mark.parametrize("bounds", [Bounds(usd=2.25), Bounds(tokens=3000), Bounds(time=1801.0), Bounds()])
def test_below_every_limit_turns_start(bounds: Bounds) -> None:
    assert all(isinstance(decided, Action) for decided in both(Budget(total=bounds), APPROVED_WITH_COST))


def test_what_is_left_is_shared_among_the_turns_that_may_be_at_work_at_once() -> None:
    def portions(budget: Budget, jobs: int = 4, **more: str) -> list[Bounds]:
        whole = bounded(budget, {A: with_cost(*APPROVED[1:], **more)})
        return [action.most for action in next_actions(whole, facts(a=Turn.NONE), Limits(jobs=jobs)).actions]

    assert portions(Budget(total=Bounds(usd=3.0))) == [Bounds(usd=1.125), Bounds(usd=1.125)]
    assert portions(Budget(total=Bounds(usd=3.0)), jobs=1) == [Bounds(usd=2.25)]
    assert portions(Budget(total=Bounds(usd=3.0), per_task=Bounds(usd=1.0))) == [Bounds(usd=0.25), Bounds(usd=1.0)]
    assert portions(Budget(per_task=Bounds(tokens=5000))) == [Bounds(tokens=4000), Bounds(tokens=5000)]
    both_kinds = Budget(total=Bounds(usd=3.0, tokens=9000))
    assert portions(both_kinds) == [Bounds(usd=1.125, tokens=4000)] * 2
    assert portions(both_kinds, usd="unknown") == [Bounds(usd=1.5, tokens=4000)] * 2
    assert portions(Budget(total=Bounds(time=9000.0))) == [Bounds(), Bounds()]


@pytest.mark.parametrize(
    ("bounds", "portion", "rest"),
    [
        (Bounds(usd=2.0), Bounds(usd=0.75), "only $0.50 of the budget is"),
        (Bounds(usd=1.5), Bounds(usd=0.75), "nothing of the budget is"),
        (Bounds(usd=1.2), Bounds(usd=0.45), "nothing of the budget is"),
        (Bounds(tokens=2999), Bounds(tokens=1000), "only 999 tokens of the budget is"),
    ],
)
def test_a_turn_that_would_get_less_than_such_turns_have_used_waits_for_the_end_of_another(
    bounds: Bounds, portion: Bounds, rest: str
) -> None:
    mine, other = both(Budget(total=bounds), APPROVED_WITH_COST)
    assert isinstance(mine, Action) and isinstance(other, Wait)
    assert mine.most == portion
    told = "left beside what turns at work may use; waits for one of them to end"
    assert (other.why, other.reason) == (Why.SLOT, f"{rest} {told}")


def test_with_less_than_half_of_a_turn_left_and_none_at_work_the_budget_is_used_up() -> None:
    for mine in both(Budget(total=Bounds(usd=1.0)), APPROVED_WITH_COST):
        assert isinstance(mine, Wait)
        rest = "what is left is less than half of what a turn uses ($0.75)"
        assert (mine.why, mine.reason) == (Why.BUDGET, f"the budget is used up: $0.75 of $1, and {rest}")
        assert mine.remedy == "raise usd under budget in planning/ORCH.md, then run orch next-wave"


def in_flight(**started: str) -> tuple[LogEntry, ...]:
    """A task that had a plan turn with its cost, and is at work now."""
    return with_cost(*APPROVED[1:], entry("started", turn="execute", tier="small", board="running", **started))


@pytest.mark.parametrize(
    ("started", "used", "left"),
    [
        ({"cap": "0.5000"}, None, 0.75),
        ({"cap": "0.5000"}, Used(usd=0.2), 0.75),
        ({"cap": "0.5000"}, Used(usd=0.6), 0.65),
        ({}, None, 0.5),
        ({}, Used(usd=1.0), 0.25),
    ],
)
def test_a_turn_at_work_holds_its_portion_or_what_it_has_used_if_that_is_more(
    started: dict[str, str], used: Used | None, left: float
) -> None:
    whole = bounded(Budget(total=Bounds(usd=2.0)), {A: in_flight(**started)})
    known = {} if used is None else {A: used}
    meter = Meter(whole, used=known)
    assert meter.begin(B, "mid", sharers=1) is None
    assert meter.granted[B].usd == left


def test_what_a_turn_of_another_wave_holds_is_no_reason_to_wait_for_its_end() -> None:
    whole = bounded(Budget(total=Bounds(usd=2.0)), {C: in_flight(cap="1.2500")})
    (mine, *_) = next_actions(whole, facts(c=Turn.ALIVE), Limits()).waits_for(Why.BUDGET)
    assert mine.reason == "the budget is used up: $0.75 of $2, and $1.25 given to turns at work of other waves"
    assert mine.remedy == f"raise usd under budget in {ORCH_MD}"


@pytest.mark.parametrize(
    ("budget", "started", "used", "said"),
    [
        (Budget(total=Bounds(usd=2.0)), {"cap": "1.2500"}, Used(usd=1.2499), ""),
        (Budget(total=Bounds(usd=2.0)), {"cap": "1.2500"}, Used(usd=1.25), "the budget is used up: $2 of $2"),
        (Budget(total=Bounds(usd=2.0)), {"cap": "0.5000"}, Used(usd=0.6), ""),
        (Budget(total=Bounds(usd=2.0)), {}, Used(usd=1.3), "the budget is used up: $2.05 of $2"),
        (Budget(total=Bounds(usd=2.0)), {"cap": "0.5000"}, Used(tokens=10**9), ""),
        (Budget(per_task=Bounds(tokens=4000)), {}, Used(tokens=2999), ""),
        (Budget(per_task=Bounds(tokens=4000)), {}, Used(tokens=3000), "its budget is used up: 4k of 4k tokens"),
        (Budget(), {"cap": "0.1000"}, Used(usd=9.0, tokens=10**9), ""),
    ],
)
def test_a_turn_at_work_is_ended_once_it_has_used_what_is_left_for_it(
    budget: Budget, started: dict[str, str], used: Used, said: str
) -> None:
    whole = bounded(budget, {A: in_flight(**started)})
    world = Facts(HEAD, {A: TaskFacts(turn=Turn.ALIVE, used=used)})
    decision = next_actions(whole, world, Limits())
    cuts = [(action.key, action.reason) for action in decision.actions if action.verb is Verb.CUT]
    assert cuts == ([(A, said)] if said else [])


def test_past_its_portion_a_turn_goes_on_only_as_long_as_that_is_no_other_ones() -> None:
    logs = {A: in_flight(cap="0.2500"), B: (entry("started", turn="plan", cap="1.0000"),)}
    world = Facts(HEAD, {A: TaskFacts(turn=Turn.ALIVE, used=Used(usd=0.3)), B: TaskFacts(turn=Turn.ALIVE)})
    for limit, why in ((2.1, ""), (2.05, "it has used $0.30 of the $0.25 that the budget left it")):
        decision = next_actions(bounded(Budget(total=Bounds(usd=limit)), logs), world, Limits())
        assert [action.reason for action in decision.actions if action.verb is Verb.CUT] == ([why] if why else [])


def test_a_turn_that_is_to_be_ended_is_ended_by_the_next_call_too_and_then_taken_in() -> None:
    log = (*in_flight(cap="0.2500"), entry("cut", turn="execute", why="its budget is used up: $1 of $1"))
    free = bounded(Budget(), {A: log})
    assert said(next_actions(free, facts(a=Turn.ALIVE), Limits()))["5.1.1"] == "cut"
    assert said(next_actions(free, facts(a=Turn.ENDED), Limits()))["5.1.1"] == "collect"
    (waiting, *_) = next_actions(free, None, Limits()).waits_for(Why.WORKING)
    assert waiting.reason == "its execute turn was started, and is to be ended: its budget is used up: $1 of $1"


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


def test_sums_are_written_in_few_characters() -> None:
    assert [usd_text(usd) for usd in (0, 0.0132, 0.5, 1, 3.12, 20)] == ["$0", "$0.0132", "$0.50", "$1", "$3.12", "$20"]
    sizes = (0, 950, 999, 1000, 48_211, 999_949, 999_950, 5_000_000)
    assert [size_text(size) for size in sizes] == ["0", "950", "999", "1k", "48.2k", "999.9k", "1M", "5M"]
    assert [duration_text(time) for time in (0, 59.9, 60, 3600, 21_720)] == ["0s", "59s", "1m", "1h", "6h 2m"]
