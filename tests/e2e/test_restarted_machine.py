"""A machine that went down with orch and a worker: the next orch keeps the work, and leaves who has its pid alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.process import shim
from orchestrator.process.carriers import carriers
from tests.e2e.test_agent_workers import ID, PLAN, TASK, WORK, fact, todo
from tests.e2e.test_edits_during_a_run import running
from tests.process.runs import until
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import planned
from tests.support.stub_agent import stub_agent, worker_line


@pytest.mark.parametrize("said", [0, 1], ids=["before its first word", "after it"])
def test_a_pid_that_is_anothers_by_now_is_told_apart_by_its_start_time(tmp_path: Path, said: int) -> None:
    cut = replace(WORK, lines=WORK.lines[:said], then=f"echo half > a.dat; touch {tmp_path}/at-work; sleep 60")
    stub = stub_agent(tmp_path / "stub", [PLAN, cut, WORK])
    folder = planned(tmp_path / "repo", [TASK], worker=worker_line(stub, timeout="60s"))
    with running(folder):
        until(lambda: (tmp_path / "at-work").exists() and fact(folder, "pid"), 60)
    # orch is gone, and now all else: the shim first, so that it writes no end.
    marker, pid = fact(folder, "marker"), int(fact(folder, "pid"))
    os.kill(pid, signal.SIGKILL)
    for one, _ in carriers(marker):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    (turn,) = (
        order.parent
        for order in Path(os.environ["XDG_STATE_HOME"]).glob("**/turns/1.1.1/*/order")
        if dict(shim.read_record(str(order))).get(b"marker") == marker.encode()
    )
    with subprocess.Popen(["sleep", "60"]) as stranger:
        shim.write_pid(str(turn), marker.encode(), (stranger.pid, b"1"))
        left = run_orch(folder, "next-wave", "--auto")
        assert stranger.poll() is None
        stranger.kill()

    assert left.code == 0, left
    assert re.findall(r" ended turn=execute outcome=(\w+)", todo(folder)) == ["killed", "finished"]
    assert stub.words(3)[stub.words(3).index("--resume") + 1] == ID
    assert git(folder, "show", "orch/1-things:a.dat") == "right"
