"""`review_diff`: a verified change lands once a person or a reviewer has approved exactly that change."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from orchestrator.store.layout import run_folder
from tests.e2e.test_hosted import handed_out
from tests.e2e.test_ladder import events
from tests.e2e.test_life_of_a_task import board, landed, todo
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, report_text, working
from tests.support.reviewed import KEY, reviewed, says

TASK = Task("1", ("a.dat",), test="echo it ran; test -f a.dat")
STOP = "gate: auto\nreview_diff: stop\n"
REVIEW = "gate: auto\nreview_diff: review\n"
BRANCH = "orch/1-things"


def prompt_of(tmp_path: Path, turn: str) -> str:
    found = list(run_folder(tmp_path / "repo", os.environ, "").rglob(f"{KEY}/{turn}/prompt.md"))
    assert len(found) == 1, found
    return found[0].read_text("utf-8")


def judgements(folder: Path) -> list[str]:
    """The log from the first verification on, without trees and heads."""
    lines = events(folder)
    first = next(index for index, line in enumerate(lines) if line.startswith("verified"))
    hidden = ("tree=", "head=", "asked=", "passed=", "failed=", "commit=")
    return [" ".join(word for word in line.split(" ") if not word.startswith(hidden)) for line in lines[first:]]


def test_a_verified_change_rests_until_it_is_approved_and_then_lands(tmp_path: Path) -> None:
    noisy = report_text(["a.dat"]).replace("**Gotchas:** none", "**Gotchas:** mind the gap")
    task = Task("1", ("a.dat",), test=TASK.test, turns=(planning(TASK), working(TASK, report=noisy)))
    folder = planned(tmp_path / "repo", [task], settings=STOP)
    rests = run_orch(folder, "next-wave", "--auto")
    assert rests.code == 3, rests
    assert rests.out.rstrip().endswith("next: orch gate")
    assert board(folder) == {KEY: "verified"}
    gate = run_orch(folder, "gate")
    assert gate.code == 3
    assert gate.out == (
        "1.1.1 Task 1: verified, 1 file +1 -0\naccept A1: it is there\n+1 -0 a.dat\ngotchas: mind the gap\n"
        'the whole: orch show 1.1.1 --diff\n\norch revise 1.1.1 -m "..."\nnext: orch approve 1.1.1\n'
    )
    assert "+a.dat" in run_orch(folder, "show", KEY, "--diff").out
    assert "orch gate" in run_orch(folder, "status").out
    by_hand = run_orch(folder, "land", KEY)
    assert by_hand.code == 3, by_hand
    assert "its change waits for approval" in by_hand.out
    approved = run_orch(folder, "approve", KEY)
    assert approved.code == 0, approved
    assert approved.out == "1.1.1 approved: its change lands at the next orch next-wave\nnext: orch next-wave\n"
    again = run_orch(folder, "approve", KEY)
    assert (again.code, again.out) == (0, "1.1.1 is approved already; orch next-wave lands it\nnext: orch next-wave\n")
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]
    tree = git(folder, "rev-parse", f"{BRANCH}^{{tree}}")
    line = next(line for line in events(folder) if line.startswith("approved of=diff"))
    head = git(folder, "rev-parse", "main")
    assert line == f"approved of=diff by=session tree={tree} head={head}"


def test_a_change_that_is_sent_back_is_a_failed_acceptance(tmp_path: Path) -> None:
    again = working(TASK, "retry")
    task = Task("1", ("a.dat",), test=TASK.test, turns=(planning(TASK), working(TASK), again))
    folder = planned(tmp_path / "repo", [task], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    sent = run_orch(folder, "revise", KEY, "-m", "say it in words")
    assert sent.code == 0, sent
    assert board(folder) == {KEY: "running"}
    assert 'failed kind=accept next=retry why="say it in words" by=session board=running' in events(folder)
    assert run_orch(folder, "next-wave").code == 3
    assert prompt_of(tmp_path, "3-retry").startswith("FAILED VERIFICATION: say it in words")
    assert run_orch(folder, "revise", KEY, "-m", "still not").code == 0
    assert board(folder) == {KEY: "blocked"}
    assert "accept: 2" in todo(folder, KEY)


def test_an_approval_holds_for_the_merged_tree_that_was_judged(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", KEY).code == 0
    work = tmp_path / "person"
    git(folder, "worktree", "add", "-q", str(work), BRANCH)
    (work / "other.dat").write_text("other\n", "utf-8")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "other")
    git(folder, "worktree", "remove", "--force", str(work))
    asked = run_orch(folder, "next-wave")
    assert asked.code == 3, asked
    assert "its change waits for approval before it lands, once more: what it lands on has changed since;" in asked.out
    assert board(folder) == {KEY: "verified"}
    assert run_orch(folder, "approve", KEY).code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert landed(folder) == ["feat: task 1", "other"]


def test_changes_that_stand_in_one_line_are_approved_together_and_asked_once(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    gate = run_orch(folder, "gate")
    assert gate.out.endswith("next: orch approve 1.1.1 1.1.2\n")
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


@pytest.mark.parametrize("approved", [("1.1.1",), ("1.1.1", "1.1.2")], ids=["one", "both"])
def test_an_approval_holds_whichever_task_of_a_wave_was_ready_first(tmp_path: Path, approved: tuple[str, ...]) -> None:
    last = Task("1", ("a.dat",))
    tasks = [Task("1", ("a.dat",), turns=(planning(last), working(last, delay=1))), Task("2", ("b.dat",))]
    folder = planned(tmp_path / "repo", tasks, settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    # It was tested on top of the other one, which nobody has approved, or which lands after it.
    assert run_orch(folder, "approve", *approved).code == 0
    left = run_orch(folder, "next-wave")
    assert (left.code, board(folder)) == (
        0 if len(approved) == 2 else 3,
        {"1.1.1": "done", "1.1.2": "done" if len(approved) == 2 else "verified"},
    ), left
    if len(approved) == 1:
        assert run_orch(folder, "approve", "1.1.2").code == 0
        assert run_orch(folder, "next-wave").code == 0
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]


def test_a_reviewer_lets_a_change_land_having_seen_diff_plan_report_and_test(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("APPROVE\n- as planned\n")], settings=REVIEW)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert judgements(folder) == [
        "verified board=verified",
        "started turn=review of=diff number=3 tier=review driver=scripted model=judge-1",
        "ended turn=review outcome=finished answer=approve",
        'approved of=diff by="review judge-1" why="as planned"',
        "landed board=done",
    ]
    asked = prompt_of(tmp_path, "3-review")
    for part in ("+a.dat", "Create `a.dat`", "**Gotchas:** none", "it ran"):
        assert part in asked, part


def test_a_reviewer_works_on_a_copy_of_the_tree_that_would_land(tmp_path: Path) -> None:
    look = says("", run='test -f a.dat && git diff HEAD --quiet; echo APPROVE > "$ORCH_TODO"; echo harm > a.dat')
    folder = reviewed(tmp_path / "repo", [TASK], [look], settings=REVIEW)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert git(folder, "show", f"{BRANCH}:a.dat") == "a.dat"


def test_a_refused_change_goes_back_with_the_reasons(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",), test=TASK.test, turns=(planning(TASK), working(TASK), working(TASK, "retry")))
    answers = [says("REVISE\n- a.dat:1: say more\n"), says("APPROVE\n")]
    folder = reviewed(tmp_path / "repo", [task], answers, settings=REVIEW)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert prompt_of(tmp_path, "4-retry").startswith("FAILED VERIFICATION: a.dat:1: say more")
    assert "accept: 1" in todo(folder, KEY)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([says("Fine!\n")], "its reviewer gave no answer: it begins with"),
        ([says("", exit=3), says("", exit=4)], "its reviewer died twice, the last time: it ended as failed (exit 4)"),
    ],
    ids=["no answer", "dies"],
)
def test_a_change_without_an_answer_waits_for_a_person(
    tmp_path: Path, answers: list[dict[str, object]], why: str
) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], answers, settings=REVIEW)
    rests = run_orch(folder, "next-wave", "--auto")
    assert rests.code == 3, rests
    assert board(folder) == {KEY: "verified"}
    assert why in run_orch(folder, "gate").out
    assert run_orch(folder, "next-wave", "--auto").code == 3
    assert run_orch(folder, "approve", KEY).code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0


def test_reviewed_changes_of_one_wave_land_in_line(tmp_path: Path) -> None:
    tasks = [Task(name, (f"{name}.dat",)) for name in ("1", "2", "3")]
    folder = reviewed(tmp_path / "repo", tasks, [says("APPROVE\n", delay=0.3)], settings=REVIEW)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert len(landed(folder)) == 3
    asked = [line for task in tasks for line in events(folder, task.key) if line.startswith("started turn=review")]
    assert len(asked) == 3, asked


@pytest.fixture(scope="module")
def spawn_of_review(tmp_path_factory: pytest.TempPathFactory) -> int:
    """The step in which the reviewer is spawned: after plan, work and test."""
    folder = tmp_path_factory.mktemp("whole")
    log = folder / "effects.log"
    made = reviewed(folder / "repo", [TASK], [says("APPROVE\n")], settings=REVIEW)
    assert run_orch(made, "next-wave", effects={"log": str(log)}).code == 0
    lines = log.read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if "spawn" in line][3]


@pytest.mark.parametrize("offset", [-8, -4, -1, 0, 2, 4, 7])
def test_a_kill_around_a_review_changes_nothing_of_its_end(tmp_path: Path, spawn_of_review: int, offset: int) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("APPROVE\n")], settings=REVIEW)
    killed = run_orch(folder, "next-wave", effects={"kill": spawn_of_review + offset, "when": "after"})
    assert killed.code == -signal.SIGKILL, killed
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]
    assert list(run_folder(tmp_path / "repo", os.environ, "").glob("*/review/*")) == []


def test_a_change_is_reviewed_by_a_worker_of_ones_own(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [], settings=REVIEW, reviewer="review: {driver: manual}")
    first = run_orch(folder, "next-wave")
    assert first.code == 3, first
    turn, worktree, prompt = handed_out(first)[KEY]
    assert turn == "review"
    assert (worktree / "a.dat").is_file()
    (prompt.parent / "answer.md").write_text("APPROVE\n", "utf-8")
    assert run_orch(folder, "next-wave").code == 0
