from dataclasses import replace

from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import Question
from orchestrator.model.orchestration import Orchestration
from orchestrator.views.gate import gate_lines
from tests.support.sample_orchestration import key, micro_plan, orchestration, with_task


def _asked(whole: Orchestration) -> Orchestration:
    task = key("5.1.2")
    questions = [Question(1, "Keep the column?"), Question(2, "In UTC?", "yes")]
    return with_task(
        whole,
        replace(
            whole.task(task),
            micro_plan=micro_plan(task, questions=questions),
            findings="- warning: no step names A1",
            log=(
                LogEntry("2026-11-29T10:00:00Z", "revised", {"by": "spec", "why": "the spec changed"}),
                LogEntry("2026-11-29T10:01:00Z", "revised", {"by": "checks", "why": "out of scope"}),
            ),
        ),
    )


def test_a_digest_shows_goal_acceptance_steps_findings_and_questions() -> None:
    whole = _asked(orchestration({1: ["plan-ready", "plan-ready"]}))
    assert gate_lines(whole, [key("5.1.2")]) == (
        "5.1.2 Store triggers, sent back once",
        "goal: Triggers are read from the definition.",
        "accept A1: every test in `tests/test_trigger.py` passes",
        "1. Create `pkg/trigger.py` with the parser",
        "2. Call it from `load`",
        "   - only once",
        "3. Run `pytest tests/test_trigger.py`",
        "found warning: no step names A1",
        "question 1: Keep the column?",
        "question 2: In UTC? -> yes",
        "",
        'orch approve 5.1.2 --answer 1="..."',
        'orch revise 5.1.2 -m "..."',
    )


def test_plans_that_can_pass_are_approved_by_one_command() -> None:
    whole = _asked(orchestration({1: ["plan-ready"] * 3}))
    assert gate_lines(whole, [key("5.1.1"), key("5.1.2"), key("5.1.3")], number=5)[-3:] == (
        "orch approve 5.1.1 5.1.3 -n 5",
        'orch approve 5.1.2 --answer 1="..." -n 5',
        'orch revise 5.1.1 -m "..." -n 5',
    )


def test_a_plan_with_an_error_passes_only_by_force() -> None:
    whole = orchestration({1: ["plan-ready"]})
    task = replace(whole.task(key("5.1.1")), findings="- error, step 1: it edits `a.py`, which is out of scope")
    lines = gate_lines(with_task(whole, task), [task.key])
    assert 'orch approve 5.1.1 --force --why "..."' in lines


def test_nothing_at_the_gate_is_said() -> None:
    assert gate_lines(orchestration({1: ["pending"]}), []) == ("nothing waits for a judgement",)
