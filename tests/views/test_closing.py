from dataclasses import replace

from orchestrator.model.log import LogEntry
from orchestrator.views.closing import closing_lines
from tests.support.sample_orchestration import TIME, decide, key, orchestration, with_task
from tests.support.tokens import tokens


def test_a_wave_is_summed_up_with_a_line_a_task() -> None:
    whole = orchestration({1: ["done", "blocked", "skipped"], 2: ["pending"]}, themes={1: "API layer"})
    task = whole.task(key("5.1.1"))
    log = (
        *task.log,
        LogEntry(TIME, "started", {"turn": "retry"}),
        LogEntry(TIME, "degraded", {"why": "git 2.39 has no merge-tree --merge-base"}),
    )
    task = replace(
        task, log=log, landed=("abc1234def",), approved_by="checks", model="claude-haiku-5-5", cost={"usd": "0.0132"}
    )
    whole = with_task(whole, task)
    found = ("5.1.1: `validate()` ignores empty cron strings", "5.2.1: of another wave")
    whole = replace(whole, state=replace(whole.state, discovered=found))
    assert closing_lines(whole, 1) == (
        "wave 1 of 2 API layer: open",
        "5.1.1 done abc1234 Parse trigger definitions: 2 attempts, claude-haiku-5-5, $0.0132, plan passed on checks",
        "5.1.2 blocked Store triggers: 2 attempts; pytest tests/test_a.py failed twice",
        "5.1.3 skipped Show triggers in the list",
        "degraded: git 2.39 has no merge-tree --merge-base",
        "discovered: 5.1.1: `validate()` ignores empty cron strings",
    )


def test_on_the_way_each_task_says_why_it_rests() -> None:
    whole = orchestration({1: ["plan-ready", "running", "needs-input", "pending", "pending"]})
    waits = [wait for wait in decide(whole, jobs=1).waits if wait.key.wave == 1]
    assert closing_lines(whole, 1, waits) == (
        "wave 1 of 1: open",
        "5.1.1 plan-ready Parse trigger definitions: plan of 3 steps",
        "5.1.2 running Store triggers: its execute turn was started",
        '5.1.3 needs-input Show triggers in the list: set to needs-input by hand; orch retry 5.1.3 --because "…"',
        "5.1.4 5.1.5 pending: waits for one of 1 slots",
    )


def test_a_task_that_is_ready_to_be_judged_costs_at_most_25_tokens() -> None:
    whole = orchestration({1: ["plan-ready"] * 8})
    lines = closing_lines(whole, 1, decide(whole).waits)
    assert tokens("\n".join(lines)) <= 25 * 8


def test_a_closed_wave_names_suites_and_head_and_is_a_moment_to_compact() -> None:
    whole = orchestration({1: ["done", "done"]}, done_waves=[1])
    assert closing_lines(whole, 1) == (
        "wave 1 of 1: done; unit 826 passed, 1 known failure; at 77aa012",
        "5.1.1 done Parse trigger definitions",
        "5.1.2 done Store triggers",
        "all of it is in the files: a good moment for /compact",
    )
    assert "/compact" not in "\n".join(closing_lines(whole, 1, by="person")), "a person has nothing to compact"


def test_a_plan_that_was_forced_is_named_with_the_reason() -> None:
    whole = orchestration({1: ["done"]})
    task = replace(whole.task(key("5.1.1")), approved_by="forced", approved_why="a typo in the spec")
    assert closing_lines(with_task(whole, task), 1)[1] == (
        "5.1.1 done Parse trigger definitions: forced: a typo in the spec"
    )


def test_more_discoveries_than_fit_are_counted() -> None:
    whole = orchestration({1: ["done"]}, done_waves=[1])
    whole = replace(whole, state=replace(whole.state, discovered=tuple(f"5.1.1: thing {n}" for n in range(9))))
    lines = closing_lines(whole, 1)
    assert lines[-2:] == (
        "4 more discovered items in planning/STATE_5.md",
        "all of it is in the files: a good moment for /compact",
    )


def test_a_wave_of_eight_fits_a_screen_and_300_tokens() -> None:
    whole = orchestration({1: ["done"] * 8}, done_waves=[1])
    for number in range(1, 9):
        task = replace(whole.task(key(f"5.1.{number}")), landed=("abc1234def",), model="claude-haiku-5-5")
        whole = with_task(whole, task)
    lines = closing_lines(whole, 1)
    assert len(lines) <= 24
    assert tokens("\n".join(lines)) <= 300


def test_why_the_suites_ran_again_is_not_why_a_task_is_blocked() -> None:
    whole = orchestration({1: ["blocked"]})
    task = whole.task(key("5.1.1"))
    again = LogEntry(TIME, "decided", {"to": "checking", "why": "the server is up"})
    whole = with_task(whole, replace(task, log=(*task.log, again)))
    assert closing_lines(whole, 1)[1] == closing_lines(orchestration({1: ["blocked"]}), 1)[1]
