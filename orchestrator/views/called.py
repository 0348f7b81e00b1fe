"""What a plan calls its tasks, beside their keys: shown together wherever a person has to find a task again.

Owns how short a local id may be said. Plans without ids of their own have nothing here, and cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan

NOBODY: Mapping[TaskKey, str] = {}


def called(plan: Plan) -> Mapping[TaskKey, str]:
    """Key → local id, as far as it stands before a hyphen where that much names no other task; commands take both."""
    if not plan.local_ids:
        return NOBODY
    begins: dict[str, int] = {}
    for word in plan.local_ids:
        begin = word.partition("-")[0]
        begins[begin] = begins.get(begin, 0) + 1
    return {
        key: begin if begins[begin := word.partition("-")[0]] == 1 and begin else word
        for word, key in plan.local_ids.items()
    }


def named(key: TaskKey, names: Mapping[TaskKey, str]) -> str:
    """`5.2.3`, or `5.2.3 T2.3` where the plan calls it so."""
    name = names.get(key)
    return f"{key} {name}" if name else str(key)


def place_of(orchestration: Orchestration, key: TaskKey) -> str:
    """` in ui` for a task that works in another repository than the plan's own, else empty."""
    if not orchestration.settings.repos:
        return ""
    try:
        repo = orchestration.plan.spec(key).repo
    except KeyError:
        return ""
    if repo in ("", "."):
        return ""
    # Here and not above: few orchestrations have more than one.
    from orchestrator.model.repositories import names_as_written
    from orchestrator.views.printable import one_line

    found = names_as_written(orchestration.settings).find(repo)
    return "" if found in ("", ".") else f" in {one_line(found, 40)}"
