"""The run folder holds no state: it is taken away wherever the run rests, and the end is the same.

A worker that takes a turn writes a line into a file outside everything, so that a turn taken twice is seen.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.endings import Ending, ending
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working

DECISION = ("next-wave", "--dry-run", "--json")


def tasks(taken: Path) -> list[Task]:
    """Two tasks, then one that builds on them; each notes the turns it takes in the file `taken`."""
    made = []
    for name, wave in (("1", 1), ("2", 1), ("1", 2)):
        task = Task(name, (f"made/{wave}-{name}.dat",), wave=wave)
        note = f"echo {task.key} $ORCH_TURN >> {taken}"
        turns = (planning(task, run=note), working(task, run=note))
        made.append(Task(name, task.creates, wave=wave, turns=turns))
    return made


def run_folder() -> Path:
    return Path(os.environ["XDG_STATE_HOME"]) / "orch"


def go_through(folder: Path, *, without: bool) -> tuple[Ending, list[str]]:
    """Take the plan from its first call to its end, the run folder being taken away after each call if `without`."""
    taken = folder.parent / "taken"
    made = planned(folder, tasks(taken), settings="gate: stop\nsuites: {all: git ls-files}\n")
    # A wave: its plans, their approval, the work; then the next one. The last call finds nothing left.
    calls = [("next-wave",), ("approve", "1.1.1", "1.1.2"), ("next-wave",), ("next-wave",), ("approve", "1.2.1")]
    codes = []
    for words in (*calls, ("next-wave",), ("next-wave",)):
        codes.append(run_orch(made, *words).code)
        if without and run_folder().is_dir():
            before = run_orch(made, *DECISION)
            shutil.rmtree(run_folder())
            # Decided from the files: the folder makes no difference.
            assert run_orch(made, *DECISION) == before
    assert codes == [3, 0, 0, 3, 0, 0, 6]
    return ending(made), sorted(taken.read_text("utf-8").split("\n")[:-1])


@pytest.fixture
def undisturbed(tmp_path: Path) -> tuple[Ending, list[str]]:
    return go_through(tmp_path / "one" / "repo", without=False)


def test_without_its_run_folder_an_orchestration_ends_the_same_and_no_turn_is_taken_twice(
    tmp_path: Path, undisturbed: tuple[Ending, list[str]]
) -> None:
    assert go_through(tmp_path / "two" / "repo", without=True) == undisturbed
    end, turns = undisturbed
    assert [status for _, status in end.board] == ["done", "done", "done"]
    assert turns == [f"{key} {turn}" for key in ("1.1.1", "1.1.2", "1.2.1") for turn in ("execute", "plan")]


def test_verified_work_that_waits_to_land_is_not_done_again(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    made = planned(tmp_path / "repo", tasks(taken)[:1], settings="branch: current\ngate: auto\n")
    in_the_way = made / "made" / "1-1.dat"
    in_the_way.parent.mkdir()
    in_the_way.write_text("a person's\n", "utf-8")
    assert run_orch(made, "next-wave").code == 3
    assert "| 1 | 1.1.1 | Task 1 | verified |" in (made / "planning" / "STATE_1.md").read_text("utf-8")

    shutil.rmtree(run_folder())
    assert in_the_way.read_text("utf-8") == "a person's\n"
    in_the_way.unlink()
    left = run_orch(made, "next-wave")

    assert left.code == 0, left
    assert in_the_way.read_text("utf-8") == "made/1-1.dat\n"
    assert taken.read_text("utf-8") == "1.1.1 plan\n1.1.1 execute\n"
