"""The life of a task at the gate and after it, one process a command, as a person or a session would call them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, planning, report_text, working

BRANCH = "orch/1-things"
STOP = "gate: stop\n"


def board(folder: Path) -> dict[str, str]:
    """Key → status word of the board."""
    text = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    rows = [line.split(" | ") for line in text.split("\n") if line.startswith("| ") and " | 1." in line]
    return {row[1]: row[3] for row in rows}


def todo(folder: Path, key: str) -> str:
    return (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")


def set_cell(folder: Path, key: str, word: str) -> None:
    """Edit a status on the board by hand."""
    path = folder / "planning" / "STATE_1.md"
    lines = path.read_text("utf-8").split("\n")
    for index, line in enumerate(lines):
        cells = line.split(" | ")
        if len(cells) > 3 and cells[1] == key:
            cells[3] = word
            lines[index] = " | ".join(cells)
    path.write_text("\n".join(lines), "utf-8")


def landed(folder: Path) -> list[str]:
    return git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n")


def test_a_wave_stops_at_the_gate_and_goes_on_after_approval(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)

    first = run_orch(folder, "next-wave")
    assert first.code == 3, first
    assert first.out.rstrip().endswith("next: orch gate")
    assert board(folder) == {"1.1.1": "plan-ready", "1.1.2": "plan-ready"}

    gate = run_orch(folder, "gate")
    assert gate.code == 3
    assert "Create `a.dat`" in gate.out
    assert "orch approve 1.1.1 1.1.2" in gate.out

    approved = run_orch(folder, "approve", "1.1.1", "1.1.2")
    assert approved.code == 0, approved
    assert approved.out.startswith("1.1.1 approved: Do task 1.")
    assert "approved_by: session" in todo(folder, "1.1.1")

    last = run_orch(folder, "next-wave")
    assert last.code == 0, last
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]
    assert run_orch(folder, "next-wave").code == 6


def test_a_revised_plan_comes_back_with_the_message_in_its_prompt(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3

    revised = run_orch(folder, "revise", "1.1.1", "-m", "say what $1 and {{ braces }} mean")
    assert revised.code == 0, revised
    assert board(folder) == {"1.1.1": "planning"}
    assert run_orch(folder, "next-wave").code == 3
    prompt = run_orch(folder, "show", "1.1.1", "--prompt").out
    assert "say what $1 and {{ braces }} mean" in prompt


def test_a_question_is_parked_and_its_answer_reaches_the_worker(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    asks = plan_text(task).replace("## Questions\n", "## Questions\n1. Keep the legacy column?\n")
    turns = ({"turn": "plan", "plan": asks}, working(task, run="cat > prompt-seen; rm prompt-seen"))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns)], settings="gate: auto\n")

    assert run_orch(folder, "next-wave", "--auto").code == 3
    refused = run_orch(folder, "approve", "1.1.1")
    assert refused.code == 1
    assert "Keep the legacy column?" in refused.out
    assert run_orch(folder, "approve", "1.1.1", "--answer", "1=drop it").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0
    prompts = run_orch(folder, "show", "1.1.1", "--prompt").out
    assert prompts.startswith("APPROVED -- execute the plan as written.")
    assert "drop it" in prompts


def test_an_error_is_sent_back_once_then_parked_and_only_force_opens_the_gate(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    wide = {"turn": "plan", "plan": plan_text(task, steps=["Create `a.dat`", "Edit `README.md`", "Run `true`"])}
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=(wide, wide, working(task)))], settings=STOP)

    assert run_orch(folder, "next-wave").code == 3
    assert todo(folder, "1.1.1").count("started turn=plan") == 2
    refused = run_orch(folder, "approve", "1.1.1")
    assert refused.code == 1
    assert "README.md" in refused.out
    forced = run_orch(folder, "approve", "1.1.1", "--force", "--why", "the readme is only read")
    assert forced.code == 0, forced
    assert 'approved by=forced why="the readme is only read"' in todo(folder, "1.1.1")


def test_several_approvals_stand_each_by_itself(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3

    left = run_orch(folder, "approve", "1.1.1", "1.1.9", "--json")
    results = left.document["results"]
    assert isinstance(results, list)
    assert left.code == 1
    assert [(one["task"], one["ok"], one["code"]) for one in results] == [
        ("1.1.1", True, "approved"),
        ("1.1.9", False, "no-task"),
    ]
    assert board(folder) == {"1.1.1": "approved", "1.1.2": "plan-ready"}


def test_a_failing_test_is_fed_back_once(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test="grep -q right a.dat")
    report = report_text(["a.dat"])
    turns = (
        planning(task),
        {"turn": "execute", "files": {"a.dat": "wrong\n"}, "tick": "all", "report": report},
        {"turn": "retry", "files": {"a.dat": "right\n"}, "tick": "all", "report": report},
    )
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), test=task.test, turns=turns)])

    assert run_orch(folder, "next-wave", "--auto").code == 0
    prompt = run_orch(folder, "show", "1.1.1", "--prompt").out
    assert "FAILED VERIFICATION: the targeted test failed (exit 1): grep -q right a.dat" in prompt
    assert landed(folder) == ["feat: task 1"]


def test_a_blocked_task_starts_anew_when_its_cell_is_set_to_pending(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test="grep -q right a.dat")
    wrong = {"files": {"a.dat": "wrong\n"}, "tick": "all", "report": report_text(["a.dat"])}
    right = {**wrong, "turn": "execute", "files": {"a.dat": "right\n"}}
    turns = (
        planning(task),
        {"turn": "execute", **wrong},
        {"turn": "retry", **wrong},
        planning(task),
        right,
    )
    tasks = [Task("1", ("a.dat",), test=task.test, turns=turns), Task("1", ("z.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks)

    blocked = run_orch(folder, "next-wave", "--auto")
    assert blocked.code == 4, blocked
    assert 'orch retry 1.1.1 --because "…"' in blocked.out
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 4, "a blocked wave rests, and its dependents with it"
    assert board(folder) == {"1.1.1": "blocked", "1.2.1": "pending"}

    set_cell(folder, "1.1.1", "pending")
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]
    kept = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch")
    assert "1.1.1/attempt-1" in kept


def test_a_conflict_goes_back_to_its_worker_on_the_new_head(tmp_path: Path) -> None:
    task = Task("1", (), edits=("a.dat",))
    mine = {"files": {"a.dat": "mine\n"}, "tick": "all", "report": report_text(["a.dat"])}
    turns = (
        planning(task),
        {"turn": "execute", **mine},
        {"turn": "retry", **mine, "files": {"a.dat": "theirs and mine\n"}},
    )
    tasks = [Task("1", (), edits=("a.dat",), turns=turns)]
    folder = planned(tmp_path / "repo", tasks, settings=STOP, files={"a.dat": "base\n"})
    assert run_orch(folder, "next-wave").code == 3

    other = tmp_path / "other"
    git(folder, "worktree", "add", "-q", str(other), BRANCH)
    (other / "a.dat").write_text("theirs\n")
    git(other, "commit", "-qam", "theirs")
    git(folder, "worktree", "remove", str(other))
    assert run_orch(folder, "approve", "1.1.1").code == 0
    left = run_orch(folder, "next-wave")

    assert left.code == 0, left
    assert landed(folder) == ["feat: task 1", "theirs"]
    assert git(folder, "show", f"{BRANCH}:a.dat") == "theirs and mine"
    assert "conflict: 1" in todo(folder, "1.1.1")


def test_a_changed_spec_asks_for_a_new_plan(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    path = folder / "planning" / "EXECUTION_PLAN_1.md"
    path.write_text(path.read_text("utf-8").replace("Do it.", "Do it well."), "utf-8")

    assert run_orch(folder, "next-wave").code == 3
    assert "revised by=spec" in todo(folder, "1.1.1")


def test_a_red_wave_holds_the_next_and_checking_runs_its_suites_again(tmp_path: Path) -> None:
    flag = tmp_path / "red"
    flag.touch()
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    suite = f"on_regression: ask\nsuites:\n  unit: test ! -e a.dat -o ! -e {flag}\n"
    folder = planned(tmp_path / "repo", tasks, settings=suite)

    red = run_orch(folder, "next-wave", "--auto")
    assert red.code == 4, red
    assert "| 1 | red |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")
    held = run_orch(folder, "next-wave", "--auto")
    assert held.code == 4, held
    assert board(folder) == {"1.1.1": "done", "1.2.1": "pending"}

    flag.unlink()
    path = folder / "planning" / "STATE_1.md"
    path.write_text(path.read_text("utf-8").replace("| 1 | red |", "| 1 | checking |"), "utf-8")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert board(folder) == {"1.1.1": "done", "1.2.1": "done"}


def test_a_red_baseline_is_remembered_and_holds_nothing(tmp_path: Path) -> None:
    red = "suites:\n  unit: echo 2 failed, 3 passed; exit 1\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=red)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert "| . | unit | fail |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")


def test_the_run_folder_can_be_deleted_between_calls(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    _delete_run_folder()
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    _delete_run_folder()
    left = run_orch(folder, "next-wave")

    assert left.code == 0, left
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


def _delete_run_folder() -> None:
    shutil.rmtree(Path(os.environ["XDG_STATE_HOME"]) / "orch", ignore_errors=True)


def test_a_set_that_went_back_is_refused_with_the_branch_that_has_it(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))])
    git(folder, "checkout", "-q", "-b", "work")
    git(folder, "add", "planning")
    git(folder, "commit", "-qm", "plan")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    git(folder, "add", "planning")
    git(folder, "commit", "-qm", "done")
    git(folder, "checkout", "-q", "-b", "old", "work~1")
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 1, left
    assert "2 of its tasks have landed" in left.err
    assert "git checkout work" in left.err


def test_the_acceptance_of_the_plan_is_judged_at_its_end(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))])
    path = folder / "planning" / "EXECUTION_PLAN_1.md"
    text = path.read_text("utf-8")
    accept = "## Acceptance\n\n- `test -e a.dat`\n- `test -e b.dat`\n- People like it\n\n## Tasks\n"
    path.write_text(text.replace("## Tasks\n", accept), "utf-8")
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert "acceptance 1, met: `test -e a.dat`" in left.out
    assert "acceptance 2, unmet (exit 1): `test -e b.dat`" in left.out
    assert "acceptance 3, to judge by hand: People like it" in left.out


def test_a_read_only_state_is_named_and_stops_nothing_for_good(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    state = folder / "planning" / "STATE_1.md"
    state.chmod(0o444)
    refused = run_orch(folder, "approve", "1.1.1")
    assert refused.code == 1
    assert "chmod u+w planning/STATE_1.md" in refused.err
    assert "approved" not in todo(folder, "1.1.1")

    state.chmod(0o644)
    assert run_orch(folder, "approve", "1.1.1").code == 0
    state.chmod(0o444)
    held = run_orch(folder, "next-wave", timeout=60)
    assert held.code == 1, held
    assert "chmod u+w planning/STATE_1.md" in held.out

    state.chmod(0o644)
    assert run_orch(folder, "next-wave").code == 0
    assert landed(folder) == ["feat: task 1"]


def test_one_of_two_blocked_tasks_is_mended_and_the_wave_rests_again_on_the_other(tmp_path: Path) -> None:
    def always_wrong(task: Task) -> Task:
        wrong = {"files": {task.creates[0]: "wrong\n"}, "tick": "all", "report": report_text(task.creates)}
        turns = (
            planning(task),
            {"turn": "execute", **wrong},
            {"turn": "retry", **wrong},
            planning(task),
            working(task),
        )
        return Task(task.id, task.creates, test=task.test, turns=turns)

    tasks = [
        always_wrong(Task("1", ("a.dat",), test="grep -q never a.dat")),
        always_wrong(Task("2", ("b.dat",), test="! grep -q wrong b.dat")),
    ]
    folder = planned(tmp_path / "repo", tasks)
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert board(folder) == {"1.1.1": "blocked", "1.1.2": "blocked"}

    set_cell(folder, "1.1.2", "pending")
    mended = run_orch(folder, "next-wave", "--auto")
    assert mended.code == 4, mended
    assert board(folder) == {"1.1.1": "blocked", "1.1.2": "done"}
    before = todo(folder, "1.1.2")
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 4, again
    assert todo(folder, "1.1.2") == before
    assert "by hand" not in again.out


def test_a_suite_that_is_added_later_gets_its_baseline_at_the_fork(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="suites:\n  unit: exit 0\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    settings = folder / "planning" / "ORCH.md"
    added = "unit: exit 0\n  lint: echo 3 failed, 1 passed; exit 1\n"
    settings.write_text(settings.read_text("utf-8").replace("unit: exit 0\n", added), "utf-8")

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert "| . | lint | fail |" in (folder / "planning" / "STATE_1.md").read_text("utf-8")


def test_a_misspelt_wave_cell_stops_before_anything_is_done(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    path = folder / "planning" / "STATE_1.md"
    text = path.read_text("utf-8").replace("| 1 | done |", "| 1 | cheking |")
    path.write_text(text, "utf-8")

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 1, left
    assert 'did you mean "checking"' in left.err
    assert path.read_text("utf-8") == text
