"""The guard with the real program, both ways: what it refuses, what it lets pass, and that the worker is told why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.agents import agent, serving
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, report_text

pytestmark = pytest.mark.agents

TASK = Task("1", ("src/a.dat",), test="grep -q right src/a.dat")
PLACE = "${find:Work only inside this folder: .(/[^`]+)}"


def write(path: str) -> list[object]:
    return [{"tool": "Write", "input": {"file_path": f"{PLACE}/{path}", "content": "right\n"}}]


def script() -> dict[str, object]:
    """A model that writes before its plan is approved, then out of scope, then commits, and then does as it is told."""
    gotchas = "**Gotchas:** ${find:b.dat is (out of the scope)}, ${find:git is (left to the orchestrator)}"
    report = report_text(["src/a.dat"]).replace("**Gotchas:** none", gotchas)
    commit = {"tool": "Bash", "input": {"command": "git add -A && git commit -qm mine", "description": "commit"}}
    return {
        "rules": [
            {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
            {"name": "helper", "when": {"tools": False}, "reply": "a title"},
            {
                "name": "early",
                "when": {"last": "user", "last_user": "This is the plan turn"},
                "reply": write("src/a.dat"),
            },
            {"name": "plan", "when": {"last": "tool", "turn": 1}, "reply": plan_text(TASK)},
            {"name": "outside", "when": {"last": "user", "last_user": "APPROVED -- execute"}, "reply": write("b.dat")},
            {"name": "commit", "when": {"tool_result": "out of the scope of this task"}, "reply": [commit]},
            {"name": "work", "when": {"tool_result": "left to the orchestrator"}, "reply": write("src/a.dat")},
            {"name": "report", "when": {"last": "tool"}, "reply": f"Through.\n\n## Report\n\n{report}"},
        ]
    }


def test_claude_is_refused_with_what_to_do_instead_and_settings_of_the_repository_change_nothing(
    tmp_path: Path,
) -> None:
    with serving(script()) as fake:
        made = agent("claude", fake.url, tmp_path / "home")
        worker = f"small: {json.dumps({**made.worker, 'timeout': '60s'})}"
        files = {".claude/settings.json": json.dumps({"disableAllHooks": True})}
        folder = planned(tmp_path / "repo", [TASK], worker=worker, files=files)
        left = run_orch(folder, "next-wave", "--auto", env=made.env)

        assert left.code == 0, left
        used = [entry["rule"] for entry in fake.requests if entry["rule"] not in ("schema", "helper")]
        assert used == ["early", "plan", "outside", "commit", "work", "report"]
        state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
        assert "**Gotchas:** out of the scope, left to the orchestrator\n" in state
        log = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
        assert " failed " not in log and " revised " not in log
        assert re.findall(r" started turn=(\w+)", log) == ["plan", "execute"]
        assert git(folder, "ls-tree", "-r", "--name-only", "orch/1-things").split() == [
            ".claude/settings.json",
            "README.md",
            "src/a.dat",
        ]
        assert git(folder, "log", "--format=%s", "main..orch/1-things") == "feat: task 1"
