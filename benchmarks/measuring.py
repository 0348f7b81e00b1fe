"""How the benchmarks measure: interleaved runs, medians, ratios within one run, one JSON file a benchmark."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def interleaved(cases: Mapping[str, Callable[[], float]], *, runs: int) -> dict[str, list[float]]:
    """Seconds of each case, `runs` times each, in turns: what disturbs the machine disturbs all alike.

    A case returns the seconds that it took, so that what it prepares isn't counted.
    """
    names = list(cases)
    for name in names:
        cases[name]()
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for run in range(runs):
        for name in names[run % len(names) :] + names[: run % len(names)]:
            seconds[name].append(cases[name]())
    return seconds


def timed(argv: Sequence[str], *, cwd: Path, environ: Mapping[str, str] | None = None) -> float:
    """Seconds that one process takes to its end. Ends the benchmark with its output unless it exits 0."""
    start = time.perf_counter()
    done = subprocess.run(argv, cwd=cwd, env=environ, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} exited {done.returncode}\n{done.stdout}{done.stderr}")
    return seconds


def process(argv: Sequence[str], *, cwd: Path) -> Callable[[], float]:
    """A case that runs one process."""
    return lambda: timed(argv, cwd=cwd)


def ratio(seconds: Mapping[str, Sequence[float]], name: str, base: str) -> float:
    """The median of `name` over the median of `base`, run by run: neighbours in time are compared."""
    return statistics.median(mine / other for mine, other in zip(seconds[name], seconds[base], strict=True))


def save(name: str, figures: Mapping[str, object]) -> Path:
    """Write results/NAME.json with the figures and the machine they were taken on."""
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n")
    return path
