"""Every todo file of the shared corpus: its parts read as listed, and what the gate would find missing in it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from orchestrator.errors import Location
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.gate import gate_findings
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Spec
from tests.support.planning import key
from tests.support.shared import shared


@dataclass(frozen=True, slots=True)
class Golden:
    """`steps` holds the line and mark of every step; goal and notes are told by their length."""

    key: str = "1.1.1"
    local_id: str = ""
    goal: int = 0
    notes: int = 0
    steps: tuple[tuple[int, str], ...] = ()
    missing: tuple[str, ...] = ()


def lines(first: int, last: int, mark: str) -> tuple[tuple[int, str], ...]:
    return tuple((line, mark) for line in range(first, last + 1))


GOLDENS = {
    "AndrewBrown-USDA__pypkgtest__1.1.1.todo.md": Golden(goal=106, notes=85, steps=lines(5, 9, "x")),
    "AndrewBrown-USDA__pypkgtest__1.2.1.todo.md": Golden("1.2.1", goal=98, notes=75, steps=lines(5, 8, "x")),
    "AndrewBrown-USDA__web-source-bundler__1.2.3.todo.md": Golden(
        "1.2.3", "T2.3-markdown-and-redact", goal=252, notes=368, steps=((7, "x"), (25, "x"), (30, "x"))
    ),
    # Lists of other kinds: a heading that says TODO makes steps, nothing else does.
    "AI-Nikitka93__AI_Blogersite__root__TODO.md": Golden(
        steps=(*lines(4, 11, " "), *lines(12, 17, "x"), *lines(18, 24, " "), (25, "x"), (26, " ")),
        missing=("wrong-key", "no-goal", "too-many-steps"),
    ),
    "Evidune__Evidune__root__tasks.md": Golden(notes=193, missing=("wrong-key", "no-goal", "no-steps")),
    "mikeyobrien__ralph-orchestrator__todo.md": Golden(goal=156, missing=("wrong-key", "no-steps")),
    "raphaeltm__simple-agent-manager__2026-08-19-tanstack-query-migration-high-impact-hooks.md": Golden(
        missing=("wrong-key", "no-goal", "no-steps")
    ),
    "superset-sh__superset__cli__TODO.md": Golden(missing=("wrong-key", "no-goal", "no-steps")),
}
TICKED = "step-ticked"


def test_every_todo_file_of_the_corpus_has_a_golden() -> None:
    assert {path.name for path in shared("corpus", "todo").iterdir()} == {*GOLDENS}


@pytest.mark.parametrize("name", GOLDENS)
def test_a_todo_file_is_read_as_its_golden_says(name: str) -> None:
    golden = GOLDENS[name]
    task: TaskKey = key(golden.key)
    found = read_task_file(Document.parse(shared("corpus", "todo", name).read_bytes().decode(), name), task)
    micro = found.value.micro_plan
    assert found.problems == ()
    assert (len(micro.goal), len(micro.notes)) == (golden.goal, golden.notes)
    assert tuple((step.at.line if step.at else 0, step.mark) for step in micro.steps) == golden.steps
    assert [step.number for step in micro.steps] == list(range(1, len(golden.steps) + 1))
    assert (micro.questions, micro.discovered, micro.report, found.value.log) == ((), (), None, ())
    spec = Spec(task, "T", Location("plan.md"), "", local_id=golden.local_id)
    findings = gate_findings(spec, micro, (), exists=lambda _: True)
    form = [one.code for one in findings if one.is_error and one.code not in (TICKED, "out-of-scope")]
    assert tuple(form) == golden.missing
    # An old plan that was carried out is no plan to approve: every ticked step is told.
    assert sum(one.code == TICKED for one in findings) == sum(mark == "x" for _, mark in golden.steps)


def test_what_is_nested_below_a_step_is_that_steps_text() -> None:
    name = "AndrewBrown-USDA__web-source-bundler__1.2.3.todo.md"
    text = shared("corpus", "todo", name).read_bytes().decode()
    steps = read_task_file(Document.parse(text), key("1.2.3")).value.micro_plan.steps
    assert [(step.text.count("\n"), step.text.count("[ ]")) for step in steps] == [(17, 4), (4, 4), (0, 0)]
