"""What a worker printed: shown readable, followed while it works, and what is said when there is nothing to show."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.support.orch import ROOT, run_orch
from tests.support.planned import Task, planned, planning, working


def talking(**more: object) -> Task:
    bare = Task("1", ("a.txt",))
    run = "printf 'a \\033[31mred\\033[0m word\\n\\007bell\\n'; echo 'a warning' >&2"
    return Task("1", bare.creates, turns=(planning(bare), working(bare, run=run, **more)))


def test_what_the_last_turn_printed_is_shown_without_control_characters_and_where_it_lies(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [talking()])
    early = run_orch(folder, "log", "1.1.1")
    assert (early.code, "no turn of 1.1.1 has been started yet" in early.err) == (1, True)
    assert run_orch(folder, "next-wave", "--auto").code == 0

    left = run_orch(folder, "log", "1.1.1")
    *shown, last = left.out.rstrip("\n").split("\n")
    assert (left.code, shown) == (0, ["a red word", "bell", "on stderr:", "a warning"])
    assert last.startswith("1.1.1: its execute turn has ended; ")
    place = Path(last.partition("; ")[2])
    assert (place / "stdout").read_bytes() == b"a \033[31mred\033[0m word\n\x07bell\n"
    document = run_orch(folder, "log", "1.1.1", "--json").document
    assert (document["stdout"], document["stderr"]) == ("a red word\nbell\n", "a warning\n")
    assert (document["alive"], document["folder"], document["turn"]) == (False, str(place), "execute")

    shutil.rmtree(place)
    gone = run_orch(folder, "log", "1.1.1")
    assert gone.code == 1
    assert gone.err == (
        f"error: what the worker of 1.1.1 printed is gone: {place} isn't there\n"
        "hint: what it did is kept: orch show 1.1.1 --log, --report and --diff\n"
    )


def test_of_a_worker_that_said_nothing_it_is_said(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.txt",))])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    left = run_orch(folder, "log", "1.1.1")
    assert (left.code, left.out.partition("; ")[0]) == (0, "1.1.1: its execute turn has ended and printed nothing"), (
        left
    )


def test_a_turn_is_followed_until_it_ends(tmp_path: Path) -> None:
    bare = Task("1", ("a.txt",))
    run = "echo first; sleep 3; echo second"
    task = Task("1", bare.creates, turns=(planning(bare), working(bare, run=run)))
    folder = planned(tmp_path / "repo", [task])
    words = [sys.executable, "-m", "orchestrator", "next-wave", "--auto"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.DEVNULL) as wave:
        for _ in range(200):
            seen = run_orch(folder, "log", "1.1.1")
            if "its execute turn is at work" in seen.out:
                break
            time.sleep(0.1)
        assert seen.out.endswith("next: orch log 1.1.1 -f\n"), seen
        left = run_orch(folder, "log", "1.1.1", "-f")
        assert left.out.startswith("first\nsecond\n1.1.1: its execute turn has ended; "), left
        assert wave.wait() == 0


def test_a_document_cannot_be_followed(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [talking()])
    assert run_orch(folder, "log", "1.1.1", "-f", "--json").code == 2
