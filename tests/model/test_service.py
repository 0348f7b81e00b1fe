"""Accounts in doubt: who is asked, who waits for the answer, and what ends the doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.model.actions import Verb, Why
from orchestrator.model.costs import spent, turns_of
from orchestrator.model.facts import Facts, Limits, TaskFacts, Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import pause_after_probe
from orchestrator.model.log import LogEntry
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.service import Probe
from orchestrator.model.settings import Bounds, Budget, Settings, Worker
from orchestrator.model.stage import Stage, standing
from tests.model.test_next_actions import BLOCKED, GATE, A, B, C, facts, orchestration, said, written

SETTINGS = Settings(workers=(Worker("small", "claude"), Worker("mid", "codex"), Worker("review", "claude")))


def at(second: int, event: str, **values: str) -> LogEntry:
    return LogEntry(f"2026-11-29T10:00:{second:02}Z", event, values)


STARTED = (at(1, "started", turn="plan", driver="claude", tier="small", board="planning"),)
WEATHER = (at(2, "ended", turn="plan", outcome="quota", next="plan", why="quota: 429", then="probe", board="planning"),)
DOUBT = (*STARTED, *WEATHER)
PROBING = (*DOUBT, at(3, "probing", driver="claude", tier="small", marker="m1"))
ANSWERED = (*PROBING, at(4, "probed", driver="claude", outcome="finished", usd="0.1", **{"in": "5", "out": "1"}))
IN_VAIN = (*PROBING, at(4, "probed", driver="claude", outcome="quota", until="2026-11-29T10:09:00Z", why="quota: 429"))
FINISHED = (
    at(2, "started", turn="plan", driver="claude", board="planning"),
    at(5, "ended", turn="plan", outcome="finished"),
    at(5, "planned", board="plan-ready"),
)


def whole(logs: dict[TaskKey, tuple[LogEntry, ...]], settings: Settings = SETTINGS, **tiers: str) -> Orchestration:
    made = orchestration(logs)
    tasks = {key: replace(task, tier=tiers.get("b", "") if key == B else "") for key, task in made.tasks.items()}
    return replace(made, settings=settings, tasks=tasks)


def decided(
    logs: dict[TaskKey, tuple[LogEntry, ...]], settings: Settings = SETTINGS, *, known: bool = True, **turns: Turn
) -> tuple[str, str]:
    """What is decided for the two tasks of the first wave."""
    found = said(next_actions(whole(logs, settings), facts(**turns) if known else None, Limits(now="2026-11-29T11")))
    return found[str(A)], found[str(B)]


@pytest.mark.parametrize(
    ("logs", "turns", "words"),
    [
        ({A: DOUBT}, {}, (Verb.PROBE, Why.PROBING)),
        ({B: DOUBT}, {}, (Verb.PROBE, Why.PROBING)),
        ({A: DOUBT, B: DOUBT}, {}, (Verb.PROBE, Why.PROBING)),
        ({A: PROBING}, {"a": Turn.ALIVE}, (Why.PROBING, Why.PROBING)),
        ({A: PROBING}, {"a": Turn.ENDED}, (Verb.ANSWER, Why.PROBING)),
        ({A: PROBING}, {"a": Turn.LOST}, (Verb.ANSWER, Why.PROBING)),
        ({A: PROBING}, {"a": Turn.NEVER_STARTED}, (Verb.PROBE, Why.PROBING)),
        ({B: PROBING}, {"b": Turn.ALIVE}, (Why.PROBING, Why.PROBING)),
        ({A: ANSWERED}, {}, (Verb.PLAN, Verb.PLAN)),
        ({A: ANSWERED, B: DOUBT}, {}, (Verb.PLAN, Verb.PLAN)),
        ({A: IN_VAIN}, {}, (Verb.PROBE, Why.PROBING)),
        # Its last turn shows that the account works, though it was begun before the other one failed.
        ({A: DOUBT, B: FINISHED}, {}, (Verb.PLAN, Why.GATE)),
        ({A: BLOCKED, B: DOUBT}, {}, (Why.BLOCKED, Verb.PROBE)),
    ],
)
def test_an_account_in_doubt_is_asked_once_and_all_wait_for_it(
    logs: dict[TaskKey, tuple[LogEntry, ...]], turns: dict[str, Turn], words: tuple[str, str]
) -> None:
    assert decided(logs, **turns) == words


def test_the_files_alone_say_that_it_will_be_asked_or_is() -> None:
    assert decided({A: DOUBT}, known=False) == (Verb.PROBE, Why.PROBING)
    assert decided({A: PROBING}, known=False) == (Why.PROBING, Why.PROBING)


def test_another_account_goes_on() -> None:
    made = whole({A: DOUBT, B: (at(1, "decided", to="pending", board="pending"),)}, b="mid")
    assert said(next_actions(made, facts(), Limits()))[str(B)] == Verb.PLAN


def test_while_the_account_rests_nobody_asks() -> None:
    made = whole({A: IN_VAIN})
    made = replace(made, tasks={A: replace(made.tasks[A], until="2026-11-29T10:09:00Z")})
    decision = next_actions(made, facts(), Limits(now="2026-11-29T10:05:00Z"))
    assert [wait.reason for wait in decision.waits_for(Why.PAUSED)] == [
        "claude rests until 2026-11-29T10:09:00Z: quota: 429",
        "claude rests until 2026-11-29T10:09:00Z: quota: 429 (seen at 5.1.1)",
    ]


def test_a_clock_that_was_set_back_makes_no_account_rest_longer() -> None:
    made = whole({A: IN_VAIN})
    made = replace(made, tasks={A: replace(made.tasks[A], until="2026-11-29T10:09:00Z")})
    yesterday = next_actions(made, facts(), Limits(now="2026-11-28T10:05:00Z"))
    assert (said(yesterday)[str(A)], said(yesterday)[str(B)]) == (Verb.PROBE, Why.PROBING)


def test_a_reviewer_is_asked_too() -> None:
    review = at(3, "started", turn="review", of="plan", driver="claude", asked="x")
    ended = at(4, "ended", turn="review", outcome="quota", until="2026-11-29T10:01:00Z", why="quota", then="probe")
    made = whole({A: (*GATE, review, ended)})
    assert said(next_actions(made, facts(), Limits(gate="review", now="2026-11-29T11")))[str(A)] == Verb.PROBE


def test_nothing_is_asked_for_which_there_is_no_money() -> None:
    settings = replace(SETTINGS, budget=Budget(total=Bounds(usd=0.05)))
    log = (
        *DOUBT,
        at(2, "started", turn="plan", driver="claude"),
        replace(DOUBT[1], values={**DOUBT[1].values, "usd": "1"}),
    )
    assert decided({A: log}, settings) == (Why.BUDGET, Why.BUDGET)


def test_a_wave_does_not_end_before_what_was_asked_in_it_is_written_down() -> None:
    skipped = at(5, "decided", to="skipped", board="skipped")
    logs = {A: (*PROBING, skipped), B: (skipped,)}
    found = next_actions(whole(logs), Facts("", {A: TaskFacts(turn=Turn.ALIVE)}), Limits())
    assert (said(found)[str(A)], "wave" in said(found)) == (Why.PROBING, False)
    found = next_actions(whole({A: logs[B], B: logs[B]}), facts(), Limits())
    assert "wave" in said(found)


def test_a_question_left_in_a_wave_that_is_over_holds_no_other() -> None:
    made = whole({A: (*DOUBT,), C: PROBING})
    assert said(next_actions(made, facts(), Limits(now="2026-11-29T11")))[str(A)] == Verb.PROBE


@pytest.mark.parametrize(
    ("log", "probe", "in_vain", "doubted"),
    [
        (DOUBT, None, 0, True),
        (PROBING, Probe("claude", "small", "m1"), 0, True),
        (ANSWERED, None, 0, False),
        (IN_VAIN, None, 1, True),
        ((*IN_VAIN, *PROBING[2:], *IN_VAIN[3:]), None, 2, True),
        ((*IN_VAIN, *ANSWERED[2:]), None, 0, False),
        ((*PROBING, at(4, "probed", driver="claude", outcome="void")), None, 0, True),
        ((*ANSWERED, *STARTED, *WEATHER), None, 0, True),
    ],
)
def test_the_log_tells_what_is_known_of_the_service(
    log: tuple[LogEntry, ...], probe: Probe | None, in_vain: int, doubted: bool
) -> None:
    now = standing(written(*log))
    assert (now.service.probe, now.service.in_vain, bool(now.service.doubted)) == (probe, in_vain, doubted)
    assert (now.stage, now.storms) == (Stage.SENT_BACK, 2 if log[-2:] == DOUBT and len(log) > 2 else 1)


def test_a_question_is_paid_for_like_a_turn() -> None:
    whole_sum = spent(turns_of(written(*ANSWERED)))
    assert (whole_sum.turns, whole_sum.usd, whole_sum.tokens, whole_sum.running) == (2, 0.1, 6, 0)
    assert spent(turns_of(written(*PROBING))).running == 1


def test_an_account_that_is_asked_in_vain_rests_longer_each_time_and_never_for_ever() -> None:
    assert [pause_after_probe("api-error", before=count) for count in (0, 1, 4, 30)] == [30.0, 60.0, 480.0, 4800.0]
    assert [pause_after_probe("quota", before=count) for count in (0, 1, 30)] == [300.0, 600.0, 4800.0]
    assert [pause_after_probe(word) for word in ("limit", "killed")] == [30.0, 30.0]
    assert pause_after_probe("quota", told=7.0, before=3) == 7.0
    assert [pause_after_probe(word) for word in ("finished", "failed", "no-answer", "refused", "never-ran")] == [
        None
    ] * 5
