"""Random courses of a wave under a budget: what is spent and promised never exceeds it, and nothing waits for ever."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.model.actions import Decision, Verb, Why
from orchestrator.model.costs import spent, turns_of
from orchestrator.model.facts import Facts, Limits, TaskFacts, Turn, Used
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan, Wave
from orchestrator.model.settings import Bounds, Budget, Settings, Worker
from orchestrator.model.stage import standing
from orchestrator.model.state import BoardRow, State
from orchestrator.model.task_file import TaskFile
from tests.model.test_next_actions import HEAD, entry, written
from tests.support.model_nouns import key, spec

WORKERS = (Worker("small", "claude"), Worker("mid", "codex"))
UNIT = 0.0001
MOST = 600
"""Decisions that a course may take."""


class Course:
    """A wave at work: its logs, and what the turns in flight have used, in units."""

    def __init__(self, tasks: int, jobs: int, limit: int, each: int | None) -> None:
        self.keys = tuple(key(f"1.{chr(97 + number)}") for number in range(tasks))
        self.limit, self.limits = limit, Limits(jobs=jobs, gate="auto")
        total, per_task = Bounds(usd=limit * UNIT), Bounds(usd=None if each is None else each * UNIT)
        self.settings = Settings(budget=Budget(total, per_task), workers=WORKERS)
        self.logs: dict[TaskKey, tuple[LogEntry, ...]] = dict.fromkeys(self.keys, ())
        self.used: dict[TaskKey, int] = {}

    def whole(self) -> Orchestration:
        specs = tuple(replace(spec(f"1.{one.id}"), tier=("small", "mid")[at % 2]) for at, one in enumerate(self.keys))
        plan = Plan(5, "", "planning/EXECUTION_PLAN_5.md", waves=(Wave(1, "", self.keys, ()),), specs=specs)
        files = {one: TaskFile(one, exists=True, log=log) for one, log in self.logs.items()}
        opened = {one: standing(log).opened for one, log in self.logs.items()}
        board = tuple(BoardRow(one, one.id, str(status), status) for one, status in opened.items())
        return Orchestration(plan, State(5, "S", exists=True, board=board, run="k3f9"), self.settings, files)

    def decide(self) -> Decision:
        tells = {one: Used(usd=units * UNIT) for one, units in self.used.items()}
        world = {one: TaskFacts(turn=Turn.ALIVE, used=told) for one, told in tells.items()}
        return next_actions(self.whole(), Facts(HEAD, world), self.limits)

    def log(self, one: TaskKey, *entries: LogEntry) -> None:
        self.logs[one] = (*self.logs[one], *written(*entries))

    def cap(self, one: TaskKey) -> int:
        cap = turns_of(self.logs[one])[-1].cap.usd
        assert cap is not None
        return round(cap / UNIT)

    def spent(self) -> int:
        return round(spent(turn for log in self.logs.values() for turn in turns_of(log)).usd / UNIT)

    def held(self) -> int:
        return sum(max(self.cap(one), units) for one, units in self.used.items())

    def carry_out(self, decision: Decision) -> None:
        """What is due at once: everything but the ends of turns."""
        for action in decision.actions:
            one = action.key
            if one is None:
                continue
            match action.verb:
                case Verb.PLAN | Verb.EXECUTE | Verb.RETRY:
                    assert action.most.usd is not None
                    cap = f"{action.most.usd:.4f}"
                    tier = WORKERS[self.keys.index(one) % 2].tier
                    board = "planning" if action.verb is Verb.PLAN else "running"
                    self.log(one, entry("started", turn=str(action.verb), tier=tier, cap=cap, board=board))
                    self.used[one] = 0
                case Verb.CUT:
                    self.end(one, finished=False)
                case Verb.VERIFY:
                    self.log(one, entry("verified", tree="t", head=HEAD, board="verified"))
                case Verb.LAND:
                    self.log(one, entry("landed", commit="abc1234def", board="done"))
                case _:
                    raise AssertionError(action)

    def end(self, one: TaskKey, *, finished: bool, known: bool = True) -> None:
        units = self.used.pop(one)
        turn = standing(self.logs[one]).turn
        usd = f"{units * UNIT:.4f}" if known else "unknown"
        if not finished:
            self.log(one, entry("ended", turn=turn, outcome="limit", next=turn, why="cut", usd=usd))
        elif turn == "plan":
            self.log(one, entry("ended", turn=turn, outcome="finished", usd=usd))
            self.log(one, entry("approved", by="checks", board="approved"))
        else:
            self.log(one, entry("ended", turn=turn, outcome="finished", usd=usd, board="verifying"))

    def rests(self, decision: Decision) -> bool:
        return not self.used and all(action.key is None for action in decision.actions)


courses = st.builds(
    Course,
    tasks=st.integers(1, 6),
    jobs=st.integers(1, 5),
    limit=st.integers(1, 120),
    each=st.none() | st.integers(1, 60),
)


def rest_is_named(course: Course, decision: Decision) -> None:
    """At rest every task has ended or waits for a limit that is used up, with what a person can do."""
    for wait in decision.waits:
        assert wait.why in (Why.ENDED, Why.BUDGET), wait
        assert wait.why is Why.ENDED or "raise usd under budget" in wait.remedy, wait
    each = course.settings.budget.per_task.usd
    for wait in decision.waits_for(Why.BUDGET):
        mine = spent(turns_of(course.logs[wait.key])).usd
        costs = [turn.usd or 0 for log in course.logs.values() for turn in turns_of(log)]
        is_small = "less than half" in wait.reason and 2 * (course.limit - course.spent()) < max(costs) / UNIT
        assert course.spent() >= course.limit or is_small or (each is not None and mine >= each - UNIT / 2), wait


@settings(max_examples=60, deadline=None)
@given(courses, st.randoms(use_true_random=False))
def test_as_long_as_programs_keep_their_portions_spent_and_promised_are_within_the_budget(
    course: Course, chance: Random
) -> None:
    for _ in range(MOST):
        decision = course.decide()
        assert course.spent() + course.held() <= course.limit
        if course.rests(decision):
            return rest_is_named(course, decision)
        course.carry_out(decision)
        assert course.spent() + course.held() <= course.limit
        if course.used:
            one = chance.choice(sorted(course.used))
            cap = course.cap(one)
            # A program that is told its portion stops by itself when it has used it.
            course.used[one] = chance.choice((cap, cap, chance.randint(1, cap)))
            is_through = course.used[one] < cap or chance.random() < 0.3
            course.end(one, finished=is_through, known=not is_through or chance.random() < 0.8)
    raise AssertionError("it goes on for ever")


@settings(max_examples=60, deadline=None)
@given(courses, st.integers(1, 9), st.randoms(use_true_random=False))
def test_programs_that_keep_no_portion_exceed_the_budget_by_what_they_use_between_two_looks(
    course: Course, step: int, chance: Random
) -> None:
    for _ in range(MOST):
        decision = course.decide()
        assert course.spent() + sum(course.used.values()) <= course.limit + course.limits.jobs * step
        if course.rests(decision):
            return rest_is_named(course, decision)
        course.carry_out(decision)
        for one in sorted(course.used):
            course.used[one] += chance.randint(1, step)
            if chance.random() < 0.1:
                course.end(one, finished=True)
    raise AssertionError("it goes on for ever")
