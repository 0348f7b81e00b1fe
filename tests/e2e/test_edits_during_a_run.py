"""Files that people change while next-wave runs: followed, refused or named, never overwritten or taken for done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import Left, begin_orch, left_of, run_orch
from tests.support.planned import Task, planned, planning, working

BRANCH = "orch/1-things"


@contextmanager
def running(folder: Path, *words: str, attended: bool = False) -> Iterator[Callable[[], Left]]:
    """`orch next-wave` at work, with --auto unless it is attended; call what is given to wait for its end."""
    call = begin_orch(folder, "next-wave", *([] if attended else ["--auto"]), *words)
    try:
        yield lambda: left_of(call)
    finally:
        call.kill()
        call.wait()


def until(folder: Path, key: str, word: str) -> None:
    """Wait until the board says so."""
    state = folder / "planning" / "STATE_1.md"
    for _ in range(1200):
        if state.exists() and f"| {key} | Task {key[-1]} | {word} |" in state.read_text("utf-8"):
            return
        time.sleep(0.02)
    raise AssertionError(f"{key} never became {word}: {state.read_text('utf-8')}")


def set_cell(folder: Path, key: str, old: str, new: str) -> None:
    path = folder / "planning" / "STATE_1.md"
    row = f"| {key} | Task {key[-1]} |"
    text = path.read_text("utf-8")
    assert f"{row} {old} |" in text
    path.write_text(text.replace(f"{row} {old} |", f"{row} {new} |"), "utf-8")


@pytest.mark.parametrize("word", ["blocked", "skipped", "needs-input", "banana"])
def test_a_stop_during_verification_is_not_overridden(tmp_path: Path, word: str) -> None:
    slow = Task("1", ("a.dat",), test="sleep 2")
    busy = Task("2", ("b.dat",))
    busy = Task("2", ("b.dat",), turns=(planning(busy), working(busy, delay=3)))
    folder = planned(tmp_path / "repo", [slow, busy])
    with running(folder) as left:
        until(folder, "1.1.1", "verifying")
        # Nothing else is written now, so that this edit in place takes nothing of orch's back.
        until(folder, "1.1.2", "running")
        set_cell(folder, "1.1.1", "verifying", word)
        done = left()

    assert done.code == {"skipped": 0, "blocked": 4, "banana": 1}.get(word, 3), done
    assert f"| 1.1.1 | Task 1 | {word} |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 2", done


@pytest.mark.parametrize(
    ("name", "text"),
    [("ORCH.md", "---\nworkers: [\n---\n"), ("EXECUTION_PLAN_1.md", "garbage\n"), ("STATE_1.md", "---\nrun: [\n---\n")],
)
def test_a_file_that_is_saved_broken_stops_the_call_and_is_no_done(tmp_path: Path, name: str, text: str) -> None:
    slow = Task("1", ("a.dat",))
    slow = Task("1", ("a.dat",), turns=(planning(slow), working(slow, delay=2)))
    folder = planned(tmp_path / "repo", [slow], settings="on_regression: ask\nsuites:\n  unit: test ! -e a.dat\n")
    path = folder / "planning" / name
    with running(folder) as left:
        until(folder, "1.1.1", "running")
        whole = path.read_text("utf-8")
        path.write_text(text, "utf-8")
        stopped = left()
    assert stopped.code == 1, stopped
    assert f"planning/{name}" in stopped.err

    path.write_text(whole, "utf-8")
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 4, "the suite is red, and says so"
    assert "| 1 | red |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")


def test_a_worker_whose_todo_file_was_deleted_gets_no_second_beside_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    task = Task("1", ("a.dat",))
    slow = working(task, run=f"echo $$ >> {mark}; sleep 3")
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=(planning(task), slow, planning(task), slow))])
    with running(folder):
        until(folder, "1.1.1", "running")
        while not mark.exists():
            time.sleep(0.02)
    first = int(mark.read_text().split()[0])
    (folder / "planning" / "tasks" / "1.1.1.todo.md").unlink()
    set_cell(folder, "1.1.1", "running", "pending")
    with running(folder):
        while len(mark.read_text().split()) < 2:
            assert Path(f"/proc/{first}").exists() is False or _is_zombie(first) or not _second(folder)
            time.sleep(0.02)
        assert not Path(f"/proc/{first}").exists() or _is_zombie(first)


def test_rows_that_were_taken_out_during_a_run_ask_for_nothing(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    slow = [Task(one.id, one.creates, turns=(planning(one), working(one, delay=3))) for one in tasks]
    folder = planned(tmp_path / "repo", slow)
    path = folder / "planning" / "STATE_1.md"
    with running(folder) as left:
        for task in tasks:
            until(folder, task.key, "running")
        time.sleep(0.3)
        kept = [line for line in path.read_text("utf-8").split("\n") if " | Task " not in line]
        beside = path.with_suffix(".new")
        beside.write_text("\n".join(kept), "utf-8")
        beside.replace(path)
        done = left()

    assert done.code == 0, done
    for task in tasks:
        log = (folder / "planning" / "tasks" / f"{task.key}.todo.md").read_text("utf-8")
        assert log.count(" started turn=") == 2, log
        assert "by=person" not in log


def _is_zombie(pid: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def _second(folder: Path) -> bool:
    """Whether a new plan turn has been announced since the todo file was deleted."""
    path = folder / "planning" / "tasks" / "1.1.1.todo.md"
    return path.exists() and "board status=planning" in path.read_text("utf-8")


def test_a_file_named_in_can_create_lands_from_a_folder_that_git_ignores(tmp_path: Path) -> None:
    task = Task("1", ("build/out.dat",))
    folder = planned(tmp_path / "repo", [task], files={".gitignore": "build/\n"})

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert git(folder, "show", f"{BRANCH}:build/out.dat") == "build/out.dat"


def test_planning_that_git_ignores_is_no_trouble(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], files={".gitignore": "planning/\n"})

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert git(folder, "status", "--porcelain") == ""
