"""A command of ours, run to its end and looked at: no shim, no marker, nothing that outlives the caller's patience.

For commands that are not workers and need no record on disk.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Called:
    """How a command left: exit code (negative: the signal that killed it, None: ended after its time), both streams."""

    code: int | None
    out: str
    err: str


def call(argv: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float) -> Called:
    """Run a command with no input, and wait for its end or `timeout` seconds."""
    with effect("spawn", argv[0]):
        try:
            done = subprocess.run(
                [*argv],
                cwd=cwd,
                env={**env},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            return Called(None, _text(late.stdout), _text(late.stderr))
    return Called(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
