"""What is said about a wave or a task is true when it is said, not only when it was written."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.test_ladder import turn
from tests.e2e.test_life_of_a_task import set_cell
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning

KEY = "1.1.1"


def wave_note(folder: Path) -> str:
    """The Note cell of wave 1."""
    text = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    row = re.search(r"^\| 1 \| (?:open|done|red|checking) \|.*$", text, re.MULTILINE)
    assert row, text
    return row[0].split("|")[-2].strip()


def test_a_waves_note_calls_nobody_blocked_who_is_not_any_more(tmp_path: Path) -> None:
    tasks = [Task(id, (f"{id}.dat",), test="false") for id in ("1", "2", "3")]
    folder = planned(tmp_path / "repo", [*tasks, Task("4", ("4.dat",))])
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert wave_note(folder) == "blocked: 1.1.1, 1.1.2, 1.1.3"
    assert run_orch(folder, "skip", KEY, "--why", "not needed").code == 0
    assert wave_note(folder) == "blocked: 1.1.2, 1.1.3"
    assert run_orch(folder, "retry", "1.1.2", "--because", "again").code == 0
    assert wave_note(folder) == "blocked: 1.1.3"
    set_cell(folder, "1.1.3", "pending")
    status = run_orch(folder, "status").out
    assert "blocked: 1.1.3" not in status, status
    assert "wave 1 wave 1: open; no suites ran\n" in status, "nor before anybody has followed the cell"
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert wave_note(folder) == "blocked: 1.1.2, 1.1.3"


def test_a_task_that_was_reverted_twice_is_said_to_be(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    turns = (planning(task), turn("execute", "a\n"), turn("retry", "b\n"), turn("retry", "c\n"))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns), Task("2", ("b.dat",), test="false")])
    assert run_orch(folder, "next-wave", "--auto").code == 4
    for note in ("blocked: 1.1.2; reverted once: 1.1.1", "blocked: 1.1.2; reverted twice: 1.1.1"):
        assert run_orch(folder, "retry", KEY, "--landed", "--because", "it says too little").code == 0
        assert run_orch(folder, "next-wave", "--auto").code == 4
        assert wave_note(folder) == note


def test_a_note_of_ones_own_is_not_the_reason_of_a_block(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    state = folder / "planning" / "STATE_1.md"
    state.write_text(state.read_text("utf-8").replace("| plan-ready | |", "| plan-ready | look twice |"), "utf-8")
    set_cell(folder, KEY, "blocked")
    left = run_orch(folder, "next-wave")
    assert f"{KEY} blocked Task 1; its note: look twice\n" in left.out, left
    assert f"{KEY} blocked Task 1: its note: look twice\n" in run_orch(folder, "status").out


def test_on_a_branch_of_ones_own_nothing_is_said_to_be_left_where_it_was(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="branch: current\n")
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert "every wave is done; all of it is on main\n" in done.out, done
