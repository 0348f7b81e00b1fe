"""`next_actions` over every state that a task's log can reach, with every cell and every fact, and over chains.

The states are found by playing orch itself from an empty log: for each the model's own decision says what is done, and
all that can come of it is written down. Nothing here is picked by hand, so a state that is forgotten shows as one that
rests without a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from typing import Any

import pytest

from orchestrator.model.actions import Action, Verb, Wait, Why
from orchestrator.model.facts import Facts, Limits, TaskFacts, Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import MOST_SEND_BACKS, Rung, after_failure, after_plan_error, diagnosed
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan, plan_hash
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Dependency, Plan, Wave
from orchestrator.model.settings import Bounds, Budget, Settings
from orchestrator.model.stage import Stage, Standing, after
from orchestrator.model.state import BoardRow, State, WaveRow
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.task_file import Counts, TaskFile
from tests.model.test_next_actions import HEAD, entry, written
from tests.support.model_nouns import key, spec

TASK = key("1.a")


class Node:
    """A reachable state: a log, the counts and the tier that stand beside it."""

    def __init__(self, log: tuple[LogEntry, ...], now: Standing, counts: Counts, tier: str) -> None:
        self.log, self.now, self.counts, self.tier = log, now, counts, tier

    def with_(self, *entries: LogEntry, counts: Counts | None = None, tier: str = "") -> Node:
        more = written(*entries)
        return Node((*self.log, *more), after(self.now, more), counts or self.counts, tier or self.tier)

    def identity(self) -> object:
        """What the decision, and what can come of it, depend on; numbers that only grow are left out."""
        now = self.now
        if now.stage in (Stage.LANDED, Stage.DECIDED):
            return (now.stage, now.opened, now.closed, now.decided)
        return (
            *(now.stage, now.opened, now.closed, now.is_taken_over, bool(now.tiers), self.counts, self.tier),
            now.turn if now.is_in_flight or now.stage is Stage.BLOCKED else "",
            now.failed if now.stage is Stage.BLOCKED else "",
            now.sent_back if now.stage is Stage.AT_GATE else 0,
            now.is_continued and now.stage in (Stage.APPROVED, Stage.RETRY_DUE),
            (now.reviewers_lost, bool(now.unanswered), bool(now.asked))
            if now.is_at_gate or now.is_before_landing
            else (),
            (now.reviewed, now.judged == now.verified_tree) if now.is_before_landing else (),
            now.sent_back if now.stage is Stage.REVIEWING else 0,
        )


PLAN = Plan(5, "", "planning/EXECUTION_PLAN_5.md", waves=(Wave(1, "", (TASK,), ()),), specs=(spec("1.a"),))


def whole(
    node: Node, *, cell: Status | str | None = "own", done: bool = False, review_diff: str = "none"
) -> Orchestration:
    """An orchestration of the one task, its cell orch's own word unless given (None: a word nobody knows)."""
    word = node.now.opened if cell == "own" else cell
    assert word is None or isinstance(word, Status)
    row = BoardRow(TASK, "a", str(word or "banana"), word)
    wave = (WaveRow(1, WaveStatus.DONE if done else WaveStatus.OPEN, "", "", ""),)
    task = TaskFile(TASK, exists=True, log=node.log, counts=node.counts, tier=node.tier)
    state = State(5, "planning/STATE_5.md", exists=True, board=(row,), waves=wave, run="k3f9")
    return Orchestration(PLAN, state, Settings(review_diff=review_diff), {TASK: task})


def decide(orchestration: Orchestration, **facts: Any) -> Action | Wait:
    """What is decided for the one task, which has to be one thing exactly."""
    every = Facts(HEAD, {TASK: TaskFacts(**facts)})
    decision = next_actions(orchestration, every, Limits())
    assert decision == next_actions(orchestration, every, Limits()), "the same input, the same decision"
    found: list[Action | Wait] = [one for one in decision.actions if one.key == TASK]
    found += [one for one in decision.waits if one.key == TASK]
    assert len(found) == 1, found
    return found[0]


