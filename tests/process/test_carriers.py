from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator

import pytest

from orchestrator.process import carriers
from tests.process.runs import until

CODE = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(300)"


@pytest.fixture(params=["/proc", "psutil"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to see processes must tell the same; here each is used, whatever the system has."""
    if request.param == "/proc" and not carriers.HAS_PROC:
        pytest.skip("this system has no /proc")
    monkeypatch.setattr(carriers, "HAS_PROC", request.param == "/proc")
    return str(request.param)


@pytest.fixture
def marker() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def stubborn(marker: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process with the marker that ignores SIGTERM."""
    environment = {**os.environ, "ORCH_RUN_ID": marker}
    with subprocess.Popen([sys.executable, "-S", "-c", CODE], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"up\n"
        yield process
        process.kill()


def test_a_process_is_known_by_pid_start_and_marker(
    source: str, marker: str, stubborn: subprocess.Popen[bytes]
) -> None:
    known = carriers.identity(stubborn.pid)
    assert known and known[0] == stubborn.pid
    assert carriers.carriers(marker) == [known]
    assert carriers.is_alive(known, marker)
    assert not carriers.is_alive((known[0], b"1"), marker)
    assert carriers.is_alive((known[0], b""), marker)
    assert carriers.carriers(marker + "x") == []


def test_a_process_that_has_ended_is_not_alive_even_before_it_is_reaped(
    source: str, marker: str, stubborn: subprocess.Popen[bytes]
) -> None:
    known = carriers.identity(stubborn.pid)
    assert known
    stubborn.kill()
    until(lambda: carriers.identity(stubborn.pid) is None)
    assert not carriers.is_alive(known, marker)
    assert carriers.carriers(marker) == []
    assert stubborn.wait() == -signal.SIGKILL
    assert carriers.identity(stubborn.pid) is None


def test_a_signal_reaches_only_the_very_process(source: str, stubborn: subprocess.Popen[bytes]) -> None:
    known = carriers.identity(stubborn.pid)
    assert known
    assert not carriers.send((known[0], known[1] + b"0"), signal.SIGKILL)
    time.sleep(0.05)
    assert stubborn.poll() is None
    assert carriers.send(known, signal.SIGKILL)
    assert stubborn.wait() == -signal.SIGKILL
    assert not carriers.send(known, signal.SIGKILL)


def test_carriers_are_asked_and_then_killed(source: str, marker: str, stubborn: subprocess.Popen[bytes]) -> None:
    assert carriers.end_carriers(marker, 0.1)
    assert stubborn.wait() == -signal.SIGKILL
    assert carriers.end_carriers(marker, 0.1)


def test_an_end_is_taken_in_only_from_the_very_process(stubborn: subprocess.Popen[bytes]) -> None:
    known = carriers.identity(stubborn.pid)
    assert known
    stubborn.kill()
    until(lambda: carriers.identity(stubborn.pid) is None)
    carriers.reap((known[0], known[1] + b"0"))
    assert stubborn.wait() == -signal.SIGKILL


def test_processes_of_runs_are_found_by_a_variable_and_told_apart_by_their_markers(source: str, marker: str) -> None:
    place = f"/place/{marker}"
    worlds = [{"ORCH_RUN_ID": f"{marker}1", "PLACE": place}, {"ORCH_RUN_ID": f"{marker}2", "PLACE": place}]
    worlds += [{"PLACE": place}, {"ORCH_RUN_ID": marker, "PLACE": f"{place}/elsewhere"}]
    started = [
        subprocess.Popen([sys.executable, "-S", "-c", CODE], env={**os.environ, **world}, stdout=subprocess.PIPE)
        for world in worlds
    ]
    try:
        for process in started:
            assert process.stdout and process.stdout.readline() == b"up\n"
        found = carriers.bearing("PLACE", place)
        assert {who: [pid for pid, _ in those] for who, those in found.items()} == {
            f"{marker}1": [started[0].pid],
            f"{marker}2": [started[1].pid],
        }
        assert carriers.identity(started[0].pid) in found[f"{marker}1"]
    finally:
        for process in started:
            process.kill()
            process.communicate()
