"""The gate's rules over micro-plans and checklists that people and agents really wrote: false alarms, counted.

A rule sends a plan back only where its false alarms are known to be few; these numbers are why. The files are read
where they lie, and nothing of them is kept here. A finding is false if the step's words don't bear it out; each that
was judged false is counted in the tables below, each that is new has to be judged before its number is written down.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.task_file import read_micro_plan
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.model.gate import gate_findings
from orchestrator.model.gate_paths import outside_scope
from orchestrator.model.micro_plan import MicroPlan
from orchestrator.model.paths_in_text import paths_in
from orchestrator.model.plan import Spec
from orchestrator.model.scope import claims
from tests.support.model_nouns import spec
from tests.support.shared import shared

PLAN = "AndrewBrown-USDA__pypkgtest__EXECUTION_PLAN_1.md"


def document(path: Path) -> Document:
    return Document.parse(path.read_bytes().decode(), path.name)


def planned(name: str) -> MicroPlan:
    """A real micro-plan as it stood at its gate: ticks taken back."""
    micro = read_micro_plan(document(shared("corpus", "todo", name))).value
    return replace(micro, steps=tuple(replace(step, mark=" ") for step in micro.steps))


def real_plans() -> dict[str, tuple[Spec, MicroPlan]]:
    """The three real micro-plans with their specs. One plan isn't public: its spec is what its todo file says of it."""
    specs = {
        str(each.key): each for each in read_plan(document(shared("corpus", "execution-plan", PLAN)), 1).value.specs
    }
    markdown = spec(
        "1.2.3",
        create="source_bundler/markdown.py tests/test_markdown.py",
        acceptance=("`python -m pytest tests/test_markdown.py -v` passes",),
        test="python -m pytest tests/test_markdown.py -v",
    )
    return {
        "1.1.1": (specs["1.1.1"], planned("AndrewBrown-USDA__pypkgtest__1.1.1.todo.md")),
        "1.2.1": (specs["1.2.1"], planned("AndrewBrown-USDA__pypkgtest__1.2.1.todo.md")),
        "1.2.3": (markdown, planned("AndrewBrown-USDA__web-source-bundler__1.2.3.todo.md")),
    }


def test_real_micro_plans_pass_every_rule() -> None:
    """They were carried out within their scopes, so every finding would be a false alarm."""
    there = {"src/pypkgtest/distances.py", "src/pypkgtest/__init__.py", "tests/test_distances.py", "src/pypkgtest"}
    found = {name: gate_findings(*pair, (), exists=there.__contains__) for name, pair in real_plans().items()}
    assert found == {"1.1.1": (), "1.2.1": (), "1.2.3": ()}


def test_a_real_plan_whose_scope_loses_a_file_is_found_where_a_step_says_that_it_changes_it() -> None:
    found: Counter[str] = Counter()
    for task, micro in real_plans().values():
        for path in claims(task):
            smaller = replace(
                task,
                must_edit=tuple(each for each in task.must_edit if each != path),
                can_create=tuple(each for each in task.can_create if each != path),
            )
            codes = {finding.code for finding in gate_findings(smaller, micro, (), exists=lambda _: True)}
            found["found" if "out-of-scope" in codes else "missed"] += 1
    # Missed: two files that their plan only says it reads, and leaves it open where it adds.
    assert found == {"found": 3, "missed": 2}


def test_the_rules_of_form_hold_project_wide_lists_off() -> None:
    """The other five files are no micro-plans of a task, and none gets through as one."""
    names = ["AI-Nikitka93", "Evidune__", "mikeyobrien", "raphaeltm", "superset-sh"]
    found = {}
    for path in sorted(shared("corpus", "todo").iterdir()):
        if path.name.startswith(tuple(names)):
            findings = gate_findings(spec("1.2.3"), read_micro_plan(document(path)).value, (), exists=lambda _: False)
            found[path.name[:9]] = sorted({each.code for each in findings if each.is_error})
    assert found == {
        "AI-Nikitk": ["no-goal", "step-ticked", "too-many-steps", "wrong-key"],
        "Evidune__": ["no-goal", "no-steps", "wrong-key"],
        "mikeyobri": ["no-steps", "wrong-key"],
        "raphaeltm": ["no-goal", "no-steps", "wrong-key"],
        "superset-": ["no-goal", "no-steps", "wrong-key"],
    }


def boxes(doc: Document) -> list[str]:
    """The text of every box, its nested lines included; boxes beneath a plain item count too."""

    def below(item: Item) -> list[str]:
        if item.box is not None:
            return [doc.text[item.text_span.start : item.span.end]]
        return [text for child in item.children for text in below(child)]

    return [text for item in doc.items for text in below(item)]


@pytest.mark.parametrize(
    ("folder", "steps", "with_path", "alarms", "false"),
    [
        ("todo", 133, 41, 15, []),
        ("speckit-tasks", 587, 374, 133, ["reserved/acquiring", "github.com/coder/acp-go-sdk", "packages/acp-client"]),
        ("kiro-tasks", 41, 0, 0, []),
        ("openspec", 75, 11, 8, []),
        ("trae-tasks", 3, 3, 0, []),
    ],
)
def test_paths_said_to_be_changed_really_are(
    folder: str, steps: int, with_path: int, alarms: int, false: list[str]
) -> None:
    """With an empty scope, and every path there, each path that a step changes is an alarm.

    `false` names those that were judged: the step doesn't change that path. A different number has to be judged anew.
    """
    nothing = spec("1.a", must_edit=(), can_create=())
    every = [text for path in sorted(shared("corpus", folder).glob("*.md")) for text in boxes(document(path))]
    found = [path for text in every for path in outside_scope(nothing, text, lambda _: True)]
    assert (len(every), sum(bool(paths_in(text)) for text in every), len(found)) == (steps, with_path, alarms)
    assert [path for path in found if path in false] == false
