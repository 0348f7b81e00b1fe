"""How the benchmarks measure: interleaved runs, medians, ratios within one run, one JSON file a benchmark.

Where the machine has other work to do, seconds on the clock say more about that than about the case; the seconds that
the processor spent on it are steadier.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")

RESULTS = Path(__file__).parent / "results"


class Spent(NamedTuple):
    """Seconds on the clock, and seconds of processor time, user and system."""

    clock: float
    processor: float


def interleaved(cases: Mapping[str, Callable[[], T]], *, runs: int) -> dict[str, list[T]]:
    """What each case returns, `runs` times each, in turns: what disturbs the machine disturbs all alike.

    A case returns the seconds that it took, or what it Spent, so that what it prepares isn't counted.
    """
    names = list(cases)
    for name in names:
        cases[name]()
    seconds: dict[str, list[T]] = {name: [] for name in names}
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


def spent(argv: Sequence[str], *, cwd: Path, given: bytes = b"") -> Spent:
    """What one process and those it waits for take to its end. It must exit 0. given: a little for its input.

    Compiled modules are kept from run to run, as after an installation, whatever the caller's environment says.
    """
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, env=environ, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin
    with contextlib.suppress(BrokenPipeError), process.stdin:
        process.stdin.write(given)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(argv))
    return Spent(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


SUBREAPER = 36


def become_reaper() -> None:
    """Have processes that outlive their parents become children of this one, so that their time is seen (Linux)."""
    if ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0):
        raise SystemExit("this system can't tell the time of processes that outlive their parents")


def whole(argv: Sequence[str], *, cwd: Path, environ: Mapping[str, str] | None = None) -> Spent:
    """What a process and all that descend from it take, after `become_reaper`. The clock stops at the process's own
    end. Ends the benchmark with its output unless it exits 0."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = timed(argv, cwd=cwd, environ=environ)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def process(argv: Sequence[str], *, cwd: Path, given: bytes = b"") -> Callable[[], Spent]:
    """A case that runs one process."""
    return lambda: spent(argv, cwd=cwd, given=given)


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
