"""Start-up: `orch --help`, `status`, `resume` and `next-wave --dry-run` against a click group that does nothing.

    python benchmarks/startup.py [--runs 31]

Prints medians and ratios, writes benchmarks/results/startup.json. The bars are those of docs/quality.md.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measuring import interleaved, process, ratio, save
from planning_sets import write_planning_set

SIZES = (10, 100, 1000)
BARS = {10: 1.6, 100: 1.6, 1000: 2.0}
BASE = "bare group"
HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=31)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        seconds = interleaved(_cases(Path(folder)), runs=runs)
    rows = {}
    for name, values in seconds.items():
        rows[name] = {"ms": round(statistics.median(values) * 1000, 1), "ratio": round(ratio(seconds, name, BASE), 2)}
        bar = _bar(name)
        said = f"  bar {bar}" if bar else ""
        print(f"{name:28} {rows[name]['ms']:7.1f} ms  {rows[name]['ratio']:5.2f} x{said}")
    print(f"written to {save('startup', {'runs': runs, 'base': BASE, 'cases': rows})}")


def _cases(folder: Path) -> dict[str, Callable[[], float]]:
    # Both start the same way, as an installed script does: a line that imports a module and calls it.
    bare = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); from bare_group import main; main()"]
    orch = [sys.executable, "-c", "from orchestrator.cli.main import main; main()"]
    cases = {
        "python doing nothing": process([sys.executable, "-c", "pass"], cwd=folder),
        BASE: process([*bare, "status"], cwd=folder),
        "bare group --help": process([*bare, "--help"], cwd=folder),
        "orch --help": process([*orch, "--help"], cwd=folder),
    }
    for size in SIZES:
        repository = folder / f"set{size}"
        write_planning_set(repository, size)
        for command in ("status", "resume", "next-wave --dry-run"):
            cases[f"orch {command}, {size}"] = process([*orch, *command.split()], cwd=repository)
    return cases


def _bar(name: str) -> float | None:
    if name == "orch --help":
        return 1.2
    for size in SIZES:
        if name.endswith(f", {size}"):
            return BARS[size]
    return None


if __name__ == "__main__":
    main()
