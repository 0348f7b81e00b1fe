"""From the words a person types to a task of the plan."""

from __future__ import annotations

from orchestrator.errors import UserError
from orchestrator.formats.task_names import names_of
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan


def find_task(plan: Plan, text: str) -> TaskKey:
    """The task that `text` names: its local id, its whole key, `W.id`, or the beginning of a local id before a hyphen.

    Raises UserError where it names none or several.
    """
    wanted = text.strip()
    found = names_of(plan).find(wanted)
    if isinstance(found, TaskKey):
        if any(spec.key == found for spec in plan.specs):
            return found
        message = f"task {found} has no section in orchestration {plan.number}"
        raise UserError(message, hint="run: orch check", code="no-task")
    if found.code == "ambiguous-task":
        raise UserError(f"{found.message} in orchestration {plan.number}", hint=found.hint, code="ambiguous-task")
    typed = parse_key(wanted)
    if typed is not None and typed.orchestration != plan.number:
        hint = f"name its orchestration: -n {typed.orchestration}"
        raise UserError(f'no task "{wanted}" in orchestration {plan.number}', hint=hint, code="no-task")
    hint = found.hint
    if not hint:
        some = ", ".join(spec.local_id or str(spec.key) for spec in plan.specs[:8])
        more = " and more" if len(plan.specs) > 8 else ""
        hint = f"the plan has {some}{more}" if some else "the plan has no task yet"
    raise UserError(f'no task "{wanted}" in orchestration {plan.number}', hint=hint, code="no-task")
