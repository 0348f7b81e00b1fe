"""The two locks, held by real processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.errors import Exit, Location, LockedError, OrchError, OustedError
from orchestrator.store.locks import RUN_LOCK, WRITE_LOCK, run_lock, who_runs, write_lock
from tests.conftest import ROOT

HOLDER = """
import subprocess, sys, time
from pathlib import Path
from orchestrator.store.locks import run_lock, write_lock
lock = write_lock(Path(sys.argv[2])) if sys.argv[1] == "write" else run_lock(Path(sys.argv[2]), "orch next-wave")
with lock:
    child = subprocess.Popen(["sleep", "30"]) if sys.argv[1] == "parent" else None
    print(child.pid if child else 0, flush=True)
    sys.stdin.read()
"""


def hold(kind: str, folder: Path) -> tuple[subprocess.Popen[str], int]:
    """A process that holds a lock until its standard input is closed, and the child it has started."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, kind, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def let_go(process: subprocess.Popen[str]) -> None:
    process.communicate()


def test_a_second_orchestrator_is_told_who_holds_the_lock_and_since_when(tmp_path: Path) -> None:
    holder, _ = hold("run", tmp_path)
    with pytest.raises(LockedError) as caught, run_lock(tmp_path, "orch run"):
        pass
    error = caught.value
    assert error.exit_code == Exit.LOCKED == 75
    assert re.fullmatch(
        rf"another orchestrator is at work in this repository: process {holder.pid} on {re.escape(os.uname().nodename)}"
        r" since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: orch next-wave",
        error.message,
    )
    assert error.at == Location(str(tmp_path / RUN_LOCK))
    assert error.hint == "wait for it to end; orch status, approve and revise work meanwhile"
    assert who_runs(tmp_path).startswith(f"process {holder.pid} on ")
    let_go(holder)
    assert who_runs(tmp_path) == ""
    with run_lock(tmp_path, "orch run"):
        assert who_runs(tmp_path).endswith(": orch run")


def test_the_run_lock_dies_with_its_holder_though_a_child_of_it_lives(tmp_path: Path) -> None:
    holder, child = hold("parent", tmp_path)
    try:
        holder.kill()
        holder.wait()
        with run_lock(tmp_path, "orch run"):
            os.kill(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        let_go(holder)


def test_a_run_lock_whose_file_is_deleted_is_put_back_before_the_next_change(tmp_path: Path) -> None:
    with run_lock(tmp_path, "orch next-wave"):
        before = (tmp_path / RUN_LOCK).read_bytes()
        (tmp_path / RUN_LOCK).unlink()
        with write_lock(tmp_path):
            pass
        assert (tmp_path / RUN_LOCK).read_bytes() == before
        with pytest.raises(LockedError, match=f"process {os.getpid()} on "), run_lock(tmp_path, "orch run"):
            pass
    assert who_runs(tmp_path) == ""
    assert (tmp_path / RUN_LOCK).read_bytes() == b""


def test_whoever_lost_its_run_lock_to_another_may_change_nothing(tmp_path: Path) -> None:
    with run_lock(tmp_path, "orch next-wave"):
        (tmp_path / RUN_LOCK).unlink()
        holder, _ = hold("run", tmp_path)
        for _ in range(2):
            with pytest.raises(OustedError) as caught, write_lock(tmp_path):
                pass
            assert (caught.value.exit_code, caught.value.code) == (Exit.LOCKED, "lock-lost")
            assert f"another orchestrator took its place: process {holder.pid} on " in caught.value.message
        assert who_runs(tmp_path).startswith(f"process {holder.pid} on ")
        let_go(holder)
    with write_lock(tmp_path, patience=0):
        pass


def test_a_write_lock_whose_file_is_deleted_while_it_is_waited_for_is_taken_anew(tmp_path: Path) -> None:
    holder, _ = hold("write", tmp_path)
    entered = threading.Event()

    def wait() -> None:
        with write_lock(tmp_path, patience=30):
            entered.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    while len(_open_here(tmp_path / WRITE_LOCK)) < 1:
        pass
    (tmp_path / WRITE_LOCK).unlink()
    with write_lock(tmp_path, patience=0):
        # Free of the one that waits at the deleted file: it has to come here, and wait for this.
        let_go(holder)
        assert not entered.wait(0.2)
    waiting.join()
    assert entered.is_set()


def _open_here(path: Path) -> list[str]:
    """The descriptors of this process that are open on a file."""
    found = []
    for one in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found += [one.name] if one.readlink() == path else []
    return found


def test_nobody_runs_where_no_lock_was_ever_taken(tmp_path: Path) -> None:
    assert who_runs(tmp_path) == ""
    assert list(tmp_path.iterdir()) == []


def test_the_write_lock_waits_and_gives_up_in_the_end(tmp_path: Path) -> None:
    holder, _ = hold("write", tmp_path)
    with pytest.raises(LockedError) as caught, write_lock(tmp_path, patience=0.05):
        pass
    assert caught.value.code == "write-locked"
    waiting = threading.Timer(0.1, let_go, [holder])
    waiting.start()
    with write_lock(tmp_path, patience=30):
        pass
    waiting.join()


def test_the_write_lock_is_free_during_a_run(tmp_path: Path) -> None:
    with run_lock(tmp_path, "orch next-wave"), write_lock(tmp_path, patience=0):
        pass


def test_a_thread_may_take_the_write_lock_again_and_another_may_not(tmp_path: Path) -> None:
    refused: list[str] = []

    def other() -> None:
        try:
            with write_lock(tmp_path, patience=0):
                refused.append("not refused")
        except LockedError as error:
            refused.append(error.code)

    def ask() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    with write_lock(tmp_path):
        with write_lock(tmp_path, patience=0):
            ask()
        ask()
    ask()
    assert refused == ["write-locked", "write-locked", "not refused"]


def test_a_folder_that_is_not_there_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(OrchError) as caught, write_lock(tmp_path / "gone"):
        pass
    assert caught.value.at == Location(str(tmp_path / "gone" / "orch-write.lock"))


def test_who_only_asks_needs_no_right_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / RUN_LOCK).write_text("")
    real = os.open

    def reading(path: str | Path, flags: int, mode: int = 0o777) -> int:
        assert flags & os.O_ACCMODE == os.O_RDONLY
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", reading)
    assert who_runs(tmp_path) == ""
