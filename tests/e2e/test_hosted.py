"""The manual driver: a session gives the turns to workers of its own, with the same checks and the same files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.test_life_of_a_task import board, landed, todo
from tests.support.endings import git
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, report_text

MANUAL = "small: {driver: manual}"
KEY = "1.1.1"
OUT = re.compile(r"^(\S+) \S+ .*\bits (\w+) turn is yours to give: worktree (\S+), prompt (\S+)$", re.MULTILINE)


def handed_out(left: Left) -> dict[str, tuple[str, Path, Path]]:
    """Key → turn, worktree and prompt of what a call handed out."""
    return {match[1]: (match[2], Path(match[3]), Path(match[4])) for match in OUT.finditer(left.out)}


def write(worktree: Path, task: Task, text: str) -> None:
    (worktree / "planning" / "tasks" / f"{task.key}.todo.md").write_text(text, "utf-8")


def ticked(task: Task) -> str:
    text = plan_text(task).replace("- [ ]", "- [x]")
    return text + "## Report\n" + report_text([*task.creates])


def test_a_wave_goes_through_workers_of_ones_own(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    folder = planned(tmp_path / "repo", tasks, worker=MANUAL)
    first = run_orch(folder, "next-wave", "--auto")
    assert first.code == 3, first
    out = handed_out(first)
    assert [turn for turn, _, _ in out.values()] == ["plan", "plan"]
    assert first.out.rstrip().endswith("next: orch next-wave")
    again = run_orch(folder, "next-wave", "--auto")
    assert handed_out(again) == out, "as long as nobody has written anything the turns stay out"

    for task in tasks:
        _, worktree, prompt = out[task.key]
        assert run_orch(folder, "prompt", task.key).out == prompt.read_text("utf-8")
        write(worktree, task, plan_text(task))
    second = run_orch(folder, "next-wave", "--auto")
    assert [turn for turn, _, _ in handed_out(second).values()] == ["execute", "execute"], second
    for task in tasks:
        _, worktree, prompt = handed_out(second)[task.key]
        assert prompt.read_text("utf-8").startswith("APPROVED -- execute the plan as written.")
        (worktree / task.creates[0]).write_text("x\n", "utf-8")
        write(worktree, task, ticked(task))
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


def test_a_worker_that_only_answers_is_taken_at_its_word(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], worker=MANUAL)
    _, worktree, _ = handed_out(run_orch(folder, "next-wave", "--auto"))[KEY]
    answer = tmp_path / "answer.md"
    answer.write_text("Here is my plan.\n\n" + plan_text(task), "utf-8")
    assert run_orch(folder, "report", KEY, "--file", str(answer)).code == 0
    assert handed_out(run_orch(folder, "next-wave", "--auto"))[KEY][0] == "execute"
    (worktree / "a.dat").write_text("x\n", "utf-8")
    answer.write_text(ticked(task), "utf-8")
    assert run_orch(folder, "report", KEY, "--file", str(answer)).code == 0
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert "- [x] 1. Create `a.dat`" in todo(folder, KEY)


def test_one_step_at_a_time_in_the_right_order_and_each_twice(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], worker=MANUAL, settings="gate: stop\n")
    for verb in ("verify", "land", "prompt"):
        early = run_orch(folder, verb, KEY)
        assert (early.code, "orch next-wave" in early.err) == (1, True), early
    _, worktree, _ = handed_out(run_orch(folder, "next-wave"))[KEY]
    write(worktree, task, plan_text(task))
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", KEY).code == 0
    late = tmp_path / "late.md"
    late.write_text("words", "utf-8")
    assert run_orch(folder, "report", KEY, "--file", str(late)).code == 1, "no turn is out"
    assert handed_out(run_orch(folder, "next-wave"))[KEY][0] == "execute"
    waiting = run_orch(folder, "verify", KEY)
    assert waiting.code == 3, waiting
    (worktree / "a.dat").write_text("x\n", "utf-8")
    write(worktree, task, ticked(task))
    for _ in range(2):
        verified = run_orch(folder, "verify", KEY)
        assert verified.code == 0, verified
        assert board(folder) == {KEY: "verified"}
        assert f"next: orch gate {KEY}" in verified.out
    unread = run_orch(folder, "land", KEY)
    assert (unread.code, f"next: orch gate {KEY}" in unread.out) == (3, True), unread
    assert "+1 -0 a.dat\n" in run_orch(folder, "gate", KEY).out
    assert run_orch(folder, "approve", KEY).code == 0
    assert f"next: orch land {KEY}" in run_orch(folder, "verify", KEY).out
    for _ in range(2):
        done = run_orch(folder, "land", KEY)
        assert (done.code, f" as {git(folder, 'rev-parse', 'orch/1-things')[:7]}\n" in done.out) == (0, True), done
    assert landed(folder) == ["feat: task 1"]
    assert run_orch(folder, "next-wave").code == 0


def test_a_failed_verification_by_hand_says_why_and_hands_out_the_retry(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test="grep -q right a.dat")
    folder = planned(tmp_path / "repo", [task], worker=MANUAL)
    _, worktree, _ = handed_out(run_orch(folder, "next-wave", "--auto"))[KEY]
    write(worktree, task, plan_text(task))
    run_orch(folder, "next-wave", "--auto")
    (worktree / "a.dat").write_text("wrong\n", "utf-8")
    write(worktree, task, ticked(task))
    failed = run_orch(folder, "verify", KEY)
    assert failed.code == 4, failed
    assert "the targeted test failed (exit 1)" in failed.out
    turn, _, prompt = handed_out(run_orch(folder, "next-wave", "--auto"))[KEY]
    assert turn == "retry"
    assert "FAILED VERIFICATION: the targeted test failed" in prompt.read_text("utf-8")
    (worktree / "a.dat").write_text("right\n", "utf-8")
    write(worktree, task, ticked(task) + "\nmended\n")
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done


@pytest.mark.parametrize("word", ["skipped", "pending"])
def test_a_turn_that_is_out_can_be_called_back(tmp_path: Path, word: str) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], worker=MANUAL)
    assert run_orch(folder, "next-wave", "--auto").code == 3
    state = folder / "planning" / "STATE_1.md"
    state.write_text(state.read_text("utf-8").replace("| planning |", f"| {word} |"), "utf-8")
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == {"skipped": 0, "pending": 3}[word], left
    assert len(handed_out(left)) == (word == "pending")


def test_a_worker_that_saves_its_plan_again_as_it_was_has_ended_its_turn(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], worker=MANUAL, settings="gate: stop\n")
    _, worktree, _ = handed_out(run_orch(folder, "next-wave"))[KEY]
    write(worktree, task, plan_text(task))
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "revise", KEY, "-m", "are you sure?").code == 0
    assert handed_out(run_orch(folder, "next-wave"))[KEY][0] == "plan"
    copy = worktree / "planning" / "tasks" / f"{KEY}.todo.md"
    copy.write_text(copy.read_text("utf-8"), "utf-8")
    assert handed_out(run_orch(folder, "next-wave")) == {}
    assert board(folder) == {KEY: "plan-ready"}


TOLD = (
    "review_diff: changes of your own workers wait for orch approve; "
    "write review_diff: none in planning/ORCH.md to let them land\n"
)


def verified(folder: Path, task: Task) -> Left:
    """What the call says that takes the finished work of a task's own worker in."""
    _, worktree, _ = handed_out(run_orch(folder, "next-wave"))[task.key]
    write(worktree, task, plan_text(task))
    assert handed_out(run_orch(folder, "next-wave"))[task.key][0] == "execute"
    (worktree / task.creates[0]).write_text("x\n", "utf-8")
    write(worktree, task, ticked(task))
    return run_orch(folder, "next-wave")


