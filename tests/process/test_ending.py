"""Nothing of a run outlives it, whatever it does to stay; and nothing else is ever hit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.process import shim
from orchestrator.process.carriers import HAS_PROC, identity
from orchestrator.process.running import Alive, Ended, Lost
from tests.process.runs import Run, until

STAYERS = {
    "a child in the background": "sleep 300 &",
    "a child in a session of its own": "setsid sleep 300 &",
    "a child that ignores being asked": "(trap '' TERM HUP INT; sleep 300; sleep 300) &",
    "a child without the marker": "env -i /bin/sleep 300 &",
    "a child without the marker, in a session of its own": "env -i setsid /bin/sleep 300 &",
    "a daemon": "(setsid sh -c 'sleep 300 & exit' &);",
    "a stopped child": "sleep 300 & sleep 0.1; kill -STOP $!;",
}


@pytest.mark.skipif(not HAS_PROC, reason="the shim finds the tree of a run through /proc")
@pytest.mark.parametrize("script", STAYERS.values(), ids=STAYERS.keys())
def test_nothing_outlives_its_run(run: Run, script: str) -> None:
    # A duration of its own, so that each sleeper is found even without the marker.
    seconds = str(1000 + int(run.marker[:6], 16))
    run.start(script.replace("300", seconds) + " sleep 0.1; ps -A -o args= > before; exit 5")
    ended = run.ended()
    assert (ended.exit_code, ended.left) == (5, ())
    assert f"sleep {seconds}\n" in (run.folder.parent / "before").read_text()
    after = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True)
    assert f"sleep {seconds}\n" not in after.stdout


def test_what_forks_without_end_is_ended(run: Run) -> None:
    chain = (
        "import os, time\nwhile True:\n    time.sleep(0.001)\n    if os.fork():\n        os._exit(0)\n    os.setsid()\n"
    )
    (run.folder.parent / "chain.py").write_text(chain)
    run.start(f"{sys.executable} -S chain.py & sleep 0.2")
    assert run.ended().left == ()
    assert run.pids() == []


def test_end_asks_before_it_kills(run: Run) -> None:
    run.start("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.02; done")
    until(run.out)
    assert run.end()
    ended = run.ended()
    assert (ended.reason, ended.exit_code, ended.message) == ("killed", 3, "ended on request")
    assert ended.stdout.read_bytes() == b"up\nbye\n"


def test_end_twice_is_once(run: Run) -> None:
    run.start("echo up; sleep 300")
    until(run.out)
    assert run.end()
    first = run.ended()
    assert run.end()
    assert run.look() == first


def test_a_run_can_be_ended_while_its_shim_starts(run: Run) -> None:
    run.start("echo ran > ran; sleep 300")
    assert run.end()
    assert run.pids() == []
    assert not isinstance(run.look(), Alive)


def test_a_stopped_shim_is_woken_to_end_its_run(run: Run) -> None:
    run.start("echo up; sleep 300", grace=0.1)
    until(run.out)
    os.kill(run.alive().pid, signal.SIGSTOP)
    assert run.end()
    assert run.ended().reason == "killed"


def test_a_shim_that_hangs_is_ended_too(run: Run) -> None:
    run.start("echo up; sleep 300", grace=0.1)
    until(run.out)
    (run.folder / "exit" / "in the way").mkdir(parents=True)
    assert run.end()
    assert run.pids() == []
    assert run.look() == Lost()


def test_a_run_without_its_shim_is_alive_until_its_last_process_is_gone(run: Run) -> None:
    run.start("echo up; sleep 300 & sleep 300")
    until(run.out)
    guard = run.alive()
    assert guard.guarded
    os.kill(guard.pid, signal.SIGKILL)
    until(lambda: not run.alive().guarded)
    pids = run.pids()
    assert len(pids) == 3
    for pid in pids[:-1]:
        os.kill(pid, signal.SIGKILL)
    until(lambda: run.pids() == pids[-1:])
    assert run.alive().pid == pids[-1]
    os.kill(pids[-1], signal.SIGKILL)
    until(lambda: run.look() == Lost())


def test_a_run_without_its_shim_is_ended_by_its_marker(run: Run) -> None:
    run.start("trap '' TERM; echo up; setsid sleep 300 & sleep 300", grace=0.1)
    until(run.out)
    os.kill(run.alive().pid, signal.SIGKILL)
    until(lambda: not run.alive().guarded)
    assert run.end()
    assert run.pids() == []
    assert run.look() == Lost()


def test_a_run_whose_folder_was_deleted_is_found_and_ended_by_its_marker(run: Run) -> None:
    run.start("echo up; sleep 300")
    until(run.out)
    shutil.rmtree(run.folder)
    assert isinstance(run.look(), Alive)
    assert run.end()
    assert run.pids() == []


@pytest.fixture
def bystander() -> subprocess.Popen[bytes]:
    with subprocess.Popen(["sleep", "300"]) as process:
        yield process  # type: ignore[misc]
        process.kill()


def test_a_process_that_has_the_pid_of_an_ended_shim_is_left_alone(
    run: Run, bystander: subprocess.Popen[bytes]
) -> None:
    run.start("true")
    run.ended()
    (run.folder / "exit").unlink()
    shim.write_pid(str(run.folder), run.marker.encode(), (bystander.pid, b"1"))
    assert run.look() == Lost()
    assert run.end()
    assert bystander.poll() is None


def test_a_process_without_the_marker_is_no_shim_even_if_its_start_time_is_on_record(
    run: Run, bystander: subprocess.Popen[bytes]
) -> None:
    run.start("true")
    run.ended()
    (run.folder / "exit").unlink()
    known = identity(bystander.pid)
    assert known
    shim.write_pid(str(run.folder), run.marker.encode(), known)
    assert run.look() == Lost()
    assert run.end()
    assert bystander.poll() is None


def test_another_run_is_left_alone(run: Run, tmp_path: Path) -> None:
    other = Run(tmp_path / "other" / "run", run.marker + "1")
    other.folder.parent.mkdir()
    other.start("echo up; sleep 300")
    until(other.out)
    run.start("sleep 300")
    assert run.end()
    assert isinstance(other.look(), Alive)
    assert other.end()
    assert isinstance(other.look(), Ended)


def test_ending_takes_no_longer_than_the_run_needs(run: Run) -> None:
    run.start("trap 'exit 0' TERM; echo up; while :; do sleep 0.02; done", grace=60.0)
    until(run.out)
    begun = time.monotonic()
    assert run.end()
    assert time.monotonic() - begun < 30.0
