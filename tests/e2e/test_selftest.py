"""`orch selftest`: it kills, goes on, compares, and tells what ended otherwise."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from orchestrator.engine import selftest
from orchestrator.engine.endings import Ending
from orchestrator.engine.trials import TRIALS
from tests.support.orch import run_orch

ENDING = Ending(
    trees=((".", "t1"),),
    commits=frozenset({(".", "feat: one", "p1")}),
    board=(("1.1.1", "done"),),
    waves=((1, "done"),),
    reports=frozenset(
        {("1.1.1", "- **Status:** done\n- **Attempt** (small, execute): the turn ended as killed: gone")}
    ),
    turns=frozenset({("1.1.1", "execute", 1)}),
    lying=frozenset({". refs/orch/RUN/1.1.1/turn-2", ". refs/heads/main"}),
)


def test_what_differs_is_told_part_by_part() -> None:
    other = Ending(
        trees=((".", "t2"),),
        commits=frozenset({(".", "feat: one", "p1"), (".", "feat: one", "p2")}),
        board=ENDING.board,
        waves=((1, "red"),),
        reports=ENDING.reports,
        turns=frozenset({("1.1.1", "execute", 2)}),
        lying=ENDING.lying | {"work/1.1.1.gone"},
    )
    assert ENDING.differences(ENDING) == ()
    assert ENDING.differences(other) == (
        "trees: [('.', 't1')] became [('.', 't2')]",
        "commits: nothing became [('.', 'feat: one', 'p2')]",
        "waves: [(1, 'done')] became [(1, 'red')]",
        "turns: [('1.1.1', 'execute', 1)] became [('1.1.1', 'execute', 2)]",
        "lying: nothing became ['work/1.1.1.gone']",
    )


def test_a_killed_worker_counts_in_no_account_and_shifts_no_number() -> None:
    found = ENDING.without_deaths()
    assert found.reports == {("1.1.1", "- **Status:** done")}
    assert found.lying == {". refs/heads/main"}


@pytest.mark.crash
def test_kills_are_tried_counted_and_nothing_is_left(tmp_path: Path) -> None:
    left = run_orch(
        tmp_path, "selftest", "--kill-at", "2", "--trial", "demo", "--json", env={"TMPDIR": str(tmp_path)}, timeout=280
    )
    assert left.code == 0, left
    tried = left.document["tried"]
    assert tried in (2, 3, 4)
    assert (left.document["identical"], left.document["wrong"]) == (tried, [])
    assert not list(tmp_path.iterdir())


@pytest.mark.crash
def test_an_end_that_is_another_one_is_named_kept_and_exits_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = selftest._undisturbed

    def wrong(place: selftest._Place, index: int) -> selftest._Course:
        course = kept(place, index)
        return selftest._Course(course.codes, course.steps[:1], ENDING)

    monkeypatch.setattr(selftest, "_undisturbed", wrong)
    said: list[str] = []
    outcome = selftest.selftest(
        os.environ, kill_at="1", only=["demo"], jobs=1, folder=tmp_path / "trials", emit=said.append
    )
    assert outcome.exit_code == 4
    assert re.fullmatch(r"[12] kills at 1 steps tried, 0 resumed identically \(0\.0 %\)", outcome.lines[0])
    assert outcome.lines[1].startswith("- demo, call 1, before step ")
    assert outcome.lines[-1] == f"what they left is in {tmp_path / 'trials'}"
    assert said == [
        "demo: undisturbed",
        "1 steps to kill at",
        *(line.removeprefix("- ") for line in outcome.lines[1:-1]),
    ]
    assert (tmp_path / "trials" / "0" / "wrong-1" / "trial" / "planning" / "STATE_1.md").exists()


def test_every_step_is_every_step_of_every_call() -> None:
    courses = {0: selftest._Course((0, 6), (2, 1), ENDING)}
    found = [(case.call, case.step) for case in selftest._cases(courses, "every-step", 1)]
    assert found == [(0, 1), (0, 2), (1, 1)]
    assert selftest._cases(courses, "2", 1) == selftest._cases(courses, "2", 1)
    assert set(selftest._cases(courses, "99", 2)) == set(selftest._cases(courses, "every-step", 1))


def test_a_number_that_is_none_is_refused(tmp_path: Path) -> None:
    left = run_orch(tmp_path, "selftest", "--kill-at", "some", "--trial", "demo", env={"TMPDIR": str(tmp_path)})
    assert left.code == 2
    assert '"some" is neither a number nor every-step' in left.err


def test_the_trials_have_the_names_that_the_command_offers() -> None:
    assert [trial.name for trial in TRIALS] == ["demo", "troubles", "two repositories"]
