"""What a call says when it stops, and what status and show know of it afterwards, from the files alone."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.test_watching import seen
from tests.support.endings import git
from tests.support.orch import ROOT, begin_orch, left_of, run_orch
from tests.support.planned import Task, plan_text, planned, planning, report_text, working

BRANCH = "orch/1-things"


def last_line(text: str) -> str:
    return text.rstrip().split("\n")[-1]


def log_of(folder: Path, key: str) -> list[str]:
    text = (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")
    return text.split("## Log\n", 1)[1].strip().split("\n")


def test_status_knows_which_local_files_hold_a_landing_back(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="branch: current\nbase: main\n")
    (folder / "a.dat").write_text("a person's\n")

    stopped = run_orch(folder, "next-wave", "--auto")
    assert stopped.code == 3, stopped
    remedy = "commit or move away a.dat"
    assert stopped.out.endswith(f"first: {remedy}\nnext: orch next-wave\n")
    why = f"landing waits: main is checked out in {folder} and local files collide: a.dat"
    shown = run_orch(folder, "show", "1.1.1").out.split("\n")
    assert (shown[1], *shown[-3:]) == (f"verified: {why}", f"first: {remedy}", "next: orch next-wave", "")
    assert not any(line.startswith("to go on: ") for line in shown), shown
    status = run_orch(folder, "status", "--json").document
    assert (status["first"], status["next"]) == (remedy, "orch next-wave")
    assert "1.1.1 verified Task 1: landing waits: main is checked out" in run_orch(folder, "status").out
    assert "needs a person: 1.1.1: landing waits: main is checked out" in run_orch(folder, "resume").out

    # Said once in the log, however often it is tried again.
    before = log_of(folder, "1.1.1")
    assert run_orch(folder, "next-wave", "--auto").code == 3
    assert log_of(folder, "1.1.1") == before
    (folder / "a.dat").unlink()
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert "landing waits" not in run_orch(folder, "status").out
    assert (folder / "a.dat").read_text() == "a.dat\n"


def test_status_knows_that_the_setup_of_a_workspace_failed(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="worktree: {setup: test -e mended}\n")

    assert run_orch(folder, "next-wave", "--auto").code == 1
    said = "the last time: the setup of 1.1.1's workspace failed: test -e mended"
    assert said in run_orch(folder, "show", "1.1.1").out
    settings = folder / "planning" / "ORCH.md"
    settings.write_text(settings.read_text().replace("test -e mended", "true"))
    assert run_orch(folder, "next-wave", "--auto").code == 0


def test_the_merge_is_offered_until_it_is_made(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))])
    assert last_line(run_orch(folder, "next-wave", "--auto").out) == f"next: git merge {BRANCH}"

    # A base with a commit of its own, so that no merge can bring the two to one commit.
    git(folder, "commit", "-q", "--allow-empty", "-m", "on main")
    git(folder, "checkout", "-q", "-b", "elsewhere")
    offered = f"git checkout main && git merge {BRANCH}"
    assert run_orch(folder, "status", "--json").document["next"] == offered
    assert run_orch(folder, "next-wave", "--json").document["next"] == offered
    subprocess.run(offered, shell=True, cwd=folder, check=True, capture_output=True)
    for command in ("status", "resume", "next-wave"):
        assert run_orch(folder, command, "--json").document["next"] == "", command

    # Merged by a commit of its own: only next-wave asks git.
    git(folder, "reset", "-q", "--hard", "HEAD~1")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "--no-ff", BRANCH)
    assert run_orch(folder, "next-wave", "--json").document["next"] == ""
    git(folder, "pack-refs", "--all")
    git(folder, "branch", "-q", "-d", BRANCH)
    assert run_orch(folder, "status", "--json").document["next"] == ""


@pytest.mark.parametrize("packed", [False, True])
def test_the_merge_names_the_branch_in_full_where_a_tag_has_its_name(packed: bool, tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    git(folder, "tag", BRANCH, "main")
    if packed:
        git(folder, "pack-refs", "--all")
    offered = f"git merge refs/heads/{BRANCH}"
    assert run_orch(folder, "status", "--json").document["next"] == offered
    subprocess.run(offered, shell=True, cwd=folder, check=True, capture_output=True)
    assert (folder / "a.dat").read_text() == "a.dat\n"


def test_a_conflict_that_a_popped_stash_left_is_named_with_how_it_is_resolved(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="branch: current\n")
    for text in ("base\n", "main\n"):
        (folder / "mine.txt").write_text(text)
        git(folder, "add", "mine.txt")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", text.strip())
        if text == "base\n":
            (folder / "mine.txt").write_text("stashed\n")
            git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "stash")
    subprocess.run(["git", "stash", "pop"], cwd=folder, capture_output=True, check=False)
    left = (folder / "mine.txt").read_text()
    assert "<<<<<<<" in left

    assert run_orch(folder, "next-wave", "--auto").code == 3
    said = run_orch(folder, "show", "1.1.1").out
    assert f"conflicts aren't resolved where main is checked out, in {folder}: mine.txt" in said
    assert f"first: resolve what git status names in {folder}, and git add it\nnext: orch next-wave\n" in said
    assert (folder / "mine.txt").read_text() == left

    git(folder, "add", "mine.txt")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert (folder / "mine.txt").read_text() == left
    assert (folder / "a.dat").read_text() == "a.dat\n"


def test_an_approval_is_taken_back_by_revise_until_the_work_begins(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [task], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    refused = run_orch(folder, "approve", "1.1.1")
    assert "orch revise 1.1.1 takes the approval back" in refused.out

    assert run_orch(folder, "revise", "1.1.1", "-m", "smaller steps").code == 0
    text = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
    assert "approved_by" not in text
    assert "\nplan: sha256" not in text
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "gate").out.startswith("1.1.1 Task 1, sent back once\n")
    assert git(folder, "rev-list", "--count", f"main..{BRANCH}") == "0"

    assert run_orch(folder, "approve", "1.1.1").code == 0
    assert run_orch(folder, "next-wave").code == 0
    late = run_orch(folder, "revise", "1.1.1", "-m", "too late")
    assert late.code == 1
    assert late.err.startswith("error: 1.1.1 has no plan at the gate: its commit has landed\n")


def test_a_reason_is_shown_once(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test="echo it is broken; false")
    work = {"files": {"a.dat": "x\n"}, "tick": "all", "report": report_text(["a.dat"])}
    turns = (planning(task), {"turn": "execute", **work}, {"turn": "retry", **work})
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), test=task.test, turns=turns)])

    assert run_orch(folder, "next-wave", "--auto").code == 4
    shown = run_orch(folder, "show", "1.1.1").out
    assert shown.count("the targeted test failed (exit 1)") == 1
    assert "\n   it is broken\n" in shown
    reset = 'orch retry 1.1.1 --because "…"'
    assert run_orch(folder, "status", "--json").document["next"] == reset


def test_what_a_call_did_without_is_said_once(tmp_path: Path) -> None:
    said = "degraded: no review worker is configured: plans pass on checks alone"
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\n")

    assert said in run_orch(folder, "next-wave", "--auto").out
    assert said not in run_orch(folder, "next-wave", "--auto").out


def test_an_interrupted_demo_names_the_command_that_goes_on(tmp_path: Path, clean_environment: dict[str, str]) -> None:
    folder = tmp_path / "a demo"
    words = [sys.executable, "-m", "orchestrator", "demo", "--keep", str(folder)]
    process = subprocess.Popen(
        words, env={**clean_environment, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    until = time.monotonic() + 60
    while not (folder / "planning" / "STATE_1.md").exists() and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    following = f"cd '{folder}' && orch next-wave --auto"
    # Workers may be at work by then.
    said = re.sub(r"\n\d workers? go(es)? on \(.*\); to end one: .*\n", "\n", err)
    assert said.endswith(f"interrupted; state is saved\nnext: {following}\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGHUP, 129, "hung up")]
)
def test_a_call_that_is_broken_off_names_the_workers_that_go_on(
    tmp_path: Path, number: signal.Signals, code: int, word: str, hang_ups_are_heard: None
) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    slow = [Task(one.id, one.creates, turns=(planning(one, delay=15), working(one))) for one in tasks]
    folder = planned(tmp_path / "repo", slow)
    call = begin_orch(folder, "next-wave", "--auto")
    seen(folder, lambda status: status.out.count(", producing") == 2)
    call.send_signal(number)
    broken_off = left_of(call)
    assert (broken_off.err, broken_off.code) == (
        f"{word}; state is saved\n"
        '2 workers go on (1.1.1, 1.1.2); to end one: orch block TASK --why "…"\n'
        "next: orch next-wave --auto\n",
        code,
    )
    assert run_orch(folder, "block", "1.1.2", "--why", "enough").code == 0
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert re.search("^1.1.1 done .* Task 1: plan passed on checks$", left.out, re.MULTILINE), left


def test_a_call_that_names_an_orchestration_is_answered_with_commands_that_name_it(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test="false")
    folder = planned(tmp_path / "repo", [task])
    later = (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8")
    later = later.replace("orchestration: 1", "orchestration: 2").replace("plan 1", "plan 2").replace("1.1.1", "2.1.1")
    (folder / "planning" / "EXECUTION_PLAN_2.md").write_text(later, "utf-8")

    assert run_orch(folder, "next-wave", "--auto", "-n", "1").code == 4
    reset = 'orch retry 1.1.1 -n 1 --because "…"'
    for command in ("next-wave", "status", "resume"):
        assert run_orch(folder, command, "-n", "1", "--json").document["next"] == reset, command
    assert run_orch(folder, "status", "--json").document["next"] == "orch next-wave"


def test_a_cell_that_would_take_a_landing_back_is_refused_aloud_and_left_alone(tmp_path: Path) -> None:
    parked = Task("2", ("b.dat",), turns=({"turn": "plan", "print": "hello"},))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), parked])
    assert run_orch(folder, "next-wave", "--auto").code == 3
    landed = git(folder, "rev-parse", "--short=7", BRANCH)
    state = folder / "planning" / "STATE_1.md"
    state.write_text(state.read_text().replace("| Task 1 | done |", "| Task 1 | pending |"))

    reason = f"its commit {landed} has landed; a cell doesn't take that back"
    assert f"1.1.1 pending Task 1: {reason}\n" in run_orch(folder, "status").out
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 3
    assert f"{reason}; planning/STATE_1.md, 1.1.1: set the cell back to done\n" in again.out
    assert "| Task 1 | pending |" in state.read_text()


def test_open_questions_are_said_once_and_the_commands_answer_all_of_them(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    asks = plan_text(task).replace("## Questions\n", "## Questions\n1. Which colour?\n2. What size?\n")
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=({"turn": "plan", "plan": asks}, working(task)))])
    assert run_orch(folder, "next-wave", "--auto").code == 3
    gate = run_orch(folder, "gate").out
    assert (gate.count("Q1 1.1.1: Which colour?"), gate.count("Q2 1.1.1: What size?")) == (1, 1)
    assert gate.endswith('next: orch answer Q1 "…" Q2 "…"\n')
    shown = run_orch(folder, "show", "1.1.1").out
    assert 'to go on: orch answer Q1 "…" Q2 "…"\n' in shown
    assert shown.count("question 1") == 1

    half = run_orch(folder, "approve", "1.1.1", "--answer", "1=dark red")
    assert half.code == 1
    assert '; orch approve 1.1.1 --answer 2="…"; answer 1 recorded\n' in half.out
    assert half.out.endswith('next: orch approve 1.1.1 --answer 2="…"\n')
