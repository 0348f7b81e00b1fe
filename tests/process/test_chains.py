"""What forks and leaves all the time, so that no look at /proc is sure to see it, is ended with its run."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.process.carriers import HAS_PROC
from tests.process.runs import Run

CHAIN = """\
import os, sys, time
mark = sys.argv[1]
while True:
    time.sleep(float(sys.argv[2]))
    with open(mark, "w") as file:
        file.write(str(os.getpid()))
    if os.fork():
        os._exit(0)
    os.setsid()
"""


@pytest.mark.skipif(not HAS_PROC, reason="the shim finds the tree of a run through /proc")
@pytest.mark.parametrize("pause", ["0.0003", "0.001", "0.01"])
def test_a_chain_of_forks_leaves_nothing_behind(run: Run, pause: str) -> None:
    script = run.folder.parent / "chain.py"
    script.write_text(CHAIN)
    marks = [run.folder.parent / f"mark-{number}" for number in range(4)]
    starts = " ".join(f"{sys.executable} -S {script} {mark} {pause} &" for mark in marks)
    run.start(f"{starts} sleep 0.3")

    assert run.ended().left == ()
    assert all(mark.exists() for mark in marks)
    for mark in marks:
        mark.unlink()
    time.sleep(0.2)
    assert [mark for mark in marks if mark.exists()] == [], _seen(script)


def _seen(script: Path) -> str:
    return subprocess.run(["pgrep", "-af", str(script)], capture_output=True, text=True, check=False).stdout
