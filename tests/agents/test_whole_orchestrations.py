"""Whole orchestrations by real agent programs against the scripted model server, on loopback only.

The script plays a model that plans, is sent back, is approved, does it wrong, and mends it after the failing test. In
its first answer it says a word that stands in no plan: only a session that goes on can quote it in the last report.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from orchestrator.process.carriers import carriers
from orchestrator.process.sandbox import fault
from tests.support.agents import PINNED, agent, serving, shell, write
from tests.support.endings import git
from tests.support.orch import ROOT, Left, run_orch
from tests.support.planned import Task, plan_text, planned, report_text

pytestmark = [pytest.mark.agents, pytest.mark.parametrize("name", PINNED)]

TASK = Task("1", ("a.dat",), test="grep -q right a.dat")
BRANCH = "orch/1-things"
TELLS_NO_TOKENS = ("copilot",)


def writing(text: str) -> dict[str, list[object]]:
    """By program: the tool call that writes a.dat."""
    return shell(f"echo {text} > a.dat") | write("a.dat", text)


def script(name: str, *first: dict[str, object]) -> dict[str, object]:
    """What the model does. first: rules for its work that come before the others."""
    gotchas = "**Gotchas:** I said ${find:quail-[0-9a-f-]+}, you ${find:Answer: (\\w+)}"
    report = report_text(["a.dat"]).replace("**Gotchas:** none", gotchas)
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
                "reply": plan.replace("## Notes\n", "## Notes\n- As you said.\n").replace(
                    "## Questions\n", "## Questions\n1. Which colour?\n"
                ),
            },
            *first,
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


def prepared(tmp_path: Path, name: str, url: str, settings: str = "", **more: object) -> tuple[Path, Mapping[str, str]]:
    """A repository with one task whose worker is that program, and the environment for orch."""
    made = agent(name, url, tmp_path / "home")
    worker = json.dumps({**made.worker, "timeout": "60s", **more})
    return planned(tmp_path / "repo", [TASK], settings=settings, worker=f"small: {worker}"), made.env


def todo(folder: Path) -> str:
    return (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")


def rules(fake: Any) -> list[str]:
    """The rules that answered, without what some programs ask besides, and once where they ask again."""
    said = [entry["rule"] for entry in fake.requests if entry["rule"] not in ("schema", "helper", "rest")]
    return [rule for before, rule in zip(["", *said], said, strict=False) if rule != before]


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
        assert orch("approve", "1.1.1", "--answer", "1=blue").code == 0
        left = orch("next-wave")

        assert left.code == 0, left
        assert rules(fake) == ["plan", "revise", "work", "report", "retry", "report"]
        assert git(folder, "show", f"{BRANCH}:a.dat") == "right"
        assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"
        state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
        assert re.search(r"\*\*Gotchas:\*\* I said quail-[0-9a-f-]{36}, you blue\n", state)
        started = re.findall(r" started .*? session=(\w+)", todo(folder))
        assert started == ["new", "resumed", "resumed", "resumed"]
        counted = len(re.findall(r" ended .*outcome=finished.* in=\d+ out=\d+", todo(folder)))
        assert counted == (0 if name in TELLS_NO_TOKENS else 4)


SESSIONS = (
    ".claude/projects",
    "codex/sessions",
    ".gemini/tmp",
    ".qwen/projects",
    ".copilot",
    ".local/share/opencode",
)
"""Where the programs keep their sessions, below their HOME."""
APPROVED = {"last": "user", "last_user": "APPROVED -- execute the plan as written."}


def start_orch(folder: Path, env: Mapping[str, str]) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "orchestrator", "next-wave"]
    world = {**os.environ, **env, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(words, cwd=folder, env=world, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def words(pid: int) -> str:
    """The command line of a process; empty if it has gone."""
    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return ""


def kill_worker(folder: Path, *, tool: str) -> str:
    """Kill the agent program outright once its tool runs, and leave the tool alone; returns the turn's marker."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        marker, shim = (
            found[1] if (found := re.search(rf"^{fact}: (\w+)$", todo(folder), re.MULTILINE)) else ""
            for fact in ("marker", "pid")
        )
        if marker and shim and any(tool == words(pid) for pid, _ in carriers(marker)):
            (program,) = psutil.Process(int(shim)).children()
            program.kill()
            return marker
        time.sleep(0.05)
    raise AssertionError(f"{tool} never ran: {todo(folder)}")


