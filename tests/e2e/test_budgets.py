"""What workers use is written down turn by turn, and past a limit nothing more is started, by whole calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, report_text
from tests.support.priced import calls, priced

TASKS = (Task("1", ("a.dat",)), Task("2", ("b.dat",)))
ALL_DONE = "feat: task 2\nfeat: task 1"


def turns(*, usd: float = 0.25, **more: object) -> dict[str, dict[str, dict[str, object]]]:
    """What the program does for both tasks; `more` changes the execute turn of the first."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for task in TASKS:
        (name,) = task.creates
        work = {"files": {name: "x\n"}, "report": report_text([name]), "usd": usd}
        plan = {"plan": plan_text(task), "usd": usd}
        found[task.key] = {"plan": plan, "execute": work, "retry": work, "review": {"text": "APPROVE\n", "usd": usd}}
    first = found[TASKS[0].key]
    first["execute"] = {**first["execute"], **more}
    return found


def repository(tmp_path: Path, budget: str, *, settings: str = "", **more: object) -> Path:
    worker = priced(tmp_path / "program", turns(**more))
    workers = f"small: {worker}" + (f"\n  review: {worker}" if "review" in settings else "")
    return planned(tmp_path / "repo", TASKS, settings=f"jobs: 1\n{budget}{settings}", worker=workers)


def next_wave(folder: Path, *words: str) -> Left:
    return run_orch(folder, "next-wave", "--auto", *words)


