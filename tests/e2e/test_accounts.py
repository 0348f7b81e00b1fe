"""A ladder case each, unattended and attended: what STATE and the todo file tell a person who doesn't have orch.

The whole texts are compared with tests/data/accounts, times, hashes, names and process numbers put aside; written anew
with ORCH_WRITE_GOLDEN=1. Whoever changes them reads them as that person would.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.e2e.test_ladder import KEY, PLAN, TIERS, turn
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, planning, report_text

TOLD = Path(__file__).parents[1] / "data" / "accounts"
WRITES = bool(os.environ.get("ORCH_WRITE_GOLDEN"))
_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"^(run|marker|pid|started): .*$", re.MULTILINE), r"\1: …"),
    (re.compile(r"sha256:[0-9a-f]{64}"), "sha256:…"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"), "HASH"),
)


def account(folder: Path) -> str:
    """STATE and the todo file of the task that the case is about, as anybody can read them."""
    planning_folder = folder / "planning"
    parts = [planning_folder / "STATE_1.md", planning_folder / "tasks" / f"{KEY}.todo.md"]
    text = "".join(f"===== {path.name}\n{path.read_text('utf-8')}" for path in parts)
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text


def compare(folder: Path, name: str) -> None:
    path = TOLD / f"{name}.txt"
    if WRITES:
        path.write_text(account(folder), "utf-8")
    assert account(folder) == path.read_text("utf-8")


def test_unattended_up_through_the_tiers_to_blocked(tmp_path: Path) -> None:
    wrong = [PLAN, turn("execute", "wrong\n"), turn("retry", "wrong\n")]
    task = Task("1", ("a.dat",), test="grep -q right a.dat", turns=(*wrong, *wrong))
    folder = planned(tmp_path / "repo", [task, Task("1", ("c.dat",), wave=2)], worker=TIERS)
    assert run_orch(folder, "next-wave", "--auto").code == 4
    compare(folder, "unattended")


def test_attended_sent_back_taken_over_blocked_diagnosed_and_rescoped(tmp_path: Path) -> None:
    both = {"files": {"a.dat": "right\n", "b.dat": "b\n"}, "tick": "all", "report": report_text(["a.dat", "b.dat"])}
    own = turn("takeover", "wrong\n")
    again, wide = turn("retry", "wrong\n"), Task("1", ("a.dat", "b.dat"), test="grep -q right a.dat")
    turns = (PLAN, PLAN, PLAN, own, again, PLAN, turn("execute", "wrong\n"), again, {"turn": "retry", **both})
    turns = (*turns, planning(wide), {"turn": "execute", **both})
    task = Task("1", ("a.dat",), test="grep -q right a.dat", turns=turns)
    folder = planned(tmp_path / "repo", [task], worker=TIERS, settings="gate: stop\n")
    plan = tmp_path / "plan.md"
    plan.write_text(plan_text(task), "utf-8")

    def says(code: int, *words: str) -> None:
        left = run_orch(folder, *words)
        assert left.code == code, left

    for message in ("say which word the file must hold", "in lower case"):
        says(3, "next-wave")
        says(0, "revise", KEY, "-m", message)
    says(3, "next-wave")
    says(0, "takeover", KEY, "--file", str(plan))
    says(3, "next-wave")
    says(0, "approve", KEY)
    says(4, "next-wave")
    says(0, "retry", KEY, "--because", "the file must hold the word right")
    compare(folder, "attended-once-more")
    says(4, "next-wave")
    compare(folder, "attended-blocked")
    says(0, "rescope", KEY, "--create", "b.dat", "--why", "the second file is read by the first")
    says(3, "next-wave")
    says(0, "approve", KEY)
    says(0, "next-wave")
    compare(folder, "attended-landed")
