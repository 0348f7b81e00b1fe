from dataclasses import replace

import pytest

from orchestrator.errors import Problem, Severity
from orchestrator.model.micro_plan import Question
from orchestrator.model.state import State, WaveRow
from orchestrator.model.status import WaveStatus
from orchestrator.views.status import status_lines, task_lines
from tests.support.sample_orchestration import decide, key, micro_plan, orchestration, with_task
from tests.support.tokens import tokens

MIXED = ("done", "plan-ready", "running", "blocked", "pending", "needs-input", "approved", "pending")


def test_the_board_has_a_line_a_task_with_what_it_waits_for() -> None:
    whole = orchestration(
        {1: ["done"] * 8, 2: MIXED, 3: ["pending"] * 8},
        done_waves=[1],
        themes={1: "API layer", 2: "Storage", 3: "Frontend"},
    )
    assert status_lines(whole, decide(whole)) == (
        "orchestration 5 Event triggers: 9 of 24 tasks done, branch orch/5-event-triggers",
        "wave 1 API layer: done, 8 tasks; unit 826 passed, 1 known failure",
        "wave 2 Storage: open",
        "5.2.1 done Parse trigger definitions",
        "5.2.2 plan-ready Store triggers: plan of 3 steps",
        "5.2.3 running Show triggers in the list",
        "5.2.4 blocked Delete a trigger: pytest tests/test_a.py failed twice",
        "5.2.5 5.2.8 pending: orch will start its plan turn, its dependencies are done",
        "5.2.6 needs-input Store triggers: set to needs-input by hand",
        "5.2.7 approved Show triggers in the list: orch will start its work, its micro-plan is approved",
        "wave 3 Frontend: 8 pending, 5.2.4 is blocked: pytest tests/test_a.py failed twice",
    )


def test_a_set_that_was_never_started_says_so() -> None:
    whole = orchestration({1: ["pending"] * 2})
    whole = replace(whole, state=State(5, "planning/STATE_5.md"), tasks={})
    assert status_lines(whole, decide(whole)) == (
        "orchestration 5 Event triggers: 0 of 2 tasks done, not started",
        "wave 1: open",
        "5.1.1 5.1.2 pending: orch will start its plan turn, its dependencies are done",
    )


def test_an_orchestration_that_has_ended_says_how() -> None:
    whole = orchestration({1: ["done", "done"]}, done_waves=[1])
    heads = [
        status_lines(replace(whole, state=replace(whole.state, status=word)), decide(whole))[0]
        for word in ("done", "abandoned")
    ]
    assert heads == [
        "orchestration 5 Event triggers: finished, 2 of 2 tasks done, branch orch/5-event-triggers",
        "orchestration 5 Event triggers: abandoned, 2 of 2 tasks done, branch orch/5-event-triggers",
    ]


def test_tasks_without_a_free_slot_share_a_line() -> None:
    whole = orchestration({1: ["running", "running"] + ["pending"] * 6})
    assert status_lines(whole, decide(whole, jobs=2))[2:] == (
        "5.1.1 running Parse trigger definitions",
        "5.1.2 running Store triggers",
        "5.1.3 to 5.1.8 (6) pending: waits for one of 2 slots",
    )


def test_a_word_that_is_no_status_is_shown_as_it_stands() -> None:
    whole = orchestration({1: ["Ana has it"]})
    assert status_lines(whole, decide(whole))[-1] == (
        '5.1.1 "Ana has it" Parse trigger definitions: the board says "Ana has it", which is no status'
        "; write a status that orch knows, such as pending, blocked, skipped or done"
    )


def test_a_word_that_only_orch_writes_is_shown_with_what_to_do() -> None:
    whole = orchestration({1: ["running"]})
    whole = with_task(whole, replace(whole.task(key("5.1.1")), log=()))
    assert status_lines(whole, decide(whole))[-1] == (
        '5.1.1 running Parse trigger definitions: "running" is a word that only orch writes; '
        "set the cell back to pending"
    )


def test_a_plan_at_the_gate_says_what_a_judgement_would_look_at() -> None:
    whole = orchestration({1: ["plan-ready"]})
    task = replace(
        whole.task(key("5.1.1")),
        micro_plan=micro_plan(key("5.1.1")),
        findings="- error, step 1: it edits `x`\n- warning: no step names A1",
    )
    whole = with_task(whole, task)
    assert status_lines(whole, decide(whole))[-1].endswith(": plan of 3 steps, 2 findings")
    asked = micro_plan(key("5.1.1"), questions=[Question(1, "Keep it?"), Question(2, "Really?", "yes")])
    whole = with_task(whole, replace(task, micro_plan=asked, findings=""))
    assert status_lines(whole, decide(whole))[-1].endswith(": an open question in its micro-plan")


def test_problems_in_the_files_are_counted() -> None:
    whole = orchestration({1: ["pending"]})
    whole = replace(
        whole, problems=(Problem("a", "wrong"), Problem("b", "odd", severity=Severity.WARNING), Problem("c", "bad"))
    )
    assert status_lines(whole, decide(whole))[1] == "in the files: at least 2 errors, 1 warning; orch check shows all"


def test_a_red_wave_is_shown_with_its_note() -> None:
    whole = orchestration({1: ["done", "done"], 2: ["pending"]})
    red = WaveRow(1, WaveStatus.RED, suites="unit 3 failed", commit="77aa012", note="new: test_clock")
    whole = replace(whole, state=replace(whole.state, waves=(red, whole.state.waves[1])))
    assert status_lines(whole, decide(whole))[1:] == (
        "wave 1: red; unit 3 failed; new: test_clock",
        "5.1.1 5.1.2 done",
        "wave 2: 1 pending, wave 1 is red",
    )


def test_every_task_has_a_line_in_the_data() -> None:
    whole = orchestration({1: MIXED, 2: ["pending"] * 3})
    lines = task_lines(whole, decide(whole))
    assert list(lines) == list(whole.plan.in_waves())
    # A task that is not done and has nothing due says why and what can be done.
    assert lines[key("5.1.4")].remedy == 'orch retry 5.1.4 --because "…"'


@pytest.mark.parametrize(
    "statuses",
    [
        {number: list(MIXED) for number in range(1, 13)},
        {1: ["plan-ready"] * 40, **{number: ["pending"] * 6 for number in range(2, 12)}},
        {1: ["blocked"] * 100},
        {number: ["pending"] for number in range(1, 101)},
        {number: ["done" if number % 2 else "pending"] for number in range(1, 101)},
        {1: list(MIXED) * 12},
        {1: ["a word that nobody knows"] * 40, 2: ["and another one"] * 60},
    ],
)
def test_a_hundred_tasks_cost_at_most_1500_tokens(statuses: dict[int, list[str]]) -> None:
    themes = dict.fromkeys(statuses, "A theme of about the usual length")
    whole = orchestration(statuses, themes=themes)
    assert tokens("\n".join(status_lines(whole, decide(whole)))) <= 1500


def test_the_output_stays_as_short_at_1000_tasks() -> None:
    whole = orchestration(
        {number: ["done"] * 8 if number < 60 else MIXED for number in range(1, 126)}, done_waves=range(1, 60)
    )
    assert tokens("\n".join(status_lines(whole, decide(whole)))) <= 1500
    assert status_lines(whole, decide(whole))[-1] == (
        "waves 65-125: 61 done, 61 plan-ready, 61 running, 61 blocked, 122 pending, 61 needs-input, 61 approved;"
        " orch show TASK says why"
    )
