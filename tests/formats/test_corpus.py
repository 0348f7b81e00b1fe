"""Real files of other people: no reader raises on any of them, and edits leave every other line as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.errors import DocumentError
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.settings_file import read_settings
from orchestrator.formats.state_edits import put_report, set_wave, sync_rows
from orchestrator.formats.state_file import read_state
from orchestrator.formats.task_file import append_log, new_task_file_text, read_task_file, take_plan
from orchestrator.markdown.document import Document
from orchestrator.model.log import LogEntry
from orchestrator.model.status import WaveStatus
from tests.support.planning import canonical_plan, key
from tests.support.shared import shared

KEY = key("5.1.1")
ENTRY = LogEntry("2026-11-29T10:02:11Z", "started", {"turn": "plan"})


def files() -> list[tuple[str, str]]:
    root: Path = shared("corpus")
    found = [(str(path.relative_to(root)), path.read_bytes().decode()) for path in sorted(root.rglob("*.md"))]
    return [(name, text) for name, text in found if len(text) < 50_000]


def test_no_reader_raises_and_problems_have_places_in_the_file() -> None:
    plan = canonical_plan()
    for name, text in files():
        doc = Document.parse(text, name)
        found = (
            *read_plan(doc, 1).problems,
            *read_state(doc, plan, name).problems,
            *read_task_file(doc, KEY).problems,
            *read_settings(doc, name).problems,
        )
        lines = len(doc.source.lines)
        assert all(problem.at is None or 0 <= problem.at.line <= lines for problem in found), name


def test_edits_keep_every_line_of_other_peoples_files() -> None:
    plan = canonical_plan()
    for name, text in files():
        doc = Document.parse(text, name)
        try:
            new = set_wave(sync_rows(doc, plan), 1, status=WaveStatus.CHECKING)
            new = append_log(put_report(new, KEY, "T", ["- **Status:** done"]), ENTRY)
        except DocumentError:
            continue
        kept = iter(new.text.split("\n"))
        assert all(any(line == other for other in kept) for line in text.rstrip("\r\n").split("\n")[:-1]), name


@pytest.mark.parametrize("number", ["1.1.1", "1.2.1"])
def test_a_real_micro_plan_is_taken_whole(number: str) -> None:
    text = shared("corpus", "todo", f"AndrewBrown-USDA__pypkgtest__{number}.todo.md").read_bytes().decode()
    fresh = Document.parse(new_task_file_text(KEY, "T"))
    taken = read_task_file(take_plan(fresh, text), KEY).value.micro_plan
    written = read_task_file(Document.parse(text), KEY).value.micro_plan
    steps = tuple(replace(step, at=None) for step in taken.steps)
    assert steps == tuple(replace(step, at=None) for step in written.steps)
    assert len(steps) >= 4
    assert (taken.goal, taken.notes, taken.questions) == (written.goal, written.notes, ())


def test_a_real_plan_of_the_seed_format_is_read_in_place() -> None:
    path = shared("corpus", "execution-plan", "AndrewBrown-USDA__pypkgtest__EXECUTION_PLAN_1.md")
    found = read_plan(Document.parse(path.read_bytes().decode(), "plan.md"), 1)
    assert [(problem.code, problem.message) for problem in found.problems if problem.is_error] == []
    plan = found.value
    assert [(wave.number, [str(one) for one in wave.tasks], wave.depends_on) for wave in plan.waves] == [
        (1, ["1.1.1"], ()),
        (2, ["1.2.1", "1.2.2"], (1,)),
    ]
    first = plan.specs[0]
    assert [path.pattern for path in first.must_edit] == ["src/pypkgtest/distances.py", "src/pypkgtest/__init__.py"]
    assert first.test.startswith("uv run python -c")
    assert [str(one.task) for one in plan.specs[1].depends_on] == ["1.1.1"]
