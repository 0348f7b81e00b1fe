"""What a call of next-wave may do: its options laid over the settings."""

from __future__ import annotations

from orchestrator.errors import UserError
from orchestrator.model.facts import Limits
from orchestrator.model.orchestration import Orchestration


def limits_for(orchestration: Orchestration, *, auto: bool, jobs: int | None, wave: int | None, until: str) -> Limits:
    """What this call may do. Under --auto nothing waits for a person at the gate: a reviewer judges the plans if there
    is one, and else they pass on checks alone.

    Raises UserError for a wave that the plan doesn't have.
    """
    if wave is not None and all(one.number != wave for one in orchestration.plan.waves):
        there = ", ".join(str(one.number) for one in orchestration.plan.waves)
        raise UserError(f"there is no wave {wave}", hint=f"the plan has {there}", code="no-wave")
    gate = orchestration.settings.gate
    if auto and gate == "stop":
        gate = "review" if orchestration.settings.reviewer else "auto"
    return Limits(
        jobs=jobs or orchestration.settings.jobs,
        gate=gate,
        wave=wave,
        until_plan=until == "plan",
        is_attended=not auto,
    )
