"""Running `orch` as users do: a process of its own, in a folder, with what it printed and how it left."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Left:
    """How a call left: exit code (negative: the signal that killed it), and both streams."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, object]:
        """The JSON document that `--json` printed."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


def run_orch(
    folder: Path,
    *words: str,
    env: Mapping[str, str] | None = None,
    effects: Mapping[str, object] | None = None,
    timeout: float = 120.0,
    program: Sequence[str] = ("-m", "orchestrator"),
) -> Left:
    """Run `orch WORDS` in `folder`. effects: orders for the numbered door (orchestrator/effects.py). program: what
    Python is to run."""
    world = {**os.environ, **(env or {}), "PYTHONPATH": str(ROOT)}
    if effects:
        world["ORCH_EFFECTS"] = json.dumps(effects)
    done = subprocess.run(
        [sys.executable, *program, *words],
        cwd=folder,
        env=world,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    left = Left(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
    _check_next(left)
    return left


def begin_orch(folder: Path, *words: str, effects: Mapping[str, object] | None = None) -> subprocess.Popen[str]:
    """Start `orch WORDS` in `folder`, to do something beside it. effects: as for run_orch."""
    world = {**os.environ, "PYTHONPATH": str(ROOT), **({"ORCH_EFFECTS": json.dumps(effects)} if effects else {})}
    return subprocess.Popen(
        [sys.executable, "-m", "orchestrator", *words],
        cwd=folder,
        env=world,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def left_of(call: subprocess.Popen[str]) -> Left:
    """How it left, once it has."""
    out, err = call.communicate(timeout=120)
    return Left(call.returncode, out, err)


_COMMAND = re.compile(r"next: (?:cd \S+ && )?(?:orch|git) (?!.*(?:, then|; or|; then) )")


def _check_next(left: Left) -> None:
    """Whatever a call says comes next can be run as it stands: anything to do by hand has a line of its own."""
    for line in left.out.split("\n"):
        assert not line.startswith("next: ") or _COMMAND.match(line), left
