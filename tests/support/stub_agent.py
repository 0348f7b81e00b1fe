"""A stand-in for an agent program: the n-th call plays the n-th turn, and keeps how it was called.

Questions whether its service works are counted apart, and answered with OK unless something else is to be played.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.recordings import SESSION, Recorded, recordings


@dataclass(frozen=True, slots=True)
class Stub:
    folder: Path

    @property
    def program(self) -> str:
        return str(self.folder / "agent")

    def words(self, number: int) -> list[str]:
        """The words of the n-th call, from 1."""
        return (self.folder / f"{number}.argv").read_text("utf-8").splitlines()

    def prompt(self, number: int) -> str:
        """What the n-th call had on standard input."""
        return (self.folder / f"{number}.prompt").read_text("utf-8")

    @property
    def markers(self) -> list[str]:
        """The marks of the calls' processes."""
        return [path.read_text("utf-8") for path in self.folder.glob("*.marker")]

    @property
    def calls(self) -> int:
        return len(list(self.folder.glob("[0-9]*.prompt")))

    @property
    def probes(self) -> list[str]:
        """What the questions were that it was asked."""
        return [path.read_text("utf-8") for path in sorted(self.folder.glob("probe*.prompt"))]


def stub_agent(folder: Path, turns: Sequence[Recorded], *, probes: Sequence[Recorded] = ()) -> Stub:
    """Make the program. `then` of a turn runs in the worktree, after what it says. probes: what questions whether its
    service works come to; OK once there are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    answers = [*probes, *[said("OK", session="", usd=0.0)] * 20]
    scenes = {str(number): turn for number, turn in enumerate(turns, start=1)}
    scenes |= {f"probe{number}": turn for number, turn in enumerate(answers, start=1)}
    for name, turn in scenes.items():
        (folder / f"{name}.out").write_text(turn.out, "utf-8")
        (folder / f"{name}.err").write_text(turn.err, "utf-8")
        (folder / f"{name}.sh").write_text(turn.leaving, "utf-8")
    place = shlex.quote(str(folder))
    program = folder / "agent"
    # mkdir takes a number once, also where two of them begin at the same moment.
    program.write_text(
        f'#!/bin/sh\ni=1\n[ "$ORCH_TURN" = probe ] && kind=probe\n'
        f"while n=$kind$i; ! mkdir {place}/$n 2>/dev/null; do i=$((i + 1)); done\n"
        f'printf \'%s\\n\' "$@" > {place}/$n.argv\nprintf %s "$ORCH_RUN_ID" > {place}/$n.marker\n'
        f"cat > {place}/$n.prompt\ncat {place}/$n.out\ncat {place}/$n.err >&2\n. {place}/$n.sh\n"
    )
    program.chmod(0o755)
    return Stub(folder)


def said(text: str, *, session: str, usd: float = 0.25, model: str = "model-1") -> Recorded:
    """A turn of Claude Code that ends well with that text."""
    recorded = recordings("claude")["finished"].saying(text)
    recorded = recorded.replacing(SESSION, session).replacing("claude-sonnet-5-5", model)
    *lines, last = recorded.lines
    assert isinstance(last, dict)
    return replace(recorded, lines=(*lines, {**last, "total_cost_usd": usd}))


def failed(ending: str, words: str = "") -> Recorded:
    """A turn of Claude Code that meets an error of its service. words: what the service says besides."""
    status = ending if ending.isdigit() else "529"
    return recordings("claude")[ending].replacing(f"no luck ({status})", f"no luck ({status}). {words}".strip())


def worker_line(stub: Stub, **more: object) -> str:
    """The worker's line for ORCH.md."""
    return "small: " + json.dumps(
        {"driver": "claude", "program": stub.program, "model": "model-1", "timeout": "30s", **more}
    )
