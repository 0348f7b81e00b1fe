"""What `next-wave` would do and what it would leave, each with its reason; equal reasons share a line."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.model.actions import Decision, Wait, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.views.called import called
from orchestrator.views.folding import grouped, keys_text, tasks_text
from orchestrator.views.printable import one_line
from orchestrator.views.status import COMING, problem_lines, stop_lines


def dry_run_lines(orchestration: Orchestration, decision: Decision, *, is_checked: bool = True) -> tuple[str, ...]:
    """Actions first, then waits, in plan order. Says that processes and git weren't looked at.

    is_checked: whether the plan's specs were checked; if not, that is said too.
    """
    lines = [_head(orchestration, decision), *problem_lines(orchestration), *stop_lines(orchestration, decision)]
    if not is_checked:
        lines.append("the specs of a plan this long weren't checked: orch check does it")
    names = called(orchestration.plan)
    for (verb, reason), actions in grouped(decision.actions, lambda action: (action.verb, action.reason)):
        keys = [action.key for action in actions if action.key is not None]
        what = keys_text(keys, names=names) if keys else f"wave {actions[0].wave}"
        lines.append(f"would {verb} {what}: {one_line(reason, 160)}")
    lines += [_left(orchestration, group, names) for group in _left_groups(decision)]
    return tuple(lines)


def _left_groups(decision: Decision) -> list[list[Wait]]:
    """Waits with an equal reason and remedy; of those for an earlier wave, all but the first few together."""
    groups = [waits for _, waits in grouped(decision.waits, lambda wait: (wait.reason, _remedy(wait)))]
    coming = [waits for waits in groups if waits[0].why is Why.WAVE]
    rest = [wait for waits in coming[COMING:] for wait in waits]
    shown = [waits for waits in groups if waits[0].why is not Why.WAVE or waits in coming[:COMING]]
    return [*shown, rest] if rest else shown


def _remedy(wait: Wait) -> str:
    # One command shows all of them.
    return "orch gate" if wait.why is Why.GATE else wait.remedy


def _left(orchestration: Orchestration, waits: list[Wait], names: Mapping[TaskKey, str]) -> str:
    tasks = tasks_text([wait.key for wait in waits], orchestration.plan.waves, names=names)
    if any(wait.reason != waits[0].reason for wait in waits):
        return f"leaves {tasks}: after those"
    fix = f"; {one_line(_remedy(waits[0]), 160)}" if waits[0].remedy else ""
    return f"leaves {tasks}: {one_line(waits[0].reason, 160)}{fix}"


def _head(orchestration: Orchestration, decision: Decision) -> str:
    number = orchestration.plan.number
    if decision.wave is not None:
        where = f"at wave {decision.wave} of {len(orchestration.plan.waves)}"
    else:
        where = "every wave is done" if decision.is_finished else "no wave can go on"
    return f"orchestration {number}, {where}; facts not looked at"
