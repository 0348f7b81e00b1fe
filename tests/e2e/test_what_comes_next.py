"""`next:` and `first:`: what most needs a person, and the same from every command for the same files."""

from __future__ import annotations

import re
import time
from pathlib import Path

from tests.e2e.test_hosted import KEY, MANUAL, handed_out, ticked, write
from tests.e2e.test_ladder import events
from tests.e2e.test_life_of_a_task import STOP, board, set_cell
from tests.e2e.test_wait import waiting
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, planning

HAVE_DONE = f"first: have a worker of yours do what orch prompt {KEY} prints"


def tail(left: Left) -> str:
    """The `first:` and `next:` lines."""
    return "".join(re.findall(r"^(?:first|next): .*\n", left.out, re.MULTILINE))


def tails(folder: Path) -> set[str]:
    """What comes next according to each command that says it."""
    return {tail(run_orch(folder, verb)) for verb in ("next-wave", "status", "resume")}


def change_spec(folder: Path) -> None:
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("\nDo it.\n", "\nDo it well.\n", 1), "utf-8")


def test_a_turn_that_was_handed_out_is_named_with_the_command_that_prints_it(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], worker=MANUAL)
    assert tails(folder) == {f"{HAVE_DONE} (1.1.2 alike)\nnext: orch next-wave\n"}
    assert "its plan turn is yours to give (orch prompt KEY)\n" in run_orch(folder, "resume").out


def test_a_plan_that_the_checks_sent_back_is_handed_out_again_with_the_reason(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], worker=MANUAL, settings=STOP)
    _, worktree, _ = handed_out(run_orch(folder, "next-wave"))[KEY]
    write(worktree, task, plan_text(task, steps=["Edit `README.md`", "Run `true`"]))
    again = run_orch(folder, "next-wave")
    assert handed_out(again)[KEY][0] == "plan"
    why = r"it was sent back: step 1 .*`README\.md`.*"
    assert re.search(why + "; its plan turn is yours to give: worktree ", again.out), again
    assert re.search(f"^{KEY} planning Task 1: " + why[:25], run_orch(folder, "status").out, re.MULTILINE)


def test_a_plan_at_the_gate_comes_before_a_cell_that_somebody_has_to_mend(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    set_cell(folder, KEY, "needs-input")
    assert tails(folder) == {"next: orch gate\n"}
    assert run_orch(folder, "block", "1.1.2", "--why", "not now").code == 0
    assert tails(folder) == {f'next: orch retry {KEY} --because "…"\n'}


def test_a_blocked_task_comes_before_waves_that_go_on_without_it(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",), test="false"), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks)
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("| 1.2.1 | 1 |", "| 1.2.1 | — |"), "utf-8")
    calls = (("next-wave", "--auto"), ("status",), ("resume",))
    assert {tail(run_orch(folder, *words)) for words in calls} == {f'next: orch retry {KEY} --because "…"\n'}


def test_a_plan_whose_spec_was_changed_is_neither_shown_nor_approved(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), turns=(planning(Task("1", ("a.dat",))),) * 2)
    folder = planned(tmp_path / "repo", [task, Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    change_spec(folder)
    stale = "its spec was changed, so it plans again at the next orch next-wave"
    gate = run_orch(folder, "gate")
    assert (gate.code, gate.out.split("\n")[0]) == (3, f"{KEY}: {stale}"), gate
    assert tail(gate) == "next: orch approve 1.1.2\n"
    assert run_orch(folder, "gate", KEY).code == 1
    before = events(folder)
    partly = run_orch(folder, "approve", KEY, "1.1.2")
    assert partly.code == 1, partly
    assert f"{KEY} not approved: {KEY} can't be approved: {stale}; orch next-wave asks for it\n" in partly.out
    assert tail(partly) == "next: orch next-wave\n", "nothing is left at the gate"
    assert (events(folder), board(folder)["1.1.2"]) == (before, "approved")
    empty = run_orch(folder, "gate")
    assert (empty.code, empty.out.split("\n")[:2]) == (0, [f"{KEY}: {stale}", "no plan waits at the gate"]), empty
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", KEY).code == 0


def test_a_worker_of_ones_own_that_has_finished_ends_the_wait(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    folder = planned(tmp_path / "repo", tasks, worker=MANUAL)
    out = handed_out(run_orch(folder, "next-wave", "--auto"))
    assert run_orch(folder, "wait").code == 3
    with waiting(folder, "--any") as call:
        time.sleep(2)
        assert call.poll() is None, "nobody has finished yet"
        write(out[KEY][1], tasks[0], plan_text(tasks[0]))
        assert call.wait(timeout=60) == 0
    ended = run_orch(folder, "wait")
    assert (ended.code, tail(ended)) == (0, "next: orch next-wave\n"), ended
    assert "1.1.1 planning Task 1: orch will take its turn in, its plan turn has ended\n" in ended.out
    assert handed_out(run_orch(folder, "next-wave", "--auto"))[KEY][0] == "execute"
    assert run_orch(folder, "wait").code == 3
    write(out[KEY][1], tasks[0], ticked(tasks[0]))
    assert run_orch(folder, "wait").code == 0
