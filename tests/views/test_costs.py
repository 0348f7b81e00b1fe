"""The table of what was used: sums by tier, wave and task, what is unknown, and the limits."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.model.log import LogEntry
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import Bounds, Budget, Settings
from orchestrator.model.task_file import TaskFile
from orchestrator.views.costs import OWN_LINES, cost_document, cost_lines
from tests.support.sample_orchestration import key, orchestration, with_task

NOW = "2026-11-29T12:00:00Z"


def turn(start: str, end: str, name: str, tier: str, **used: str) -> tuple[LogEntry, LogEntry]:
    day = "2026-11-29T"
    return (
        LogEntry(f"{day}{start}:00Z", "started", {"turn": name, "tier": tier, "driver": "claude"}),
        LogEntry(f"{day}{end}:00Z", "ended", {"turn": name, "outcome": "finished", **used}),
    )


def priced(usd: str, read: str, written: str) -> dict[str, str]:
    return {"usd": usd, "in": read, "out": written}


def whole() -> Orchestration:
    found = orchestration({1: ("done", "done"), 2: ("running", "pending")}, done_waves=(1,))
    logs = {
        "5.1.1": (
            *turn("10:00", "10:10", "plan", "small", **priced("0.0032", "21034", "811")),
            *turn("10:05", "10:08", "review", "review", **priced("0.01", "500", "9")),
            *turn("10:20", "10:30", "execute", "small", **priced("unknown", "unknown", "unknown")),
            *turn("10:30", "10:30", "execute", "small", **priced("0.02", "700", "80"), partial="yes", cached="600"),
        ),
        "5.1.2": turn("10:00", "10:10", "plan", "mid", usd="unknown", **{"in": "1000000", "out": "2000"}),
        "5.2.1": (
            *turn("11:00", "11:01", "plan", "small", **priced("1.50", "100", "50")),
            *turn("11:30", "11:31", "execute", "small")[:1],
        ),
    }
    for name, log in logs.items():
        found = with_task(found, TaskFile(key(name), exists=True, log=log))
    return found


def test_sums_by_tier_wave_and_task_say_what_is_unknown_in_them() -> None:
    assert "\n".join(cost_lines(whole(), NOW)) == (
        """\
                     turns  time              in            out              cost
all          6 + 1 at work   51m     at least 1M    at least 3k    at least $1.53
tier small   4 + 1 at work   51m  at least 21.8k   at least 941    at least $1.52
tier mid                 1   10m              1M             2k           unknown
tier review              1    3m             500              9             $0.01
wave 1                   5   20m     at least 1M  at least 2.9k  at least $0.0332
wave 2       1 + 1 at work   31m             100             50             $1.50
5.1.1 small              4   20m  at least 22.2k   at least 900  at least $0.0332
5.1.2 mid                1   10m              1M             2k           unknown
5.2.1 small  1 + 1 at work   31m             100             50             $1.50
unknown: the price of 2 turns, the tokens of 1 turn, what was used last in 1 turn"""
    )


def test_the_document_has_every_turn_and_null_for_what_is_not_known() -> None:
    document = cost_document(whole(), NOW)
    sums = {"turns": 6, "running": 1, "seconds": 3060, "input": 1022334, "output": 2950, "uncounted": 1}
    assert document["all"] == {**sums, "usd": 1.5332, "unpriced": 2, "partial": 1}
    tiers = document["tiers"]
    assert isinstance(tiers, dict) and list(tiers) == ["small", "mid", "review"]
    assert (tiers["mid"]["usd"], tiers["mid"]["unpriced"], tiers["review"]["usd"]) == (None, 1, 0.01)
    waves, tasks = document["waves"], document["tasks"]
    assert isinstance(waves, list) and [(one["wave"], one["turns"]) for one in waves] == [(1, 5), (2, 1)]
    assert isinstance(tasks, list) and [one["task"] for one in tasks] == ["5.1.1", "5.1.2", "5.2.1"]
    turns = tasks[0]["by_turn"]
    assert [one["usd"] for one in turns] == [0.0032, 0.01, None, 0.02]
    assert [(one["partial"], one["cached"]) for one in turns[2:]] == [(False, None), (True, 600)]
    assert tasks[2]["by_turn"][1]["ended"] is None
    assert document["budget"] is None


def test_limits_stand_below_with_what_was_used_of_them() -> None:
    budget = Budget(Bounds(usd=20, tokens=5_000_000, time=21_600), Bounds(usd=2), 50)
    found = replace(whole(), settings=Settings(budget=budget))
    assert cost_lines(found, NOW)[-1] == (
        "budget: at least $1.53 of $20 ($0.5077 more given to turns at work);"
        " at least 1M of 5M tokens (7.6k more given to turns at work);"
        " 51m of 6h at work; 3 of 50 tasks begun; each task $2"
    )


def test_before_the_first_turn_there_is_no_table() -> None:
    fresh = orchestration({1: ("pending",)})
    assert cost_lines(fresh, NOW) == ("no turn has been started yet",)


def test_of_many_tasks_the_dearest_have_a_line() -> None:
    many = orchestration({1: ("done",) * (OWN_LINES + 5)})
    for number in range(1, OWN_LINES + 6):
        log = turn("10:00", "10:01", "plan", "small", **priced(f"{number}", "1", "1"))
        many = with_task(many, TaskFile(key(f"5.1.{number}"), exists=True, log=log))
    lines = cost_lines(many, NOW)
    assert lines[4].startswith("5.1.6 small")
    assert lines[-1] == "5 more tasks: orch status --cost --json"
