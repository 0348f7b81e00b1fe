"""Where a task that a person parked is taken up again: the step that was due when it was parked.

Owns which step that is. Must not write anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.model.log import LogEntry
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.model.status import Status

PARKED = (Status.BLOCKED, Status.NEEDS_INPUT)
"""What a person sets a task to that is to go on later."""
_NEXT = {
    Stage.FRESH: ("begin", Status.PENDING),
    Stage.SENT_BACK: ("plan", Status.PLANNING),
    Stage.AT_GATE: ("gate", Status.PLAN_READY),
    Stage.APPROVED: ("execute", Status.APPROVED),
    Stage.WORK_ENDED: ("verify", Status.VERIFYING),
    Stage.RETRY_DUE: ("retry", Status.RUNNING),
    Stage.VERIFIED: ("verify", Status.VERIFYING),
}


def before_parking(log: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """The log as it was before a person parked the task, however often in a row; the whole of one that isn't parked."""
    kept = tuple(log)
    while (now := standing(kept)).stage is Stage.DECIDED and now.decided in PARKED:
        last = max(index for index, entry in enumerate(kept) if entry.event == "decided")
        kept = kept[:last]
    return kept


def taken_up(then: Standing) -> tuple[str, Status] | None:
    """What is due of a task that stood like this when it was parked, and the status that goes with it; None for one
    whose failure has to be tried again, and for one that a person has ended."""
    if then.stage is Stage.PLANNING:
        return _NEXT[Stage.SENT_BACK if then.sent_back else Stage.FRESH]
    if then.stage is Stage.WORKING:
        return _NEXT[Stage.RETRY_DUE if then.turn == "retry" else Stage.APPROVED]
    if then.stage is Stage.REVIEWING:
        return _NEXT[Stage.VERIFIED if then.reviewed == "diff" else Stage.AT_GATE]
    return _NEXT.get(then.stage)