def failed(node: Node, rung: Rung, kind: str) -> Node:
    """What engine/failing.py writes for a rung."""
    if rung.tier:
        why = entry("failed", kind=kind, next="tier", why="it failed")
        board = "pending" if rung.next == "plan" else "running"
        up = entry("escalated", **{"from": node.tier}, to=rung.tier, next=rung.next, board=board)
        return node.with_(why, up, counts=rung.counts, tier=rung.tier)
    board = {"blocked": "blocked", "plan": "planning"}.get(rung.next, "running")
    return node.with_(entry("failed", kind=kind, next=rung.next, why="it failed", board=board), counts=rung.counts)


def above(node: Node) -> str:
    return "mid" if node.tier == "small" else ""


def outcomes(node: Node, verb: Verb, *, attended: bool) -> Iterator[Node]:
    """All that can come of an action."""
    turn = node.now.turn
    match verb:
        case Verb.PLAN | Verb.EXECUTE | Verb.RETRY:
            kind = "takeover" if verb is Verb.EXECUTE and node.now.is_taken_over else str(verb)
            board = "planning" if verb is Verb.PLAN else "running"
            yield node.with_(entry("started", turn=kind, tier=node.tier, board=board))
        case Verb.REVIEW:
            of = "diff" if node.now.stage is Stage.VERIFIED else "plan"
            asked = node.now.verified_tree if of == "diff" else plan_hash(MicroPlan())
            yield node.with_(entry("started", turn="review", of=of, tier="review", asked=asked))
        case Verb.COLLECT | Verb.SALVAGE if turn == "review" and node.now.reviewed == "diff":
            ended = entry("ended", turn="review", outcome="finished", answer="approve")
            yield node.with_(ended, entry("approved", of="diff", by="review m", tree="t", head=HEAD))
            rung = after_failure("accept", node.counts, turn="retry", above=above(node))
            yield failed(node.with_(entry("ended", turn="review", outcome="finished")), rung, "accept")
            yield node.with_(entry("ended", turn="review", outcome="finished", answer="none", why="its reviewer chats"))
            yield node.with_(entry("ended", turn="review", outcome="killed", why="exit 1"))
        case Verb.COLLECT | Verb.SALVAGE if turn == "review":
            said = {"turn": "review", "outcome": "finished"}
            yield node.with_(
                entry("ended", **said, answer="approve"), entry("approved", by="review m", board="approved")
            )
            if node.now.sent_back < MOST_SEND_BACKS:
                back = entry("revised", by="review m", why="say more", board="planning")
                yield node.with_(entry("ended", **said, answer="revise"), back)
            elif above(node) and not attended:
                yield failed(node.with_(entry("ended", **said)), Rung(Counts(), "plan", above(node)), "plan")
            for answer in ("none", "revise"):
                yield node.with_(entry("ended", **said, answer=answer, why="its reviewer chats"))
            yield node.with_(entry("ended", **said, answer="void", why="the plan was changed"))
            yield node.with_(entry("ended", turn="review", outcome="killed", why="exit 1"))
        case Verb.COLLECT | Verb.SALVAGE if turn == "plan":
            yield node.with_(entry("ended", turn="plan", outcome="finished"), entry("planned", board="plan-ready"))
            yield node.with_(entry("approved", by="checks", board="approved"))
            rung = after_plan_error(node.counts, above=above(node), is_attended=attended)
            if rung.tier:
                yield failed(node, rung, "plan")
            elif rung.next == "plan":
                yield node.with_(
                    entry("revised", by="checks", why="out of scope", board="planning"), counts=rung.counts
                )
            else:
                yield node.with_(entry("planned", board="plan-ready"), counts=rung.counts)
            yield failed(node, after_failure("died", node.counts, turn=turn, above=above(node)), "died")
        case Verb.COLLECT | Verb.SALVAGE:
            yield node.with_(entry("ended", turn=turn, outcome="finished", board="verifying"))
            yield failed(node, after_failure("died", node.counts, turn=turn, above=above(node)), "died")
        case Verb.VERIFY:
            yield node.with_(entry("verified", tree="t", head=HEAD, board="verified"))
            for kind in ("accept", "scope", "report", "conflict"):
                yield failed(node, after_failure(kind, node.counts, turn="retry", above=above(node)), kind)
        case Verb.LAND:
            yield node.with_(entry("landed", commit="abc1234def", board="done"))
            # The branch moved on, and the test ran again on another tree.
            yield node.with_(entry("verified", tree="t", head=HEAD, board="verified"))
            yield failed(node, after_failure("accept", node.counts, turn="retry", above=above(node)), "accept")
        case Verb.APPROVE:
            yield node.with_(entry("approved", by="checks", board="approved"))
        case Verb.REPLAN:
            yield node.with_(entry("revised", by="spec", why="changed", board="planning"))
        case _:
            return


