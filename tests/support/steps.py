"""A call of `orch` that stands at every step of its own, so that a person can act at exactly that moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.orch import ROOT, Left


@dataclass(frozen=True, slots=True)
class Step:
    """A moment of a call: before or after one of its effects (orchestrator/effects.py)."""

    number: int
    when: str
    kind: str
    detail: str

    def is_at(self, kind: str, detail: str, when: str = "before") -> bool:
        """Whether it is an effect of this kind whose detail ends like this."""
        return self.when == when and self.kind == kind and self.detail.endswith(detail)


_CLOCK = """\
import sys, time
real = time.time
time.time = lambda: real() + float(open({path!r}).read())
from orchestrator.cli.main import main
main()
"""
"""The program of a call whose clock goes wrong by what a file says at each moment."""


def stands(process: subprocess.Popen[Any]) -> bool:
    """Wait until a process that was started here has stopped itself; False if it ended instead."""
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        process.returncode = os.waitstatus_to_exitcode(status)
    return os.WIFSTOPPED(status)


def stepped(
    folder: Path,
    *words: str,
    visit: Callable[[Step], object],
    clock: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Left:
    """Run `orch WORDS` in `folder`; `visit` is called at each of its steps while it stands there.

    clock: a file with the seconds by which its clock, not that of what it starts, is wrong.
    """
    program = ["-c", _CLOCK.format(path=str(clock))] if clock else ["-m", "orchestrator"]
    log = folder.parent / f"steps-{os.urandom(4).hex()}"
    out, err = log.with_suffix(".out"), log.with_suffix(".err")
    orders = json.dumps({"log": str(log), "stop": "every"})
    with out.open("wb") as stdout, err.open("wb") as stderr:
        call = subprocess.Popen(
            [sys.executable, *program, *words],
            cwd=folder,
            env={**os.environ, **(env or {}), "PYTHONPATH": str(ROOT), "ORCH_EFFECTS": orders},
            stdout=stdout,
            stderr=stderr,
        )
    seen = 0
    try:
        while stands(call):
            text = log.read_text("utf-8")
            for line in text[seen:].splitlines():
                number, when, kind, detail = json.loads(line)
                visit(Step(number, when, kind, detail))
            seen = len(text)
            os.kill(call.pid, signal.SIGCONT)
    finally:
        if call.returncode is None:
            call.kill()
            call.wait()
    return Left(call.returncode, out.read_text("utf-8"), err.read_text("utf-8"))
