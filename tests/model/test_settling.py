"""Questions of STATE and what they hold: before approval the gate, after it the next step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.model.actions import Decision
from orchestrator.model.facts import Limits
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import Question
from orchestrator.model.next_actions import next_actions
from orchestrator.model.questions import Asked
from tests.model import test_next_actions as cases
from tests.model.test_next_actions import GATE, A, B, entry, facts, orchestration, said


def test_a_plan_with_entered_questions_waits_for_all_of_them_with_one_command() -> None:
    log = (*GATE, entry("asked", q="Q1", key="keep-it", by="worker"))
    entered = orchestration({A: log}, questions=(Question(1, "keep it?"),))
    queue = (Asked(1, A, "keep it?", "keep-it", unblocks=(A,)), Asked(2, B, "both?", unblocks=(A,)))
    decision = next_actions(replace(entered, state=replace(entered.state, questions=queue)), facts(), Limits())
    assert said(decision)[str(A)] == "question"
    assert [(wait.reason, wait.remedy) for wait in decision.waits if wait.key == A] == [
        ("Q1, Q2 are open", 'orch answer --person Q1 "…" Q2 "…"')
    ]


@pytest.mark.parametrize(("log", "word"), [("APPROVED", "approved"), ("RETRY", "running"), ("ENDED", "verifying")])
def test_a_question_after_approval_holds_the_task_until_it_is_answered(log: str, word: str) -> None:
    done = getattr(cases, log)
    queue = (Asked(3, A, "and the docs?", "docs"),)

    def decide(*more: LogEntry, questions: tuple[Asked, ...] = queue) -> Decision:
        whole = orchestration({A: (*done, *more)})
        return next_actions(replace(whole, state=replace(whole.state, questions=questions)), facts(), Limits())

    asked = entry("asked", q="Q3", by="hand")
    assert said(decide())[str(A)] == "settle"
    assert said(decide(asked))[str(A)] == "settle"
    held = (asked, entry("asked", q="Q3", board="needs-input"), entry("board", status="needs-input"))
    assert said(decide(*held))[str(A)] == "question"
    answered = (replace(queue[0], answer="yes"),)
    assert said(decide(*held, questions=answered))[str(A)] == "settle"
    back = (*held, entry("answered", q="Q3"), entry("answered", board=word), entry("board", status=word))
    assert said(decide(*back, questions=answered))[str(A)] in ("execute", "retry", "verify")
