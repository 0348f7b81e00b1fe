"""Start-up: `orch --help`, `status`, `resume` and `next-wave --dry-run` against a click group that does nothing, one
change of the board against `status`, and the guard that agents ask at every use of a tool against Python alone.

    python benchmarks/startup.py [--runs 31]

Prints medians and ratios, writes benchmarks/results/startup.json. The bars, listed in README.md, are held against the
ratios of processor time.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from measuring import Spent, interleaved, process, ratio, save
from planning_sets import write_planning_set

from orchestrator.drivers.guard import guard_command

SIZES = (10, 100, 1000)
BARS = {10: 1.6, 100: 1.6, 1000: 2.0}
BASE = "bare group"
CHANGE = "one change written, 1000"
GUARD = "the guard, "
BARE = "python doing nothing"
BASES = {CHANGE: "orch status, 1000", f"{GUARD}a write": BARE, f"{GUARD}a command": BARE}
HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=31)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        found = interleaved(_cases(Path(folder)), runs=runs)
    clock = {name: [one.clock for one in values] for name, values in found.items()}
    processor = {name: [one.processor for one in values] for name, values in found.items()}
    rows: dict[str, dict[str, str | float]] = {}
    print(f"{'':28} {'clock':>10} {'ratio':>8} {'processor':>13} {'ratio':>8}")
    for name in found:
        base = BASES.get(name, BASE)
        row: dict[str, str | float] = {"base": base}
        for kind, seconds in (("clock", clock), ("processor", processor)):
            row[f"{kind} ms"] = round(statistics.median(seconds[name]) * 1000, 1)
            row[f"{kind} ratio"] = round(ratio(seconds, name, base), 2)
        rows[name] = row
        bar = _bar(name)
        said = f"  bar {bar}" if bar else ""
        said += f" of {base}" if base != BASE else ""
        print(
            f"{name:28} {row['clock ms']:7.1f} ms {row['clock ratio']:6.2f} x"
            f" {row['processor ms']:10.1f} ms {row['processor ratio']:6.2f} x{said}"
        )
    print(f"written to {save('startup', {'runs': runs, 'cases': rows})}")


def _cases(folder: Path) -> dict[str, Callable[[], Spent]]:
    # Both start the same way, as an installed script does: a line that imports a module and calls it.
    bare = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); from bare_group import main; main()"]
    orch = [sys.executable, "-c", "from orchestrator.cli.main import main; main()"]
    cases = {
        BARE: process([sys.executable, "-c", "pass"], cwd=folder),
        BASE: process([*bare, "status"], cwd=folder),
        "bare group --help": process([*bare, "--help"], cwd=folder),
        "orch --help": process([*orch, "--help"], cwd=folder),
    }
    cases |= _guard(folder)
    for size in SIZES:
        repository = folder / f"set{size}"
        write_planning_set(repository, size)
        for command in ("status", "resume", "next-wave --dry-run"):
            cases[f"orch {command}, {size}"] = process([*orch, *command.split()], cwd=repository)
    last, words = "1.125.8", cycle(("skipped", "pending"))
    script = [sys.executable, str(HERE / "one_change.py"), last]
    cases[CHANGE] = lambda: process([*script, next(words)], cwd=folder / "set1000")()
    return cases


def _guard(folder: Path) -> dict[str, Callable[[], Spent]]:
    todo = str(folder / "todo.md")
    line = guard_command(
        sys.executable, worktree=str(folder), todo=todo, scope=["src/**", "tests/*.py"], may_write=True
    )
    calls = {"a write": {"file_path": str(folder / "setup.py")}, "a command": {"command": "cd src && git commit -m x"}}
    return {
        GUARD + name: process(shlex.split(line), cwd=folder, given=json.dumps({"tool_input": given}).encode())
        for name, given in calls.items()
    }


def _bar(name: str) -> float | None:
    if name == "orch --help":
        return 1.2
    if name == CHANGE:
        return 1.3
    if name.startswith(GUARD):
        return 2.0
    for size in SIZES:
        if name.endswith(f", {size}"):
            return BARS[size]
    return None


if __name__ == "__main__":
    main()
