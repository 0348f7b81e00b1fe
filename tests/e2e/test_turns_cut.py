"""A turn at work that has used what a limit leaves it is ended, its work kept, and goes on once the limit is raised."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.e2e.test_budgets import next_wave, set_budget, todo
from tests.e2e.test_edits_during_a_run import running
from tests.process.runs import until
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, report_text
from tests.support.priced import calls, priced

TASK = Task("1", ("a.dat",))
WORK = {"files": {"a.dat": "x\n"}, "report": report_text(["a.dat"])}
USES = {
    "type": "assistant",
    "message": {"id": "m1", "usage": {"input_tokens": 6000, "cache_read_input_tokens": 2000, "output_tokens": 1}},
}
PRICE = ", price: {in: 10, cached: 1, out: 10}"


def repository(tmp_path: Path, budget: str, *, price: str = "", settings: str = "", **turns: object) -> Path:
    """A task whose first work turn uses 8,000 tokens and then says nothing more for a minute."""
    hangs = {"events": [USES], "delay": 60, "early": {"a.dat": "half\n"}, **WORK}
    told = {"plan": {"plan": plan_text(TASK)}, "execute": [hangs, WORK], "review": {"text": "APPROVE\n"}, **turns}
    worker = priced(tmp_path / "program", {TASK.key: told}).removesuffix("}") + f"{price}}}"
    workers = f"small: {worker}" + (f"\n  review: {worker}" if "review" in settings else "")
    return planned(tmp_path / "repo", [TASK], settings=f"{settings}{budget}", worker=workers)


@pytest.mark.parametrize(
    ("budget", "price", "said", "raised"),
    [
        ("budget: {tokens: 5000}\n", "", "the budget is used up: 9k of 5k tokens", "budget: {tokens: 90000}\n"),
        ("budget: {per_task: {usd: 0.06}}\n", PRICE, "its budget is used up: $0.0722 of $0.06", "budget: {usd: 9}\n"),
    ],
)
def test_it_is_ended_gently_its_work_stays_and_no_attempt_is_counted(
    tmp_path: Path, budget: str, price: str, said: str, raised: str
) -> None:
    folder = repository(tmp_path, budget, price=price)
    begun = time.monotonic()
    left = next_wave(folder)
    assert left.code == 5, left
    assert time.monotonic() - begun < 50
    usd = "unknown" if not price else "0.0620"
    assert re.search(rf'cut turn=execute why="{re.escape(said)}"', todo(folder)), todo(folder)
    ended = (
        f'ended turn=execute outcome=limit next=execute why="{said}" usd={usd} in=8000 out=0 cached=2000 partial=yes'
    )
    assert ended in todo(folder)
    assert "died" not in todo(folder).split("## Log")[1]
    assert "budget is used up: at least" in left.out
    assert left.out.endswith(
        f"{'first: raise tokens under budget' if not price else 'first: raise usd under budget: per_task'}"
        " in planning/ORCH.md\nnext: orch next-wave\n"
    )
    kept = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch/*/1.1.1/turn-2")
    assert git(folder, "show", f"{kept}:a.dat") == "half"
    lines = run_orch(folder, "status", "--cost").out.split("\n")
    assert any(line.startswith("unknown: ") and "what was used last in 1 turn" in line for line in lines), lines

    set_budget(folder, raised)
    left = next_wave(folder)
    assert left.code == 0, left
    assert [call[1] for call in calls(tmp_path / "program")] == ["plan", "execute", "execute"]


def test_a_reviewer_that_is_ended_by_a_limit_is_asked_again_and_not_to_blame(tmp_path: Path) -> None:
    hangs = {"events": [USES], "delay": 60, "text": "APPROVE\n"}
    folder = repository(
        tmp_path,
        "budget: {tokens: 5000}\n",
        settings="gate: review\n",
        review=[hangs, {"text": "APPROVE\n"}],
        execute=WORK,
    )
    left = next_wave(folder)
    assert left.code == 5, left
    assert 'ended turn=review outcome=limit next=review why="the budget is used up: 9k of 5k tokens"' in todo(folder)
    set_budget(folder, "budget: {tokens: 90000}\n")
    left = next_wave(folder)
    assert left.code == 0, left
    assert [call[1] for call in calls(tmp_path / "program")] == ["plan", "review", "review", "execute"]


def test_what_was_to_be_ended_when_orch_was_killed_is_ended_by_the_next_call(tmp_path: Path) -> None:
    hangs = {"events": [USES], "delay": 60, "stubborn": True, **WORK}
    folder = repository(tmp_path, "budget: {tokens: 5000}\n", execute=[hangs, WORK])
    with running(folder):
        until((folder / "planning/tasks/1.1.1.todo.md").exists, 60)
        until(lambda: " cut turn=execute" in todo(folder), 60)
    assert " ended turn=execute" not in todo(folder)
    left = next_wave(folder)
    assert left.code == 5, left
    assert todo(folder).count(" cut turn=execute") == 1
    assert "ended turn=execute outcome=limit next=execute" in todo(folder)
