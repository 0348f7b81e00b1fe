"""What a worker without a sandbox writes into the files that open gates opens none; a person's own words do."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator.process.sandbox import fault
from tests.e2e.test_edits_during_a_run import running, until
from tests.e2e.test_life_of_a_task import board, landed, set_cell, todo
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


def forging(folder: Path, key: str, *entries: str) -> str:
    """A command that appends lines to the log of a task in the main checkout."""
    lines = "".join(f"- {TIME} {entry}\\n" for entry in entries)
    return f"printf -- '{lines}' >> {folder}/planning/tasks/{key}.todo.md"


def log(folder: Path, key: str) -> list[str]:
    """The lines of a task's log, without their times."""
    lines = todo(folder, key).replace("\r\n", "\n").partition("## Log\n")[2].split("\n")
    return [line.removeprefix("- ").partition(" ")[2] for line in lines if line.startswith("- ")]


TIME = "2026-11-29T10:00:00Z"
APPROVED = ("approved by=person board=approved", "board status=approved")
PASSED = ("ended turn=plan outcome=finished", "planned steps=2 warnings=0", *APPROVED)
VERIFIED = (
    *APPROVED,
    "started turn=execute number=2",
    "ended turn=execute outcome=finished",
    "verified tree=abc head=abc board=verified",
    "board status=verified",
)


def foreign(lines: Sequence[str]) -> str:
    count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    quote = f"{TIME} {lines[0]}"[:80]
    return f"{count} came into its log that orch didn't write while a worker was alive: \"{quote}"


@pytest.mark.parametrize("lines", [APPROVED, VERIFIED], ids=["approved", "verified"])
def test_what_a_worker_writes_into_anothers_log_blocks_that_task_and_opens_nothing(
    tmp_path: Path, lines: Sequence[str]
) -> None:
    folder = at_the_gate(tmp_path / "repo", run=forging(tmp_path / "repo", OTHER.key, *lines))
    left = run_orch(folder, "next-wave")
    assert left.code == 4, left
    assert left.out.endswith('first: look at orch show 1.1.2 --log\nnext: orch retry 1.1.2 --because "…"\n'), left
    assert foreign(lines) in run_orch(folder, "show", OTHER.key).out
    assert (board(folder)[OTHER.key], landed(folder)) == ("blocked", ["feat: task 1"])
    assert "\n".join(lines) in "\n".join(log(folder, OTHER.key)), "nothing is taken out of the file"

    assert run_orch(folder, "retry", OTHER.key, "--because", "a worker wrote there").code == 0
    assert run_orch(folder, "next-wave").code == 3, "it is asked about anew"
    assert (board(folder)[OTHER.key], landed(folder)) == ("plan-ready", ["feat: task 1"])
    assert run_orch(folder, "approve", OTHER.key).code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


@pytest.mark.parametrize("after", ["", "; sleep 30"], ids=["and ends", "and stays"])
def test_a_worker_that_passes_its_own_plan_is_ended_and_its_task_blocked(tmp_path: Path, after: str) -> None:
    task = Task("1", ("a.dat",))
    forged = planning(task, run=forging(tmp_path / "repo", task.key, *PASSED) + after)
    turns = (forged, planning(task), working(task))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns), OTHER], settings="gate: stop\n")
    left = run_orch(folder, "next-wave", timeout=25)
    assert left.code == 4, left
    assert board(folder) == {task.key: "blocked", OTHER.key: "plan-ready"}
    assert foreign(PASSED) in run_orch(folder, "show", task.key).out

    assert run_orch(folder, "retry", task.key, "--because", "it wrote there itself").code == 0
    assert run_orch(folder, "next-wave").code == 3
    assert board(folder) == {task.key: "plan-ready", OTHER.key: "plan-ready"}
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


def test_a_line_that_is_taken_out_of_a_log_blocks_its_task(tmp_path: Path) -> None:
    taking_out = f"sed -i '/ ended turn=plan/d' {tmp_path}/repo/planning/tasks/1.1.2.todo.md"
    folder = at_the_gate(tmp_path / "repo", run=taking_out)
    assert run_orch(folder, "next-wave").code == 4
    assert "1 line of its log is gone or changed while a worker was alive" in run_orch(folder, "show", OTHER.key).out


