"""The four events at which others are told: which a call came to, and the block that `orch status --report` prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.orch import Left, run_orch
from tests.support.planned import Task, planned, planning, working
from tests.support.tokens import tokens

SECRET = "hunter2"


def told(left: Left) -> list[tuple[str, Any]]:
    """Event and wave of each report in a call's document."""
    reports = left.document["reports"]
    assert isinstance(reports, list)
    for report in reports:
        assert SECRET not in str(report), report
        assert tokens(report["text"]) <= 200
    return [(report["event"], report["wave"]) for report in reports]


def now(folder: Path) -> str:
    """The event that status tells of."""
    left = run_orch(folder, "status", "--report")
    assert (left.code, left.err) == (0, "")
    assert SECRET not in left.out
    assert not left.out.rstrip("\n").split("\n")[-1].startswith("next: "), "the block alone, to be passed on"
    return left.out.split("event=")[1].split(" ")[0]


def folder_of(tmp_path: Path) -> Path:
    talks = Task("1", ("a.dat",))
    asks = f"# 1.1.1 — Task 1\n\n## Goal\n{SECRET}.\n\n## TODO items\n- [ ] 1. Create `a.dat`\n- [ ] 2. Run `true`\n\n"
    plan = f"{asks}## Notes\n{SECRET}\n## Questions\n- 1. Is it {SECRET}?\n## Discovered\n- {SECRET}\n"
    first = Task("1", talks.creates, turns=(planning(talks, plan=plan), working(talks)))
    wrong = Task("1", ("b.dat",), wave=2, test=f"echo {SECRET}; false")
    return planned(tmp_path / "repo", [first, Task("2", ("c.dat",)), wrong], settings="gate: stop\n")


def test_a_call_tells_the_events_it_came_to_and_status_the_last_of_them(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    assert now(folder) == "planned"
    assert told(run_orch(folder, "next-wave", "--dry-run", "--json")) == [("planned", 1)]

    assert told(run_orch(folder, "next-wave", "--json")) == [("planned", 1), ("decision", 1)]
    assert now(folder) == "decision"
    assert told(run_orch(folder, "next-wave", "--dry-run", "--json")) == []
    assert told(run_orch(folder, "next-wave", "--json")) == [("decision", 1)]
    assert "reports" not in run_orch(folder, "answer", "Q1", SECRET, "--person", "--json").document
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    assert now(folder) == "planned", "it goes on"

    closed = run_orch(folder, "next-wave", "--json")
    assert told(closed) == [("closed", 1)]
    assert now(folder) == "closed"
    shown = run_orch(folder, "status", "--report").out
    reports: Any = closed.document["reports"]
    assert shown == reports[0]["text"] + "\n", "the same block"
    document: Any = run_orch(folder, "status", "--report", "--json").document
    assert (document["report"]["text"] + "\n", document["next"]) == (shown, "orch next-wave")

    assert told(run_orch(folder, "next-wave", "--json")) == [("planned", 2), ("decision", 2)]
    assert run_orch(folder, "approve", "1.2.1").code == 0
    assert told(run_orch(folder, "next-wave", "--json")) == [("paused", 2)]
    assert now(folder) == "paused"
    assert run_orch(folder, "skip", "1.2.1", "--why", SECRET).code == 0
    assert told(run_orch(folder, "next-wave", "--json")) == [("closed", 2)]
    assert now(folder) == "closed"
    assert "reports" not in run_orch(folder, "next-wave", "--json").document, "nothing came about any more"


def test_a_call_that_begins_a_wave_and_closes_it_tells_both(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)])
    assert told(run_orch(folder, "next-wave", "--auto", "--json")) == [("planned", 1), ("closed", 1)]
    assert told(run_orch(folder, "next-wave", "--auto", "--json")) == [("planned", 2), ("closed", 2)]
