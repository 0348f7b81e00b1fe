"""A wave of six workers of three kinds at once, by the real programs: alone, and with orch killed in the middle."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.agents import IN_CI, agent, serving, write
from tests.support.endings import ending
from tests.support.orch import ROOT, Left, run_orch
from tests.support.planned import Task, planned, report_text

pytestmark = pytest.mark.agents

TIERS = ("small", "mid", "frontier")
FILE = "${find:Can create:.. .(t\\d.dat)}"
"""The task's own file, from its spec."""
PLAN = (
    "# ${find:# Task (1.1.t\\d)} — A task\n\n## Goal\nDo it.\n\n## TODO items\n"
    f"- [ ] 1. Create `{FILE}`\n- [ ] 2. Run `true`\n\n## Notes\n## Questions\n## Discovered\n"
)


def script() -> dict[str, object]:
    """Plans and work of any task for any program; working takes a second, so that something can happen meanwhile."""
    approved = {"last": "user", "last_user": "APPROVED -- execute the plan as written."}
    calls = write(FILE, "done")
    tools = {"claude": "Write", "codex": "apply_patch", "gemini": "write_file"}
    report = report_text(["FILE"]).replace("FILE", FILE)
    return {
        "rules": [
            {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
            {"name": "helper", "when": {"tools": False}, "reply": "a title"},
            {"name": "plan", "when": {"last": "user", "last_user": "This is the plan turn"}, "reply": PLAN},
            *(
                {
                    "name": f"work-{tool}",
                    "when": {**approved, "tools": tool},
                    "reply": {"steps": calls[name], "delay": 1},
                }
                for name, tool in tools.items()
            ),
            {"name": "report", "when": {"last": "tool"}, "reply": f"Through.\n\n## Report\n\n{report}"},
            {"name": "rest", "reply": "nothing to do"},
        ]
    }


def prepared(folder: Path, url: str) -> tuple[Path, Mapping[str, str]]:
    """Two tasks a tier, and a program of another kind for each tier."""
    made = [agent(name, url, folder / "home") for name in IN_CI]
    workers = "\n  ".join(
        f"{tier}: {json.dumps({**one.worker, 'timeout': '90s'})}" for tier, one in zip(TIERS, made, strict=True)
    )
    tasks = [
        Task(f"t{number}", (f"t{number}.dat",), extra=f"- **Tier:** {TIERS[number % 3]}", edits=())
        for number in range(6)
    ]
    env: dict[str, str] = {}
    for one in made:
        env |= one.env
    return planned(folder / "repo", tasks, settings="jobs: 6\n", worker=workers), env


def logs(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted((folder / "planning" / "tasks").glob("*.todo.md")))


def killed_while_working(folder: Path, env: Mapping[str, str]) -> None:
    """Run next-wave and kill it outright once all plans are approved and two workers are at work."""
    words = [sys.executable, "-m", "orchestrator", "next-wave", "--auto"]
    world = {**os.environ, **env, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(words, cwd=folder, env=world, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        if logs(folder).count(" started turn=execute") >= 2:
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.02)
    assert process.wait() == -signal.SIGKILL


def whole(left: Left, folder: Path) -> None:
    assert left.code == 0, left
    assert " failed " not in logs(folder)
    kinds = re.findall(r" started turn=execute \S+ \S+ driver=(\w+) session=resumed", logs(folder))
    assert sorted(kinds) == sorted([*IN_CI] * 2)


def test_six_workers_of_three_kinds_land_and_a_kill_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    with serving(script()) as fake:
        folder, env = prepared(tmp_path / "one", fake.url)
        whole(run_orch(folder, "next-wave", "--auto", env=env), folder)
        alone = ending(folder)
        assert [status for _, status in alone.board] == ["done"] * 6

        folder, env = prepared(tmp_path / "two", fake.url)
        killed_while_working(folder, env)
        whole(run_orch(folder, "next-wave", "--auto", env=env), folder)
        assert ending(folder) == alone
