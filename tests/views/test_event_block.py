"""The block that tells others of an event: whole, for each of the four, and what never stands in it."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.errors import Location
from orchestrator.model.actions import Decision, Wait, Why
from orchestrator.model.events import last_event
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.questions import Asked, Audience
from orchestrator.model.state import WaveRow
from orchestrator.model.status import WaveStatus
from orchestrator.views.event_block import event_block
from tests.support.sample_orchestration import decide, key, orchestration, with_task


def block(whole: Orchestration, following: str = "orch gate") -> list[str]:
    return event_block(whole, last_event(whole, decide(whole)), following).split("\n")


def test_a_wave_that_begins_is_told_with_its_tasks() -> None:
    whole = orchestration({1: ["pending", "pending"], 2: ["pending"]}, themes={1: "API layer"})
    assert block(whole, "orch next-wave") == [
        "<!-- orch event=planned orchestration=5 wave=1 -->",
        "**orchestration 5 Event triggers: planned**",
        "",
        "- wave 1 of 2 API layer: open",
        "- 5.1.1 Parse trigger definitions",
        "- 5.1.2 Store triggers",
        "- in all 0 of 3 tasks done on orch/5-event-triggers",
        "- next: `orch next-wave`",
    ]


def test_what_waits_for_a_word_is_told_by_its_ids_alone() -> None:
    whole = orchestration({1: ["plan-ready", "running", "plan-ready", "needs-input"]})
    secret = "the key is hunter2"
    asked = (
        Asked(1, key("5.1.1"), secret, audience=Audience.PERSON),
        Asked(2, key("5.1.3"), secret, audience=Audience.ORCHESTRATOR),
        Asked(3, key("5.1.3"), secret, answer=secret),
    )
    whole = replace(whole, state=replace(whole.state, questions=asked))
    task = whole.task(key("5.1.1"))
    whole = with_task(whole, replace(task, findings=f"- warning: {secret}"))
    waits = [Wait(one.task, Why.QUESTION, secret, secret) for one in asked if one.task and one.is_open]
    waits = [*waits, *(wait for wait in decide(whole).waits if wait.why is Why.NEEDS_INPUT)]
    event = last_event(whole, Decision(1, waits=tuple(waits)))
    assert event_block(whole, event, "orch gate").split("\n") == [
        "<!-- orch event=decision orchestration=5 wave=1 -->",
        "**orchestration 5 Event triggers: decision**",
        "",
        "- wave 1 of 1: open",
        "- waiting for answers: 5.1.1 5.1.3",
        "- set to needs-input: 5.1.4",
        "- questions for a person: Q1 in planning/STATE_5.md",
        "- questions for whoever runs orch: Q2 in planning/STATE_5.md",
        "- in all 0 of 4 tasks done on orch/5-event-triggers",
        "- next: `orch gate`",
    ]


def test_what_keeps_it_is_told_without_what_failed() -> None:
    whole = orchestration({1: ["done", "blocked"], 2: ["pending"]})
    row = WaveRow(1, WaveStatus.OPEN, "unit 5 passed", "77aa012", "blocked: 5.1.2, the key is hunter2")
    whole = replace(whole, state=replace(whole.state, waves=(row,)))
    assert block(whole, 'orch retry 5.1.2 --because "…"') == [
        "<!-- orch event=paused orchestration=5 wave=1 -->",
        "**orchestration 5 Event triggers: paused**",
        "",
        "- wave 1 of 2: open, unit 5 passed, at 77aa012",
        "- blocked: 5.1.2",
        "- in all 1 of 3 tasks done on orch/5-event-triggers",
        '- next: `orch retry 5.1.2 --because "…"`',
    ]


def test_a_red_wave_is_a_pause_of_all_that_come_after_it() -> None:
    whole = orchestration({1: ["done"], 2: ["pending"]})
    row = WaveRow(1, WaveStatus.RED, "unit 5 passed, 1 failed", "77aa012", "new failure: unit `t`")
    whole = replace(whole, state=replace(whole.state, waves=(row,)))
    assert block(whole)[:4] == [
        "<!-- orch event=paused orchestration=5 wave=1 -->",
        "**orchestration 5 Event triggers: paused**",
        "",
        "- wave 1 of 2: red, unit 5 passed, 1 failed, at 77aa012",
    ]


def test_a_wave_that_is_done_is_told_with_its_commits_until_the_next_one_begins() -> None:
    whole = orchestration({1: ["done", "skipped"], 2: ["pending"]}, done_waves=[1])
    whole = with_task(whole, replace(whole.task(key("5.1.1")), landed=("abc1234def",)))
    assert block(whole, "orch next-wave") == [
        "<!-- orch event=closed orchestration=5 wave=1 -->",
        "**orchestration 5 Event triggers: closed**",
        "",
        "- wave 1 of 2: done, unit 826 passed, 1 known failure, at 77aa012",
        "- 5.1.1 Parse trigger definitions: done abc1234",
        "- 5.1.2 Store triggers: skipped",
        "- in all 1 of 3 tasks done on orch/5-event-triggers",
        "- next: `orch next-wave`",
    ]
    assert "event=planned" in block(orchestration({1: ["done"], 2: ["running"]}, done_waves=[1]))[0]


def test_the_end_is_told_of_the_whole() -> None:
    whole = orchestration({1: ["done"], 2: ["done"], 3: ["done"]}, done_waves=[1, 2, 3])
    assert block(whole, "git merge orch/5-event-triggers") == [
        "<!-- orch event=closed orchestration=5 -->",
        "**orchestration 5 Event triggers: closed**",
        "",
        "- every wave is done: 1-3",
        "- in all 3 of 3 tasks done on orch/5-event-triggers",
        "- next: `git merge orch/5-event-triggers`",
    ]


def test_a_large_wave_takes_no_more_than_a_screen() -> None:
    whole = orchestration({1: ["pending"] * 40})
    assert block(whole)[-4:-2] == ["- 5.1.8 Delete a trigger", "- and 32 more tasks"]


def test_somebody_at_work_is_no_pause() -> None:
    assert "event=planned" in block(orchestration({1: ["blocked", "running"]}))[0]
    stopped = orchestration({1: ["pending"]})
    stopped = replace(stopped, state=replace(stopped.state, stop="hunter2", path="planning/STATE_5.md"))
    assert stopped.plan.specs[0].at == Location("planning/EXECUTION_PLAN_5.md", 20, 1)
    found = block(stopped)
    assert (found[0], found[4]) == ("<!-- orch event=paused orchestration=5 wave=1 -->", "- stopped by a person: 5.1.1")
    assert "hunter2" not in "\n".join(found)
