"""The guard with the real program, both ways: what it refuses, what it lets pass, and that the worker is told why.

Settings of the repository and of the user try to switch it off.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from orchestrator.drivers import registry
from orchestrator.model.settings import Worker
from orchestrator.process.sandbox import fault
from tests.drivers.test_guard import HARMLESS, MOVING_SOMETHING
from tests.drivers.turns import new_order, take
from tests.support.agents import agent, serving, shell, write
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, report_text

pytestmark = pytest.mark.agents

TASK = Task("1", ("src/a.dat",), test="grep -q right src/a.dat")
SWITCHED_OFF = {
    "claude": (".claude/settings.json", json.dumps({"disableAllHooks": True})),
    "codex": (".codex/config.toml", "[features]\nhooks = false\n"),
    "gemini": (".gemini/settings.json", json.dumps({"hooksConfig": {"enabled": False}, "tools": {"allowed": ["*"]}})),
}
"""By program: a file of settings in the repository."""


def switch_off(name: str, home: Path, folder: Path) -> None:
    """Settings of the user's own that let everything pass, and trust the repository's."""
    texts = {
        "claude": (".claude/settings.json", json.dumps({"disableAllHooks": True})),
        "codex": (
            "codex/config.toml",
            f'[features]\nhooks = false\n[projects."{folder}"]\ntrust_level = "trusted"\n'
            '[hooks.state."/<session-flags>/config.toml:pre_tool_use:0:0"]\nenabled = false\n',
        ),
        "gemini": (".gemini/policies/all.toml", '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n'),
    }
    place, text = texts[name]
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    (home / place).write_text(text, "utf-8")


def leaving_plan_mode(name: str) -> list[dict[str, object]]:
    """Gemini's own way out of its plan mode, which without a person leads to where everything is allowed."""
    leave = [{"tool": "exit_plan_mode", "input": {"plan_filename": "mine.md"}}]
    said = "your plan isn't approved yet. Say your plan as your answer"
    rules = [
        {"name": "leave", "when": {"last": "user", "last_user": "This is the plan turn"}, "reply": leave},
        {"name": "early", "when": {"tool_result": said}, "reply": write("src/a.dat", "right", top="")[name]},
    ]
    return rules if name == "gemini" else []


def script(name: str) -> dict[str, object]:
    """A model that writes before its plan is approved, then out of scope, then commits, and then does as it is told."""
    gotchas = "**Gotchas:** ${find:is (out of the scope)}, ${find:git is (left to the orchestrator)}"
    report = report_text(["src/a.dat"]).replace("**Gotchas:** none", gotchas)
    return {
        "rules": [
            {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
            {"name": "helper", "when": {"tools": False}, "reply": "a title"},
            *leaving_plan_mode(name),
            {
                "name": "early",
                "when": {"last": "user", "last_user": "This is the plan turn"},
                "reply": write("src/a.dat", "right")[name],
            },
            {
                "name": "plan",
                "when": {"tool_result": "your plan isn't approved yet, so you may write no file but your todo file"},
                "reply": plan_text(TASK),
            },
            {
                "name": "outside",
                "when": {"last": "user", "last_user": "APPROVED -- execute"},
                "reply": write("b.dat", "right")[name],
            },
            {
                "name": "commit",
                "when": {"tool_result": "out of the scope of this task"},
                "reply": shell("git add -A && git commit -qm mine")[name],
            },
            {
                "name": "work",
                "when": {"tool_result": "left to the orchestrator"},
                "reply": write("src/a.dat", "right")[name],
            },
            {"name": "report", "when": {"last": "tool"}, "reply": f"Through.\n\n## Report\n\n{report}"},
        ]
    }


@pytest.mark.parametrize(
    ("name", "permissions"),
    [("claude", ""), ("codex", ""), ("codex", "all"), ("gemini", "")],
    ids=lambda word: word or "-",
)
def test_a_worker_is_refused_with_what_to_do_instead_whatever_settings_of_others_say(
    name: str, permissions: str, tmp_path: Path
) -> None:
    with serving(script(name)) as fake:
        made = agent(name, fake.url, tmp_path / "home")
        # Codex that isn't allowed all keeps its own sandbox.
        worker = f"small: {json.dumps({**made.worker, 'permissions': permissions, 'timeout': '60s'})}"
        place, text = SWITCHED_OFF[name]
        settings = "" if fault() else "sandbox: {write: [~/codex]}\n"
        folder = planned(tmp_path / "repo", [TASK], settings=settings, worker=worker, files={place: text})
        switch_off(name, tmp_path / "home", folder)
        left = run_orch(folder, "next-wave", "--auto", env=made.env)

        assert left.code == 0, left
        used = [entry["rule"] for entry in fake.requests if entry["rule"] not in ("schema", "helper")]
        first = ["leave"] if name == "gemini" else []
        assert used == [*first, "early", "plan", "outside", "commit", "work", "report"]
        state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
        assert "**Gotchas:** out of the scope, left to the orchestrator\n" in state
        log = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
        assert " failed " not in log and " revised " not in log
        assert re.findall(r" started turn=(\w+)", log) == ["plan", "execute"]
        tree = git(folder, "ls-tree", "-r", "--name-only", "orch/1-things").split()
        assert tree == [place, "README.md", "src/a.dat"]
        assert git(folder, "log", "--format=%s", "main..orch/1-things") == "feat: task 1"


def test_gemini_takes_its_rules_as_the_hook_of_the_others_judges(tmp_path: Path) -> None:
    odd = tmp_path / "one, two"
    odd.mkdir()
    refused = [line for line, _ in MOVING_SOMETHING] + ["orch approve 5.1.1", "time orch -n 3 next-wave --auto"]
    inside, outside = ["src/a.py", "./src/deep/b.py"], ["setup.py", "src/../setup.py", "planning/STATE_5.md"]
    calls = [shell(line)["gemini"] for line in (*refused, *HARMLESS)]
    calls += [write(path, "right", top="")["gemini"] for path in (*inside, *outside)]
    script = {"rules": [{"when": {"last": "user"}, "reply": [call for (call,) in calls]}, {"reply": "done"}]}
    with serving(script) as fake:
        made = agent("gemini", fake.url, tmp_path / "home")
        options = {"program": made.worker["program"], "permissions": "all"}
        worker = Worker(
            "small", "gemini", model="gemini-2.5-pro", timeout=60, env=("GOOGLE_GEMINI_BASE_URL",), options=options
        )
        order = new_order(odd, worker, turn="execute", scope=("src/**",), environ={**os.environ, **made.env})
        git(Path(order.worktree), "init", "-q")
        assert take(registry.find("gemini"), order).outcome == "finished"
    said = [json.loads(line) for line in Path(order.folder, "stdout").read_text("utf-8").splitlines()]
    asked = {event["tool_id"]: event["parameters"] for event in said if event["type"] == "tool_use"}
    denied = [
        asked[event["tool_id"]]
        for event in said
        if event["type"] == "tool_result" and "denied by policy" in event.get("error", {}).get("message", "")
    ]
    assert len(asked) == len(calls)
    assert [given.get("command") or given["file_path"] for given in denied] == [*refused, *outside]
