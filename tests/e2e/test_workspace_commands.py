"""What is run in workspaces besides workers and tests: a check before, a teardown after, and names that don't meet."""

from __future__ import annotations

from pathlib import Path

from orchestrator.process.environment import own_names
from tests.e2e.test_life_of_a_task import board
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working


def test_a_check_that_fails_holds_the_task_and_blames_no_worker(tmp_path: Path) -> None:
    flag = tmp_path / "ready"
    settings = f"gate: auto\nworktree: {{setup: touch made, check: test -e made && test -e {flag}}}\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=settings, files={".gitignore": "made\n"})
    left = run_orch(folder, "next-wave")
    assert left.code == 1, left
    assert "1.1.1 pending Task 1: the check of 1.1.1's workspace failed: test -e made && test -e" in left.out
    assert board(folder) == {"1.1.1": "pending"}
    flag.touch()
    assert run_orch(folder, "next-wave").code == 0


def test_a_check_runs_also_where_the_setup_is_not_needed_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = f"gate: auto\njobs: 1\nworktree: {{setup: true, check: 'echo $ORCH_NAME >> {runs}'}}\n"
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=settings)
    assert run_orch(folder, "next-wave").code == 0
    assert run_orch(folder, "next-wave").code == 0
    names = [own_names(str(folder), task.key)["ORCH_NAME"] for task in tasks]
    assert runs.read_text().split() == names


def test_a_teardown_runs_in_the_workspace_of_a_landed_task(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test=f"echo test $ORCH_NAME $ORCH_PORT >> {tmp_path}/seen")
    worker = working(task, run=f"echo work $ORCH_NAME $ORCH_PORT >> {tmp_path}/seen")
    settings = f"gate: auto\nworktree: {{teardown: 'cat a.dat; echo down $ORCH_NAME $ORCH_PORT >> {tmp_path}/seen'}}\n"
    tasks = [Task("1", task.creates, test=task.test, turns=(planning(task), worker))]
    folder = planned(tmp_path / "repo", tasks, settings=settings)
    assert run_orch(folder, "next-wave").code == 0
    names = own_names(str(folder), "1.1.1")
    end = f"{names['ORCH_NAME']} {names['ORCH_PORT']}"
    assert (tmp_path / "seen").read_text() == f"work {end}\ntest {end}\ndown {end}\n"


def test_a_teardown_that_fails_is_said_and_holds_nothing(tmp_path: Path) -> None:
    settings = "gate: auto\nworktree: {teardown: exit 3}\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=settings)
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert "the teardown of its workspace failed: exit 3" in left.out


def test_names_are_the_same_each_time_and_other_ones_for_other_tasks() -> None:
    mine, other = own_names("/repo", "5.1.1"), own_names("/repo", "5.1.2")
    assert mine == own_names("/repo", "5.1.1")
    assert mine["ORCH_NAME"].endswith("-5-1-1")
    assert mine["ORCH_NAME"] != other["ORCH_NAME"] != own_names("/else", "5.1.2")["ORCH_NAME"]
    assert 20000 <= int(mine["ORCH_PORT"]) < 32000
    assert int(mine["ORCH_PORT"]) % 10 == 0
