"""A worker at work in a few words: its state, last act, minutes, tokens and money, and what isn't known of them."""

from __future__ import annotations

import pytest

from orchestrator.model.at_work import AtWork, State, state_of
from orchestrator.model.costs import Spent
from orchestrator.views.at_work import work_document, work_text

EARLIER = Spent(turns=2, usd=0.3125, read=40_000, written=2_000)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (AtWork(State.PRODUCING, "plan", 12.0), "plan turn 12s, producing"),
        (AtWork(State.QUIET, "plan", 300.0, 200.0, "> Read a.py"), "plan turn 5m, quiet for 3m, > Read a.py"),
        (AtWork(State.STALLED, "retry", 7200.0, 960.0), "retry turn 2h, stalled, nothing for 16m"),
        (AtWork(State.ENDED, "plan", 61.0), "plan turn 1m, has ended"),
        (AtWork(State.GONE, "plan", 61.0), "plan turn 1m, its worker is gone"),
        (
            AtWork(State.PRODUCING, "execute", 60.0, act="> Bash pytest", before=EARLIER, read=6_000, written=200),
            "execute turn 1m, producing, > Bash pytest; 48.2k tokens so far, $0.3125 before this turn",
        ),
        (
            AtWork(State.PRODUCING, "execute", 60.0, before=EARLIER),
            "execute turn 1m, producing; at least 42k tokens so far, $0.3125 before this turn",
        ),
        (
            AtWork(State.PRODUCING, "execute", 60.0, before=Spent(2, usd=1.0, unpriced=1, uncounted=2)),
            "execute turn 1m, producing; at least $1 before this turn",
        ),
        (
            AtWork(State.PRODUCING, "execute", 60.0, before=Spent(1, unpriced=1, uncounted=1)),
            "execute turn 1m, producing",
        ),
        (
            AtWork(State.PRODUCING, "plan", 60.0, read=900, written=50, is_whole=False),
            "plan turn 1m, producing; at least 950 tokens so far",
        ),
    ],
)
def test_a_worker_at_work_is_told_in_a_line(work: AtWork, said: str) -> None:
    assert work_text(work) == said


def test_the_document_has_null_for_what_is_not_known() -> None:
    known = AtWork(State.PRODUCING, "execute", 60.4, 1.0, "> Bash", EARLIER, 6000, 200)
    assert work_document(known) == {
        "state": "producing",
        "turn": "execute",
        "seconds": 60,
        "quiet": 1,
        "act": "> Bash",
        "input": 6000,
        "output": 200,
        "usd_before": 0.3125,
        "unpriced_before": 0,
    }
    unknown = work_document(AtWork(State.QUIET, "plan", read=5, written=5, is_whole=False))
    assert [unknown[name] for name in ("act", "input", "output", "usd_before")] == [None] * 4


def test_silence_is_quiet_from_a_minute_on_and_stalled_beyond_what_the_settings_allow() -> None:
    states = [state_of(quiet, 900.0) for quiet in (0.0, 59.9, 60.0, 899.9, 900.0)]
    assert states == [State.PRODUCING, State.PRODUCING, State.QUIET, State.QUIET, State.STALLED]
    assert state_of(1e6, 0.0) is State.QUIET, "no limit, no stall"
    assert state_of(30.0, 20.0) is State.STALLED, "a limit below a minute holds too"
