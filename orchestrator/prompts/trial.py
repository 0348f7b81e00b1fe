"""A trial: templates filled with the set's own tasks before any worker starts, so that no gap is met in mid-run.

Owns what a trial is filled with. Finds what only filling shows: a name set in a branch that isn't taken, an empty
value that a filter can't do with, a loop without an end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from orchestrator.errors import DocumentError, Problem
from orchestrator.model.micro_plan import Question
from orchestrator.model.plan import Plan
from orchestrator.model.state import ReportSection
from orchestrator.prompts.context import Conventions, Data, Paths, own_slots, worker_data
from orchestrator.prompts.locations import Template
from orchestrator.prompts.render import render

MOST_TASKS = 40
"""So many tasks of a plan are tried; what differs between tasks shows in fewer."""
_LISTS = ("findings",)


def trial_problems(template: Template, plan: Plan, conventions: Conventions) -> tuple[Problem, ...]:
    """What goes wrong when the template is filled for the plan's tasks, each fault once; nothing for a plan of none."""
    found: dict[Problem, None] = {}
    for data in _data(plan, conventions):
        try:
            render(template.text, template.path, {**data, **_own(template.name, is_full=data["turn"] != "plan")})
        except DocumentError as error:
            found.update(dict.fromkeys(error.problems))
    return tuple(found)


def _own(name: str, *, is_full: bool) -> Data:
    """The slots that only this template has: all with a value, or all without."""
    text = "some text\n" if is_full else ""
    return {slot: [text] * is_full if slot in _LISTS else text for slot in own_slots(name)}


def _data(plan: Plan, conventions: Conventions) -> Iterator[Data]:
    waves = {wave.number for wave in plan.waves}
    paths = Paths("/work/planning/tasks/KEY.todo.md", "/work", "/run/prompt.md")
    for spec in islice((one for one in plan.specs if one.key.wave in waves), MOST_TASKS):
        yield worker_data(plan=plan, spec=spec, turn="plan", paths=paths, conventions=conventions)
        report = ReportSection(spec.key, spec.title, "- **Status:** done")
        yield worker_data(
            plan=plan,
            spec=spec,
            turn="execute",
            paths=paths,
            conventions=Conventions(),
            dependencies=(report,),
            learnings=("a test runs twice",),
            answers=(Question(1, "Which?", "This one."),),
        )
