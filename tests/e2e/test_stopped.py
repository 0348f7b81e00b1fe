"""A stop in STATE: nothing is begun any more, no suite runs, nothing is closed; every account says how to go on."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_life_of_a_task import board, landed
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working

SUITES = 'suites:\n  unit: "false"\n'
LINE = "stopped: Ana looks first; to go on, take it out of planning/STATE_1.md\n"
NEXT = "first: take the stop out of planning/STATE_1.md\nnext: orch next-wave\n"


def stop(folder: Path) -> None:
    state = folder / "planning" / "STATE_1.md"
    state.write_text(state.read_text("utf-8").replace("\nrun: ", "\nstop: Ana looks first\nrun: ", 1), "utf-8")


def go_on(folder: Path) -> None:
    state = folder / "planning" / "STATE_1.md"
    state.write_text(state.read_text("utf-8").replace("stop: Ana looks first\n", ""), "utf-8")


def test_a_stop_before_the_waves_end_runs_no_suite_and_closes_nothing(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    last = working(task)
    tasks = [Task("1", ("a.dat",), turns=(planning(task), last))]
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\nreview_diff: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    stop(folder)
    path = folder / "planning" / "ORCH.md"
    path.write_text(path.read_text("utf-8").replace("---\n", f"---\n{SUITES}", 1), "utf-8")
    for _ in range(2):
        left = run_orch(folder, "next-wave")
        assert left.code == 3, left
        assert left.out.startswith(LINE), left
        assert left.out.endswith(NEXT), left
    assert (board(folder), landed(folder)) == ({"1.1.1": "done"}, ["feat: task 1"])
    state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert "| 1 | open |" in state
    assert "status: open" in state
    assert "unit" not in state, "no suite has run, at the fork neither"
    for verb in ("status", "resume"):
        told = run_orch(folder, verb)
        assert LINE in told.out, told
        assert told.out.endswith(NEXT), told
    assert run_orch(folder, "wait").code == 3
    assert "event=paused orchestration=1 wave=1" in run_orch(folder, "status", "--report").out
    go_on(folder)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert "unit fail" in (folder / "planning" / "STATE_1.md").read_text("utf-8")
    stop(folder)
    assert "stopped: " not in run_orch(folder, "status").out, "nothing is left that it could hold"


def test_a_stop_is_named_while_plans_wait_and_before_anything_is_begun(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    stop(folder)
    for verb in ("status", "resume", "next-wave"):
        told = run_orch(folder, verb)
        assert LINE in told.out, told
        assert told.out.endswith("next: orch gate\n"), told
    assert run_orch(folder, "approve", "1.1.1").code == 0
    for verb in ("status", "resume", "next-wave"):
        told = run_orch(folder, verb)
        assert LINE in told.out, told
        assert told.out.endswith(NEXT), told
    assert board(folder)["1.1.1"] == "approved"


def test_beside_a_stop_a_task_that_somebody_parked_can_be_taken_up(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "block", "1.1.1", "--why", "later").code == 0
    stop(folder)
    for command in ("next-wave", "status"):
        said = run_orch(folder, command).out
        assert "to go on, take it out of planning/STATE_1.md\n" in said, command
        assert said.endswith('\nnext: orch retry 1.1.1 --because "…"\n'), command
    assert run_orch(folder, "retry", "1.1.1", "--because", "now").code == 0
    assert "plan-ready" in run_orch(folder, "status").out
