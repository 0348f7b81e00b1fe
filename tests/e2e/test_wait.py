"""`orch wait`: a session is woken when there is something to do, and not before."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.test_edits_during_a_run import running, until
from tests.support.orch import begin_orch, run_orch
from tests.support.planned import Task, planned, planning, working


@contextmanager
def waiting(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    call = begin_orch(folder, "wait", *words)
    try:
        yield call
    finally:
        call.kill()
        call.wait()


def test_where_nothing_is_at_work_it_returns_at_once_with_what_is_due(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "wait").code == 0
    assert run_orch(folder, "next-wave").code == 3
    parked = run_orch(folder, "wait")
    assert (parked.code, parked.out) == (3, run_orch(folder, "status").out)
    assert run_orch(folder, "approve", "1.1.1").code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert run_orch(folder, "wait").code == 6


def test_it_waits_for_a_run_and_any_change_wakes_it_earlier(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    slow = Task("1", ("a.dat",), turns=(planning(task), working(task, delay=4)))
    folder = planned(tmp_path / "repo", [slow])
    with running(folder) as left:
        until(folder, "1.1.1", "running")
        early = run_orch(folder, "wait", "--timeout", "0.1")
        assert (early.code, early.out.rstrip().endswith("next: orch wait")) == (5, True), early
        with waiting(folder) as whole, waiting(folder, "--any") as any_change:
            time.sleep(1)
            assert whole.poll() is None
            assert any_change.wait(timeout=60) in (0, 6)
            assert whole.wait(timeout=60) == 6
        assert left().code == 0


def test_it_writes_nothing(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))])
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert run_orch(folder, "wait", "--any").code == 0
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
