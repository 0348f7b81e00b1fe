"""What a worker without a sandbox writes into the files that open gates opens none; a person's own words do."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_life_of_a_task import board, landed, set_cell
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working

OTHER = Task("2", ("b.dat",))


def at_the_gate(folder: Path, **doing: object) -> Path:
    """Two plans at the gate, the first one approved; its worker does this besides its work."""
    first = Task("1", ("a.dat",))
    first = Task("1", ("a.dat",), turns=(planning(first), working(first, **doing)))
    made = planned(folder, [first, OTHER], settings="gate: stop\n")
    assert run_orch(made, "next-wave").code == 3
    assert run_orch(made, "approve", "1.1.1").code == 0
    return made


def setting_the_cell(folder: Path) -> str:
    return f"sed -i '/| 1.1.2 |/s/plan-ready/approved/' {folder}/planning/STATE_1.md"


def test_a_cell_that_is_set_to_approved_while_another_tasks_worker_lives_is_asked_about_again(tmp_path: Path) -> None:
    folder = at_the_gate(tmp_path / "repo", run=setting_the_cell(tmp_path / "repo"))
    left = run_orch(folder, "next-wave")
    assert left.code == 3, left
    why = "a worker was alive when its cell was set to approved, so it may be the worker's own doing"
    assert f"1.1.2: {why}; if it is yours, run orch approve 1.1.2" in left.out
    assert board(folder)[OTHER.key] == "plan-ready"
    assert run_orch(folder, "next-wave").code == 3
    assert landed(folder) == ["feat: task 1"]

    assert run_orch(folder, "approve", "1.1.2").code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


def test_a_cell_that_a_test_of_a_workers_work_sets_to_approved_is_asked_about_again(tmp_path: Path) -> None:
    test = f"sed -i '/| 1.1.2 |/s/plan-ready/approved/' {tmp_path}/repo/planning/STATE_1.md"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), test=test), OTHER], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    assert run_orch(folder, "next-wave").code == 3
    assert (board(folder)[OTHER.key], landed(folder)) == ("plan-ready", ["feat: task 1"])


def test_a_cell_that_is_set_to_approved_while_nobody_works_is_followed(tmp_path: Path) -> None:
    folder = at_the_gate(tmp_path / "repo")
    set_cell(folder, OTHER.key, "approved")
    assert run_orch(folder, "next-wave").code == 0
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]
