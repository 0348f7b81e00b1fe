"""Tasks that are taken out of the plan or put into it while next-wave runs."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.e2e.test_edits_during_a_run import running, until
from tests.e2e.test_git_during_a_run import cell, watched
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_file, planned, planning, scenes, working

BRANCH = "orch/1-things"


def rewrite(folder: Path, tasks: list[Task]) -> None:
    """Save the plan with these tasks and no others."""
    (folder / "planning" / "EXECUTION_PLAN_1.md").write_text(plan_file(tasks), "utf-8")


def slow(number: str, name: str, seconds: float) -> Task:
    task = Task(number, (name,))
    mark = f"echo $$ > ../{number}.pid; touch {name}; sleep {seconds}"
    return Task(number, (name,), turns=(planning(task), working(task, run=mark)))


def is_alive(folder: Path, number: str) -> bool:
    found = list((folder.parent / "state").glob(f"orch/*/*/work/{number}.pid"))
    return bool(found) and Path(f"/proc/{found[0].read_text().strip()}").exists()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where run folders lie in this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def until_it_works(folder: Path, number: str) -> None:
    for _ in range(600):
        if is_alive(folder, number):
            return
        time.sleep(0.02)
    raise AssertionError(f"the worker of {number} never began")


def test_the_worker_of_a_task_that_is_taken_out_of_the_plan_is_ended_and_named(tmp_path: Path, state: Path) -> None:
    stays, goes = slow("1", "a.dat", 3), slow("2", "b.dat", 60)
    folder = planned(tmp_path / "repo", [stays, goes])
    with running(folder) as left:
        until_it_works(folder, "2")
        rewrite(folder, [stays])
        done = left()

    assert done.code == 0, done
    assert "degraded: 1.1.2 isn't in the plan any more: its worker was ended; its work is kept" in done.out
    assert not is_alive(folder, "2")
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"
    kept = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch").split("\n")
    (attempt,) = [name for name in kept if name.endswith("/1.1.2/attempt-1")]
    assert git(folder, "ls-tree", "--name-only", attempt).split("\n") == ["README.md", "b.dat", "planning"]


def test_a_task_that_was_taken_out_between_two_calls_is_ended_and_begins_anew_when_it_is_back(
    tmp_path: Path, state: Path
) -> None:
    parked = Task("1", ("a.dat",), turns=({"turn": "plan", "print": "hello"},))
    goes = slow("2", "b.dat", 60)
    folder = planned(tmp_path / "repo", [parked, goes])
    with running(folder):
        until_it_works(folder, "2")
        until(folder, "1.1.1", "plan-ready")
    assert is_alive(folder, "2")

    rewrite(folder, [parked])
    stopped = run_orch(folder, "next-wave", "--auto")
    assert stopped.code == 3, stopped
    assert "1.1.2 isn't in the plan any more: its worker was ended" in stopped.out
    assert not is_alive(folder, "2")

    back = slow("2", "b.dat", 0)
    (folder / "planning" / "workers.yaml").write_text(json.dumps({"1.1.2": scenes(back)}))
    rewrite(folder, [parked, back])
    assert run_orch(folder, "next-wave", "--auto").code == 3
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 2"


def test_a_task_that_is_put_in_during_a_run_is_taken_up_in_it(tmp_path: Path, state: Path) -> None:
    first, more = slow("1", "a.dat", 3), slow("2", "b.dat", 0)
    folder = planned(tmp_path / "repo", [first, more])
    rewrite(folder, [first])
    with running(folder) as left:
        until_it_works(folder, "1")
        rewrite(folder, [first, more])
        done = left()

    assert done.code == 0, done
    assert sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n")) == ["feat: task 1", "feat: task 2"]


def test_a_task_that_is_taken_out_while_its_test_runs_stops_nothing(tmp_path: Path, state: Path) -> None:
    stays = slow("1", "a.dat", 3)
    goes = Task("2", ("b.dat",), test="sleep 4")
    folder = planned(tmp_path / "repo", [stays, goes])
    with running(folder) as left:
        until(folder, "1.1.2", "verifying")
        rewrite(folder, [stays])
        done = left()

    assert done.code == 0, done
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"


def test_a_suite_that_is_added_during_a_wave_is_measured_at_the_fork_and_run_at_its_end(
    tmp_path: Path, state: Path
) -> None:
    first = slow("1", "a.dat", 2)
    folder = planned(tmp_path / "repo", [first])
    settings = folder / "planning" / "ORCH.md"
    with running(folder) as left:
        until_it_works(folder, "1")
        settings.write_text(settings.read_text().replace("---\n", "---\nsuites: {old: 'test -e nothing'}\n", 1))
        done = left()

    assert done.code == 0, done
    text = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert "| . | old | fail | | |" in text
    assert "| 1 | done | old fail, not compared |" in text


def again(task: Task) -> Task:
    """The task, whose worker plans and works once more where it is asked to."""
    return Task(task.id, task.creates, turns=(planning(task), working(task), planning(task), working(task)))


def edit_plan(folder: Path, old: str, new: str) -> None:
    path = folder / "planning" / "EXECUTION_PLAN_1.md"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize(
    ("word", "old", "new", "title"),
    [
        ("running", "Do it.", "Do it well.", "Task 1"),
        ("verifying", "Do it.", "Do it well.", "Task 1"),
        ("verified", "Do it.", "Do it well.", "Task 1"),
        ("running", "### 1.1.1 — Task 1", "### 1.1.1 — Task one", "Task one"),
    ],
    ids=["while it works", "while its test runs", "just before it lands", "its title"],
)
def test_a_spec_that_is_changed_after_approval_is_planned_again_and_no_other(
    tmp_path: Path, word: str, old: str, new: str, title: str
) -> None:
    tasks = [again(Task("1", ("a.dat",))), Task("2", ("b.dat",))]
    folder = planned(tmp_path / "repo", tasks, settings="jobs: 1\n")
    done = watched(folder, (cell(word), lambda place: edit_plan(place, old, new)))

    assert done.code == 0, done
    logs = [(folder / "planning" / "tasks" / f"{task.key}.todo.md").read_text("utf-8") for task in tasks]
    assert [log.count("revised by=spec") for log in logs] == [1, 0], logs
    assert [log.count(" started turn=execute") for log in logs] == [2, 1]
    landed = set(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n"))
    assert landed == {f"feat: {title.lower()}", "feat: task 2"}
    assert f"| 1 | 1.1.1 | {title} | done |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")


def test_line_endings_that_are_converted_in_every_file_during_a_wave_change_nothing(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings="jobs: 1\n")
    files = ("EXECUTION_PLAN_1.md", "STATE_1.md", "ORCH.md", "tasks/1.1.1.todo.md")

    def convert(place: Path, old: bytes, new: bytes) -> None:
        for name in files:
            path = place / "planning" / name
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(old, new))

    done = watched(
        folder,
        (cell("running"), lambda place: convert(place, b"\n", b"\r\n")),
        (cell("verifying"), lambda place: convert(place, b"\n", b"\n")),
        (cell("done"), lambda place: convert(place, b"\n", b"\r\n")),
    )
    assert done.code == 0, done
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}").count("feat") == 2
    for name in files:
        text = (folder / "planning" / name).read_bytes()
        assert text.count(b"\n") == text.count(b"\r\n"), name
    assert "revised" not in (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
