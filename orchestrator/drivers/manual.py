"""The manual driver: no process. The session or person that runs orch gives the turn to a worker of their own.

Owns nothing but the name; how a turn is handed out and taken in again is engine/hosted.py.
"""

from __future__ import annotations

from orchestrator.drivers.base import TurnOrder, TurnResult, plain_result
from orchestrator.model.settings import MANUAL, Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended


@dataclass(frozen=True, slots=True)
class ManualDriver:
    name: str = MANUAL

    def problems(self, worker: Worker) -> tuple[str, ...]:
        return ()

    def invocation(self, order: TurnOrder) -> Invocation:
        """There is none. Raises RuntimeError: a turn of this driver is never spawned."""
        raise RuntimeError("the manual driver starts no process")

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return plain_result(order, ended)


DRIVER = ManualDriver()