def answers(node: Node) -> Iterator[Node]:
    """What a person can say by command where the task rests."""
    if node.now.is_at_gate:
        yield node.with_(entry("approved", by="person", board="approved"))
        yield node.with_(entry("approved", by="person", takeover="yes", board="approved"))
        if node.now.sent_back < 2:
            yield node.with_(entry("revised", by="person", why="say more", board="planning"))
    if node.now.is_before_landing and node.now.judged != node.now.verified_tree:
        yield node.with_(entry("approved", of="diff", by="person", tree=node.now.verified_tree, head=HEAD))
        yield failed(node, after_failure("accept", node.counts, turn="retry", above=above(node)), "accept")
    if node.now.stage is Stage.BLOCKED:
        turn = node.now.turn if node.now.failed == "died" else "retry"
        board = {"plan": "planning", "retry": "running"}.get(turn, "approved")
        if node.now.failed != "scope":
            counts = diagnosed(node.now.failed, node.counts)
            yield node.with_(entry("decided", to="retry", next=turn, why="it was the disk", board=board), counts=counts)
        yield node.with_(entry("rescoped", add="b.py", why="wider", board="planning"), counts=Counts())
    if node.now.stage is not Stage.LANDED:
        for status in ("skipped", "blocked"):
            yield node.with_(entry("decided", to=status, by="person", board=status))
        yield node.with_(entry("decided", to="pending", by="person", board="pending"), counts=Counts())


@cache
def reachable() -> tuple[Node, ...]:
    """Every state, one log for each, found breadth first."""
    first = Node((), Standing(), Counts(), "small")
    found: dict[object, Node] = {first.identity(): first}
    queue = [first]
    while queue:
        node = queue.pop(0)
        following: list[Node] = list(answers(node))
        done: dict[tuple[Verb, bool], None] = {}
        for gate, attended in (("stop", True), ("auto", False), ("review", True), ("review", False)):
            # A turn that was lost comes to what one that ended comes to.
            facts = Facts(HEAD, {TASK: TaskFacts(turn=Turn.ENDED if node.now.is_in_flight else Turn.NONE)})
            limits = Limits(gate=gate, is_attended=attended)
            for judge in ("none", "stop", "review"):
                decision = next_actions(whole(node, review_diff=judge), facts, limits)
                done |= {(action.verb, attended): None for action in decision.actions}
        for verb, attended in done:
            following += outcomes(node, verb, attended=attended)
        for one in following:
            if one.identity() not in found:
                found[one.identity()] = one
                queue.append(one)
    return tuple(found.values())


@cache
def by_sight() -> tuple[Node, ...]:
    """One state for each that a decision can tell apart: it doesn't look at counts and tiers."""
    found: dict[object, Node] = {}
    for node in reachable():
        now = node.now
        seen = (now.stage, now.opened, now.closed, now.is_taken_over, bool(now.tiers), now.turn, now.failed)
        seen = (*seen, bool(now.unanswered), now.reviewers_lost)
        found.setdefault((*seen, now.decided, now.is_continued, bool(now.cause)), node)
    return tuple(found.values())


