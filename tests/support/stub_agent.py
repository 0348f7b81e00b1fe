"""A stand-in for an agent program: the n-th call plays the n-th turn, and keeps how it was called."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.drivers.recorded import Recorded


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
    def calls(self) -> int:
        return len(list(self.folder.glob("*.prompt")))


def stub_agent(folder: Path, turns: Sequence[Recorded]) -> Stub:
    """Make the program. `then` of a turn runs in the worktree, after what it says."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, turn in enumerate(turns, start=1):
        (folder / f"{number}.out").write_text(turn.out, "utf-8")
        leave = f"kill -{-turn.code} $$; sleep 9" if turn.code < 0 else f"exit {turn.code}"
        (folder / f"{number}.sh").write_text(f"{turn.then}\n{leave}\n", "utf-8")
    place = shlex.quote(str(folder))
    program = folder / "agent"
    # mkdir takes a number once, also where two of them begin at the same moment.
    program.write_text(
        f"#!/bin/sh\nn=1\nwhile ! mkdir {place}/$n 2>/dev/null; do n=$((n + 1)); done\n"
        f"printf '%s\\n' \"$@\" > {place}/$n.argv\ncat > {place}/$n.prompt\ncat {place}/$n.out\n. {place}/$n.sh\n"
    )
    program.chmod(0o755)
    return Stub(folder)


def said(text: str, *, session: str, usd: float = 0.25, model: str = "model-1") -> Recorded:
    """A turn of Claude Code that ends well with that text."""
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": text,
        "session_id": session,
        "total_cost_usd": usd,
        "usage": {"input_tokens": 1000, "output_tokens": 20},
        "modelUsage": {model: {"inputTokens": 1000, "outputTokens": 20}},
    }
    return Recorded((_begun(session, model), result))


def failed(text: str, *, session: str, status: int = 0) -> Recorded:
    """A turn of Claude Code that meets an error of its service."""
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": status or None,
        "result": text,
        "session_id": session,
        "total_cost_usd": 0,
    }
    return Recorded((_begun(session, "model-1"), result), code=1)


def _begun(session: str, model: str) -> dict[str, object]:
    return {"type": "system", "subtype": "init", "session_id": session, "model": model}


def worker_line(stub: Stub, **more: object) -> str:
    """The worker's line for ORCH.md."""
    return "small: " + json.dumps(
        {"driver": "claude", "program": stub.program, "model": "model-1", "timeout": "30s", **more}
    )
