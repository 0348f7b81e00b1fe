"""What a task costs in a large repository, wave by wave, against the hand-written script.

    python benchmarks/large.py [--runs 3] [--files 20000] [--bytes 10000] [--waves 3]

Waves of eight one after another, by orch (`next-wave --auto`, 4 jobs) and by by_hand.sh (one by one, and 4 at once),
without commit hooks and with one that does nothing. The first wave makes its workspaces; from the second on orch has
them already, and the script makes and removes them again. Every wave is measured by itself, in turns; after the
last of them orch removes its workspaces, which is in that wave's figure. Beside time on the clock stands processor
time, that of every process.
Use a file system in memory (`TMPDIR=/dev/shm`): making thousands of files right after thousands were deleted is slow
on some disks, and then it is the disk that is measured. Prints ratios, writes benchmarks/results/large.json.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from measuring import Spent, become_reaper, save, whole
from one_line_each import HERE, TASKS, environment, landed, make, run

BRANCH = "orch/1-one-line-each"
BARS = {False: 0.2, True: 0.33}
HAND = {"by hand, one by one": 1, "by hand, 4 at once": 4}
Rows = dict[tuple[bool, str, int], list[Spent]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--files", type=int, default=20_000, help="files in the repository")
    parser.add_argument("--bytes", type=int, default=10_000, help="bytes of a file")
    parser.add_argument("--waves", type=int, default=3)
    wanted = parser.parse_args()
    become_reaper()
    rows: Rows = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = environment(folder)
        original = folder / "original"
        make(original, environ, files=wanted.files, size=wanted.bytes, waves=wanted.waves)
        for _ in range(wanted.runs):
            for hooked in (False, True):
                _once(folder, original, environ, rows, waves=wanted.waves, hooked=hooked)
    figures = {"runs": wanted.runs, "files": wanted.files, "bytes": wanted.bytes, "tasks": TASKS}
    print(f"written to {save('large', {**figures, 'waves': _report(rows, wanted.waves)})}")


def _once(folder: Path, original: Path, environ: dict[str, str], rows: Rows, *, waves: int, hooked: bool) -> None:
    """One run of all waves of all cases, each on a copy of its own."""
    cases = {}
    for number, name in enumerate(("orch", *HAND)):
        place = folder / str(number)
        shutil.copytree(original, place / "repository", symlinks=True)
        if hooked:
            hook = place / "repository" / ".git" / "hooks" / "pre-commit"
            hook.parent.mkdir(exist_ok=True)
            hook.write_text("#!/bin/sh\nexit 0\n")
            hook.chmod(0o755)
        (place / "worktrees").mkdir()
        # The times of the copy are not those of the index: compared once here, not in the first measured command.
        run(["git", "status", "--porcelain"], place / "repository", environ)
        cases[name] = place
    for wave in range(1, waves + 1):
        for name, place in cases.items():
            repository = place / "repository"
            if name == "orch":
                argv = [sys.executable, "-m", "orchestrator", "next-wave", "--auto", "--jobs", "4"]
            else:
                argv = ["sh", str(HERE / "by_hand.sh"), str(repository), str(place / "worktrees"), str(TASKS)]
                argv += ["0", str(HAND[name]), str((wave - 1) * TASKS + 1)]
            spent = whole(argv, cwd=repository, environ=environ)
            rows[hooked, name, wave].append(spent)
            told = f"{spent.clock / TASKS * 1000:.0f} ms a task, processor {spent.processor / TASKS * 1000:.0f}"
            print(
                f"  {'with' if hooked else 'without'} hooks, wave {wave}, {name}: {told}", file=sys.stderr, flush=True
            )
            done = landed(repository, environ, BRANCH if name == "orch" else "main")
            if done != wave * TASKS:
                raise SystemExit(f"{done} of {wave * TASKS} tasks landed by {name}")
    for place in cases.values():
        subprocess.run(["rm", "-rf", str(place)], check=True)
    subprocess.run(["rm", "-rf", str(folder / "state")], check=True)


def _report(rows: Rows, waves: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for hooked in (False, True):
        for wave in range(1, waves + 1):
            mine = rows[hooked, "orch", wave]
            each = statistics.median(one.clock for one in mine) / TASKS * 1000
            row: dict[str, object] = {"hooks": hooked, "wave": wave, "ms_a_task": round(each, 1)}
            text = f"{'with' if hooked else 'without'} commit hooks, wave {wave}: {each:7.1f} ms a task"
            for name in HAND:
                other = rows[hooked, name, wave]
                clock = statistics.median(a.clock / b.clock for a, b in zip(mine, other, strict=True))
                busy = statistics.median(a.processor / b.processor for a, b in zip(mine, other, strict=True))
                base = statistics.median(one.clock for one in other) / TASKS * 1000
                row[name] = {"ms_a_task": round(base, 1), "ratio": round(clock, 3), "ratio_processor": round(busy, 3)}
                text += f"   {clock:5.2f} x {name} ({base:.0f} ms; processor {busy:.2f} x)"
            bar = f"  (bar {BARS[hooked]})" if wave > 1 else ""
            print(text + bar)
            found.append(row)
    return found


if __name__ == "__main__":
    main()
