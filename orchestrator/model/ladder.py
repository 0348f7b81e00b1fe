"""The escalation rules: what follows a failure, by its kind and the counts so far.

Source: docs/lifecycle.md, "The ladder". Until tiers exist, every second failure of a kind is `blocked`; a second
plan with errors is parked at the gate for a person.
"""

from __future__ import annotations

from orchestrator.model.task_file import Counts
from orchestrator.nouns import dataclass, replace


@dataclass(frozen=True, slots=True)
class Rung:
    """What comes next, and the counts that hold from then on. `next` is a word of the log's `failed next=`."""

    counts: Counts
    next: str


def after_plan_error(counts: Counts) -> Rung:
    """A micro-plan with a mechanical error goes back by itself once; the second is parked at the gate."""
    counted = replace(counts, plan=counts.plan + 1)
    return Rung(counted, "plan" if counted.plan == 1 else "gate")


def after_failure(kind: str, counts: Counts, *, turn: str) -> Rung:
    """The rung for a failed turn or verification.

    kind: accept (a test, an empty diff), scope (edits outside it, counted as accept), report, conflict,
    died (ended without finishing, never ran, hung). turn: the turn that failed, repeated after a death.
    Raises ValueError for another kind.
    """
    match kind:
        case "accept" | "scope":
            counted = replace(counts, accept=counts.accept + 1)
            return Rung(counted, "retry" if counted.accept == 1 else "blocked")
        case "report":
            counted = replace(counts, report=counts.report + 1)
            return Rung(counted, "retry" if counted.report == 1 else "blocked")
        case "conflict":
            counted = replace(counts, conflict=counts.conflict + 1)
            return Rung(counted, "retry" if counted.conflict == 1 else "blocked")
        case "died":
            counted = replace(counts, died=counts.died + 1)
            return Rung(counted, turn if counted.died == 1 else "blocked")
        case _:
            raise ValueError(f"no rung for {kind!r}")