def test_every_stage_is_reached() -> None:
    assert {node.now.stage for node in reachable()} == set(Stage)
    assert len(reachable()) > 200, len(reachable())


def test_every_state_with_every_cell_and_fact_has_one_action_or_a_reason_with_a_remedy() -> None:
    cells: tuple[Status | str | None, ...] = ("own", None, *Status)
    worlds: tuple[dict[str, Any], ...] = (
        {},
        {"is_busy": True},
        {"landed": "abc1234def"},
        {"in_the_way": ("a.py is in the way", "move a.py")},
        {"trouble": ("the disk is full", "make room")},
    )
    for node, cell, turn in product(by_sight(), cells, Turn):
        for more in worlds if cell == "own" else worlds[:1]:
            decided = decide(whole(node, cell=cell), turn=turn, **more)
            assert decided.reason, (node.log, cell, turn, more)
            if isinstance(decided, Wait) and decided.why.needs_person:
                assert decided.remedy, (node.log, cell, turn, decided)


def test_with_a_budget_that_is_used_up_no_state_starts_a_turn_and_none_rests_without_saying_so() -> None:
    used_up = Budget(total=Bounds(usd=0.0))
    for node, gate, judge in product(by_sight(), ("stop", "auto", "review"), ("none", "review")):
        free = whole(node, review_diff=judge)
        bound = replace(free, settings=replace(free.settings, budget=used_up))
        world = Facts(HEAD, {TASK: TaskFacts(turn=Turn.ENDED if node.now.is_in_flight else Turn.NONE)})
        (before,), (decided,) = (_of_task(one, world, Limits(gate=gate)) for one in (free, bound))
        if isinstance(before, Action) and before.verb.starts_turn:
            assert isinstance(decided, Wait) and decided.why is Why.BUDGET, (node.log, decided)
            assert "budget is used up: $0 of $0" in decided.reason and "raise usd" in decided.remedy, decided
        else:
            assert decided == before, node.log


def _of_task(orchestration: Orchestration, world: Facts, limits: Limits) -> list[Action | Wait]:
    decision = next_actions(orchestration, world, limits)
    every: list[Action | Wait] = [*decision.actions, *decision.waits]
    return [one for one in every if one.key == TASK]


def test_a_task_that_rests_without_a_person_has_ended_or_somebody_is_at_work_on_it() -> None:
    at_work = (Why.WORKING, Why.TESTING)
    for node, turn in product(by_sight(), (Turn.NONE, Turn.ENDED, Turn.LOST, Turn.NEVER_STARTED)):
        decided = decide(whole(node), turn=turn)
        if isinstance(decided, Wait):
            rests = decided.why.needs_person or decided.why in (Why.ENDED, Why.BLOCKED)
            assert rests and decided.why not in at_work, (node.log, turn, decided)


def test_a_blocked_task_says_its_cause_and_how_to_go_on() -> None:
    for node in by_sight():
        decided = decide(whole(node))
        if isinstance(decided, Wait) and decided.why is Why.BLOCKED:
            assert decided.remedy, node.log
            assert node.now.cause in decided.reason, (node.log, decided)


def test_no_tier_sees_a_third_failed_acceptance_and_no_rest_is_silent() -> None:
    for node in reachable():
        by_tier: Counter[tuple[str, int]] = Counter()
        tier, round_ = "small", 0
        for one in node.log:
            if one.event == "started":
                tier = one.get("tier")
            elif one.event in ("decided", "rescoped"):
                # A person bought another try, or began it anew.
                round_ += 1
            elif one.event == "failed" and one.get("kind") in ("accept", "scope"):
                by_tier[tier, round_] += 1
        assert all(count <= 2 for count in by_tier.values()), (by_tier, node.log)


