"""A judge and a ladder of real programs: what a plan or a change is sent back for, and who gets the task next."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.agents.test_whole_orchestrations import BRANCH, TASK, rules, todo, writing
from tests.support.agents import agent, serving
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import plan_text, planned, report_text

pytestmark = pytest.mark.agents

SMALL, MID = {"api": "anthropic"}, {"api": "responses"}
PLAN = {"last": "user", "last_user": "This is the plan turn"}
WORK = {"last": "user", "last_user": "APPROVED -- execute the plan as written."}
RETRY = {"last": "user", "last_user": "FAILED VERIFICATION"}


def script() -> dict[str, object]:
    """A small worker that never gets it right, a greater one that does, and a judge who wants more of a plan."""
    report = report_text(["a.dat"])
    quoted = report.replace("**Gotchas:** none", "**Gotchas:** ${find:(grep -q right a.dat).{0,40}exit code 1}")
    small, mid = writing("wrong")["claude"], writing("right")["codex"]
    return {
        "rules": [
            {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
            {"name": "helper", "when": {"tools": False}, "reply": "a title"},
            {
                "name": "sends back",
                "when": {"last_user": "You review one plan before any code is written"},
                "reply": "REVISE\n- step 1: say which file\n",
                "times": 1,
            },
            {
                "name": "approves",
                "when": {"last_user": "You review one plan before any code is written"},
                "reply": "APPROVE\n- small and whole\n",
            },
            {
                "name": "lets land",
                "when": {"last_user": "You review one finished change before it lands"},
                "reply": "APPROVE\n- it says right\n",
            },
            {"name": "plans", "when": {**SMALL, **PLAN}, "reply": plan_text(TASK)},
            {
                "name": "plans again",
                "when": {**SMALL, "last": "user", "last_user": "is not approved yet.*say which file"},
                "reply": plan_text(TASK).replace("## Notes\n", "## Notes\n- As the judge said.\n"),
            },
            {"name": "works", "when": {**SMALL, **WORK}, "reply": small},
            {"name": "tries again", "when": {**SMALL, **RETRY}, "reply": small},
            {"name": "reports", "when": {**SMALL, "last": "tool"}, "reply": f"## Report\n\n{report}"},
            {"name": "plans higher", "when": {**MID, **PLAN}, "reply": plan_text(TASK)},
            {"name": "works higher", "when": {**MID, **WORK}, "reply": mid},
            {"name": "reports higher", "when": {**MID, "last": "tool"}, "reply": f"## Report\n\n{quoted}"},
            {"name": "rest", "reply": "nothing to do"},
        ]
    }


def test_a_judge_sends_a_plan_back_and_the_tier_above_gets_what_was_tried(tmp_path: Path) -> None:
    with serving(script()) as fake:
        small, mid = agent("claude", fake.url, tmp_path / "home"), agent("codex", fake.url, tmp_path / "home")
        tiers = {
            "small": small.worker,
            "mid": mid.worker,
            "review": {**small.worker, "model": "claude-opus-5-5"},
        }
        workers = "\n  ".join(f"{tier}: {json.dumps({**worker, 'timeout': '90s'})}" for tier, worker in tiers.items())
        settings = "gate: review\nreview_diff: review\n"
        folder = planned(tmp_path / "repo", [TASK], settings=settings, worker=workers)
        left = run_orch(folder, "next-wave", "--auto", env={**small.env, **mid.env})

        assert left.code == 0, left
        assert rules(fake) == [
            *("plans", "sends back", "plans again", "approves", "works", "reports", "tries again", "reports"),
            *("plans higher", "approves", "works higher", "reports higher", "lets land"),
        ]
        assert git(folder, "show", f"{BRANCH}:a.dat") == "right"
        assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"
        log = todo(folder)
        assert re.findall(r" started turn=(\w+) .*?tier=(\w+) driver=(\w+)", log) == [
            *[("plan", "small", "claude"), ("review", "review", "claude")] * 2,
            *[("execute", "small", "claude"), ("retry", "small", "claude")],
            *[("plan", "mid", "codex"), ("review", "review", "claude"), ("execute", "mid", "codex")],
            ("review", "review", "claude"),
        ]
        assert "approved_by: review claude-opus-5-5\n" in log
        assert "approved_why: small and whole\n" in log
