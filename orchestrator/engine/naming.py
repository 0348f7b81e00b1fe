"""From the words a person types to a task of the plan."""

from __future__ import annotations

from orchestrator.errors import UserError
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan


def find_task(plan: Plan, text: str) -> TaskKey:
    """The task that `text` names: its full key, or `W.id` inside this plan. Raises UserError."""
    wanted = text.strip()
    for candidate in (wanted, f"{plan.number}.{wanted}"):
        key = parse_key(candidate)
        if key is not None and any(spec.key == key for spec in plan.specs):
            return key
    typed = parse_key(wanted)
    if typed is not None and typed.orchestration != plan.number:
        hint = f"name its orchestration: -n {typed.orchestration}"
        raise UserError(f'no task "{wanted}" in orchestration {plan.number}', hint=hint, code="no-task")
    near = [str(spec.key) for spec in plan.specs if str(spec.key).endswith(f".{wanted}")]
    if near:
        hint = f"did you mean {near[0]}?"
    else:
        some = ", ".join(str(spec.key) for spec in plan.specs[:8])
        more = " and more" if len(plan.specs) > 8 else ""
        hint = f"the plan has {some}{more}" if some else "the plan has no task yet"
    raise UserError(f'no task "{wanted}" in orchestration {plan.number}', hint=hint, code="no-task")
