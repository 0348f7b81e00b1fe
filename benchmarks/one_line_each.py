"""The repository of the benchmarks about overhead: waves of tasks that change one line each, and its workers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

TASKS = 8
"""Tasks of a wave."""
HERE = Path(__file__).parent
PLAN = """\
---
orchestration: 1
title: One line each
---
# Execution plan 1 — One line each

## Goal

Speed.

## Waves

| Wave | Theme | Tasks | Depends on |
| --- | --- | --- | --- |
{waves}
## Tasks

{specs}"""


def environment(folder: Path) -> dict[str, str]:
    """The environment of every command: nothing of the person's own settings, all state below `folder`."""
    settings = folder / "gitconfig"
    settings.write_text("[user]\n\tname = Bench\n\temail = bench@example.org\n[gc]\n\tauto = 0\n")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    mine = {
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
    }
    return {**environ, **mine}


def make(
    repository: Path, environ: Mapping[str, str], *, files: int, size: int = 900, waves: int = 1, seconds: str = "0"
) -> None:
    """A repository with `files` files of about `size` bytes, and a plan of waves of eight. `seconds` is what a worker
    sleeps."""
    line = "a line of text\n"
    for number in range(1, files + 1):
        path = repository / name_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"file {number}\n" + line * (size // len(line)))
    for argv in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        run(["git", *argv], repository, environ)
    planning = repository / "planning"
    (planning / "tasks").mkdir(parents=True)
    worker = str(HERE / "worker.sh")
    turns = "\n".join(
        f'    {turn}: [sh, "{worker}", {turn}, "{{{{ task.key }}}}", "{{{{ task.title }}}}", "{seconds}"]'
        for turn in ("plan", "execute")
    )
    (planning / "ORCH.md").write_text(f"---\ngate: auto\nworkers:\n  small:\n    driver: command\n{turns}\n---\n")
    rows = specs = ""
    for wave in range(1, waves + 1):
        tasks = [(f"1.{wave}.{number}", name_of((wave - 1) * TASKS + number)) for number in range(1, TASKS + 1)]
        rows += f"| {wave} | All | {', '.join(key for key, _ in tasks)} | {wave - 1 or '—'} |\n"
        specs += "".join(
            f"### {key} — {name}\n\n- **Must edit:** `{name}`\n- **Acceptance:** the first line is changed\n"
            f"- **Test:** `true`\n- **Commit:** Change {name}\n\n"
            for key, name in tasks
        )
    (planning / "EXECUTION_PLAN_1.md").write_text(PLAN.format(waves=rows, specs=specs))


def name_of(number: int) -> str:
    """The file that task `number` of all, counted from 1, changes."""
    return f"src/part{number // 40}/file{number}.txt"


def run(argv: list[str], cwd: Path, environ: Mapping[str, str]) -> str:
    """What a command prints. Raises CalledProcessError."""
    return subprocess.run(argv, cwd=cwd, env=environ, capture_output=True, text=True, check=True).stdout


def landed(repository: Path, environ: Mapping[str, str], branch: str) -> int:
    """How many tasks have landed on a branch."""
    return len(run(["git", "log", "--format=%s", "--no-merges", branch], repository, environ).splitlines()) - 1
