"""The door to Jinja: template text and plain data in, prompt text out; what goes wrong is a Problem with its line.

jinja2 costs more to import than a reading command may take, so this module can be imported without it: the modules
that need it (sandbox.py, slots.py) are loaded when something is rendered or checked. Must not know which templates
there are or what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import DocumentError, Problem
from orchestrator.prompts.locations import Template, find, own_names
from orchestrator.prompts.lost_rules import lost_rules
from orchestrator.prompts.template_places import bare, fault, place, syntax_fault


def render(text: str, name: str, data: Mapping[str, object]) -> str:
    """The template's text with its slots filled from `data`, values inserted literally.

    `name` is how problems call the template. Raises DocumentError with file and line if the template is broken, or a
    slot is unknown or has no value.
    """
    # Late, so that a module that sends messages can be imported without Jinja.
    from jinja2 import TemplateSyntaxError

    from orchestrator.prompts.sandbox import filled, load

    try:
        return filled(load(bare(text), name), data)
    except TemplateSyntaxError as error:
        raise DocumentError([syntax_fault(error.message or "", text, name, error.lineno)]) from error
    except Exception as error:  # a template is the user's code: whatever it raises is a fault at its line
        raise DocumentError([_render_fault(error, text, name)]) from error


def template_problems(text: str, path: str, name: str = "worker") -> tuple[Problem, ...]:
    """Syntax faults, unknown slots, filters and tests, also in untaken branches, each with its line.

    `name` is the template's, which decides what slots it has. A worker template without faults is also looked through
    for rules that it lost: warnings.
    """
    # Late: it loads Jinja.
    from orchestrator.prompts.slots import slot_problems

    template = Template(text, path, name)
    return slot_problems(template) or (tuple(lost_rules(template)) if name == "worker" else ())


def own_template_problems(planning: Path) -> tuple[Problem, ...]:
    """The problems of every template that the user keeps in the folder `templates/` of the planning folder."""
    found: list[Problem] = []
    for name in own_names(planning):
        try:
            template = find(name, planning)
        except DocumentError as error:
            found.extend(error.problems)
        else:
            found.extend(template_problems(template.text, template.path, name))
    return tuple(found)


def _render_fault(error: Exception, text: str, name: str) -> Problem:
    line = 0
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == name:
            line = step.tb_lineno
        step = step.tb_next
    return fault(
        "template-render",
        f"the template can't be filled: {error or type(error).__name__}",
        place(text, name, line),
        _remedy(error),
    )


def _remedy(error: Exception) -> str:
    # Loaded already: the error comes from a rendering.
    from jinja2 import UndefinedError

    from orchestrator.prompts.bounds import BoundError
    from orchestrator.prompts.sandbox import NotTextError

    if isinstance(error, UndefinedError):
        return "give it a value on every way to this line, or ask first: {% if NAME is defined %}"
    if isinstance(error, BoundError | RecursionError):
        return "go through the slots' own lists, which end"
    if isinstance(error, NotTextError):
        return "docs/file-formats.md lists the slots and which of them are text"
    return "mend this line; docs/file-formats.md lists the slots"
