"""What is to be run: a value that drivers build and only this room carries out.

Knows nothing of drivers, tasks or git.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping

from orchestrator.nouns import dataclass, field

OUTPUT_CAP = 1 << 30
"""Bytes of output (both streams together) after which a process is ended."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One process: its command line, standard input, whole environment, folder and limits.

    `timeout` and `silence` are seconds, 0 for no limit. Silence is counted from the last byte on either stream.
    `gentle` is the signal that asks the program to stop; `grace` is how many seconds it gets to do so before
    its group is terminated, and the same again before it is killed. `output_cap` is in bytes.
    """

    argv: tuple[str, ...]
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/"
    timeout: float = 0.0
    silence: float = 0.0
    gentle: int = signal.SIGTERM
    grace: float = 2.0
    output_cap: int = OUTPUT_CAP
