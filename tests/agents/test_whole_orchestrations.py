"""Whole orchestrations by real agent programs against the scripted model server, on loopback only.

The script plays a model that plans, is sent back, is approved, does it wrong, and mends it after the failing test. In
its first answer it says a word that stands in no plan: only a session that goes on can quote it in the last report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import PINNED, agent, serving
from tests.support.endings import git
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, report_text

pytestmark = [pytest.mark.agents, pytest.mark.parametrize("name", PINNED)]

TASK = Task("1", ("a.dat",), test="grep -q right a.dat")
BRANCH = "orch/1-things"
PLACE = "${find:Work only inside this folder: .(/[^`]+)}"
"""The worktree, from the prompt of the plan turn: in later turns only a session that goes on holds it."""


def writing(text: str) -> dict[str, list[object]]:
    """By program: the tool call that writes a.dat."""
    path = f"{PLACE}/a.dat"
    patch = f"*** Begin Patch\n*** Add File: a.dat\n+{text}\n*** End Patch\n"
    return {
        "claude": [{"tool": "Write", "input": {"file_path": path, "content": f"{text}\n"}}],
        "codex": [{"tool": "apply_patch", "input": patch}],
        "gemini": [{"tool": "write_file", "input": {"file_path": path, "content": f"{text}\n"}}],
    }


def script(name: str) -> dict[str, object]:
    report = report_text(["a.dat"]).replace("**Gotchas:** none", "**Gotchas:** I said ${find:quail-[0-9a-f-]+}")
    plan = plan_text(TASK)
    return {
        "rules": [
            {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
            {"name": "helper", "when": {"tools": False}, "reply": "a title"},
            {
                "name": "plan",
                "when": {"last": "user", "last_user": "This is the plan turn"},
                "reply": "I looked around: quail-${uuid}.\n\n" + plan,
            },
            {
                "name": "revise",
                "when": {"last": "user", "last_user": "is not approved yet"},
                "reply": plan.replace("## Notes\n", "## Notes\n- As you said.\n"),
            },
            {
                "name": "work",
                "when": {"last": "user", "last_user": "APPROVED -- execute the plan as written."},
                "reply": writing("wrong")[name],
            },
            {
                "name": "retry",
                "when": {"last": "user", "last_user": "FAILED VERIFICATION"},
                "reply": writing("right")[name],
            },
            {"name": "report", "when": {"last": "tool"}, "reply": f"I am through.\n\n## Report\n\n{report}"},
            {"name": "rest", "reply": "nothing to do"},
        ]
    }


def prepared(tmp_path: Path, name: str, url: str, **more: object) -> tuple[Path, Mapping[str, str]]:
    """A repository with one task whose worker is that program, and the environment for orch."""
    made = agent(name, url, tmp_path / "home")
    worker = json.dumps({**made.worker, "timeout": "60s", **more})
    return planned(tmp_path / "repo", [TASK], worker=f"small: {worker}"), made.env


def todo(folder: Path) -> str:
    return (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")


def rules(fake: Any) -> list[str]:
    return [entry["rule"] for entry in fake.requests if entry["rule"] not in ("schema", "helper")]


def test_a_task_goes_from_plan_to_landing_in_one_session(tmp_path: Path, name: str) -> None:
    with serving(script(name)) as fake:
        folder, env = prepared(tmp_path, name, fake.url)

        def orch(*words: str) -> Left:
            return run_orch(folder, *words, env=env)

        left = orch("next-wave")
        assert left.code == 3, left
        assert "- [ ] 1. Create `a.dat`" in todo(folder), left
        assert orch("revise", "1.1.1", "-m", "Say that you heard me.").code == 0
        left = orch("next-wave")
        assert left.code == 3, left
        assert "- As you said." in todo(folder), left
        assert orch("approve", "1.1.1").code == 0
        left = orch("next-wave")

        assert left.code == 0, left
        assert rules(fake) == ["plan", "revise", "work", "report", "retry", "report"]
        assert git(folder, "show", f"{BRANCH}:a.dat") == "right"
        assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"
        state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
        assert re.search(r"\*\*Gotchas:\*\* I said quail-[0-9a-f-]{36}\n", state)
        started = re.findall(r" started .*? session=(\w+)", todo(folder))
        assert started == ["new", "resumed", "resumed", "resumed"]
        assert len(re.findall(r" ended .*outcome=finished.* in=\d+ out=\d+", todo(folder))) == 4
