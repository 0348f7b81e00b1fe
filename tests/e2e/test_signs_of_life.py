"""What keeps a silent worker from being taken for one that hangs, and what is said of each limit that ends one."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.process.carriers import HAS_PROC
from tests.e2e.test_agent_workers import PLAN, TASK, WORK, fact, todo
from tests.e2e.test_edits_during_a_run import running
from tests.e2e.test_watching import seen
from tests.support.orch import run_orch
from tests.support.planned import planned
from tests.support.recordings import Recorded
from tests.support.stub_agent import stub_agent, worker_line

COMPUTE = (
    f"for one in 1 2 3 4 5 6; do {shlex.quote(sys.executable)} -S -c"
    " 'import time\nend = time.monotonic() + {0}\nwhile time.monotonic() < end: pass' & done; wait"
)
"""So many seconds of computing, by as many processes as get a share of a busy machine; and not a word."""
needs_proc = pytest.mark.skipif(not HAS_PROC, reason="processor time is read from /proc")


def left_after(tmp_path: Path, *turns: Recorded, **limits: str) -> tuple[Path, list[str], int]:
    """The repository, why turns failed, and how many were taken."""
    stub = stub_agent(tmp_path / "stub", turns)
    folder = planned(tmp_path / "repo", [TASK], worker=worker_line(stub, **limits))
    run_orch(folder, "next-wave", "--auto")
    return folder, re.findall(r" failed kind=died next=(.*?)(?: board=\w+)?\n", todo(folder)), stub.calls


@needs_proc
def test_a_worker_whose_test_computes_in_silence_is_left_alone(tmp_path: Path) -> None:
    work = replace(WORK, then=f"{COMPUTE.format(9)}\n{WORK.then}")
    folder, failed, calls = left_after(tmp_path, PLAN, work, stall="4s")
    assert (calls, failed, fact(folder, "landed") != "") == (2, [], True)


def test_a_worker_that_hangs_is_ended_and_each_time_it_is_said_by_which_limit(tmp_path: Path) -> None:
    hangs = replace(WORK, lines=WORK.lines[:1], then="sleep 60")
    _, failed, calls = left_after(tmp_path, PLAN, hangs, hangs, stall="4s")
    why = 'why="the execute turn ended as limit: no sign of life for 4s (`stall`)"'
    assert (failed, calls) == ([f"execute {why}", f"blocked {why}"], 3)


def test_a_worker_that_never_says_a_word_is_ended_long_before_it_is_stalled(tmp_path: Path) -> None:
    mute = Recorded(then="sleep 60")
    _, failed, calls = left_after(tmp_path, mute, PLAN, mute, WORK, start="6s")
    why = "ended as limit: never said a word within 6s (`start`)"
    assert failed == [f'plan why="the plan turn {why}"', f'blocked why="the execute turn {why}"']
    assert calls == 3


def test_a_time_that_is_over_is_told_as_that(tmp_path: Path) -> None:
    _, failed, _ = left_after(tmp_path, PLAN, replace(WORK, then="sleep 60"), WORK, timeout="6s")
    assert failed == ['execute why="the execute turn ended as limit: not over after 6s (`timeout`)"']


def test_looking_tells_a_silent_worker_that_computes_from_one_that_does_nothing(tmp_path: Path) -> None:
    def state(folder: Path, wanted: str) -> str:
        shown = seen(folder, lambda one: wanted in one.out)
        found = re.search(r"plan turn \d+s, (\w+)", shown.out)
        return found[1] if found else ""

    def worker(command: str) -> str:
        words = ["sh", "-c", command]
        return f"small: {json.dumps({'driver': 'command', 'plan': words, 'execute': words, 'stall': '2s'})}"

    folder = planned(tmp_path / "still", [TASK], worker=worker("sleep 20"))
    with running(folder):
        assert state(folder, "stalled") == "stalled"
    if HAS_PROC:
        folder = planned(tmp_path / "busy", [TASK], worker=worker(COMPUTE.format(10)))
        with running(folder):
            # It would be stalled by now if it did nothing.
            seen(folder, lambda one: int((re.findall(r"plan turn (\d+)s", one.out) or ["0"])[0]) > 4)
            assert state(folder, "producing") == "producing"