def test_where_nothing_is_set_a_change_of_ones_own_worker_lands_once_it_is_approved(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, worker=MANUAL, settings="gate: auto\n")
    rests = verified(folder, tasks[0])
    assert rests.code == 3, rests
    assert board(folder) == {KEY: "verified", "1.2.1": "pending"}
    assert landed(folder) == [""]
    shown = run_orch(folder, "gate")
    assert (shown.code, "a.dat" in shown.out) == (3, True), shown
    assert run_orch(folder, "approve", KEY).code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert landed(folder) == ["feat: task 1"]

    rests = verified(folder, tasks[1])
    assert rests.code == 3, rests
    assert run_orch(folder, "revise", "1.2.1", "-m", "say more").code == 0
    turn, worktree, prompt = handed_out(run_orch(folder, "next-wave"))["1.2.1"]
    assert (turn, "say more" in prompt.read_text("utf-8")) == ("retry", True)
    (worktree / "b.dat").write_text("x, and more\n", "utf-8")
    write(worktree, tasks[1], ticked(tasks[1]) + "\nmore\n")
    # Nobody is there to give a word: what has passed its checks lands.
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert landed(folder) == ["feat: task 1", "feat: task 1"]


def test_that_changes_wait_is_said_once_and_not_where_the_settings_say_it(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, worker=MANUAL, settings="gate: auto\n")
    first = run_orch(folder, "next-wave")
    assert first.out.count(TOLD) == 1, first
    outs = [verified(folder, tasks[0]), run_orch(folder, "approve", KEY), run_orch(folder, "next-wave")]
    outs += [run_orch(folder, "next-wave")]
    assert not any("review_diff" in left.out for left in outs), outs

    for number, said in enumerate(("none", "stop")):
        other = planned(
            tmp_path / f"other{number}", tasks[:1], worker=MANUAL, settings=f"gate: auto\nreview_diff: {said}\n"
        )
        assert "review_diff" not in run_orch(other, "next-wave").out
        left = verified(other, tasks[0])
        assert (left.code, landed(other)) == ((0, ["feat: task 1"]) if said == "none" else (3, [""])), left


def test_a_plan_that_bears_the_plans_own_id_is_taken_and_a_message_without_any_is_told(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], worker=MANUAL)
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace(KEY, "T1-add"), "utf-8")
    _, worktree, _ = handed_out(run_orch(folder, "next-wave", "--auto"))[KEY]
    answer = tmp_path / "answer.md"
    lines = []
    texts = [plan_text(task).partition("\n")[2], f"# {KEY} — a\n\nsoon\n", plan_text(task).replace(KEY, "T1-add")]
    for text in texts:
        answer.write_text(text, "utf-8")
        lines.append(run_orch(folder, "report", KEY, "--file", str(answer)).out.splitlines()[1:-1])
    assert lines == [
        [
            "no micro-plan was found in it, which must begin with a line `# 1.1.1` or `# T1-add`; "
            "its todo file counts, until you hand it in again"
        ],
        [
            "no micro-plan was found in it, which has no boxes below `## TODO items`; "
            "its todo file counts, until you hand it in again"
        ],
        [],
    ]
    assert handed_out(run_orch(folder, "next-wave", "--auto"))[KEY][0] == "execute"
    (worktree / "a.dat").write_text("x\n", "utf-8")
    answer.write_text("Done.\n", "utf-8")
    told = run_orch(folder, "report", KEY, "--file", str(answer)).out
    assert "no report was found in it, which must begin with a line `## Report`; " in told
    answer.write_text("## Report\n" + report_text(["a.dat"]), "utf-8")
    assert "no report" not in run_orch(folder, "report", KEY, "--file", str(answer)).out
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert landed(folder) == ["feat: task 1"]
