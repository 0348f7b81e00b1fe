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
import json
import math
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measuring import Spent, become_reaper, interleaved, ratio, save, whole
from one_line_each import HERE, TASKS, environment, landed, make, run

SLOTS = (1, 4, 8)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--files", type=int, default=100, help="files in the repository")
    parser.add_argument("--sleep", type=int, default=1, help="seconds that a sleeping worker sleeps")
    wanted = parser.parse_args()
    figures: dict[str, object] = {"runs": wanted.runs, "files": wanted.files, "tasks": TASKS}
    become_reaper()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), wanted.files)
        figures["per_task"] = _per_task(bench, wanted.runs)
        figures["makespan"] = _makespans(bench, max(3, wanted.runs // 3), wanted.sleep)
    print(f"written to {save('overhead', figures)}")


def _per_task(bench: Bench, runs: int) -> dict[str, object]:
    spent = interleaved(
        {
            "by hand, one by one": bench.by_hand(),
            "by hand, 4 at once": bench.by_hand(at_once=4),
            "orch next-wave --auto": bench.orch(jobs=4),
        },
        runs=runs,
    )
    clock, busy = _clock(spent), {name: [one.processor for one in values] for name, values in spent.items()}
    rows: dict[str, object] = {}
    for name in spent:
        each, processor = (statistics.median(times[name]) / TASKS * 1000 for times in (clock, busy))
        ratios = sorted(ratio(clock, name, base) for base in list(spent)[:2])
        loads = sorted(ratio(busy, name, base) for base in list(spent)[:2])
        rows[name] = {
            "ms_a_task": round(each, 1),
            "ratio_to_hand": [round(one, 2) for one in ratios],
            "processor_ms_a_task": round(processor, 1),
            "processor_ratio_to_hand": [round(one, 2) for one in loads],
        }
        text = f"{each:7.1f} ms a task {ratios[0]:5.2f} to {ratios[1]:5.2f} x by hand (bar 1.0)"
        print(f"{name:24} {text}; processor {processor:6.1f} ms, {loads[0]:5.2f} to {loads[1]:5.2f} x")
    commands = bench.git_commands() / TASKS
    print(f"orch runs {commands:.1f} git commands a task")
    return {**rows, "git_commands_a_task": commands}


def _clock(spent: dict[str, list[Spent]]) -> dict[str, list[float]]:
    return {name: [one.clock for one in values] for name, values in spent.items()}


def _makespans(bench: Bench, runs: int, sleep: int) -> dict[str, object]:
    rows: dict[str, object] = {}
    for slots in SLOTS:
        ideal = math.ceil(TASKS / slots) * sleep
        cases = {"orch": bench.orch(jobs=slots, sleep=sleep), "by hand": bench.by_hand(at_once=slots, sleep=sleep)}
        seconds = _clock(interleaved(cases, runs=runs))
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
        self.environ = environment(folder)
        make(self.original, self.environ, files=files, seconds="SECONDS")

    def by_hand(self, *, at_once: int = 1, sleep: int = 0) -> Callable[[], Spent]:
        """A case: the hand-written script on a fresh copy."""

        def argv(repository: Path) -> list[str]:
            work = repository.with_name("worktrees")
            work.mkdir()
            return ["sh", str(HERE / "by_hand.sh"), str(repository), str(work), str(TASKS), str(sleep), str(at_once)]

        return lambda: self._whole(argv, branch="main", sleep=sleep)

    def orch(self, *, jobs: int, sleep: int = 0) -> Callable[[], Spent]:
        """A case: one call of next-wave on a fresh copy."""
        argv = [sys.executable, "-m", "orchestrator", "next-wave", "--auto", "--jobs", str(jobs)]
        return lambda: self._whole(lambda _: argv, branch="orch/1-one-line-each", sleep=sleep)

    def git_commands(self) -> int:
        """How many git commands orch runs for one wave."""
        log = self.folder / "effects.log"
        orders = json.dumps({"log": str(log)})
        self._whole(
            lambda _: [sys.executable, "-m", "orchestrator", "next-wave", "--auto", "--jobs", "4"],
            branch="orch/1-one-line-each",
            sleep=0,
            more={"ORCH_EFFECTS": orders},
        )
        lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        log.unlink()
        return sum(when == "before" and kind == "git" for _, when, kind, _ in lines)

    def _whole(
        self, argv: Callable[[Path], list[str]], *, branch: str, sleep: int, more: dict[str, str] | None = None
    ) -> Spent:
        place = self.folder / "run"
        repository = place / "repository"
        shutil.copytree(self.original, repository, symlinks=True)
        settings = repository / "planning" / "ORCH.md"
        settings.write_text(settings.read_text().replace("SECONDS", str(sleep)))
        run(["git", "status", "--porcelain"], repository, self.environ)
        spent = whole(argv(repository), cwd=repository, environ={**self.environ, **(more or {})})
        if (done := landed(repository, self.environ, branch)) != TASKS:
            raise SystemExit(f"{done} of {TASKS} tasks landed on {branch} in {repository}")
        for folder in (place, self.folder / "state"):
            shutil.rmtree(folder, ignore_errors=True)
        return spent


if __name__ == "__main__":
    main()
