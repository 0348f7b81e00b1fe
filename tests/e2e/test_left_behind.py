"""What killed calls, deleted files and odd workers leave behind is cleared away, kept or named."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path

import pytest

from orchestrator.process.carriers import carriers, send
from orchestrator.process.looking import recorded
from tests.e2e.test_ladder import PLAN, one_task, turn
from tests.support.endings import git
from tests.support.orch import begin_orch, left_of, run_orch
from tests.support.planned import Task, make_repository, plan_text, planned, planning, report_text, working, write_set
from tests.support.steps import Step, stepped

BRANCH = "orch/1-things"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where run folders lie in this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def set_cell(folder: Path, key: str, old: str, new: str) -> None:
    path = folder / "planning" / "STATE_1.md"
    row = f"| {key} | Task {key[-1]} |"
    text = path.read_text("utf-8")
    assert f"{row} {old} |" in text
    path.write_text(text.replace(f"{row} {old} |", f"{row} {new} |"), "utf-8")


def test_a_workspace_whose_todo_file_was_deleted_is_laid_anew(tmp_path: Path, state: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    (workspace,) = state.rglob("work/1.1.1")
    (workspace / "stray.txt").write_text("of the turn that nobody remembers\n")
    (folder / "planning" / "tasks" / "1.1.1.todo.md").unlink()
    set_cell(folder, "1.1.1", "plan-ready", "pending")

    again = run_orch(folder, "next-wave")
    assert again.code == 3
    assert "1.1.1 plan-ready Task 1: plan of 2 steps\n" in again.out
    assert not (workspace / "stray.txt").exists()
    kept = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch").split("\n")
    (attempt,) = [name for name in kept if name.endswith("/1.1.1/attempt-1")]
    assert git(folder, "show", f"{attempt}:stray.txt") == "of the turn that nobody remembers"


def test_the_workspace_of_a_landed_task_goes_at_any_next_call(tmp_path: Path, state: Path) -> None:
    keep = "worktree: {keep: true}\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)], settings=keep)
    assert run_orch(folder, "next-wave", "--auto").code == 0
    # As a call leaves it that was killed between the landing and the removal.
    assert [path.name for path in state.rglob("work/1.1.1")] == ["1.1.1"]
    settings = folder / "planning" / "ORCH.md"
    settings.write_text(settings.read_text().replace(keep, ""))

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert [path for path in state.rglob("work/*") if path.is_dir()] == []


def test_one_that_holds_more_than_its_turns_is_kept_and_named_once(tmp_path: Path, state: Path) -> None:
    keep = "worktree: {keep: true}\n"
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2), Task("1", ("c.dat",), wave=3)]
    folder = planned(tmp_path / "repo", tasks, settings=keep)
    assert run_orch(folder, "next-wave", "--auto").code == 0
    (workspace,) = (path.resolve() for path in state.rglob("work/1.1.1"))
    (workspace / "a.dat").write_text("a person looked in and wrote\n")
    settings = folder / "planning" / "ORCH.md"
    settings.write_text(settings.read_text().replace(keep, ""))

    assert str(workspace) in run_orch(folder, "next-wave", "--auto").out
    assert (workspace / "a.dat").read_text() == "a person looked in and wrote\n"
    assert str(workspace) not in run_orch(folder, "next-wave", "--auto").out


def test_a_file_that_was_being_written_is_cleared_away_also_when_nothing_is_left_to_do(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: auto\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    before = sorted(path.name for path in (folder / "planning").iterdir())
    (folder / "planning" / ".orch-123-abcdef012345.tmp").write_text("half")
    assert run_orch(folder, "next-wave", "--auto").code == 6
    assert sorted(path.name for path in (folder / "planning").iterdir()) == before


def test_a_workspace_laid_for_a_turn_that_never_began_is_laid_anew_and_not_kept(tmp_path: Path, state: Path) -> None:
    log = tmp_path / "effects.log"
    folders = [
        planned(tmp_path / name, [Task("1", ("a.dat",))], settings="gate: stop\n") for name in ("seen", "killed")
    ]
    assert run_orch(folders[0], "next-wave", effects={"log": str(log)}).code == 3
    steps = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    (laid,) = [number for number, when, _, name in steps if when == "after" and name.endswith("1.ready.json")]
    folder = folders[1]
    assert run_orch(folder, "next-wave", effects={"kill": laid, "when": "after"}).code == -9
    other = git(folder, "commit-tree", f"{BRANCH}^{{tree}}", "-p", BRANCH, "-m", "by somebody else")
    git(folder, "update-ref", f"refs/heads/{BRANCH}", other)
    assert run_orch(folder, "next-wave").code == 3
    refs = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch").split("\n")
    assert [name for name in refs if "/attempt-" in name] == []
    assert git(folder, "log", "-1", "--format=%s", BRANCH) == "by somebody else"


def test_work_in_a_submodule_is_no_work_and_that_is_said(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner", {"code.txt": "one\n"})
    task = Task("1", (), edits=("lib/x/code.txt",))
    plan = {"turn": "plan", "plan": plan_text(task)}
    inside = {"turn": "execute", "run": "mkdir -p lib/x; echo two > lib/x/code.txt", "tick": "all"}
    turns = (plan, {**inside, "report": report_text([])}, {**inside, "turn": "retry", "report": report_text([])})
    folder = make_repository(tmp_path / "repo")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib/x")
    git(folder, "commit", "-q", "-m", "add lib")
    write_set(folder, [Task("1", (), edits=("lib/x/code.txt",), turns=turns)])

    checked = run_orch(folder, "check")
    assert "`lib/x/code.txt` of task 1.1.1 lies in the submodule `lib/x`, whose files aren't worked on" in checked.out
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert "without changing a file of this repository; submodules aren't worked on: lib/x" in left.out


def test_a_file_that_was_being_written_beside_a_workspace_is_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    (work,) = (tmp_path / "state").glob("orch/*/*/work")
    stray = work / ".orch-123-abcdef012345.tmp"
    stray.write_text("half")
    assert run_orch(folder, "next-wave").code == 3
    assert not stray.exists()


@pytest.mark.parametrize("loss", ["rm -rf", "killed"])
def test_a_test_that_is_lost_while_it_runs_is_run_again(tmp_path: Path, state: Path, loss: str) -> None:
    """Its folder is deleted, or its watcher killed: nobody will ever say that it has ended."""
    once = tmp_path / "once"
    tests = f"{state}/orch/repo-*/*/tests/1.1.1"
    act = (
        f"rm -rf {tests}"
        if loss == "rm -rf"
        else f"kill -9 $(tr '\\0' '\\n' < $(echo {tests}/pid) | sed -n 's/^pid=//p')"
    )
    (tmp_path / "lose.sh").write_text(f"test -e {once} && exit 0\ntouch {once}\n{act}\nsleep 0.2\n")
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), test=f"sh {tmp_path}/lose.sh")])
    left = run_orch(folder, "next-wave", "--auto", timeout=60)
    assert once.exists()
    assert left.code == 1, left
    assert "what ran for 1.1.1 in " in left.out
    assert left.out.endswith("next: orch next-wave\n")
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 0, again
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"


def test_workspaces_that_were_deleted_by_hand_are_laid_anew_with_what_was_done_in_them(
    tmp_path: Path, state: Path
) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\nreview_diff: stop\n")
    for code in (3, 3, 0):
        left = run_orch(folder, "next-wave")
        assert left.code == code, left
        gone = [path for path in state.rglob("work/*") if path.is_dir() and not path.is_symlink()]
        assert gone or not code
        for path in gone:
            shutil.rmtree(path)
        if code:
            assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n") == ["feat: task 2", "feat: task 1"]
    logs = "".join((folder / "planning" / "tasks" / f"1.1.{one}.todo.md").read_text("utf-8") for one in "12")
    assert logs.count(" started turn=") == 4, "no finished turn is taken again"


def test_what_a_worker_had_written_when_all_was_killed_is_there_for_its_next_turn(tmp_path: Path, state: Path) -> None:
    begun = tmp_path / "begun"
    task = Task("1", ("a.dat", "half.dat"))
    half = f"test -e {begun} && test -s half.dat || {{ echo half > half.dat; touch {begun}; sleep 60; }}"
    works = {**working(task, run=half), "files": {"a.dat": "a.dat\n"}}
    folder = planned(tmp_path / "repo", [Task("1", task.creates, turns=(planning(task), works))])
    call = begin_orch(folder, "next-wave", "--auto")
    while not begun.exists():
        time.sleep(0.02)
    call.kill()
    left_of(call)
    (workspace,) = {path.resolve() for path in state.rglob("work/1.1.1")}
    for order in state.rglob("order"):
        for process in carriers(recorded(str(order), b"marker")):
            send(process, signal.SIGKILL)
    assert (workspace / "half.dat").read_text() == "half\n"

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert git(folder, "show", f"{BRANCH}:half.dat") == "half"
    log = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
    assert log.count(" started turn=execute") == 2


def test_an_attempt_that_a_killed_call_kept_is_not_kept_once_more(tmp_path: Path) -> None:
    turns = [PLAN, turn("execute", "wrong\n"), turn("retry", "wrong again\n"), PLAN, turn("execute", "right\n")]
    folder = one_task(tmp_path / "repo", turns)

    class Killed(Exception):
        """Ends the call where it stands."""

    def kept() -> list[str]:
        names = git(folder, "for-each-ref", "--format=%(refname:lstrip=4)", "refs/orch").split("\n")
        return [name for name in names if name.startswith("attempt-")]

    def visit(step: Step) -> None:
        if step.is_at("git", "update-ref", "after") and kept():
            raise Killed

    with pytest.raises(Killed):
        stepped(folder, "next-wave", "--auto", visit=visit)
    assert kept() == ["attempt-1"]
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert kept() == ["attempt-1"]
