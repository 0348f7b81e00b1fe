"""Runs in a temporary folder, and ways to look at what they leave."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.process.carriers import carriers
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Alive, Ended, Seen, end, look, start, wait


@dataclass
class Run:
    """One run of a shell script, with a marker of its own."""

    folder: Path
    marker: str

    def start(self, script: str, **changes: object) -> None:
        start(shell(script, self.folder.parent, **changes), self.folder, self.marker)

    def look(self) -> Seen:
        return look(self.folder, self.marker)

    def finish(self, seconds: float = 30.0) -> Seen:
        until = time.monotonic() + seconds
        while isinstance(seen := self.look(), Alive) and time.monotonic() < until:
            wait([(self.folder, self.marker)], until - time.monotonic())
        return seen

    def ended(self) -> Ended:
        seen = self.finish()
        assert isinstance(seen, Ended), seen
        return seen

    def alive(self) -> Alive:
        seen = self.look()
        assert isinstance(seen, Alive), seen
        return seen

    def end(self) -> bool:
        return end(self.folder, self.marker)

    def pids(self) -> list[int]:
        return [pid for pid, _ in carriers(self.marker)]

    def out(self) -> bytes:
        path = self.folder / "stdout"
        return path.read_bytes() if path.exists() else b""


def shell(script: str, folder: Path, **changes: object) -> Invocation:
    environment = {"PATH": os.environ["PATH"]}
    return replace(Invocation(("sh", "-c", script), env=environment, cwd=str(folder), timeout=60.0), **changes)  # type: ignore[arg-type]


def new_run(folder: Path) -> Run:
    return Run(folder / "run", uuid.uuid4().hex)


def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait for a condition; fails if it doesn't come."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)
