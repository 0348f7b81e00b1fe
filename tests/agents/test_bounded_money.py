"""Limits in money with real programs: Claude Code is told what is left, stops by itself, and that counts no attempt.

What Codex costs is worked out from the prices of the settings.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.agents import agent, serving
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned

pytestmark = pytest.mark.agents

TASK = Task("1", ("a.dat",))
SCRIPT = {
    "rules": [
        {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
        {"name": "helper", "when": {"tools": False}, "reply": "a title"},
        {"name": "look", "when": {"last": "user"}, "reply": [{"tool": "Bash", "input": {"command": "ls"}}]},
        {"name": "plan", "reply": plan_text(TASK)},
    ]
}


def test_a_turn_that_uses_up_the_budget_is_cut_and_due_again_once_it_is_raised(tmp_path: Path) -> None:
    with serving(SCRIPT) as fake:
        made = agent("claude", fake.url, tmp_path / "home")
        worker = json.dumps({**made.worker, "timeout": "60s"})
        settings = "budget: {usd: 0.0002}\n"
        folder = planned(tmp_path / "repo", [TASK], settings=settings, worker=f"small: {worker}")
        left = run_orch(folder, "next-wave", env=made.env)
        assert left.code == 5, left
        todo = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
        assert " cap=0.0002" in todo
        assert re.search(r"ended turn=plan outcome=limit next=plan why=\"the budget left it \$0.0002", todo), todo
        assert "budget is used up: $" in left.out and "raise usd under budget" in left.out

        orch_md = folder / "planning" / "ORCH.md"
        orch_md.write_text(orch_md.read_text("utf-8").replace("usd: 0.0002", "usd: 50"), "utf-8")
        left = run_orch(folder, "next-wave", env=made.env)
        assert left.code == 3, left
        todo = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
        assert re.search(r"ended turn=plan outcome=finished usd=0\.\d+ in=\d+ out=\d+\n", todo), todo
        assert "died" not in todo.split("## Log")[1]


def test_the_turns_of_codex_cost_what_the_settings_say_and_a_budget_in_money_holds_for_them(tmp_path: Path) -> None:
    reply = {"steps": [plan_text(TASK)], "usage": {"input": 10_000, "cache_read": 4_000, "output": 100}}
    with serving(
        {"rules": [{"name": "helper", "when": {"tools": False}, "reply": "a title"}, {"reply": reply}]}
    ) as fake:
        made = agent("codex", fake.url, tmp_path / "home")
        price = {"in": 2, "cached": 0.5, "out": 10}
        worker = json.dumps({**made.worker, "timeout": "60s", "price": price})
        settings = "gate: auto\nbudget: {per_task: {usd: 0.01}}\n"
        folder = planned(tmp_path / "repo", [TASK], settings=settings, worker=f"small: {worker}")
        left = run_orch(folder, "next-wave", env=made.env)
        assert left.code == 5, left
        todo = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
        assert re.search(r"ended turn=plan outcome=finished usd=0\.0150 in=10000 out=100 cached=4000\n", todo), todo
        assert "its budget is used up: $0.0150 of $0.01" in left.out, left
        assert "whose turns tell no price" not in left.out
