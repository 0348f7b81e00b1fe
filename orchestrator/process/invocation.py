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

    `timeout`, `silence` and `start` are seconds, 0 for no limit. Silence is counted from the last sign of life: a byte
    on either stream, and where there is a `pulse` also what is looked for once in so many seconds of silence, a change
    of the program's own `transcript` and processes that compute. `start` is how soon the first byte, or a change of the
    transcript, has to come. The transcript is a path; a part of it may hold one `*`, and `{session}` stands for what
    the first event of the output with the key `named` says.
    `gentle` is the signal that asks the program to stop; `grace` is how many seconds it gets to do so before
    its group is terminated, and the same again before it is killed. `output_cap` is in bytes. `files` are texts by the
    name of the file, for the program alone: they are laid into the run's folder before it starts.
    """

    argv: tuple[str, ...]
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/"
    timeout: float = 0.0
    silence: float = 0.0
    start: float = 0.0
    pulse: float = 0.0
    transcript: str = ""
    named: str = ""
    gentle: int = signal.SIGTERM
    grace: float = 2.0
    output_cap: int = OUTPUT_CAP