def todo(folder: Path, key: str = "1.1.1") -> str:
    return (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")


def set_budget(folder: Path, text: str) -> None:
    path = folder / "planning" / "ORCH.md"
    path.write_text(re.sub(r"budget: .*\n", text, path.read_text("utf-8")), "utf-8")


def test_every_turn_is_in_the_files_and_in_the_table(tmp_path: Path) -> None:
    folder = repository(tmp_path, "", settings="gate: review\n")
    assert next_wave(folder).code == 0
    used = "outcome=finished{}usd=0.2500 in=1000 out=20"
    assert re.findall(r" ended turn=(\w+) ", todo(folder)) == ["plan", "review", "execute"]
    assert len(re.findall(used.format(" (?:answer=approve )?"), todo(folder))) == 3
    assert "cost: {input: 3000, output: 60, usd: 0.7500}\n" in todo(folder)
    table = run_orch(folder, "status", "--cost")
    assert (table.code, table.err) == (0, "")
    sums = {line[:12].strip(): line[12:].split() for line in table.out.split("\n")[2:] if line}
    assert {name: (cells[0], *cells[2:]) for name, cells in sums.items()} == {
        "all": ("6", "6k", "120", "$1.50"),
        "tier small": ("4", "4k", "80", "$1"),
        "tier review": ("2", "2k", "40", "$0.50"),
        "wave 1": ("6", "6k", "120", "$1.50"),
        "1.1.1 small": ("3", "3k", "60", "$0.75"),
        "1.1.2 small": ("3", "3k", "60", "$0.75"),
    }
    document = run_orch(folder, "status", "--cost", "--json").document
    assert (document["outcome"], document["all"]) == (
        "cost",
        {
            "turns": 6,
            "running": 0,
            "input": 6000,
            "output": 120,
            "uncounted": 0,
            "usd": 1.5,
            "unpriced": 0,
            "partial": 0,
            "seconds": document["all"]["seconds"],  # type: ignore[index]
        },
    )


@pytest.mark.parametrize(
    ("limit", "raised", "ran", "said"),
    [
        ("usd: 0.5", "usd: 9", 2, "$0.50 of $0.50"),
        ("tokens: 1600", "tokens: 9M", 2, "2k of 1.6k tokens"),
        ("tasks: 1", "tasks: 2", 2, "1 of 1 tasks begun"),
        ("per_task: {usd: 0.25}", "per_task: {usd: 5}", 2, "$0.25 of $0.25"),
    ],
)
def test_past_a_limit_nothing_is_started_until_it_is_raised(
    tmp_path: Path, limit: str, raised: str, ran: int, said: str
) -> None:
    folder = repository(tmp_path, f"budget: {{{limit}}}\n")
    left = next_wave(folder)
    assert left.code == 5, left
    assert len(calls(tmp_path / "program")) == ran
    assert f"budget is used up: {said}" in left.out
    name = limit.split(":")[0]
    where = "budget: per_task" if name == "per_task" else "budget"
    name = "usd" if name == "per_task" else name
    hint = f"first: raise {name} under {where} in planning/ORCH.md\nnext: orch next-wave\n"
    assert left.out.endswith(hint), left
    seen = run_orch(folder, "status")
    assert f"budget is used up: {said}" in seen.out and seen.out.endswith(hint), seen
    assert run_orch(folder, "next-wave", "--auto", "--dry-run", "--json").document["actions"] == []
    assert run_orch(folder, "wait").code == 5
    again = next_wave(folder)
    assert (again.code, len(calls(tmp_path / "program"))) == (5, ran)

    set_budget(folder, f"budget: {{{raised}}}\n")
    left = next_wave(folder)
    assert left.code == 0, left
    assert sorted(git(folder, "log", "--format=%s", "main..orch/1-things").split("\n")) == sorted(ALL_DONE.split("\n"))


def test_a_turn_that_is_at_work_when_the_limit_is_reached_ends_normally_and_lands(tmp_path: Path) -> None:
    folder = repository(tmp_path, "budget: {usd: 0.4}\n")
    left = next_wave(folder)
    assert left.code == 5, left
    assert git(folder, "log", "--format=%s", "main..orch/1-things") == "feat: task 1"
    assert [call[:2] for call in calls(tmp_path / "program")] == [["1.1.1", "plan"], ["1.1.1", "execute"]]


def test_the_program_is_told_what_is_left_and_using_it_up_counts_no_attempt(tmp_path: Path) -> None:
    more = {"subtype": "error_max_budget_usd", "usd": 0.4}
    folder = repository(tmp_path, "budget: {usd: 0.65}\n", **more)
    left = next_wave(folder)
    assert left.code == 5, left
    bounds = [call[call.index("--max-budget-usd") + 1] for call in calls(tmp_path / "program")]
    assert bounds == ["0.6500", "0.2500"]
    told = 'outcome=limit next=execute why="the budget left it $0.25, which it has used"'
    assert f"ended turn=execute {told}" in todo(folder)
    assert "died" not in todo(folder).split("## Log")[1]
    assert "died: 0" in todo(folder) or "counts:" not in todo(folder)


def test_what_a_killed_turn_cost_is_unknown_everywhere_and_never_zero(tmp_path: Path) -> None:
    folder = repository(tmp_path, "", killed=True)
    left = next_wave(folder)
    assert left.code == 4, left
    assert len(re.findall(r"outcome=failed usd=unknown in=unknown out=unknown\n", todo(folder))) == 2
    assert "cost: {input: at least 1000, output: at least 20, usd: at least 0.2500}\n" in todo(folder)
    lines = run_orch(folder, "status", "--cost").out.split("\n")
    (mine,) = [line for line in lines if line.startswith("1.1.1 ")]
    assert mine.split("  ")[-3:] == ["at least 1k", "at least 20", "at least $0.25"]
    assert "unknown: the price of 2 turns, the tokens of 2 turns" in lines
    assert "at least $0.2500" in left.out


def test_a_limit_in_money_says_which_workers_it_leaves_out(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASKS[0]], settings="budget: {usd: 5}\n")
    left = next_wave(folder)
    assert left.code == 0, left
    assert (
        "the budget in usd leaves out scripted, whose turns tell neither price nor tokens: limit time or tasks too"
    ) in left.out
    limited = planned(tmp_path / "limited", [TASKS[0]], settings="budget: {usd: 5, tasks: 3}\n")
    assert "scripted, whose turns tell neither price nor tokens\n" in next_wave(limited).out
    assert "unknown" in run_orch(folder, "status", "--cost").out
