"""A set read as an outline: the same decisions from a quicker look, and the whole reading where that isn't sure."""

from __future__ import annotations

import pytest

from orchestrator.engine.reading import load_current
from orchestrator.errors import UserError
from orchestrator.model.facts import Limits
from orchestrator.model.next_actions import next_actions
from orchestrator.store.layout import Layout
from orchestrator.store.planning_set import PlanningSet
from tests.store.test_planning_set import FIRST, SECOND, THIRD, layout

__all__ = ["layout"]


def test_an_outline_leads_to_the_same_decision(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    whole, quick = load_current(planning), load_current(planning, outline=True)
    assert quick.plan.specs[0].must_edit == ()
    assert whole.plan.specs[0].must_edit != ()
    assert (quick.state, quick.settings, quick.tasks) == (whole.state, whole.settings, whole.tasks)
    assert quick.problems == whole.problems == ()
    assert next_actions(quick, None, Limits()) == next_actions(whole, None, Limits())


def test_the_whole_plan_can_be_read_after_the_outline_and_again(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    sizes = [len(planning.load(outline=outline).plan.specs[0].must_edit) for outline in (True, False, True)]
    assert sizes[0] == sizes[2] == 0 < sizes[1]


def test_what_is_wrong_with_plan_or_state_is_told_by_the_whole_readers(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    state, plan = layout.state_path(5), layout.plan_path(5)
    state.write_text(state.read_text().replace("| plan-ready |", "| Ana has it |"))
    quick, whole = planning.load(outline=True), planning.load()
    assert [problem.code for problem in quick.problems] == ["unknown-status"]
    assert (quick.state, quick.problems) == (whole.state, whole.problems)
    plan.write_text(plan.read_text().replace("5.1.1, ", "5.1.1, 5.1.?, ", 1))
    quick, whole = planning.load(outline=True), planning.load()
    assert [problem.code for problem in quick.problems] == ["bad-task", "unknown-status"]
    assert quick == whole


def test_files_that_are_not_there_or_not_text_are_told_the_same(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    layout.state_path(5).unlink()
    assert planning.load(outline=True).state == planning.load().state
    layout.state_path(5).write_bytes(b"\xff")
    assert planning.load(outline=True).problems == planning.load().problems != ()
    layout.plan_path(5).write_bytes(b"\xff")
    assert planning.load(outline=True).problems == planning.load().problems != ()
    layout.plan_path(5).unlink()
    with pytest.raises(UserError, match="isn't there"):
        planning.load(outline=True)


def test_todo_files_are_added_to_what_was_read(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    layout.task_path(THIRD).write_text("# 5.2.1 — List\n\n## Log\n\n- nonsense\n")
    first = planning.load(with_tasks=())
    assert first.tasks == {}
    both = planning.with_tasks(first, (FIRST, SECOND))
    more = planning.with_tasks(both, (FIRST, THIRD))
    assert (set(both.tasks), set(more.tasks)) == ({FIRST}, {FIRST, THIRD})
    assert more.tasks[FIRST] is both.tasks[FIRST]
    assert (len(both.problems), len(more.problems)) == (0, 1)
    assert more.plan is first.plan
