"""`gate: review`: a worker judges micro-plans, and its answer counts only in its form and for what it was asked."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from orchestrator.store.layout import run_folder
from tests.e2e.test_edits_during_a_run import running, until
from tests.e2e.test_hosted import handed_out
from tests.e2e.test_ladder import events
from tests.e2e.test_life_of_a_task import board, landed, set_cell, todo
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planning, working
from tests.support.reviewed import KEY, reviewed, says

TASK = Task("1", ("a.dat",))
FINE = says("APPROVE\n- step 1 is all of it\n")


def prompt_of(tmp_path: Path, turn: str) -> str:
    found = list(run_folder(tmp_path / "repo", os.environ, "").rglob(f"{KEY}/{turn}/prompt.md"))
    assert len(found) == 1, found
    return found[0].read_text("utf-8")


def copies(tmp_path: Path) -> list[Path]:
    """What lies where reviewers work."""
    return list(run_folder(tmp_path / "repo", os.environ, "").glob("*/review/*"))


def reviews(folder: Path) -> list[str]:
    """The log lines of reviews, and what came of them."""
    lines = [line for line in events(folder) if "review" in line or line.startswith("planned")]
    return [" ".join(word for word in line.split(" ") if not word.startswith("asked=")) for line in lines]


def test_an_approval_is_recorded_with_its_reasons_and_what_the_reviewer_changes_is_thrown_away(tmp_path: Path) -> None:
    harm = says("APPROVE\n- all of it\n  in one step\n- small\n", files={"a.dat": "harm\n", "README.md": "harm\n"})
    folder = reviewed(tmp_path / "repo", [TASK], [harm])
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert "plan approved by review judge-1" in done.out
    assert landed(folder) == ["feat: task 1"]
    assert git(folder, "show", "orch/1-things:a.dat") == "a.dat"
    assert git(folder, "diff", "--stat", "main", "orch/1-things", "--", "README.md") == ""
    assert reviews(folder) == [
        "planned steps=2 warnings=0 board=plan-ready",
        "started turn=review of=plan number=2 tier=review driver=scripted model=judge-1",
        "ended turn=review outcome=finished answer=approve",
        'approved by="review judge-1" why="all of it in one step; small" board=approved',
    ]
    text = todo(folder, KEY)
    assert "approved_by: review judge-1\n" in text
    assert "approved_why: all of it in one step; small\n" in text
    assert "driver: scripted\n" in text
    assert copies(tmp_path) == []
    asked = prompt_of(tmp_path, "2-review")
    assert "Create `a.dat`" in asked
    assert "Do it." in asked, "the spec"


def test_a_refusal_sends_the_plan_back_with_its_reasons(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("REVISE\n- step 2: say what the file holds\n"), FINE])
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert 'revised by="review judge-1" why="step 2: say what the file holds" board=planning' in reviews(folder)
    assert "step 2: say what the file holds" in prompt_of(tmp_path, "3-plan")
    assert landed(folder) == ["feat: task 1"]


def test_after_two_refusals_a_third_leaves_the_plan_to_the_orchestrator(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says(f"REVISE\n- reason {number}\n") for number in (1, 2, 3, 4)])
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    why = "its reviewer would send it back again, after 2 times: reason 3"
    assert board(folder) == {KEY: "plan-ready"}
    assert why in run_orch(folder, "gate").out
    assert run_orch(folder, "next-wave").code == 3
    assert len([line for line in events(folder) if "turn=review" in line]) == 6, "it isn't asked a fourth time"
    own = tmp_path / "own.md"
    own.write_text(plan_text(TASK), "utf-8")
    assert run_orch(folder, "takeover", KEY, "--file", str(own)).code == 0
    assert run_orch(folder, "next-wave").code == 0


def test_unattended_a_third_refusal_gives_the_task_to_the_next_tier(tmp_path: Path) -> None:
    refusals = [says(f"REVISE\n- reason {number}\n") for number in (1, 2, 3)]
    folder = reviewed(tmp_path / "repo", [TASK], [*refusals, FINE], settings="", tiers=("small", "mid"))
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert "no review worker is configured" not in done.out
    escalated = next(line for line in events(folder) if line.startswith("escalated"))
    assert escalated == "escalated from=small to=mid next=plan board=pending"
    assert "tier: mid\n" in todo(folder, KEY)


NO_ANSWERS = {
    "chat": ("Looks good to me!\n", 'it begins with "Looks good to me!", not with APPROVE or REVISE'),
    "silence": ("", "it said nothing"),
    "both": ("APPROVE\nREVISE\n- no\n", '"REVISE" stands below APPROVE, where only a list of reasons may stand'),
    "no reason": ("REVISE\n", "REVISE stands there without a reason"),
}


@pytest.mark.parametrize("case", NO_ANSWERS)
def test_anything_else_is_no_answer_and_the_plan_waits_for_a_person(tmp_path: Path, case: str) -> None:
    text, why = NO_ANSWERS[case]
    folder = reviewed(tmp_path / "repo", [TASK], [says(text)])
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    said = f"its reviewer gave no answer: {why}"
    assert said in run_orch(folder, "gate").out
    assert run_orch(folder, "next-wave").code == 3
    assert len([line for line in events(folder) if line.startswith("started turn=review")]) == 1
    assert run_orch(folder, "approve", KEY).code == 0
    assert run_orch(folder, "next-wave").code == 0


def test_an_answer_in_the_file_counts_instead_of_what_was_printed(tmp_path: Path) -> None:
    chatty = says("thinking …\n", run='printf "APPROVE\\n" > "$ORCH_TODO"')
    folder = reviewed(tmp_path / "repo", [TASK], [chatty])
    assert run_orch(folder, "next-wave").code == 0


def test_a_reviewer_that_dies_is_asked_once_more_and_costs_the_task_nothing(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("APPROVE\n", exit=3), FINE])
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert 'ended turn=review outcome=failed why="it ended as failed (exit 3): APPROVE"' in events(folder)
    assert "died: 0" in todo(folder, KEY) or "counts:" not in todo(folder, KEY)


def test_a_reviewer_that_dies_twice_leaves_the_plan_to_a_person(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("", exit=3), says("", run="kill -9 $PPID"), FINE])
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    assert "its reviewer died twice, the last time: it ended as" in run_orch(folder, "gate").out
    assert run_orch(folder, "next-wave").code == 3
    assert board(folder) == {KEY: "plan-ready"}


def test_a_plan_with_an_error_is_never_given_to_a_reviewer(tmp_path: Path) -> None:
    bad = {"turn": "plan", "plan": plan_text(TASK, steps=["Edit `pkg/other.py`", "Run `true`"])}
    folder = reviewed(tmp_path / "repo", [Task("1", ("a.dat",), turns=(bad, bad))], [FINE])
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    assert not [line for line in events(folder) if "turn=review" in line]
    assert "orch approve 1.1.1 --force" in run_orch(folder, "gate").out


def test_an_approval_against_an_error_is_void(tmp_path: Path) -> None:
    todo_file = tmp_path / "repo" / "planning" / "tasks" / f"{KEY}.todo.md"
    harm = says("APPROVE\n", run=f"printf '\\n## Findings\\n\\n- error: out of scope\\n' >> {todo_file}")
    folder = reviewed(tmp_path / "repo", [TASK], [harm])
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    assert 'ended turn=review outcome=finished answer=void why="the plan was changed after it was asked"' in events(
        folder
    )
    assert board(folder) == {KEY: "plan-ready"}
    assert "error: out of scope" in run_orch(folder, "gate").out


def test_a_plan_that_was_changed_while_its_reviewer_read_it_is_reviewed_again(tmp_path: Path) -> None:
    todo_file = tmp_path / "repo" / "planning" / "tasks" / f"{KEY}.todo.md"
    change = f"sed -i 's/Create `a.dat`/Create `a.dat` with care/' {todo_file}"
    folder = reviewed(tmp_path / "repo", [TASK], [says("APPROVE\n", run=change), FINE])
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert [line for line in reviews(folder) if line.startswith("ended")] == [
        'ended turn=review outcome=finished answer=void why="the plan was changed after it was asked"',
        "ended turn=review outcome=finished answer=approve",
    ]
    assert "with care" in prompt_of(tmp_path, "3-review")
    assert "with care" not in prompt_of(tmp_path, "2-review")


def test_a_plan_that_was_changed_after_its_approval_goes_back_to_the_gate(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [FINE, says("REVISE\n- no care is needed\n"), FINE])
    assert run_orch(folder, "next-wave", "--until", "plan").code == 3
    assert board(folder) == {KEY: "approved"}
    path = folder / "planning" / "tasks" / f"{KEY}.todo.md"
    path.write_text(path.read_text("utf-8").replace("Create `a.dat`", "Create `a.dat` with care"), "utf-8")
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert 'planned why="the plan was changed after it was approved" board=plan-ready' in events(folder)
    assert "with care" in prompt_of(tmp_path, "3-review")


def review_begun(folder: Path) -> None:
    until(folder, KEY, "plan-ready")
    for _ in range(1200):
        if "pid:" in todo(folder, KEY) and "turn=review" in todo(folder, KEY):
            return
        time.sleep(0.02)
    raise AssertionError(todo(folder, KEY))


def test_a_review_outlives_a_killed_orch_and_is_taken_in_by_the_next_call(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("APPROVE\n", delay=2)])
    with running(folder):
        review_begun(folder)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert len([line for line in events(folder) if line.startswith("started turn=review")]) == 1


def test_a_person_may_answer_before_the_reviewer_does(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("REVISE\n- no\n", delay=30)])
    begun = time.monotonic()
    with running(folder) as left:
        review_begun(folder)
        assert run_orch(folder, "approve", KEY).code == 0
        done = left()
    assert done.code == 0, done
    assert time.monotonic() - begun < 25, "the reviewer was ended"
    assert "approved_by: session" in todo(folder, KEY)


def test_an_approval_in_the_cell_waits_until_the_reviewer_has_ended(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("", delay=2)])
    with running(folder):
        review_begun(folder)
    set_cell(folder, KEY, "approved")
    refused = run_orch(folder, "next-wave", "--dry-run")
    assert refused.code in (0, 1), refused
    done = run_orch(folder, "next-wave")
    assert done.code == 3, done
    assert "if it is yours, run orch approve 1.1.1" in done.out


def test_an_answer_that_nobody_asked_for_any_more_is_shown_and_opens_nothing(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [says("APPROVE\n- fine\n", delay=1)])
    with running(folder):
        review_begun(folder)
    settings = folder / "planning" / "ORCH.md"
    settings.write_text(settings.read_text("utf-8").replace("gate: review", "gate: stop"), "utf-8")
    time.sleep(1.5)
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    assert "its reviewer approves: fine" in run_orch(folder, "gate").out


@pytest.fixture(scope="module")
def spawn_of_review(tmp_path_factory: pytest.TempPathFactory) -> int:
    """The step in which the reviewer is spawned."""
    folder = tmp_path_factory.mktemp("whole")
    log = folder / "effects.log"
    made = reviewed(folder / "repo", [TASK], [FINE])
    assert run_orch(made, "next-wave", effects={"log": str(log)}).code == 0
    lines = log.read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if "spawn" in line][1]


@pytest.mark.parametrize("offset", [-9, -6, -3, -1, 0, 2, 4, 6, 9])
def test_a_kill_around_a_review_changes_nothing_of_its_end(tmp_path: Path, spawn_of_review: int, offset: int) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [FINE])
    killed = run_orch(folder, "next-wave", effects={"kill": spawn_of_review + offset, "when": "after"})
    assert killed.code == -signal.SIGKILL, killed
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]
    assert len([line for line in events(folder) if line.startswith("approved by=")]) == 1
    assert copies(tmp_path) == []


def test_a_reviewer_of_ones_own_answers_in_its_file_or_by_report(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [TASK], [], reviewer="review: {driver: manual}")
    first = run_orch(folder, "next-wave")
    assert first.code == 3, first
    turn, worktree, prompt = handed_out(first)[KEY]
    assert turn == "review"
    assert (worktree / "README.md").is_file()
    assert run_orch(folder, "prompt", KEY).out == prompt.read_text("utf-8")
    (prompt.parent / "answer.md").write_text("REVISE\n- say more\n", "utf-8")
    second = run_orch(folder, "next-wave")
    assert handed_out(second)[KEY][0] == "review"
    answer = tmp_path / "answer.md"
    answer.write_text("APPROVE\n", "utf-8")
    assert run_orch(folder, "report", KEY, "--file", str(answer)).code == 0
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert 'approved by="review manual" board=approved' in events(folder)


def test_any_program_can_review(tmp_path: Path) -> None:
    command = 'review: {driver: command, review: [sh, -c, "grep -q a.dat && echo APPROVE"]}'
    folder = reviewed(tmp_path / "repo", [TASK], [], reviewer=command)
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    assert 'approved by="review command" board=approved' in events(folder)


def test_a_question_is_a_persons_and_no_reviewer_is_asked(tmp_path: Path) -> None:
    asks = planning(TASK, plan=plan_text(TASK).replace("## Questions\n", "## Questions\n- **Q1** which?\n"))
    folder = reviewed(tmp_path / "repo", [Task("1", ("a.dat",), turns=(asks, working(TASK)))], [FINE])
    parked = run_orch(folder, "next-wave")
    assert parked.code == 3, parked
    assert not [line for line in events(folder) if "turn=review" in line]
