"""`orch selftest`: it kills, goes on, compares, and tells what ended otherwise."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from orchestrator.engine import selftest
from orchestrator.engine.courses import Course, Moment
from orchestrator.engine.endings import Ending
from orchestrator.engine.kills import ALL, ORCH, Kill, Tried
from orchestrator.engine.trial_folder import Abandoned, TrialFolder
from orchestrator.engine.trials import TRIALS, Trial
from orchestrator.nouns import replace
from orchestrator.process import carriers
from tests.process.runs import until
from tests.support.orch import ROOT, run_orch

ENDING = Ending(
    trees=((".", "t1"),),
    commits=frozenset({(".", "feat: one", "p1")}),
    board=(("1.1.1", "done"),),
    waves=((1, "done"),),
    reports=frozenset(
        {("1.1.1", "- **Status:** done\n- **Worker lost** (worker small): the execute turn ended as killed: gone")}
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
def test_kills_by_time_are_tried_too(tmp_path: Path) -> None:
    words = ("selftest", "--kill-at", "times:1", "--trial", "demo", "--jobs", "1", "--json")
    left = run_orch(tmp_path, *words, env={"TMPDIR": str(tmp_path)}, timeout=280)
    assert left.code == 0, left
    tried = left.document["tried"]
    assert tried in (1, 2)
    assert (left.document["identical"], left.document["wrong"]) == (tried, [])


@pytest.mark.crash
def test_one_that_is_broken_off_leaves_neither_files_nor_processes(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "orchestrator", "selftest", "--kill-at", "9", "--trial", "demo", "--jobs", "1"]
    world = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=tmp_path, env=world, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: any(tmp_path.glob("orch-selftest-*/0/now/state/orch/*/*/turns")), 60)
        (state,) = tmp_path.glob("orch-selftest-*/0/now/state")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())
    assert carriers.bearing("XDG_STATE_HOME", str(state)) == {}


@pytest.mark.crash
def test_an_end_that_is_another_one_is_named_kept_and_exits_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = selftest.undisturbed

    def wrong(place: TrialFolder, trial: Trial, clock: Callable[[], float]) -> Course:
        course = kept(place, trial, clock)
        return Course(course.starts, course.codes, course.steps[:1], course.seconds, ENDING)

    monkeypatch.setattr(selftest, "undisturbed", wrong)
    said: list[str] = []
    outcome = selftest.selftest(
        os.environ, kill_at="1", only=["demo"], jobs=1, folder=tmp_path / "trials", emit=said.append
    )
    assert outcome.exit_code == 4
    assert re.fullmatch(r"[12] kills tried, 0 resumed identically \(0\.0 %\)", outcome.lines[0])
    assert re.match(r"- demo, call 1, (before|after) step \d+, orch and its workers: ", outcome.lines[1])
    assert outcome.lines[-1] == f"what they left is in {tmp_path / 'trials'}"
    assert said == [line.removeprefix("- ") for line in outcome.lines[1:-1]]
    assert (tmp_path / "trials" / "0" / "wrong-1" / "trial" / "planning" / "STATE_1.md").exists()


COURSES = [
    Course(((), ()), (0, 6), (2, 1), (9.0, 1.0), ENDING),
    Course(((),), (6,), (1,), (0.0,), ENDING),
]


def test_steps_are_drawn_from_every_call_before_and_after() -> None:
    every = {
        (0, Kill(0, ALL, 1, "before")),
        (0, Kill(0, ALL, 1, "after")),
        (0, Kill(0, ALL, 2, "before")),
        (0, Kill(0, ALL, 2, "after")),
        (0, Kill(1, ALL, 1, "before")),
        (0, Kill(1, ALL, 1, "after")),
        (1, Kill(0, ALL, 1, "before")),
        (1, Kill(0, ALL, 1, "after")),
    }
    assert set(selftest._by_step(COURSES, 99, random.Random(1))) == every
    assert selftest._by_step(COURSES, 3, random.Random(1)) == selftest._by_step(COURSES, 3, random.Random(1))
    assert len(set(selftest._by_step(COURSES, 3, random.Random(2)))) == 3


def test_times_are_drawn_by_how_long_a_call_takes() -> None:
    drawn = list(selftest._by_time(COURSES, 1000, random.Random(1)))
    first = [kill.seconds for index, kill in drawn if (index, kill.call) == (0, 0)]
    assert 850 < len(first) < 950
    assert 0 <= min(first) < 1 and 8 < max(first) <= 9
    assert {(index, kill.call) for index, kill in drawn} == {(0, 0), (0, 1)}


def moment(step: int, when: str, state: str, alone: str = "") -> Moment:
    return Moment(0, step, when, (), state, alone)


def test_a_kill_that_was_broken_off_counts_for_nothing_and_no_call_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = selftest._Site(TrialFolder(tmp_path, {}), 0, 1, selftest._Figures(), Event(), print)
    site.over.set()
    monkeypatch.setattr(selftest, "attempt", lambda *_: Tried(("a later call left with -9",)))
    assert not site.tries(TRIALS[0], COURSES[0], Kill(0, ALL, 1))
    assert (site.figures.kills, site.figures.wrong) == (0, [])
    site.place.abandon()
    with pytest.raises(Abandoned):
        site.place.call()


@pytest.mark.crash
def test_the_call_that_finds_nothing_to_do_any_more_is_killed_too(tmp_path: Path) -> None:
    place = TrialFolder(tmp_path, os.environ)
    course = selftest.undisturbed(place, TRIALS[0], time.monotonic)
    last = len(course.codes) - 1
    assert course.codes[-2:] == (6, 6)
    assert (len(course.starts), len(course.steps), len(course.seconds)) == (last + 1,) * 3
    assert course.steps[last] > 0
    assert selftest.attempt(place, TRIALS[0], course, Kill(last, ALL, course.steps[last], "before")) == Tried()
    place.close()


def test_every_state_is_tried_once_and_orch_alone_wherever_workers_live(tmp_path: Path) -> None:
    moments = [
        moment(1, "before", "a"),
        moment(1, "after", "a"),
        moment(2, "before", "b", "b without its worker's files, worker"),
        moment(2, "after", "c", "b without its worker's files, worker"),
        moment(3, "before", "c", "c, worker"),
        moment(3, "after", "a"),
    ]
    tried: list[object] = []
    figures = selftest._Figures()
    for number in range(2):
        site = selftest._Site(TrialFolder(tmp_path, {}), number, 2, figures, Event(), tried.append)
        choice = selftest._Choice(site, NoChance())
        for one in (*moments, *(replace(one, step=one.step + 50) for one in moments)):
            choice.meet(one)
        tried += [(kill.step, kill.when, kill.what, kill.tree is not None) for kill in choice.kills]
    assert tried == [
        (1, "before", ALL, True),
        (2, "before", ALL, True),
        (2, "before", ORCH, False),
        (2, "after", ALL, True),
        (3, "before", ORCH, False),
    ]
    assert (figures.steps, figures.moments, figures.states, figures.alone) == (6, 12, 3, 2)


class NoChance(random.Random):
    """Draws no state a second time."""

    def randrange(self, *_: object) -> int:
        return 1


@pytest.mark.parametrize("word", ["some", "0", "times:", "times:x", "times:0"])
def test_a_number_that_is_none_is_refused(tmp_path: Path, word: str) -> None:
    left = run_orch(tmp_path, "selftest", "--kill-at", word, "--trial", "demo", env={"TMPDIR": str(tmp_path)})
    assert left.code == 2
    assert f'"{word}" is neither a number nor every-step nor times:N' in left.err


def test_the_trials_have_the_names_that_the_command_offers() -> None:
    assert [trial.name for trial in TRIALS] == ["demo", "troubles", "two repositories"]
