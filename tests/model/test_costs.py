"""What the lines of a log add up to, and what is unknown in the sum."""

from __future__ import annotations

from datetime import datetime, timedelta

from orchestrator.model.costs import Spent, TurnCost, spent, turns_of
from orchestrator.model.log import LogEntry


def line(time: str, event: str, **values: str) -> LogEntry:
    return LogEntry(f"2026-11-29T{time}Z", event, values)


def started(time: str, turn: str = "plan", tier: str = "small") -> LogEntry:
    return line(time, "started", turn=turn, tier=tier, driver="claude")


PLAN = (started("10:00:00"), line("10:01:00", "ended", turn="plan", outcome="finished", usd="0.25", **{"in": "1000"}))


def test_a_turn_is_its_start_with_its_end() -> None:
    (turn,) = turns_of((started("10:00:00"), line("10:01:00", "ended", outcome="finished", usd="0.25", out="20")))
    begun, ended = "2026-11-29T10:00:00Z", "2026-11-29T10:01:00Z"
    assert turn == TurnCost("plan", "small", "claude", begun, ended, "finished", usd=0.25, read=None, written=20)


def test_what_was_not_told_is_missing_in_the_sum_and_counted_as_missing() -> None:
    log = (
        *(started("10:00:00"), line("10:01:00", "ended", outcome="finished", usd="0.25", **{"in": "9", "out": "2"})),
        *(started("10:02:00"), line("10:03:00", "ended", outcome="killed", usd="unknown", **{"in": "7", "out": "1"})),
        *(started("10:04:00"), line("10:05:00", "ended", outcome="finished")),
        *(started("10:06:00"), line("10:06:00", "ended", outcome="never-ran")),
    )
    assert spent(turns_of(log)) == Spent(4, 0, 0.25, unpriced=2, read=16, written=3, uncounted=1, seconds=180.0)


def test_words_that_are_no_numbers_are_unknown_and_no_debt_makes_room() -> None:
    for word in ("nan", "inf", "-5", "much", ""):
        (turn,) = turns_of((started("10:00:00"), line("10:01:00", "ended", outcome="finished", usd=word)))
        assert turn.usd is None, word


def test_a_turn_at_work_has_no_end_and_one_that_was_left_open_has_no_cost() -> None:
    (turn,) = turns_of((started("10:00:00"),))
    assert turn.runs
    assert spent((turn,), "2026-11-29T10:02:00Z") == Spent(running=1, seconds=120.0)
    left, again = turns_of((started("10:00:00"), started("10:05:00")))
    assert (left.ended, again.runs) == ("2026-11-29T10:05:00Z", True)
    decided = line("10:03:00", "decided", to="skipped", by="person")
    (dropped,) = turns_of((started("10:00:00"), decided))
    assert (dropped.ended, spent((dropped,)).unpriced) == ("2026-11-29T10:03:00Z", 1)


def test_times_are_counted_as_the_calendar_has_them() -> None:
    starts = ("1970-01-01", "1999-12-31", "2000-02-28", "2023-02-28", "2024-02-28", "2026-11-30", "2100-02-28")
    for start in starts:
        begun = datetime.fromisoformat(f"{start}T23:59:58Z")
        end = begun + timedelta(days=3, seconds=5)
        log = (LogEntry(f"{start}T23:59:58Z", "started"), LogEntry(f"{end:%Y-%m-%dT%H:%M:%SZ}", "ended"))
        assert spent(turns_of(log)).seconds == 3 * 86400 + 5, start
    odd = (LogEntry("yesterday", "started"), LogEntry("2026-11-29T10:00:00Z", "ended"))
    assert spent(turns_of(odd)).seconds == 0


def test_time_in_which_two_are_at_work_counts_once() -> None:
    other = (started("10:00:30"), line("10:03:00", "ended", outcome="finished"))
    later = (started("11:00:00"), line("11:01:00", "ended", outcome="finished"))
    assert spent((*turns_of(PLAN), *turns_of(other), *turns_of(later))).seconds == 180.0 + 60.0


def test_how_long_a_turn_took_is_told_where_the_times_of_its_lines_do_not() -> None:
    late = (started("10:00:00"), line("22:00:00", "ended", outcome="finished", took="90"))
    back = (started("22:05:00"), line("22:01:00", "ended", outcome="finished", took="30"))
    assert [spent(turns_of(log)).seconds for log in (late, back, (*late, *back))] == [90.0, 30.0, 120.0]
