"""A planning set of other people's making, run in place: ids of its own, a board of boxes, another editor's endings."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.changed_lines import changed_lines
from tests.support.orch import run_orch
from tests.support.planned import Task, make_repository, report_text, working

ROWS = {
    "T1.1-scaffold": "| **Wave 1** | `T1.1-scaffold` | Folders | None | `a.txt` |",
    "T2.1-list": "| **Wave 2** | `T2.1-list` | Lists | `T1.1` | `b.txt` |",
    "T2.2-page": "| **Wave 2** | `T2.2-page` | Pages | `T1.1` | `c.txt` |",
}
FILES = {"T1.1-scaffold": "a.txt", "T2.0-first": "d.txt", "T2.1-list": "b.txt", "T2.2-page": "c.txt"}
STATE = """\
# Orchestration State: Plan 1

## Wave Board

### Wave 1
- [x] `T1.1-scaffold` (done) — Folders

### Wave 2
- [ ] `T2.1-list` (pending) — Lists
- [-] `T2.2-page` (pending) — Pages

## Task Reports

### T1.1-scaffold
- Status: completed
- Files: `a.txt`
- Deviations: none
""".replace("\n", "\r\n")


def plan_of(rows: dict[str, str]) -> str:
    specs = "\n---\n\n".join(
        f"#### {name}\n\n- **Files in scope**: `{FILES[name]}`\n- **Acceptance**: it is there\n"
        f"- **Acceptance command**: `test -f {FILES[name]}`\n"
        for name in rows
    )
    table = "| Wave | Task ID | Description | Dependencies | Files in Scope |\n| --- | --- | --- | --- | --- |\n"
    return (
        f"# Execution Plan 1: Things\n\n## Wave Table\n\n{table}"
        + "\n".join(rows.values())
        + f"\n\n## Tasks\n\n{specs}"
    )


def turns(key: str, name: str) -> list[object]:
    path = FILES[name]
    plan = (
        f"# {key} — {name}\n\n## Goal\nMake it.\n\n## TODO items\n- [ ] 1. Edit `{path}`\n"
        f"- [ ] 2. Run `test -f {path}`\n\n## Notes\n## Questions\n- None.\n## Discovered\n"
    )
    task = Task("x", (), edits=(path,))
    return [{"turn": "plan", "plan": plan}, working(task, report=report_text([path]))]


def made(folder: Path) -> Path:
    folder = make_repository(folder, dict.fromkeys(FILES.values(), "old\n"))
    planning = folder / "planning"
    planning.mkdir()
    (planning / "EXECUTION_PLAN_1.md").write_text(plan_of(ROWS), "utf-8")
    (planning / "STATE_1.md").write_bytes(STATE.encode())
    worker = "small: {driver: scripted, script: planning/workers.yaml, timeout: 60s}"
    (planning / "ORCH.md").write_text(f"---\nworkers:\n  {worker}\n---\n", "utf-8")
    script = {"1.2.1": turns("1.2.1", "T2.1-list"), "1.2.2": turns("1.2.2", "T2.2-page")}
    script["1.2.3"] = turns("1.2.3", "T2.0-first")
    (planning / "workers.yaml").write_text(json.dumps(script, ensure_ascii=False), "utf-8")
    return folder


def state(folder: Path) -> str:
    return (folder / "planning" / "STATE_1.md").read_bytes().decode()


def test_it_is_taken_on_and_run_and_only_what_had_to_change_has_changed(tmp_path: Path) -> None:
    folder = made(tmp_path / "things")
    first = run_orch(folder, "next-wave")
    assert first.code == 3, first
    changed = changed_lines(STATE, state(folder))
    assert [line.split(" (")[0] for line in changed.removed] == ["- [ ] `T2.1-list`", "- [-] `T2.2-page`"]
    assert "ids: {T1.1-scaffold: 1.1.1, T2.1-list: 1.2.1, T2.2-page: 1.2.2}\r\n" in changed.added
    assert "| 1 | done | | | not checked |\r\n" in changed.added
    assert "- [-] `T2.2-page` (plan-ready) — Pages\r\n" in changed.added
    assert all(line.endswith("\r\n") for line in changed.added)

    # A task put before the others renames none of them.
    rows = {"T2.0-first": "| **Wave 2** | `T2.0-first` | First | None | `d.txt` |"}
    order = {"T1.1-scaffold": ROWS["T1.1-scaffold"], **rows, **ROWS}
    (folder / "planning" / "EXECUTION_PLAN_1.md").write_text(plan_of(order), "utf-8")
    seen = run_orch(folder, "status").out
    assert "1.2.1 T2.1 plan-ready" in seen and "1.2.3 T2.0 pending First" in seen
    assert "plans to judge: 1.2.1 T2.1, 1.2.2 T2.2\n" in run_orch(folder, "resume").out
    assert run_orch(folder, "approve", "1.2.1", "1.2.2").code == 0
    last = run_orch(folder, "next-wave", "--auto")
    assert last.code == 0, last
    text = state(folder)
    assert "T2.0-first: 1.2.3" in text
    board = text[text.index("### Wave 2") : text.index("## Task Reports")]
    assert board == (
        "### Wave 2\r\n- [x] `T2.0-first` (done) — First\r\n- [x] `T2.1-list` (done) — Lists\r\n"
        "- [x] `T2.2-page` (done) — Pages\r\n\r\n"
    )
    reports = [line for line in text.split("\r\n") if line.startswith(("### T", "- **Files:**"))]
    assert sorted(reports[1:]) == [
        "### T2.0-first — First",
        "### T2.1-list — Lists",
        "### T2.2-page — Pages",
        "- **Files:** `b.txt` (L1)",
        "- **Files:** `c.txt` (L1)",
        "- **Files:** `d.txt` (L1)",
    ]
    assert reports[0] == "### T1.1-scaffold"
    todo = (folder / "planning" / "tasks" / "1.2.1.todo.md").read_text("utf-8")
    assert todo.startswith("---\ntask: 1.2.1\nid: T2.1-list\n")
    assert run_orch(folder, "next-wave").code == 6
    assert state(folder) == text
