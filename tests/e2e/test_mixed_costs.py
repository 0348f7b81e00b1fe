"""Workers of several kinds in one run: what each tells of its use, what the settings price, what stays unknown."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, report_text
from tests.support.recordings import Recorded
from tests.support.stub_agent import said, stub_agent

ID = "0a1b2c3d-0000-4000-8000-000000000001"
TASKS = tuple(Task(tier, (f"{tier}.dat",), extra=f"- **Tier:** {tier}") for tier in ("small", "mid", "frontier"))
PRICE = {"in": 2, "cached": 0.5, "out": 10}


def words(task: Task) -> tuple[str, str]:
    """What a worker of the task says at the end of its plan turn, and of its work."""
    return plan_text(task), f"Through.\n\n## Report\n\n{report_text(task.creates)}"


def claude(task: Task) -> list[Recorded]:
    return [said(text, session=ID, usd=usd) for text, usd in zip(words(task), (0.25, 0.5), strict=True)]


def codex(task: Task) -> list[Recorded]:
    """It counts over the whole thread: the second turn's sum holds the first one's."""
    turns = []
    for text, times in zip(words(task), (1, 3), strict=True):
        usage = {"input_tokens": 10_000 * times, "cached_input_tokens": 4_000 * times, "output_tokens": 100 * times}
        message = {"type": "item.completed", "item": {"type": "agent_message", "text": text}}
        begun = {"type": "thread.started", "thread_id": ID}
        turns.append(Recorded((begun, message, {"type": "turn.completed", "usage": usage})))
    return turns


def copilot(task: Task) -> list[Recorded]:
    """It tells neither tokens nor a price."""
    end = {"type": "result", "exitCode": 0, "sessionId": ID, "usage": {"premiumRequests": 1}}
    said_ = [{"type": "assistant.message", "data": {"model": "m", "content": text}} for text in words(task)]
    return [Recorded((one, end)) for one in said_]


KINDS = {"claude": claude, "codex": codex, "copilot": copilot}


def mixed(tmp_path: Path, *, settings: str = "", price: dict[str, float] | None = None) -> Path:
    lines = []
    for task, (name, turns) in zip(TASKS, KINDS.items(), strict=True):
        plan, work = turns(task)
        work = Recorded(work.lines, then=f"echo x > {task.creates[0]}")
        stub = stub_agent(tmp_path / name, [plan, work])
        worker: dict[str, object] = {"driver": name, "program": stub.program, "timeout": "60s"}
        lines.append(f"{task.id}: {json.dumps(worker | ({'price': price} if price and name == 'codex' else {}))}")
    return planned(tmp_path / "repo", TASKS, settings=f"jobs: 1\n{settings}", worker="\n  ".join(lines))


def table(folder: Path) -> list[str]:
    """The table without its times, blanks folded."""
    lines = run_orch(folder, "status", "--cost").out.split("\n")[2:]
    return [re.sub(r" {2,}", "  ", re.sub(r"  +\d+[smh]( \d+m)?  ", "  ", line)) for line in lines if line]


def test_what_each_kind_tells_is_summed_priced_and_what_none_tells_is_said_at_every_level(tmp_path: Path) -> None:
    folder = mixed(tmp_path, settings="budget: {usd: 5, tokens: 1M}\n", price=PRICE)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    log = (folder / "planning" / "tasks" / "1.1.mid.todo.md").read_text("utf-8")
    # 6,000 at 2, 4,000 at 0.5 and 100 at 10 dollars a million; then twice that.
    assert "ended turn=plan outcome=finished usd=0.0150 in=10000 out=100 cached=4000\n" in log
    assert " usd=0.0300 in=20000 out=200 cached=8000" in log
    assert "cost: {input: 30000, output: 300, usd: 0.0450}\n" in log
    assert table(folder) == [
        "all  6  at least 32k  at least 340  at least $0.7950",
        "tier small  2  2k  40  $0.75",
        "tier mid  2  30k  300  $0.0450",
        "tier frontier  2  unknown  unknown  unknown",
        "wave 1  6  at least 32k  at least 340  at least $0.7950",
        "1.1.small small  2  2k  40  $0.75",
        "1.1.mid mid  2  30k  300  $0.0450",
        "1.1.frontier frontier  2  unknown  unknown  unknown",
        "unknown: the price of 2 turns, the tokens of 2 turns",
        "budget: at least $0.7950 of $5; at least 32.3k of 1M tokens",
    ]
    document = run_orch(folder, "status", "--cost", "--json").document
    turns = {one["task"]: [turn["usd"] for turn in one["by_turn"]] for one in document["tasks"]}  # type: ignore[attr-defined]
    assert turns == {"1.1.small": [0.25, 0.5], "1.1.mid": [0.015, 0.03], "1.1.frontier": [None, None]}
    whole = document["all"]
    assert isinstance(whole, dict)
    assert [whole[name] for name in ("usd", "unpriced", "uncounted", "partial")] == [0.795, 2, 2, 0]
    told = "leaves out copilot, whose turns tell"
    assert f"the budget in usd {told} neither price nor tokens: limit time or tasks too" in left.out
    assert f"the budget in tokens {told} none: limit time or tasks too" in left.out
    assert "1.1.mid done" in left.out and "$0.0450" in left.out and "cost unknown" in left.out


def test_without_a_price_the_turns_of_a_program_that_tells_none_are_unknown_and_the_budget_says_so(
    tmp_path: Path,
) -> None:
    folder = mixed(tmp_path, settings="budget: {usd: 5}\n")
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    way = "give its worker a price:, or limit tokens or time too"
    assert f"the budget in usd leaves out codex, whose turns tell no price: {way}" in left.out
    assert "price unknown (30000 tokens in, 300 out)" in left.out
    assert [line for line in table(folder) if "mid" in line] == [
        "tier mid  2  30k  300  unknown",
        "1.1.mid mid  2  30k  300  unknown",
    ]


def test_a_budget_in_money_holds_for_a_program_whose_price_stands_in_the_settings(tmp_path: Path) -> None:
    folder = mixed(tmp_path, settings="budget: {per_task: {usd: 0.01}}\n", price=PRICE)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 5, left
    assert "1.1.mid approved Task mid: its budget is used up: $0.0150 of $0.01" in run_orch(folder, "status").out


def test_a_price_for_a_program_that_tells_no_tokens_is_refused_with_what_to_do(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASKS[0]], worker="small: {driver: copilot, price: {in: 1, out: 2}}")
    left = run_orch(folder, "check")
    assert left.code == 1
    told = "`price` can't be used with copilot, whose turns tell no tokens: take it out"
    assert f"planning/ORCH.md:3:19: error: workers: small: {told}" in left.out + left.err
