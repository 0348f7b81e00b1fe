"""What orchestration costs a task, and what it adds to the makespan of a wave.

    python benchmarks/overhead.py [--runs 9] [--files 100]

A wave of eight in a small repository, the worker changes one line and stops (worker.sh). `orch next-wave --auto`
against the hand-written by_hand.sh, which runs the same plan and execute commands with worktree add, diff, commit,
merge and remove, and nothing else. orch also checks plans, verifies from git, runs the targeted test (`true`) and
writes every step down. Then waves of workers that sleep a second, against the ideal for the slots.
Prints medians and ratios, writes benchmarks/results/overhead.json.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measuring import interleaved, ratio, save, timed

TASKS = 8
HERE = Path(__file__).parent
SLOTS = (1, 4, 8)
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
| 1 | All | {rows} | — |

## Tasks

{specs}"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--files", type=int, default=100, help="files in the repository")
    parser.add_argument("--sleep", type=int, default=1, help="seconds that a sleeping worker sleeps")
    wanted = parser.parse_args()
    figures: dict[str, object] = {"runs": wanted.runs, "files": wanted.files, "tasks": TASKS}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), wanted.files)
        figures["per_task"] = _per_task(bench, wanted.runs)
        figures["makespan"] = _makespans(bench, max(3, wanted.runs // 3), wanted.sleep)
    print(f"written to {save('overhead', figures)}")


def _per_task(bench: Bench, runs: int) -> dict[str, object]:
    seconds = interleaved(
        {
            "by hand, one by one": bench.by_hand(),
            "by hand, 4 at once": bench.by_hand(at_once=4),
            "orch next-wave --auto": bench.orch(jobs=4),
        },
        runs=runs,
    )
    rows: dict[str, object] = {}
    for name, values in seconds.items():
        each = statistics.median(values) / TASKS * 1000
        best = min(ratio(seconds, name, base) for base in list(seconds)[:2])
        slowest = max(ratio(seconds, name, base) for base in list(seconds)[:2])
        rows[name] = {"ms_a_task": round(each, 1), "ratio_to_hand": [round(best, 2), round(slowest, 2)]}
        print(f"{name:24} {each:7.1f} ms a task  {best:5.2f} to {slowest:5.2f} x by hand  (bar 1.0)")
    return rows


def _makespans(bench: Bench, runs: int, sleep: int) -> dict[str, object]:
    rows: dict[str, object] = {}
    for slots in SLOTS:
        ideal = math.ceil(TASKS / slots) * sleep
        cases = {"orch": bench.orch(jobs=slots, sleep=sleep), "by hand": bench.by_hand(at_once=slots, sleep=sleep)}
        seconds = interleaved(cases, runs=runs)
        row = {name: round(statistics.median(values) / ideal, 3) for name, values in seconds.items()}
        rows[str(slots)] = {"ideal_s": ideal, **row}
        bar = "  (bar 1.08)" if slots == 4 else ""
        print(f"{slots} slots, {sleep} s workers: orch {row['orch']} x ideal, by hand {row['by hand']} x{bar}")
    return rows


class Bench:
    """Fresh copies of one repository, so that every run begins alike."""

    def __init__(self, folder: Path, files: int) -> None:
        self.folder = folder
        self.original = folder / "original"
        self.environ = {
            **os.environ,
            "HOME": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
            "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
        }
        (folder / "gitconfig").write_text("[user]\n\tname = Bench\n\temail = bench@example.org\n[gc]\n\tauto = 0\n")
        self._make(files)

    def by_hand(self, *, at_once: int = 1, sleep: int = 0) -> Callable[[], float]:
        """A case: the hand-written script on a fresh copy."""

        def argv(repository: Path) -> list[str]:
            work = repository.with_name("worktrees")
            work.mkdir()
            return ["sh", str(HERE / "by_hand.sh"), str(repository), str(work), str(TASKS), str(sleep), str(at_once)]

        return lambda: self._timed(argv, branch="main", sleep=sleep)

    def orch(self, *, jobs: int, sleep: int = 0) -> Callable[[], float]:
        """A case: one call of next-wave on a fresh copy."""
        argv = [sys.executable, "-m", "orchestrator", "next-wave", "--auto", "--jobs", str(jobs)]
        return lambda: self._timed(lambda _: argv, branch="orch/1-one-line-each", sleep=sleep)

    def _timed(self, argv: Callable[[Path], list[str]], *, branch: str, sleep: int) -> float:
        run = self.folder / "run"
        repository = run / "repository"
        shutil.copytree(self.original, repository, symlinks=True)
        settings = repository / "planning" / "ORCH.md"
        settings.write_text(settings.read_text().replace("SECONDS", str(sleep)))
        seconds = timed(argv(repository), cwd=repository, environ=self.environ)
        self._expect(repository, branch)
        for folder in (run, self.folder / "state"):
            shutil.rmtree(folder, ignore_errors=True)
        return seconds

    def _run(self, argv: list[str], cwd: Path) -> None:
        subprocess.run(argv, cwd=cwd, env=self.environ, stdout=subprocess.DEVNULL, check=True)

    def _expect(self, repository: Path, branch: str) -> None:
        log = subprocess.run(
            ["git", "log", "--format=%s", "--no-merges", branch],
            cwd=repository,
            env=self.environ,
            capture_output=True,
            check=True,
        )
        landed = len(log.stdout.splitlines()) - 1
        if landed != TASKS:
            raise SystemExit(f"{landed} of {TASKS} tasks landed on {branch} in {repository}")

    def _make(self, files: int) -> None:
        source = self.original / "src"
        source.mkdir(parents=True)
        for number in range(1, files + 1):
            (source / f"file{number}.txt").write_text(f"file {number}\n" + "a line of text\n" * 60)
        for argv in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
            self._run(["git", *argv], self.original)
        planning = self.original / "planning"
        (planning / "tasks").mkdir(parents=True)
        worker = str(HERE / "worker.sh")
        turns = "\n".join(
            f'    {turn}: [sh, "{worker}", {turn}, "{{{{ task.key }}}}", "{{{{ task.title }}}}", "SECONDS"]'
            for turn in ("plan", "execute")
        )
        (planning / "ORCH.md").write_text(f"---\ngate: auto\nworkers:\n  small:\n    driver: command\n{turns}\n---\n")
        rows = ", ".join(f"1.1.{number}" for number in range(1, TASKS + 1))
        specs = "\n".join(
            f"### 1.1.{number} — src/file{number}.txt\n\n- **Must edit:** `src/file{number}.txt`\n"
            f"- **Acceptance:** the first line is changed\n- **Test:** `true`\n"
            f"- **Commit:** Change file {number}\n"
            for number in range(1, TASKS + 1)
        )
        (planning / "EXECUTION_PLAN_1.md").write_text(PLAN.format(rows=rows, specs=specs))


if __name__ == "__main__":
    main()
