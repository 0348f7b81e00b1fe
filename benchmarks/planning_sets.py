"""Planning sets of any size for the benchmarks: two fifths done, one wave at work, the rest to come."""

from __future__ import annotations

import subprocess
from pathlib import Path

WAVE = 8
TITLES = (
    "Parse trigger definitions",
    "Store triggers in the database",
    "Show triggers in the list view",
    "Delete a trigger with its events",
)
AT_WORK = ("done", "plan-ready", "running", "approved", "plan-ready", "running", "pending", "pending")
TIME = "2026-11-29T10:00:00Z"

SETTINGS = """\
---
workers:
  small: {driver: command, plan: ["true"], execute: ["true"]}
suites:
  unit: "true"
---
Write plain code.
"""


def write_planning_set(repository: Path, tasks: int) -> None:
    """Make a repository with one orchestration of `tasks` tasks in waves of eight."""
    planning = repository / "planning"
    (planning / "tasks").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(repository)], check=True)
    waves = _waves(tasks)
    (planning / "ORCH.md").write_text(SETTINGS)
    (planning / "EXECUTION_PLAN_1.md").write_text(_plan(waves))
    (planning / "STATE_1.md").write_text(_state(waves))
    for wave, keys in enumerate(waves, 1):
        for key, status in zip(keys, _statuses(wave, waves), strict=False):
            if status != "pending":
                (planning / "tasks" / f"{key}.todo.md").write_text(_todo(key, status))


def _waves(tasks: int) -> list[list[str]]:
    count = -(-tasks // WAVE)
    return [
        [f"1.{wave}.{number}" for number in range(1, min(WAVE, tasks - WAVE * (wave - 1)) + 1)]
        for wave in range(1, count + 1)
    ]


def _current(waves: list[list[str]]) -> int:
    return max(1, len(waves) * 2 // 5 + 1)


def _statuses(wave: int, waves: list[list[str]]) -> tuple[str, ...]:
    current = _current(waves)
    return ("done",) * WAVE if wave < current else AT_WORK if wave == current else ("pending",) * WAVE


def _plan(waves: list[list[str]]) -> str:
    parts = ["---\norchestration: 1\ntitle: Event triggers\ncreated: 2026-11-29\n---\n"]
    parts.append("# Execution plan 1 — Event triggers\n\n## Goal\n\nTriggers start jobs.\n\n## Waves\n\n")
    parts.append("| Wave | Theme | Tasks | Depends on |\n| --- | --- | --- | --- |\n")
    for wave, keys in enumerate(waves, 1):
        parts.append(f"| {wave} | Part {wave} | {', '.join(keys)} | {wave - 1 or '—'} |\n")
    parts.append("\n## Tasks\n")
    for wave, keys in enumerate(waves, 1):
        for number, key in enumerate(keys, 1):
            name = f"part{wave}/file{number}"
            needs = f"1.{wave - 1}.{number}" if wave > 1 else "none"
            parts.append(
                f"\n### {key} — {TITLES[number % 4]}\n\n"
                f"- **Depends on:** {needs}\n"
                f"- **Must edit:** `src/{name}.py`\n"
                f"- **Can create:** `src/{name}_more.py`, `tests/{name}_test.py`\n"
                f"- **Anchors:** `def load` in `src/{name}.py` (~120)\n"
                f"- **Acceptance:** every test in `tests/{name}_test.py` passes\n"
                f"- **Test:** `python -m pytest tests/{name}_test.py`\n"
                f"- **Tier:** small\n\n"
                "Read the definitions in one pass. Keep the order in which they stand, name the file and the line in"
                " every error, and leave unknown keys alone.\n"
            )
    return "".join(parts)


def _state(waves: list[list[str]]) -> str:
    current = _current(waves)
    parts = [
        "---\norchestration: 1\nbranch: orch/1-event-triggers\nbase: main\n"
        "fork: 1a2b3c4d5e6f78901a2b3c4d5e6f78901a2b3c4d\nstatus: open\nrun: k3f9\n---\n# State 1 — Event triggers\n\n"
        "## Baseline\n\n| Repo | Suite | Result | Passed | Failed | Commit |\n| --- | --- | --- | --- | --- | --- |\n"
        "| . | unit | pass | 812 | 0 | 1a2b3c4 |\n\n"
        "## Waves\n\n| Wave | Status | Suites | Commit | Note |\n| --- | --- | --- | --- | --- |\n"
    ]
    for wave in range(1, len(waves) + 1):
        done = f"| {wave} | done | unit 826 passed | 77aa012 | |\n"
        parts.append(done if wave < current else f"| {wave} | open | | | |\n")
    parts.append("\n## Wave board\n\n| Wave | Task | Title | Status | Note |\n| --- | --- | --- | --- | --- |\n")
    for wave, keys in enumerate(waves, 1):
        for number, (key, status) in enumerate(zip(keys, _statuses(wave, waves), strict=False), 1):
            parts.append(f"| {wave} | {key} | {TITLES[number % 4]} | {status} | |\n")
    parts.append("\n## Discovered\n\n- 1.1.1: `validate()` ignores empty cron strings\n")
    for wave, keys in enumerate(waves, 1):
        for number, (key, status) in enumerate(zip(keys, _statuses(wave, waves), strict=False), 1):
            if status == "done":
                parts.append(
                    f"\n## {key} — {TITLES[number % 4]}\n\n- **Status:** done, abc1234\n"
                    f"- **Files:** `src/part{wave}/file{number}.py` (L118–164)\n"
                    f"- **Tests:** `python -m pytest tests/part{wave}/file{number}_test.py`: 14 passed, 0 failed\n"
                    "- **Deviations:** none\n- **Gotchas:** `load` is called twice at start-up\n"
                )
    return "".join(parts)


def _todo(key: str, status: str) -> str:
    events = [f"{TIME} started turn=plan tier=small board=planning", f"{TIME} ended turn=plan outcome=finished"]
    stages = {"plan-ready": 0, "approved": 1, "running": 2, "done": 3}
    if status in stages:
        more = (
            f"{TIME} planned board=plan-ready",
            f"{TIME} approved by=session board=approved",
            f"{TIME} started turn=execute board=running",
            f"{TIME} landed commit=abc1234 board=done",
        )
        events += more[: stages[status] + 1]
    events.append(f'{TIME} board status={status} title="{TITLES[int(key.rpartition(".")[2]) % 4]}"')
    return (
        f"---\ntask: {key}\ntier: small\ndriver: command\nbranch: orch/{key}\nbase: 1a2b3c4\n"
        "counts: {plan: 0, accept: 0, report: 0, conflict: 0, died: 0}\n---\n"
        f"# {key} — A task\n\n## Goal\nTriggers are read.\n\n## TODO items\n"
        "- [ ] 1. Create the parser\n- [ ] 2. Call it from `load`\n- [ ] 3. Run the targeted test\n\n"
        "## Notes\n## Questions\n## Discovered\n## Report\n## Log\n" + "".join(f"- {event}\n" for event in events)
    )
