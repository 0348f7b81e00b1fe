"""Suites at a wave's end: compared with the baseline test by test, flakes told from regressions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working
from tests.support.suite import FILES, breaking, runs_of, suite


def state(folder: Path) -> str:
    return (folder / "planning" / "STATE_1.md").read_text("utf-8")


def wave_row(folder: Path, number: int = 1) -> list[str]:
    """Status, suites and note of a wave's row."""
    line = next(
        line for line in state(folder).split("\n") if line.startswith(f"| {number} | ") and line.count("|") == 6
    )
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    return [cells[1], cells[2], cells[4]]


def test_a_known_failure_is_recorded_by_name_and_holds_nothing(tmp_path: Path) -> None:
    files = {**FILES, "old.dat": "breaks old\n"}
    runs = tmp_path / "runs"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=suite(runs), files=files)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert "### Known failures\n\n- unit: `t.py::old`\n" in state(folder)
    assert wave_row(folder) == ["done", "unit 5 passed, 1 known failure", ""]
    assert "unit 5 passed, 1 known failure" in left.out
    assert runs_of(runs) == 2


def test_a_failure_that_a_person_adds_to_the_known_ones_counts(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = [Task("1", ("a.dat",)), breaking("2", "later", wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=suite(runs), files=FILES)
    assert run_orch(folder, "next-wave", "--auto").code == 0
    path = folder / "planning" / "STATE_1.md"
    known = "### Known failures\n\n- `t.py::later`: accepted until the server is there\n\n## Waves"
    path.write_text(state(folder).replace("## Waves", known, 1), "utf-8")

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert wave_row(folder, 2) == ["done", "unit 5 passed, 1 known failure", ""]


def test_what_fails_once_is_a_flake_which_is_named_and_holds_nothing(tmp_path: Path) -> None:
    once = tmp_path / "once"
    first = f"[ -e a.dat ] && [ ! -e {once} ]"
    flaky = f"if {first}; then touch {once}; cp flaky.txt a.dat; fi; sh suite.sh {tmp_path}/runs"
    files = {**FILES, "flaky.txt": "breaks clock\n"}
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=f'suites:\n  unit: "{flaky}"\n', files=files)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert wave_row(folder) == ["done", "unit 5 passed", "flake: `t.py::clock`"]
    assert 'degraded what="flake: `t.py::clock`"' in (folder / "planning/tasks/1.1.1.todo.md").read_text("utf-8")
    assert left.out.count("t.py::clock") == 1
    assert runs_of(tmp_path / "runs") == 3


def test_a_junit_file_names_what_the_output_does_not(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    files = {**FILES, "old.dat": "breaks old\n", ".gitignore": "out/\n"}
    settings = suite(runs, more=" out/junit.xml, junit: out/*.xml")
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=settings, files=files)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert "- unit: `t::old`\n" in state(folder)
    assert wave_row(folder) == ["done", "unit 1 passed, 1 known failure", ""]


def test_a_junit_file_that_is_not_there_is_said_and_the_output_is_read(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs, more=", junit: out/none.xml")
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=settings, files=FILES)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert wave_row(folder) == ["done", "unit 5 passed", ""]
    assert "unit: its JUnit file out/none.xml isn't there; what it printed was read instead" in left.out


def test_a_wave_that_rests_on_a_blocked_task_is_not_checked_again_for_what_others_land(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    bad = Task("1", ("a.dat",), test="false")
    wrong = working(bad, "retry")
    tasks = [
        replace(bad, turns=(planning(bad), working(bad), wrong)),
        Task("2", ("b.dat",)),
        Task("1", ("c.dat",), wave=2),
    ]
    folder = planned(tmp_path / "repo", tasks, settings=f"gate: auto\n{suite(runs)}", files=FILES)
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("| 2 | wave 2 | 1.2.1 | 1 |", "| 2 | wave 2 | 1.2.1 | |"), "utf-8")
    assert run_orch(folder, "next-wave").code == 4
    first = git(folder, "rev-parse", "--short=7", "orch/1-things")
    before = runs_of(runs)
    left = run_orch(folder, "next-wave")
    assert (left.code, runs_of(runs)) == (0, before + 1), left
    assert left.out.startswith("wave 2 of 2")
    assert f"| 1 | open | unit 5 passed | {first} |" in state(folder)
    # What a person commits is of no wave: all of them look again.
    git(folder, "checkout", "-q", "orch/1-things")
    git(folder, "commit", "-q", "--allow-empty", "-m", "by hand")
    assert run_orch(folder, "next-wave").code == 4
    assert runs_of(runs) == before + 2
