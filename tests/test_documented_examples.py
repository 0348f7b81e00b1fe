"""Every example in docs/ and README.md is read by the reader of its file kind, without a problem."""

from __future__ import annotations

import re

import pytest

from orchestrator.drivers.registry import find
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.settings_file import read_settings
from orchestrator.formats.state_file import read_state
from orchestrator.formats.task_file import read_micro_plan, read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.plan_check import check_plan
from orchestrator.model.settings import Settings
from tests.support.documents import marked

EXAMPLES = {part.argument: part.text for part in marked("docs/file-formats.md") if part.kind == "example"}
WALK = {part.argument: part.text for part in marked("README.md") if part.kind == "file"}


def plan_of(text: str, path: str) -> Plan:
    number = int(re.findall(r"\d+", path)[-1])
    read = read_plan(Document.parse(text, path), number)
    assert read.problems == ()
    return read.value


def settings_of(text: str) -> Settings:
    read = read_settings(Document.parse(text, "planning/ORCH.md"), "planning/ORCH.md")
    assert read.problems == ()
    return read.value


def test_there_is_an_example_of_every_file_kind() -> None:
    assert list(EXAMPLES) == [
        "planning/ORCH.md",
        "planning/EXECUTION_PLAN_5.md",
        "planning/STATE_5.md",
        "planning/tasks/5.1.1.todo.md",
    ]


@pytest.mark.parametrize("text", [EXAMPLES["planning/ORCH.md"], WALK["planning/ORCH.md"]])
def test_the_settings_are_read_and_their_workers_can_run(text: str) -> None:
    for worker in settings_of(text).workers:
        assert find(worker.driver).problems(worker) == ()


def test_the_worker_in_the_page_on_drivers_can_run() -> None:
    (block,) = [part.text for part in marked("docs/drivers.md") if part.kind == "worker"]
    (worker,) = settings_of(f"---\n{block}---\n").workers
    assert find(worker.driver).problems(worker) == ()


@pytest.mark.parametrize(
    ("path", "examples"), [("planning/EXECUTION_PLAN_5.md", EXAMPLES), ("planning/EXECUTION_PLAN_1.md", WALK)]
)
def test_a_plan_is_read_and_nothing_is_wrong_with_it(path: str, examples: dict[str, str]) -> None:
    assert check_plan(plan_of(examples[path], path), settings_of(examples["planning/ORCH.md"])) == ()


def test_the_state_is_read() -> None:
    plan = plan_of(EXAMPLES["planning/EXECUTION_PLAN_5.md"], "planning/EXECUTION_PLAN_5.md")
    read = read_state(
        Document.parse(EXAMPLES["planning/STATE_5.md"], "planning/STATE_5.md"), plan, "planning/STATE_5.md"
    )
    assert read.problems == ()
    assert [(str(row.key), str(row.status)) for row in read.value.board] == [
        ("5.1.1", "done"),
        ("5.1.2", "plan-ready"),
        ("5.2.1", "pending"),
    ]
    assert [str(report.key) for report in read.value.reports] == ["5.1.1"]


def test_the_todo_file_is_read() -> None:
    document = Document.parse(EXAMPLES["planning/tasks/5.1.1.todo.md"], "planning/tasks/5.1.1.todo.md")
    task = read_task_file(document, TaskKey(5, 1, "1"))
    micro = read_micro_plan(document)
    assert (task.problems, micro.problems) == ((), ())
    assert [entry.event for entry in task.value.log] == ["started", "ended", "approved"]
    assert [(step.number, step.is_ticked) for step in micro.value.steps] == [(1, True), (2, True), (3, True), (4, True)]
    assert [question.answer for question in micro.value.questions] == ["yes"]
    assert micro.value.report and micro.value.report.missing == ()