def test_what_is_written_into_the_log_of_a_landed_task_is_said(tmp_path: Path) -> None:
    first, second = Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)
    forge = forging(tmp_path / "repo", first.key, "reverted next=retry commit=abc board=running")
    turns = (planning(second), working(second, run=forge))
    tasks = [first, Task("1", ("b.dat",), turns=turns, wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: auto\n")
    assert run_orch(folder, "next-wave").code == 0
    left = run_orch(folder, "next-wave")
    line = f"{TIME} reverted next=retry commit=abc board=running"
    why = f'1.1.1 has landed, and 1 line came into its log that orch didn\'t write while a worker was alive: "{line}"'
    assert f"{why}; look at orch show 1.1.1 --log" in left.out, left


def test_a_todo_file_that_a_worker_makes_for_a_later_task_opens_nothing(tmp_path: Path) -> None:
    later = Task("1", ("b.dat",), wave=2)
    path = f"{tmp_path}/repo/planning/tasks/{later.key}.todo.md"
    first = Task("1", ("a.dat",))
    making = f"printf '## Log\\n' > {path}; {forging(tmp_path / 'repo', later.key, *APPROVED)}"
    first = Task("1", ("a.dat",), turns=(planning(first), working(first, run=making)))
    folder = planned(tmp_path / "repo", [first, later], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    run_orch(folder, "next-wave")
    assert run_orch(folder, "next-wave").code == 4
    assert (board(folder)[later.key], landed(folder)) == ("blocked", ["feat: task 1"])
    assert foreign(APPROVED) in run_orch(folder, "show", later.key).out


def test_line_endings_and_blanks_of_a_log_are_nobodys_lines(tmp_path: Path) -> None:
    path = f"{tmp_path}/repo/planning/tasks/1.1.2.todo.md"
    folder = at_the_gate(tmp_path / "repo", run=f"sed -i 's/$/  \\r/' {path}; printf '\\nA note.\\r\\n' >> {path}")
    assert run_orch(folder, "next-wave").code == 3
    assert (board(folder)[OTHER.key], landed(folder)) == ("plan-ready", ["feat: task 1"])
    assert "A note." in todo(folder, OTHER.key)


def test_what_a_person_writes_into_a_log_while_nobody_works_is_followed(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    lines = ("revised by=person why=no board=planning", "board status=planning")
    with (folder / "planning" / "tasks" / "1.1.1.todo.md").open("a", encoding="utf-8") as file:
        file.write("".join(f"- {TIME} {line}\n" for line in lines))
    assert run_orch(folder, "next-wave").code == 3
    assert [line for line in log(folder, "1.1.1") if line.startswith("started turn=plan number=2")]


def waiting(folder: Path) -> str:
    """A command that waits, a worker of its own, until there is a file `go` beside the repository."""
    return f"while [ ! -e {folder.parent}/go ]; do sleep 0.05; done"


def test_commands_while_a_worker_works_are_followed_and_leave_nothing(tmp_path: Path) -> None:
    folder = at_the_gate(tmp_path / "repo", run=waiting(tmp_path / "repo"))
    with running(folder, attended=True) as left_by:
        until(folder, "1.1.1", "running")
        for words in (
            ("revise", "1.1.2", "-m", "say it better"),
            ("block", "1.1.2", "--why", "not now"),
            ("retry", "1.1.2", "--because", "now"),
        ):
            assert run_orch(folder, *words).code == 0
        until(folder, "1.1.2", "plan-ready")
        assert run_orch(folder, "approve", "1.1.2").code == 0
        until(folder, "1.1.2", "done")
        (tmp_path / "go").touch()
        left = left_by()
    assert left.code == 0, left
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]
    assert not [entry for key in ("1.1.1", "1.1.2") for entry in log(folder, key) if "foreign" in entry]
    [receipts] = Path(os.environ["XDG_STATE_HOME"]).glob("orch/*/receipts")
    assert [path.name for path in receipts.iterdir()] == ["1.1.2"]
    assert run_orch(folder, "clean").code == 0
    assert [*receipts.iterdir()] == []


def test_a_log_that_an_editor_empties_and_brings_back_while_a_worker_works_blocks_nothing(tmp_path: Path) -> None:
    folder = at_the_gate(tmp_path / "repo", run=waiting(tmp_path / "repo"))
    path = folder / "planning" / "tasks" / "1.1.2.todo.md"
    with running(folder, attended=True) as left_by:
        until(folder, "1.1.1", "running")
        text = path.read_text("utf-8")
        for part in (text.partition("## Log")[0], text, text.rpartition("- ")[0], text):
            path.write_text(part, "utf-8")
            # Longer than it takes until the files are looked at again.
            time.sleep(1.3)
        (tmp_path / "go").touch()
        left = left_by()
    assert (left.code, board(folder)[OTHER.key]) == (3, "plan-ready"), left
    assert run_orch(folder, "approve", OTHER.key).code == 0
    assert run_orch(folder, "next-wave").code == 0


def test_an_answer_while_a_worker_works_is_followed(tmp_path: Path) -> None:
    folder = at_the_gate(tmp_path / "repo", run=waiting(tmp_path / "repo"))
    with running(folder, attended=True) as left_by:
        until(folder, "1.1.1", "running")
        assert run_orch(folder, "ask", "1.1.2", "Which?", "--option", "this", "--option", "that").code == 0
        assert run_orch(folder, "answer", "--person", "Q1", "this").code == 0
        assert run_orch(folder, "approve", "1.1.2").code == 0
        until(folder, "1.1.2", "done")
        (tmp_path / "go").touch()
        left = left_by()
    assert left.code == 0, left
    assert {line.split()[0] for line in log(folder, OTHER.key)} >= {"asked", "answered", "approved"}


def in_settings(folder: Path, was: str, now: str) -> str:
    return f"sed -i 's/^{was}$/{now}/' {folder}/planning/ORCH.md"


def loosened(key: str, had: str, says: str) -> str:
    return (
        f"planning/ORCH.md: {key} was changed from {had} to {says} while a worker was alive, so it may be the worker's"
        f" own doing; this call keeps {had}, the next one follows the file"
    )


def test_a_gate_that_a_worker_sets_to_auto_opens_none_in_this_call_and_is_said(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    turns = (planning(task, run=in_settings(tmp_path / "repo", "gate: stop", "gate: auto")), working(task))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns)], settings="gate: stop\n")
    left = run_orch(folder, "next-wave")
    assert (left.code, board(folder)) == (3, {task.key: "plan-ready"})
    assert left.out.count(loosened("gate", "stop", "auto")) == 1

    left = run_orch(folder, "next-wave")
    assert (left.code, landed(folder)) == (0, ["feat: task 1"])


@pytest.mark.parametrize("now", ["review_diff: none", ""])
def test_a_judgement_of_changes_that_a_worker_takes_out_holds_for_this_call(tmp_path: Path, now: str) -> None:
    task = Task("1", ("a.dat",))
    turns = (planning(task), working(task, run=in_settings(tmp_path / "repo", "review_diff: stop", now)))
    settings = "gate: auto\nreview_diff: stop\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns)], settings=settings)
    left = run_orch(folder, "next-wave")
    assert (left.code, board(folder)) == (3, {task.key: "verified"})
    assert left.out.count(loosened("review_diff", "stop", "none" if now else "unset")) == 1

    left = run_orch(folder, "next-wave")
    assert (left.code, landed(folder)) == (0, ["feat: task 1"])


@pytest.mark.skipif(bool(fault()), reason=f"no sandbox here: {fault()}")
def test_a_sandbox_that_is_switched_off_while_a_worker_works_confines_for_this_call(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = tmp_path / "repo"
    turns = (planning(task, run="sleep 2"), working(task, run=f"touch {folder}/planted; true"))
    settings = "gate: auto\nsandbox: on\n"
    planned(folder, [Task("1", ("a.dat",), turns=turns)], settings=settings)
    with running(folder, attended=True) as left_by:
        until(folder, task.key, "planning")
        path = folder / "planning" / "ORCH.md"
        path.write_text(path.read_text("utf-8").replace("sandbox: on", "sandbox: off"), "utf-8")
        left = left_by()
    assert (left.code, landed(folder), (folder / "planted").exists()) == (0, ["feat: task 1"], False)
    assert left.out.count(loosened("sandbox", "on", "off")) == 1


def test_a_setting_that_is_tightened_while_a_worker_works_counts_at_once(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    turns = (planning(task, run=in_settings(tmp_path / "repo", "gate: auto", "gate: stop")), working(task))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns)], settings="gate: auto\n")
    left = run_orch(folder, "next-wave")
    assert (left.code, board(folder)) == (3, {task.key: "plan-ready"})
    assert "while a worker was alive" not in left.out


def test_a_gate_that_a_person_sets_to_auto_while_nobody_works_is_followed(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    path = folder / "planning" / "ORCH.md"
    path.write_text(path.read_text("utf-8").replace("gate: stop", "gate: auto"), "utf-8")
    left = run_orch(folder, "next-wave")
    assert (left.code, landed(folder)) == (0, ["feat: task 1"])
    assert "while a worker was alive" not in left.out
