"""An orch killed at any moment loses no run: the next one finds what is at work, or how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.process import shim
from orchestrator.process.running import Alive, Ended, Lost
from tests.process.runs import Run, until

ROOT = Path(__file__).resolve().parents[2]

ORCH = """
import os, sys
from pathlib import Path
from orchestrator.process.invocation import Invocation
from orchestrator.process import shim
from orchestrator.process.running import end, start, wait
folder, marker, script = sys.argv[1:]
start(Invocation(("sh", "-c", script), env={"PATH": os.environ["PATH"]}, cwd="/"), Path(folder), marker)
print("started", flush=True)
wait([(Path(folder), marker)], 60.0)
end(Path(folder), marker)
"""


def orch(run: Run, script: str, **effects: object) -> subprocess.Popen[str]:
    """Another process that starts the run, waits for it and ends it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if effects:
        environment["ORCH_EFFECTS"] = json.dumps(effects)
    argv = [sys.executable, "-c", ORCH, str(run.folder), run.marker, script]
    return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True)


def test_a_run_outlives_the_orch_that_started_it(run: Run) -> None:
    with orch(run, "sleep 0.5; echo over; exit 6") as starter:
        assert starter.stdout and starter.stdout.readline() == "started\n"
        starter.kill()
    assert isinstance(run.look(), Alive)
    ended = run.ended()
    assert (ended.reason, ended.exit_code, ended.stdout.read_bytes()) == ("exit", 6, b"over\n")


def test_a_run_outlives_the_whole_group_of_the_orch_that_started_it(run: Run) -> None:
    with orch(run, "sleep 0.5; echo over") as starter:
        assert starter.stdout and starter.stdout.readline() == "started\n"
        os.kill(starter.pid, signal.SIGHUP)
    assert run.ended().stdout.read_bytes() == b"over\n"


@pytest.mark.parametrize(
    ("kill", "when", "begun"),
    [
        (1, "before", False),  # writing the order
        (1, "after", False),
        (2, "before", False),  # spawning the shim
        (2, "after", True),  # the shim isn't on record: it is found by its marker, or by what it wrote itself
        (3, "before", True),
        (3, "after", True),
    ],
)
def test_a_start_that_is_killed_has_begun_or_not_and_it_can_be_told(
    run: Run, kill: int, when: str, begun: bool
) -> None:
    with orch(run, "sleep 0.2; echo over", kill=kill, when=when) as starter:
        pass
    assert starter.returncode == -signal.SIGKILL
    if not begun:
        assert run.look() == "never-started"
        run.start("echo again")
        assert run.ended().stdout.read_bytes() == b"again\n"
    else:
        assert run.look() != "never-started"
        assert run.ended().stdout.read_bytes() == b"over\n"


def test_every_file_spawn_and_signal_of_orch_passes_the_door(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "effects"
    code = ORCH.replace("wait(", "end(Path(folder), marker); sys.exit()\nwait(")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ORCH_EFFECTS": json.dumps({"log": str(log)})}
    argv = [sys.executable, "-c", code, str(run.folder), run.marker, "sleep 300"]
    subprocess.run(argv, env=environment, check=True, stdout=subprocess.DEVNULL)
    steps = [json.loads(line) for line in log.read_text().splitlines()]
    kinds = [(number, kind, detail.split(" ")[0]) for number, when, kind, detail in steps if when == "before"]
    assert kinds == [
        (1, "create", f"{run.folder}/order"),
        (2, "spawn", "sh"),
        (3, "create", f"{run.folder}/pid"),
        (4, "signal", str(int(signal.SIGTERM))),
        (5, "signal", str(int(signal.SIGCONT))),
    ]


def test_the_end_of_a_shim_without_a_pid_on_record_is_found_by_the_marker(run: Run) -> None:
    run.start("echo up; sleep 300")
    until(run.out)
    (run.folder / "pid").unlink()
    seen = run.look()
    assert isinstance(seen, Alive)
    assert run.end()
    assert isinstance(run.look(), Ended)


@pytest.mark.parametrize(
    "forged",
    [
        b"reason=exit",
        b"reason=fine",
        b"reason=exit\0\nstarted=soon\0\nended=1",
        b"reason=exit\0\nstarted=1\0\nended=1\0\ncode=x",
    ],
)
def test_an_end_that_the_shim_did_not_write_is_none(run: Run, forged: bytes) -> None:
    run.start("echo up; sleep 300")
    until(run.out)
    (run.folder / "exit").write_bytes(b"marker=" + run.marker.encode() + b"\0\n" + forged + b"\0\n")
    assert isinstance(run.look(), Alive)


def test_a_restart_of_the_machine_means_lost_or_ended_never_alive(run: Run) -> None:
    run.start("echo up; sleep 300")
    until(run.out)
    assert run.end()
    (run.folder / "exit").unlink()
    # by now the pid is that of a process which started at another time
    shim.write_pid(str(run.folder), run.marker.encode(), (os.getpid(), b"1"))
    assert run.look() == Lost()
