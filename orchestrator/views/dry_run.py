"""What `next-wave` would do and what it would leave, each with its reason; equal reasons share a line."""

from __future__ import annotations

from orchestrator.model.actions import Decision
from orchestrator.model.orchestration import Orchestration
from orchestrator.views.folding import grouped, keys_text, tasks_text
from orchestrator.views.printable import one_line
from orchestrator.views.status import problem_lines


def dry_run_lines(orchestration: Orchestration, decision: Decision) -> tuple[str, ...]:
    """Actions first, then waits, in plan order. Says that processes and git weren't looked at."""
    lines = [_head(orchestration, decision), *problem_lines(orchestration)]
    for (verb, reason), actions in grouped(decision.actions, lambda action: (action.verb, action.reason)):
        keys = [action.key for action in actions if action.key is not None]
        what = keys_text(keys) if keys else f"wave {actions[0].wave}"
        lines.append(f"would {verb} {what}: {one_line(reason, 160)}")
    for (reason, remedy), waits in grouped(decision.waits, lambda wait: (wait.reason, wait.remedy)):
        fix = f"; {one_line(remedy, 160)}" if remedy else ""
        lines.append(
            f"leaves {tasks_text([wait.key for wait in waits], orchestration.plan.waves)}: {one_line(reason, 160)}{fix}"
        )
    return tuple(lines)


def _head(orchestration: Orchestration, decision: Decision) -> str:
    number = orchestration.plan.number
    if decision.wave is not None:
        where = f"at wave {decision.wave} of {len(orchestration.plan.waves)}"
    else:
        where = "every wave is done" if decision.is_finished else "no wave can go on"
    return f"orchestration {number}, {where}; facts not looked at"
