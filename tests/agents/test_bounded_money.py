"""A limit in money with the real Claude Code: it is told what is left, stops by itself, and that counts no attempt."""

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
