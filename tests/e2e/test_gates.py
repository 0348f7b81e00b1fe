"""Gates: run where changed paths ask for them, at a wave's end or before a task lands."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_guilty_tasks import cell, subjects, todo
from tests.e2e.test_suites import state, wave_row
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning
from tests.support.suite import FILES, breaking, runs_of, suite, writing


def gate(runs: Path, paths: str, more: str = "") -> str:
    return f"gates:\n  lint: {{paths: ['{paths}'], run: sh suite.sh {runs}{more}}}\n"


def test_a_gate_runs_at_the_waves_end_only_where_its_paths_changed(tmp_path: Path) -> None:
    runs, other = tmp_path / "runs", tmp_path / "other"
    settings = suite(runs) + gate(other, "sub/**").rstrip() + "\n"
    tasks = [Task("1", ("a.dat",)), Task("1", ("sub/b.txt",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=settings, files=FILES)

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs_of(other) == 0
    assert wave_row(folder)[1] == "unit 5 passed"
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs_of(other) == 1
    assert wave_row(folder, 2)[1] == "unit 5 passed; lint 5 passed"


def test_a_task_that_breaks_a_gate_at_the_waves_end_is_found_and_put_back(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = [Task("1", ("f1.dat",)), breaking("2", "style"), Task("3", ("f3.dat",))]
    folder = planned(tmp_path / "repo", tasks, settings=gate(runs, "*.dat"), files=FILES)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert subjects(folder)[3:] == ['Revert "feat: task 2"', "feat: task 2"]
    assert wave_row(folder) == ["done", "lint 5 passed", "reverted once: 1.1.2"]
    assert "| . | lint | pass | 5 | 0 |" in state(folder)


def test_a_gate_before_landing_sends_the_task_back_with_its_output(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = [Task("1", ("f1.dat",)), breaking("2", "style"), Task("3", ("sub/x.bin",))]
    settings = gate(runs, "*.dat", ", when: land")
    folder = planned(tmp_path / "repo", tasks, settings=settings, files=FILES)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert sorted(subjects(folder)) == ["feat: task 1", "feat: task 2", "feat: task 3"]
    told = todo(folder, "1.1.2")
    assert 'failed kind=accept next=retry why="the gate lint fails: `t.py::style`" board=running' in told
    prompt = run_orch(folder, "show", "1.1.2", "--prompt").out
    assert prompt.startswith("FAILED VERIFICATION: the gate lint fails: `t.py::style`")
    assert "FAILED t.py::style - no" in prompt
    assert wave_row(folder)[1] == "no suites ran"


def test_what_a_gate_held_against_the_fork_is_no_tasks_fault(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = gate(runs, "*.dat", ", when: land")
    files = {**FILES, "old.dat": "breaks old\n"}
    folder = planned(tmp_path / "repo", [Task("1", ("f1.dat",))], settings=settings, files=files)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert "- lint: `t.py::old`\n" in state(folder)
    assert "| . | lint | fail | 5 | 1 |" in state(folder)


def test_a_gate_that_stays_red_blocks_the_task_and_nothing_lands(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    bare = Task("1", ("f1.dat",))
    bug = "breaks style\n"
    again = Task("1", bare.creates, turns=(planning(bare), writing(bare, bug), writing(bare, bug, "retry")))
    folder = planned(tmp_path / "repo", [again], settings=gate(runs, "**", ", when: land"), files=FILES)

    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert cell(folder, "1.1.1") == "blocked"
    assert subjects(folder) == [""]
