from dataclasses import replace

import pytest

from orchestrator.model.micro_plan import Question
from orchestrator.model.settings import Repo
from orchestrator.views.documents import show_document
from orchestrator.views.gate import gate_lines
from orchestrator.views.show import show_lines
from orchestrator.views.status import status_lines
from tests.support.sample_orchestration import decide, key, micro_plan, orchestration, report, with_task


def test_a_summary_says_how_a_task_stands_and_what_it_may_touch() -> None:
    whole = orchestration({1: ["blocked"]})
    assert show_lines(whole, decide(whole), key("5.1.1")) == (
        "5.1.1 Parse trigger definitions",
        "blocked: pytest tests/test_a.py failed twice",
        'to go on: orch retry 5.1.1 --because "…"',
        "if its test is at fault rather than its work: correct Test in planning/EXECUTION_PLAN_5.md:20:1 before that",
        "edit: pkg/load.py",
        "create: pkg/trigger.py tests/test_trigger.py",
        "test: pytest tests/test_trigger.py",
        "micro-plan: 3 steps, not approved",
        "turns: plan execute retry by scripted",
        "see: planning/EXECUTION_PLAN_5.md:20:1, orch show 5.1.1 --log",
    )


def test_a_task_with_a_local_id_is_shown_with_it() -> None:
    whole = orchestration({1: ["pending"]})
    spec = replace(whole.plan.spec(key("5.1.1")), local_id="T1.1-parse")
    called = replace(whole, plan=replace(whole.plan, specs=(spec, *whole.plan.specs[1:])))
    assert show_lines(called, decide(called), key("5.1.1"))[0] == "5.1.1 (T1.1-parse) Parse trigger definitions"
    assert show_document(called, decide(called), key("5.1.1"))["id"] == "T1.1-parse"
    assert show_document(whole, decide(whole), key("5.1.1"))["id"] is None


def test_a_landed_task_names_its_commit_and_who_approved_it() -> None:
    whole = orchestration({1: ["done", "pending"]})
    task = whole.task(key("5.1.1"))
    done = micro_plan(task.key, questions=[Question(1, "Keep it?", "no")])
    ticked = replace(done, steps=tuple(replace(step, mark="x") for step in done.steps))
    task = replace(
        task,
        micro_plan=ticked,
        approved="2026-11-29T10:12:03Z",
        approved_by="forced",
        approved_why="the path is a typo in the spec",
        landed=("abc1234def5678", "1112223334445"),
        reverted=("abc1234def5678",),
        model="claude-haiku-5-5",
    )
    lines = show_lines(with_task(whole, task), decide(whole), task.key)
    assert lines[1] == "done"
    assert lines[-4:-1] == (
        "micro-plan: 3 steps, 3 ticked, approved by forced (the path is a typo in the spec)",
        "turns: plan execute by scripted claude-haiku-5-5",
        "landed: abc1234 1112223, reverted abc1234",
    )


def test_one_part_is_shown_bare_and_several_are_headed() -> None:
    whole = orchestration({1: ["plan-ready"]}, reports=[report("5.1.1", "none")])
    decision = decide(whole)
    assert show_lines(whole, decision, key("5.1.1"), ("log",)) == (
        "2026-11-29T10:00:00Z started turn=plan",
        "2026-11-29T10:00:00Z planned board=plan-ready",
        "2026-11-29T10:00:00Z board status=plan-ready",
    )
    assert show_lines(whole, decision, key("5.1.1"), ("report", "spec")) == (
        "== spec of 5.1.1",
        "### 5.1.1 — Parse trigger definitions",
        "",
        "- **Must edit:** `pkg/load.py`",
        "- **Test:** `pytest tests/test_1.py`",
        "== report of 5.1.1",
        "- **Status:** done, abc1234",
        "- **Files:** `pkg/a.py`",
        "- **Deviations:** none",
        "- **Gotchas:** none",
    )


def test_a_part_that_is_not_there_yet_is_said() -> None:
    whole = orchestration({1: ["pending"]})
    decision = decide(whole)
    for part, name in (("plan", "micro-plan"), ("report", "report"), ("log", "log"), ("diff", "diff")):
        assert show_lines(whole, decision, key("5.1.1"), (part,)) == (f"5.1.1 has no {name} yet",)


def test_diff_and_prompt_are_shown_as_handed_in() -> None:
    whole = orchestration({1: ["running"]})
    texts = {"diff": "--- a\n+++ b\n", "prompt": "do it\n"}
    lines = show_lines(whole, decide(whole), key("5.1.1"), ("prompt", "diff"), texts=texts)
    assert lines == ("== diff of 5.1.1", "--- a", "+++ b", "== prompt of 5.1.1", "do it")


def test_an_unknown_task_is_a_key_error() -> None:
    whole = orchestration({1: ["pending"]})
    with pytest.raises(KeyError):
        show_lines(whole, decide(whole), key("5.9.9"))


def test_output_and_diffs_that_were_found_keep_their_marks_and_rulers_are_left_out() -> None:
    whole = orchestration({1: ["blocked"]})
    output = "\n".join(["=" * 70, "one", "- []", "two", "- [1]", "+ [2]", "1 failed", "-" * 70])
    task = replace(whole.task(key("5.1.1")), findings=f"- the targeted test is red\n- a file is empty\n\n{output}")
    lines = show_lines(with_task(whole, task), decide(whole), key("5.1.1"))
    start = lines.index("found the targeted test is red")
    assert lines[start : start + 8] == (
        "found the targeted test is red",
        "found a file is empty",
        "   one",
        "   two",
        "   - [1]",
        "   + [2]",
        "   1 failed",
        "turns: plan execute retry by scripted",
    )


def test_the_endings_of_a_file_are_no_text() -> None:
    whole = orchestration({1: ["pending"]})
    spec = replace(whole.plan.spec(key("5.1.1")), text="- one\r\n- two\r\n")
    windows = replace(whole, plan=replace(whole.plan, specs=(spec, *whole.plan.specs[1:])))
    lines = show_lines(windows, decide(windows), key("5.1.1"), ["spec"])
    assert lines == ("### 5.1.1 — Parse trigger definitions", "", "- one", "- two")


@pytest.mark.parametrize(
    ("word", "place"),
    [("ui", " in ui"), ("../shop-ui", " in ui"), ("shop-ui", " in ui"), (".", ""), ("else", " in else")],
)
def test_the_repository_of_a_task_that_works_in_another_one_is_shown(word: str, place: str) -> None:
    whole = orchestration({1: ["plan-ready"]})
    spec = replace(whole.plan.spec(key("5.1.1")), repo=word)
    whole = replace(
        whole,
        plan=replace(whole.plan, specs=(spec,)),
        settings=replace(whole.settings, repos=(Repo("ui", "../shop-ui"), Repo("api", "../api"))),
    )
    whole = with_task(whole, replace(whole.task(key("5.1.1")), micro_plan=micro_plan(key("5.1.1"))))
    shown = show_lines(whole, decide(whole), key("5.1.1"))
    assert f"edit: pkg/load.py{place}" in shown
    assert f"create: pkg/trigger.py tests/test_trigger.py{place}" in shown
    assert gate_lines(whole, [key("5.1.1")])[0] == f"5.1.1 Parse trigger definitions{place}"
    assert status_lines(whole, decide(whole))[-1].startswith(
        f"5.1.1 plan-ready Parse trigger definitions{place}: plan of 3 steps"
    )
