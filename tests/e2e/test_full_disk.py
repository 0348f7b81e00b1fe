"""A worker that fills the disk of the workspaces: it is said, nothing lands half, and room is all that is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import ROOT
from tests.support.planned import Task, planned, planning, working

BRANCH = "orch/1-things"
HOLD = "mount -t tmpfs -o size=80m none {state} && echo mounted && exec sleep 600"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[list[str]]:
    """The beginning of a command that sees the run folders on a disk of 80 MB, just enough to begin."""
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        pytest.skip("no unshare here")
    state = tmp_path / "state"
    state.mkdir()
    words = ["unshare", "-m", "sh", "-c", HOLD.format(state=state)]
    holder = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert holder.stdout is not None
    try:
        if holder.stdout.readline() != "mounted\n":
            pytest.skip("no disk can be mounted here")
        yield ["nsenter", "-t", str(holder.pid), "-m", f"--wd={tmp_path / 'repo'}"]
    finally:
        holder.kill()
        holder.communicate()


def test_a_worker_that_fills_the_disk_lands_nothing_half_and_the_wave_goes_on_with_room(
    tmp_path: Path, small_disk: list[str]
) -> None:
    full = tmp_path / "state" / "full"
    bad = Task("2", ("bad.dat",))
    fills = working(bad, run=f"test -e {tmp_path}/once || {{ touch {tmp_path}/once; cat /dev/zero > {full}; }}; true")
    bad = Task("2", bad.creates, turns=(planning(bad), fills))
    folder = planned(tmp_path / "repo", [Task("1", ("good.dat",)), bad])
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state")}

    def orch() -> subprocess.CompletedProcess[str]:
        words = [*small_disk, sys.executable, "-m", "orchestrator", "next-wave", "--auto", "--jobs", "1"]
        return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)

    first = orch()
    assert first.returncode in (1, 3, 4), first
    assert "make room" in first.stdout + first.stderr, first
    assert "feat: task 2" not in git(folder, "log", "--format=%s", "--all")
    subprocess.run([*small_disk, "rm", full], check=True)
    second = orch()
    assert second.returncode == 0, second
    assert sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n")) == ["feat: task 1", "feat: task 2"]
    assert git(folder, "show", f"{BRANCH}:bad.dat") == "bad.dat"
    assert git(folder, "fsck", "--no-dangling") == ""
