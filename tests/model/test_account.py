"""What happened to a task, in words: of one that is blocked, one that was freed, one that came through."""

from __future__ import annotations

import pytest

from orchestrator.model.account import blocked_lines, freed_lines, is_of_blocked, way_line
from orchestrator.model.log import LogEntry
from orchestrator.model.report import MOST_LINES
from tests.support.planning import key

TODO = "planning/tasks/5.1.1.todo.md"
KEY = key("5.1.1")


def entry(event: str, **values: str) -> LogEntry:
    return LogEntry("2026-11-29T10:00:00Z", event, values)


def attempt(tier: str, turn: str = "execute", following: str = "retry", kind: str = "accept") -> tuple[LogEntry, ...]:
    return (
        entry("started", turn=turn, tier=tier),
        entry("failed", kind=kind, next=following, why=f"{kind} of {tier} failed"),
    )


def story(*log: LogEntry) -> tuple[str, ...]:
    """What is told between why it is blocked and what is kept of it."""
    lines = blocked_lines(KEY, "red", log, TODO)
    assert lines[0] == "- **Status:** blocked: red"
    assert [line.partition(":**")[0] for line in lines[-2:]] == ["- **Kept", "- **To go on"]
    return lines[1:-2]


@pytest.mark.parametrize(
    ("log", "line"),
    [
        (attempt("small"), "- **Attempt 1** (worker small): accept of small failed"),
        (attempt("mid", "retry"), "- **Attempt 1** (worker mid, told what had failed): accept of mid failed"),
        (attempt("mid", "takeover"), "- **Attempt 1** (worker mid, with that plan): accept of mid failed"),
        (attempt("small", "plan", "plan", "plan"), "- **Planning** (worker small): plan of small failed"),
        ((entry("failed", kind="conflict", why="no"),), "- **Planning** (its worker): no"),
        ((entry("failed", kind="died", why="gone"),), "- **Worker lost** (its worker): gone"),
        ((entry("revised", by="person", why="a\n# b"),), "- **Plan sent back** by a person: a # b"),
        ((entry("revised", by="review opus", why="no"),), "- **Plan sent back** by the reviewer opus: no"),
        ((entry("revised", why="no"),), "- **Plan sent back** by orch: no"),
        ((entry("approved", by="session", takeover="yes"),), "- **Plan** written by whoever runs orch"),
        ((entry("approved", by="checks"),), "- **Plan** passed on the checks alone"),
        ((entry("approved", by="review opus"),), "- **Plan** approved by the reviewer opus"),
        ((entry("approved", by="forced", why="a typo"),), "- **Plan** approved in spite of errors: a typo"),
        (
            (*attempt("small")[:1], entry("reverted", commit="abc1234def", why="the suite fails")),
            "- **Attempt 1** (worker small), landed as abc1234 and taken back: the suite fails",
        ),
        (
            (entry("escalated", **{"from": "small", "to": "mid"}, next="plan"),),
            "- **One tier up**, from small to mid, from the start, with a new plan",
        ),
        (
            (entry("escalated", **{"from": "small", "to": "mid"}, next="retry"),),
            "- **One tier up**, from small to mid, on the work as it stands",
        ),
        (
            (entry("decided", to="retry", why="it is up", by="person"),),
            "- **One more try**, decided by a person: it is up",
        ),
        ((entry("rescoped", why="b too", by="session"),), "- **Scope changed** by whoever runs orch: b too"),
    ],
)
def test_each_event_that_matters_has_a_line(log: tuple[LogEntry, ...], line: str) -> None:
    assert story(*log) == (line,)


def test_what_went_as_it_should_is_not_told() -> None:
    assert story(entry("planned"), entry("approved", by="session"), entry("board", status="done")) == ()


def test_what_can_be_done_fits_what_failed() -> None:
    ways = blocked_lines(KEY, "red", attempt("small"), TODO)[-1]
    assert ways.startswith(
        '- **To go on:** `orch retry 5.1.1 --because "…"` gives it one more try; or write on the board'
    )
    scope = (*attempt("small"), entry("failed", kind="scope", fix="--create b.dat", why="b"))
    assert blocked_lines(KEY, "b", scope, TODO)[-1].startswith(
        '- **To go on:** `orch rescope 5.1.1 --create b.dat --why "…"` gives it the files, '
        '`orch retry 5.1.1 --because "…"` has its worker undo that; or write on the board'
    )


def test_a_long_story_is_told_from_its_end_within_fifteen_lines() -> None:
    lines = blocked_lines(KEY, "red", [one for _ in range(20) for one in attempt("small")], TODO)
    assert len(lines) == MOST_LINES
    assert lines[1] == f"- **Earlier:** 9 steps, in the log of `{TODO}`"
    assert lines[2].startswith("- **Attempt 10** ")
    freed = freed_lines([one for _ in range(20) for one in attempt("small")], TODO)
    assert (len(freed), freed[1]) == (MOST_LINES, f"- **Earlier:** 7 steps, in the log of `{TODO}`")


def test_a_lost_worker_is_told_and_is_no_attempt() -> None:
    died = attempt("small", "execute", "execute", "died")
    rest = (entry("started", turn="execute", tier="small"), entry("ended", outcome="quota"))
    assert story(*died, *rest, *attempt("small"), *attempt("small", "retry", "plan")) == (
        "- **Worker lost** (worker small): died of small failed",
        "- **Attempt 1** (worker small): accept of small failed",
        "- **Attempt 2** (worker small, told what had failed): accept of small failed",
    )


def test_a_task_that_began_anew_begins_its_story_anew() -> None:
    log = (*attempt("small"), entry("decided", to="pending", by="person"), *attempt("mid"))
    assert story(*log) == ("- **Attempt 1** (worker mid): accept of mid failed",)


@pytest.mark.parametrize(
    ("last", "became"),
    [
        (entry("decided", to="retry", next="retry", why="it is up"), "taken up again"),
        (entry("rescoped", why="b too"), "taken up again"),
        (entry("decided", to="skipped", why="not now"), "skipped by hand"),
        (entry("decided", to="pending"), "begun anew by hand"),
    ],
)
def test_one_that_was_freed_says_what_became_of_it(last: LogEntry, became: str) -> None:
    log = (*attempt("small", following="blocked"), last)
    assert freed_lines(log, TODO)[0] == f"- **Status:** was blocked; {became}"
    assert not is_of_blocked("\n" + freed_lines(log, TODO)[0])
    assert is_of_blocked("\n" + blocked_lines(KEY, "red", log, TODO)[0])


def test_a_landed_task_tells_its_way_in_one_line_and_an_easy_one_nothing() -> None:
    assert way_line((*attempt("small")[:1], entry("approved", by="checks"), entry("landed", commit="a")), TODO) == ""
    log = (
        entry("revised", by="person", why="no"),
        entry("revised", by="spec", why="changed"),
        *attempt("small"),
        *attempt("small", kind="died"),
        *attempt("small", "retry"),
        entry("escalated", **{"from": "small", "to": "mid"}, next="plan"),
        entry("landed", commit="a"),
    )
    assert (
        way_line(log, TODO)
        == f"- **Way:** plan sent back, 2 failed attempts, up from small to mid; see the log of `{TODO}`"
    )
