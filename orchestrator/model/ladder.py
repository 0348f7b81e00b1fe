"""The escalation rules: what follows a failure, by its kind, the counts so far and the tiers there are.

Source: docs/lifecycle.md, "The ladder". Counts are those of the present tier; on a new tier they begin at 0.
"""

from __future__ import annotations

from orchestrator.model.settings import TIERS, Worker
from orchestrator.model.task_file import Counts
from orchestrator.nouns import dataclass, replace

MOST_SEND_BACKS = 2
"""So often a micro-plan is sent back to its worker; then the orchestrator writes it."""


@dataclass(frozen=True, slots=True)
class Rung:
    """What comes next, and the counts that hold from then on. `next` is a word of the log's `failed next=`.

    next: plan, execute, takeover, retry (a turn), gate (it rests there), blocked. tier: the tier that
    takes over, "" where the task stays on its own.
    """

    counts: Counts
    next: str
    tier: str = ""


def tier_above(workers: tuple[Worker, ...], tier: str) -> str:
    """The next tier above for which a worker is configured; "" where there is none."""
    there = {worker.tier for worker in workers}
    at = TIERS.index(tier) if tier in TIERS else 0
    return next((name for name in TIERS[at + 1 :] if name in there), "")


def after_plan_error(counts: Counts, *, above: str = "", is_attended: bool = True) -> Rung:
    """A micro-plan with a mechanical error goes back by itself once. The second is parked at the gate, for the
    orchestrator to send back, take over or force; unattended the task goes one tier up, if there is one.
    """
    counted = replace(counts, plan=counts.plan + 1)
    if counted.plan == 1:
        return Rung(counted, "plan")
    return Rung(counted, "gate") if is_attended or not above else Rung(Counts(), "plan", above)


def after_failure(kind: str, counts: Counts, *, turn: str, above: str = "") -> Rung:
    """The rung for a failed turn or verification.

    kind: accept (a test, an empty diff), scope (edits outside it: a failed acceptance too), report, conflict,
    stopped (its worker says that it can't go on),
    died (ended without finishing, never ran, hung), foreign (its log isn't orch's alone).
    turn: the turn that failed, repeated after a death.
    above: the next tier up, "" on the top one. Raises ValueError for another kind.
    """
    match kind:
        case "accept" | "scope":
            counted = replace(counts, accept=counts.accept + 1, scope=counts.scope + (kind == "scope"))
            if counted.scope > 1:
                # The same fault after it was named: no worker of any tier may touch more files than the spec says.
                return Rung(counted, "blocked")
            if counted.accept == 1:
                return Rung(counted, "retry")
            return Rung(Counts(), "plan", above) if above else Rung(counted, "blocked")
        case "report":
            counted = replace(counts, report=counts.report + 1)
            if counted.report == 1:
                return Rung(counted, "retry")
            # The work itself stands: the next tier gets the tree and the plan.
            return Rung(Counts(), "retry", above) if above else Rung(counted, "blocked")
        case "conflict":
            counted = replace(counts, conflict=counts.conflict + 1)
            return Rung(counted, "retry" if counted.conflict == 1 else "blocked")
        case "stopped":
            # It was told to stop and report where it can't go on: another try would only meet the same.
            return Rung(counts, "blocked")
        case "died":
            counted = replace(counts, died=counts.died + 1)
            return Rung(counted, turn if counted.died == 1 else "blocked")
        case "foreign":
            return Rung(Counts(), "blocked")
        case _:
            raise ValueError(f"no rung for {kind!r}")


MOST_STORMS = 3
"""So often in a row a turn is begun again after its service failed; then it counts as a worker's death."""
_QUOTA_PAUSE, _STORM_PAUSE, _LONGEST_PAUSE = 300.0, 30.0, 4800.0


def pause_after(outcome: str, *, told: float = 0.0, storms: int = 0) -> float | None:
    """Seconds for which an account rests after a turn that ended through nobody's fault; None if it isn't weather.

    outcome: as drivers say it. told: what the service asked for, 0 for nothing. storms: how many turns in a row have
    ended like this before.
    """
    match outcome:
        case "quota":
            # It may last for hours: nobody is blamed, however often it comes.
            return told or min(_QUOTA_PAUSE * 2**storms, _LONGEST_PAUSE)
        case "api-error" if storms < MOST_STORMS:
            return told or _STORM_PAUSE * 2**storms
        case "no-session" if storms < MOST_STORMS:
            return 0.0
        case _:
            return None


def pause_after_probe(outcome: str, *, told: float = 0.0, before: int = 0) -> float | None:
    """Seconds for which an account rests that was asked whether it works; None if its service isn't what is wrong.

    outcome: of the probe. told: what the service asked for, 0 for nothing. before: how often in a row it was found out
    of use before. However often that is, it counts as nobody's attempt.
    """
    match outcome:
        case "quota":
            return told or min(_QUOTA_PAUSE * 2**before, _LONGEST_PAUSE)
        case "api-error" | "limit" | "killed":
            return told or min(_STORM_PAUSE * 2**before, _LONGEST_PAUSE)
        case _:
            return None


def diagnosed(kind: str, counts: Counts) -> Counts:
    """The counts after somebody wrote down why it failed: the next failure of that kind is the last one again."""
    name = "accept" if kind in ("accept", "scope") else kind
    return replace(counts, **{name: 1}) if hasattr(counts, name) else counts
