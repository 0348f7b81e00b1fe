from dataclasses import replace

import pytest

from orchestrator.model.state import WaveRow
from orchestrator.model.status import WaveStatus
from orchestrator.views.resume import gotchas, resume_lines
from tests.support.sample_orchestration import decide, key, orchestration, report
from tests.support.tokens import tokens

MIXED = ("done", "plan-ready", "running", "blocked", "pending", "needs-input", "approved", "pending")


def test_a_fresh_session_is_told_where_it_stands() -> None:
    whole = orchestration(
        {1: ["done"] * 8, 2: MIXED, 3: ["pending"] * 8},
        done_waves=[1],
        themes={2: "Storage"},
        reports=[report("5.1.3", "`ParseDefinition` is called twice at start-up"), report("5.1.4", "none")],
    )
    whole = replace(whole, state=replace(whole.state, discovered=("5.1.1: cron strings may be empty",)))
    assert resume_lines(whole, decide(whole)) == (
        "orchestration 5 Event triggers: 9 of 24 tasks done, branch orch/5-event-triggers",
        "at wave 2 of 3 Storage: open, 1 of 8 tasks done",
        "waves done: 1; suites unit 826 passed, 1 known failure",
        "due: plan 5.2.5 5.2.8, execute 5.2.7",
        "plans to judge: 5.2.2",
        "needs a person: 5.2.6: set to needs-input by hand",
        "at work: 5.2.3",
        "blocked: 5.2.4: pytest tests/test_a.py failed twice",
        "held: wave 3 (8 tasks): 5.2.4 is blocked: pytest tests/test_a.py failed twice",
        "5.1.3 gotcha: `ParseDefinition` is called twice at start-up",
        "discovered: 5.1.1: cron strings may be empty",
    )


def test_a_finished_orchestration_says_so() -> None:
    whole = orchestration({1: ["done"], 2: ["done"]}, done_waves=[1, 2])
    assert resume_lines(whole, decide(whole))[1:] == ("all 2 waves done; suites unit 826 passed, 1 known failure",)


def test_work_that_several_tasks_came_upon_is_told_once() -> None:
    found = ("5.1.1: the fixture is slow", "5.1.3: a lint", "5.1.2: the fixture is slow", "- by hand", "5.1.4: a lint")
    whole = orchestration({1: ["done"] * 4, 2: ["pending"]}, done_waves=[1])
    whole = replace(whole, state=replace(whole.state, discovered=found))
    lines = [line for line in resume_lines(whole, decide(whole)) if "discovered" in line]
    assert lines == [
        "discovered: 5.1.3, 5.1.4: a lint",
        "discovered: - by hand",
        "1 earlier discovered item in planning/STATE_5.md",
    ]


def test_a_stop_is_named() -> None:
    whole = orchestration({1: ["pending"]})
    whole = replace(whole, state=replace(whole.state, stop="Ana looks at the schema first"))
    assert resume_lines(whole, decide(whole))[1:] == (
        "stopped: Ana looks at the schema first; to go on, take it out of planning/STATE_5.md",
        "at wave 1 of 1: open, 0 of 1 tasks done",
        "to come: 1 task",
    )


def test_gotchas_of_what_the_wave_builds_on_come_before_later_ones() -> None:
    reports = [report(f"5.1.{number}", f"mind the gap {number}") for number in range(1, 9)]
    whole = orchestration(
        {1: ["done"] * 8, 2: ["pending"]}, done_waves=[1], reports=reports, depends={"5.2.1": ["5.1.2"]}
    )
    assert [str(task) for task, _ in gotchas(whole, decide(whole))] == ["5.1.2", "5.1.6", "5.1.7", "5.1.8"]


def test_what_several_workers_ran_into_is_said_once() -> None:
    reports = [report(f"5.1.{number}", "the fixture is slow") for number in range(1, 9)]
    whole = orchestration(
        {1: ["done"] * 8, 2: ["pending"]}, done_waves=[1], reports=reports, depends={"5.2.1": ["5.1.2"]}
    )
    assert gotchas(whole, decide(whole)) == ((key("5.1.2"), "the fixture is slow"),)


def test_a_gotcha_of_several_quoted_lines_is_read_whole() -> None:
    whole = orchestration(
        {1: ["done"], 2: ["pending"]}, done_waves=[1], reports=[report("5.1.1", "two things:\n> one\n> two")]
    )
    assert gotchas(whole, decide(whole)) == ((key("5.1.1"), "two things: one two"),)


@pytest.mark.parametrize("waves", [2, 12, 125])
def test_it_costs_at_most_400_tokens_at_any_size(waves: int) -> None:
    gotcha = (
        "the fixture `database` of tests/conftest.py keeps its connection open, so that a second use waits for ever "
        * 3
    )
    whole = orchestration(
        {number: ["done"] * 8 if number < waves // 2 else MIXED for number in range(1, waves + 1)},
        done_waves=range(1, waves // 2),
        themes=dict.fromkeys(range(1, waves + 1), "A theme of about the usual length for a wave"),
        reports=[report(f"5.{number}.{task}", gotcha) for number in range(1, waves // 2) for task in range(1, 9)],
    )
    assert tokens("\n".join(resume_lines(whole, decide(whole)))) <= 400


def test_only_tasks_that_wait_for_the_same_share_a_line_with_its_reason() -> None:
    whole = orchestration({1: ["blocked"] * 4})
    decision = decide(whole)
    why = {"5.1.1": "it is red", "5.1.2": "out of scope", "5.1.3": "it is red", "5.1.4": "no report"}
    waits = tuple(replace(wait, reason=f"blocked: {why[str(wait.key)]}") for wait in decision.waits)
    lines = resume_lines(whole, replace(decision, waits=waits))
    assert [line for line in lines if line.startswith("blocked")] == [
        "blocked: 5.1.1 5.1.3: it is red",
        "blocked: 5.1.2: out of scope",
        "blocked for other reasons: 5.1.4",
    ]


def test_a_red_wave_says_what_failed() -> None:
    whole = orchestration({1: ["done"], 2: ["pending"]})
    row = WaveRow(1, WaveStatus.RED, "unit 1 failed", "", "new failure: `test_a`")
    whole = replace(whole, state=replace(whole.state, waves=(row,)))
    assert "red: wave 1: new failure: `test_a`" in resume_lines(whole, decide(whole))