def test_no_plan_is_given_to_a_third_reviewer_and_none_passes_by_a_review_that_left_it_open() -> None:
    for node in reachable():
        asked = 0
        for one in node.log:
            if one.event in ("planned", "revised") or one.get("answer") == "void":
                asked = 0
            asked += one.event == "started" and one.get("turn") == "review"
            assert asked <= 2, node.log
        if node.now.unanswered and node.now.stage is Stage.AT_GATE:
            for gate in ("stop", "auto", "review"):
                decision = next_actions(whole(node), Facts(HEAD, {}), Limits(gate=gate))
                assert [wait.why for wait in decision.waits] == [Why.GATE], (gate, node.log)


def test_nothing_lands_or_starts_twice() -> None:
    for node in by_sight():
        events = [one.event for one in node.log]
        assert events.count("landed") <= 1, node.log
        if node.now.is_in_flight:
            assert isinstance(decide(whole(node), turn=Turn.ALIVE), Wait), "no second worker beside one that lives"


CHAIN = (key("1.a"), key("2.b"), key("3.c"))


def chain(nodes: tuple[Node, ...], order: tuple[int, ...]) -> Orchestration:
    """Three tasks, each needing the one before, with specs and rows in the given order."""
    specs = [spec("1.a"), spec("2.b"), spec("3.c")]
    for index in (1, 2):
        needs = Dependency(str(CHAIN[index - 1]), task=CHAIN[index - 1])
        specs[index] = replace(specs[index], depends_on=(needs,))
    rows = [BoardRow(one, "", str(node.now.opened), node.now.opened) for one, node in zip(CHAIN, nodes, strict=True)]
    waves = tuple(Wave(number, "", (CHAIN[number - 1],), (number - 1,) if number > 1 else ()) for number in (1, 2, 3))
    ended = [node.now.stage is Stage.LANDED for node in nodes]
    wave_rows = []
    for number in (1, 2, 3):
        if not all(ended[:number]):
            break
        wave_rows.append(WaveRow(number, WaveStatus.DONE, "", "", ""))
    plan = Plan(5, "", "p", waves=waves, specs=tuple(specs[index] for index in order))
    state = State(5, "s", exists=True, board=tuple(rows[index] for index in order), waves=tuple(wave_rows), run="k")
    tasks = {
        one: TaskFile(one, exists=True, log=node.log, counts=node.counts, tier=node.tier)
        for one, node in zip(CHAIN, nodes, strict=True)
    }
    return Orchestration(plan, state, Settings(), tasks)


def some_of_each_stage() -> tuple[Node, ...]:
    found: dict[tuple[Stage, Status | None], Node] = {}
    for node in reachable():
        found.setdefault((node.now.stage, node.now.decided), node)
    return tuple(found.values())


@pytest.mark.parametrize("stage", Stage)
def test_chains_decide_alike_in_every_order_and_name_the_true_cause(stage: Stage) -> None:
    fresh = Node((), Standing(), Counts(), "small")
    firsts = [node for node in some_of_each_stage() if node.now.stage is stage]
    for first, second in product(firsts, some_of_each_stage()):
        nodes = (first, second, fresh)
        decisions = set()
        for order in permutations(range(3)):
            decision = next_actions(chain(nodes, order), Facts(HEAD, {}), Limits())
            every = [*(one.key for one in decision.actions if one.key), *(one.key for one in decision.waits)]
            assert Counter(every) == Counter(CHAIN)
            decisions.add(
                (
                    frozenset((one.key, str(one.verb)) for one in decision.actions),
                    frozenset((one.key, str(one.why), one.reason) for one in decision.waits),
                )
            )
        assert len(decisions) == 1, decisions
        waits: dict[TaskKey, Wait] = {one.key: one for one in decision.waits}
        last = waits.get(CHAIN[2])
        if first.now.stage is Stage.BLOCKED and last is not None and second.now.stage is Stage.FRESH:
            assert last.why is Why.HELD, last
            assert str(CHAIN[0]) in last.reason, last
            assert first.now.cause in last.reason, last
