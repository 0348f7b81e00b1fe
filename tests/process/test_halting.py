"""Calls that stop themselves on the way: the group stands, goes on, or is killed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.process.calling import Called
from orchestrator.process.halting import Halting, Loaded

LOADING = "import signal, subprocess\nloaded = ['once']\n"
RUNNING = """\
words = sys.argv[1:]
if words[0] == "tell":
    loaded.append("again")
    print(loaded, os.getcwd(), os.environ["WHO"], "HOME" in os.environ, words[1:], sys.stdin.read())
    print("error", file=sys.stderr)
    sys.exit(3)
if words[0] == "starts":
    while True:
        subprocess.Popen(["true"]).wait()
ticks = open("ticks", "ab", buffering=0)
child = subprocess.Popen(["sh", "-c", "while :; do printf . >> child; sleep 0.005; done"])
for number in range(int(words[1])):
    os.kill(os.getpid(), signal.SIGSTOP)
    ticks.write(b".")
child.kill()
child.wait()
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Loaded]:
    made = Loaded(LOADING, RUNNING, tmp_path, {"PATH": os.environ["PATH"]})
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def call(program: Loaded, here: Path, *words: str, timeout: float = 60.0) -> Halting:
    return program.call(["program", *words], here, {"PATH": os.environ["PATH"], "WHO": "me"}, timeout)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_each_call_is_a_process_with_words_folder_and_environment_of_its_own(program: Loaded, here: Path) -> None:
    for word in ("one", "two"):
        left = call(program, here, "tell", word).left()
        assert left == Called(3, f"['once', 'again'] {here} me False ['{word}'] \n", "error\n")


def test_a_call_that_stops_itself_stands_with_all_it_has_started(program: Loaded, here: Path) -> None:
    running = call(program, here, "work", "2")
    assert running.halts()
    assert size(here / "ticks") == 0
    running.go_on()
    assert running.halts()
    seen = size(here / "child")
    time.sleep(0.1)
    assert (size(here / "ticks"), size(here / "child")) == (1, seen)
    running.go_on()
    assert not running.halts()
    assert (running.left(), size(here / "ticks")) == (Called(0, "", ""), 2)


def test_a_kill_ends_the_whole_group_where_it_stands(program: Loaded, here: Path) -> None:
    running = call(program, here, "work", "3")
    assert running.halts()
    running.kill()
    assert running.left() == Called(-9, "", "")
    # At once, not after a while.
    seen = size(here / "child")
    time.sleep(0.1)
    assert (size(here / "ticks"), size(here / "child")) == (0, seen)
    assert call(program, here, "tell").left().code == 3


def test_one_that_is_only_waited_for_goes_on_by_itself(program: Loaded, here: Path) -> None:
    assert call(program, here, "work", "5").left() == Called(0, "", "")
    assert size(here / "ticks") == 5


def test_a_call_is_halted_wherever_it_is_and_one_that_is_over_is_not(program: Loaded, here: Path) -> None:
    running = call(program, here, "work", "0")
    running.left()
    running.halt()
    running.kill()
    assert running.left() == Called(0, "", "")


def test_a_call_that_hangs_is_killed_after_its_time(program: Loaded, here: Path) -> None:
    running = call(program, here, "work", "1", timeout=0.2)
    assert running.halts()
    assert not running.halts()
    assert running.left().code is None


def test_a_call_that_starts_programs_all_the_time_stands_whenever_it_is_interrupted(
    program: Loaded, here: Path
) -> None:
    running = call(program, here, "starts")
    for number in range(60):
        time.sleep(0.005 + number * 0.0003)
        running.interrupt()
        assert running.halts()
        running.go_on()
    running.kill()
    assert running.left().code == -9
