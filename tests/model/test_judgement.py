"""Who judges plans at the gate and changes before they land: tables of situations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.model.facts import Limits, Turn
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan, Question, Step, plan_hash
from orchestrator.model.next_actions import next_actions
from tests.model.test_next_actions import (
    APPROVED,
    DIFF_LOST,
    DIFF_REVIEWING,
    DIFF_UNANSWERED,
    GATE,
    JUDGED,
    LOST,
    LOST_TWICE,
    OTHER_TREE,
    REVIEWING,
    UNANSWERED,
    VERIFIED,
    WORKING,
    A,
    B,
    facts,
    orchestration,
    said,
)


@pytest.mark.parametrize(
    ("log", "turn", "word"),
    [
        (GATE, Turn.NONE, "review"),
        (REVIEWING, Turn.ALIVE, "working"),
        (REVIEWING, Turn.ENDED, "collect"),
        (REVIEWING, Turn.LOST, "salvage"),
        (REVIEWING, Turn.NEVER_STARTED, "respawn"),
        (LOST, Turn.NONE, "review"),
        (LOST_TWICE, Turn.NONE, "gate"),
        (UNANSWERED, Turn.NONE, "gate"),
    ],
)
def test_a_reviewer_is_asked_once_about_a_plan_and_again_if_it_died(
    log: tuple[LogEntry, ...], turn: Turn, word: str
) -> None:
    decision = next_actions(orchestration({A: log}), facts(a=turn), Limits(gate="review"))

    assert said(decision)[str(A)] == word


def test_the_reason_why_a_review_settled_nothing_is_told() -> None:
    decision = next_actions(orchestration({A: UNANSWERED}), facts(), Limits(gate="review"))

    assert [wait.reason for wait in decision.waits if wait.key == A] == [
        "its micro-plan waits for approval: it chats",
    ]


def test_a_plan_that_a_review_left_open_never_passes_on_checks() -> None:
    decision = next_actions(orchestration({A: UNANSWERED}), facts(), Limits(gate="auto"))

    assert said(decision)[str(A)] == "gate"


def test_another_plan_is_another_question_to_the_reviewer() -> None:
    changed = orchestration({A: UNANSWERED})
    other = MicroPlan(goal="Something else.", steps=(Step(1, "Do it", " "),))
    files = {A: replace(changed.tasks[A], micro_plan=other)}
    decision = next_actions(replace(changed, tasks=files), facts(), Limits(gate="review"))

    assert said(decision)[str(A)] == "review"


def test_a_reviewer_gets_plans_with_warnings_and_none_with_an_error_or_a_question() -> None:
    def word(findings: str = "", questions: tuple[Question, ...] = ()) -> str:
        subject = orchestration({A: GATE}, findings=findings, questions=questions)
        return said(next_actions(subject, facts(), Limits(gate="review")))[str(A)]

    assert [word("- warning: x"), word("- error: x"), word(questions=(Question(1, "keep it?"),))] == [
        "review",
        "gate",
        "settle",
    ]


def test_a_review_takes_a_slot_and_a_stop_starts_none() -> None:
    full = next_actions(orchestration({A: WORKING, B: GATE}), facts(a=Turn.ALIVE), Limits(jobs=1, gate="review"))
    busy = next_actions(orchestration({A: REVIEWING, B: APPROVED}), facts(a=Turn.ALIVE), Limits(jobs=1))
    stopped = orchestration({A: GATE})
    stopped = replace(stopped, state=replace(stopped.state, stop="lunch"))

    assert said(full)[str(B)] == "slot"
    assert said(busy)[str(B)] == "slot"
    assert said(next_actions(stopped, facts(), Limits(gate="review")))[str(A)] == "stop"


def test_a_plan_that_was_changed_after_its_approval_is_put_back_to_the_gate() -> None:
    approved = orchestration({A: APPROVED})
    micro = MicroPlan(goal="It is done.", steps=(Step(1, "Do it", " "),))
    same = {A: replace(approved.tasks[A], micro_plan=micro, plan=plan_hash(micro))}
    other = {A: replace(same[A], micro_plan=replace(micro, goal="More."))}
    words = [said(next_actions(replace(approved, tasks=files), facts(), Limits()))[str(A)] for files in (same, other)]

    assert words == ["execute", "reopen"]


@pytest.mark.parametrize(
    ("review_diff", "log", "turn", "word"),
    [
        ("none", VERIFIED, Turn.NONE, "land"),
        ("", VERIFIED, Turn.NONE, "land"),
        ("stop", VERIFIED, Turn.NONE, "diff"),
        ("stop", JUDGED, Turn.NONE, "land"),
        ("stop", (*JUDGED, *OTHER_TREE), Turn.NONE, "diff"),
        ("review", VERIFIED, Turn.NONE, "review"),
        ("review", DIFF_REVIEWING, Turn.ALIVE, "working"),
        ("review", DIFF_REVIEWING, Turn.ENDED, "collect"),
        ("review", DIFF_REVIEWING, Turn.LOST, "salvage"),
        ("review", DIFF_REVIEWING, Turn.NEVER_STARTED, "respawn"),
        ("review", DIFF_LOST, Turn.NONE, "review"),
        ("review", (*DIFF_LOST, *DIFF_REVIEWING[-1:], *DIFF_LOST[-1:]), Turn.NONE, "diff"),
        ("review", DIFF_UNANSWERED, Turn.NONE, "diff"),
        ("review", (*DIFF_UNANSWERED, *OTHER_TREE), Turn.NONE, "review"),
        ("review", JUDGED, Turn.NONE, "land"),
        ("review", (*JUDGED, *OTHER_TREE), Turn.NONE, "review"),
        ("stop", (*DIFF_REVIEWING, *JUDGED[-1:]), Turn.ALIVE, "land"),
    ],
)
def test_a_verified_change_lands_once_that_very_tree_was_judged(
    review_diff: str, log: tuple[LogEntry, ...], turn: Turn, word: str
) -> None:
    subject = orchestration({A: log})
    subject = replace(subject, settings=replace(subject.settings, review_diff=review_diff))

    assert said(next_actions(subject, facts(a=turn), Limits()))[str(A)] == word


def test_without_a_word_in_the_settings_a_change_of_ones_own_worker_waits_while_somebody_is_there() -> None:
    def word(driver: str, *, is_attended: bool = True, review_diff: str = "", judged: bool = False) -> str:
        log = tuple(
            replace(one, values={**one.values, "driver": driver}) if one.event == "started" else one
            for one in (JUDGED if judged else VERIFIED)
        )
        subject = orchestration({A: log})
        subject = replace(subject, settings=replace(subject.settings, review_diff=review_diff))
        return said(next_actions(subject, facts(), Limits(is_attended=is_attended)))[str(A)]

    assert word("manual") == "diff"
    assert word("manual", judged=True) == "land"
    assert word("manual", is_attended=False) == "land"
    assert word("manual", review_diff="none") == "land"
    assert word("manual", review_diff="stop", is_attended=False) == "diff"
    assert word("command") == "land"
