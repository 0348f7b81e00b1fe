"""The scripted driver: a worker that replays a recording (`script: FILE`), for demos and tests.

What a recording holds is recording.py's; what is done with it, in a process of its own, scripted_worker.py's.
"""

from __future__ import annotations

import sys
from pathlib import Path

from orchestrator.drivers.base import TurnOrder, TurnResult, plain_result, turn_environment
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

# The worker must be this orch's, whatever packages lie in the folder it starts in.
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from orchestrator.drivers.scripted_worker import main; main()"
)


@dataclass(frozen=True, slots=True)
class ScriptedDriver:
    name: str = "scripted"

    def problems(self, worker: Worker) -> tuple[str, ...]:
        script = worker.options.get("script")
        if isinstance(script, str) and script.strip():
            return ()
        return ("`script` is missing: write `script: FILE`, a path from the top of the repository",)

    def invocation(self, order: TurnOrder) -> Invocation:
        root = str(Path(__file__).parents[2])
        script = str(Path(order.repo, str(order.worker.options.get("script", ""))))
        return Invocation(
            argv=(sys.executable, "-S", "-P", "-X", "utf8", "-c", _PROGRAM, root, script, str(order.attempt)),
            stdin=order.prompt,
            env=turn_environment(order),
            cwd=order.worktree,
            timeout=order.worker.timeout,
        )

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return plain_result(order, ended)


DRIVER = ScriptedDriver()