def approved(folder: Path, env: Mapping[str, str]) -> None:
    """The plan turn, and the approval."""
    assert run_orch(folder, "next-wave", env=env).code == 3
    assert run_orch(folder, "approve", "1.1.1", env=env).code == 0


def test_a_worker_that_is_killed_goes_on_in_its_session_with_nothing_left_of_it(tmp_path: Path, name: str) -> None:
    busy = {"name": "busy", "times": 1, "when": APPROVED, "reply": shell("tail -f /dev/null")[name]}
    goes_on = {"last": "user", "last_user": "ended before its execute turn was over"}
    mend = writing("right")[name]
    with serving(script(name, busy, {"name": "on", "when": goes_on, "reply": mend})) as fake:
        folder, env = prepared(tmp_path, name, fake.url)
        approved(folder, env)
        with start_orch(folder, env) as running:
            marker = kill_worker(folder, tool="tail -f /dev/null")
            out = running.communicate(timeout=60)[0]

        assert running.returncode == 0, out
        assert carriers(marker) == []
        assert rules(fake)[:4] == ["plan", "busy", "on", "report"]
        assert re.findall(r" started .*? session=(\w+)", todo(folder))[:3] == ["new", "resumed", "resumed"]
        assert todo(folder).count("failed kind=died") == 1
        assert git(folder, "show", f"{BRANCH}:a.dat") == "right"


def test_a_session_that_is_gone_is_begun_anew_with_the_approved_plan(tmp_path: Path, name: str) -> None:
    with serving(script(name, {"name": "work", "when": APPROVED, "reply": writing("right")[name]})) as fake:
        folder, env = prepared(tmp_path, name, fake.url)
        approved(folder, env)
        for kept in SESSIONS:
            shutil.rmtree(tmp_path / "home" / kept, ignore_errors=True)
        left = run_orch(folder, "next-wave", env=env)

        assert left.code == 0, left
        assert re.findall(r" started .*? session=(\w+)", todo(folder)) == ["new", "resumed", "new"]
        assert " failed " not in todo(folder)
        assert git(folder, "show", f"{BRANCH}:a.dat") == "right"


@pytest.mark.skipif(bool(fault()), reason=f"no sandbox here: {fault()}")
def test_a_sandbox_leaves_the_program_what_it_needs_and_holds_its_tools(tmp_path: Path, name: str) -> None:
    if name == "opencode":
        pytest.skip("it keeps its state in XDG_STATE_HOME, which the tests move away from HOME")
    # codex leaves the system's temporary folders open, in one of which this test works.
    outside = (Path("/var") if name == "codex" else tmp_path / "repo") / f"planted-{uuid.uuid4().hex}"
    harm = {"name": "harm", "times": 1, "when": APPROVED, "reply": shell(f"echo x > {outside}; true")[name]}
    after = {"name": "after", "times": 1, "when": {"last": "tool"}, "reply": writing("right")[name]}
    with serving(script(name, harm, after)) as fake:
        folder, env = prepared(tmp_path, name, fake.url, "sandbox: on\n")
        approved(folder, env)
        left = run_orch(folder, "next-wave", env=env)

        assert left.code == 0, left
        assert rules(fake) == ["plan", "harm", "after", "report"]
        assert not outside.exists()
        assert git(folder, "show", f"{BRANCH}:a.dat") == "right"
