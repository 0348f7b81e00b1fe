"""A landing that is taken back: where the task stands, and what is due."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.model.actions import Decision, Verb, Why
from orchestrator.model.facts import Facts, Limits, TaskFacts
from orchestrator.model.log import LogEntry
from orchestrator.model.next_actions import next_actions, red_remedy
from orchestrator.model.stage import Stage, standing
from orchestrator.model.state import WaveRow
from orchestrator.model.status import WaveStatus
from tests.model.test_next_actions import HEAD, LANDED, A, B, entry, orchestration, written

WHY = "the suite fails since it landed: unit `t`"


def reverted(following: str, board: str) -> tuple[LogEntry, ...]:
    return (*LANDED, entry("reverted", kind="accept", next=following, why=WHY, commit="abc1234def", board=board))


@pytest.mark.parametrize(
    ("following", "stage"),
    [("retry", Stage.RETRY_DUE), ("blocked", Stage.BLOCKED), ("", Stage.RETRY_DUE), ("gibberish", Stage.BLOCKED)],
)
def test_a_task_that_was_taken_back_stands_where_its_failure_puts_it(following: str, stage: Stage) -> None:
    now = standing(reverted(following, "running"))
    assert (now.stage, now.landing, now.cause, now.verified_tree) == (stage, "", WHY, "")


def decided(fact: TaskFacts, following: str = "retry", board: str = "running") -> Decision:
    whole = orchestration({A: written(*reverted(following, board)), B: written(*LANDED)})
    return next_actions(whole, Facts(HEAD, {A: fact}), Limits())


def test_the_revert_comes_before_everything_else_of_the_task() -> None:
    for following, board in (("retry", "running"), ("blocked", "blocked")):
        (action,) = decided(TaskFacts(revert_due=True), following, board).actions
        assert (action.verb, action.key) == (Verb.REVERT, A)
    (action,) = decided(TaskFacts()).actions
    assert (action.verb, action.reason) == (Verb.RETRY, WHY)


def test_a_revert_that_local_files_are_in_the_way_of_waits_for_a_person() -> None:
    found = decided(TaskFacts(revert_due=True, in_the_way=("f is in the way", "move f away")))
    waits = {wait.key: wait for wait in found.waits}
    assert found.actions == ()
    assert (waits[A].why, waits[A].reason, waits[A].remedy) == (Why.CHECKOUT, "f is in the way", "move f away")


def test_the_remedy_of_a_red_wave_names_the_task_to_take_back_only_where_orch_asks() -> None:
    row = WaveRow(1, WaveStatus.RED, note="new failure: unit `t`; to blame: 5.1.2 abc1234; to blame: 5.1.1 abc1235")
    whole = orchestration({A: written(*LANDED), B: written(*LANDED)}, waves=(row,))
    mend = f"commit the mend on {whole.state.branch}"
    again = 'then run orch retry --wave 1 --because "…"'
    assert red_remedy(whole, 1) == f"{mend}, {again}"
    asking = replace(whole, settings=replace(whole.settings, on_regression="ask"))
    assert red_remedy(asking, 1) == 'orch retry 5.1.2 --landed --because "…"'
    nobody = replace(row, note="new failure: unit `t`; to blame: a commit of no task, abc1234")
    other = orchestration({A: written(*LANDED), B: written(*LANDED)}, waves=(nobody,))
    assert red_remedy(replace(other, settings=asking.settings), 1) == f"{mend}, {again}"
