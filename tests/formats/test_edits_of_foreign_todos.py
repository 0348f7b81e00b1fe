"""Todo files in other people's shapes: read in place, and every edit adds or changes its own lines alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orchestrator.formats.task_file import (
    adopted,
    answer_question,
    append_log,
    append_step,
    read_task_file,
    set_facts,
    set_findings,
    take_plan,
    take_progress,
)
from orchestrator.markdown.document import Document
from orchestrator.markdown.quote import unquote
from orchestrator.model.log import LogEntry
from orchestrator.model.task_file import TaskFile
from tests.formats import foreign_states
from tests.formats.test_golden_todos import GOLDENS
from tests.support.changed_lines import Changed, changed_lines
from tests.support.planning import key
from tests.support.shared import shared, shared_root

KEY = key("1.2.3")
CLOSE = """\
# 1.2.3 -- A page of results
## Goal
A page shows the results.
## TODO items
- [x] Read the list in `pages.py`.
- [ ] Create `results.py` with:
  - [x] `page(rows: list[str]) -> str`:
    - escapes what it shows
  - [ ] `empty() -> str`
- [ ] Run `pytest tests/test_results.py`.
## Notes
- No new dependency.
## Questions
- None.
"""
LOCAL = """\
# T2.3-report-page: A page of results

## Goal

A page shows the results.

## TODO

1. [ ] Create `results.py`
2. [ ] Run the targeted tests

## Questions

1. Which colours?
2. Which order?

   Answer: by name
"""
WITHOUT_BOXES = """\
1.2.3: A page of results
========================

Goal
----

A page shows the results.

Steps
-----

- create `results.py`
- run the tests
"""
# A tab behind a marker moves the column that what is nested must reach, so that it is nested no more.
WRITTEN = {name: write for name, write in foreign_states.WRITTEN.items() if "tabs" not in name}
TODOS = {"close": CLOSE, "of a local id": LOCAL, "without boxes": WITHOUT_BOXES}
CASES = [(f"{shape}, {written}", shape, written) for shape in TODOS for written in WRITTEN]
CORPUS = sorted(name for name in GOLDENS if "todo.md" in name and GOLDENS[name].goal) if shared_root() else []
ENTRY = LogEntry("2026-11-29T10:02:11Z", "started", {"turn": "plan"})

every = pytest.mark.parametrize("name", [*(label for label, _, _ in CASES), *CORPUS])


def todo(name: str) -> Document:
    if name in GOLDENS:
        return Document.parse(shared("corpus", "todo", name).read_bytes().decode(), "t")
    shape, written = next((shape, written) for label, shape, written in CASES if label == name)
    return Document.parse(WRITTEN[written](TODOS[shape]), "t")


def read(doc: Document, name: str) -> TaskFile:
    found = read_task_file(doc, key(GOLDENS[name].key) if name in GOLDENS else KEY)
    assert found.problems == ()
    return found.value


def edited(doc: Document, edit: Callable[[Document], Document]) -> tuple[Changed, Document]:
    new = edit(doc)
    return changed_lines(doc.text, new.text), new


@pytest.mark.parametrize("written", WRITTEN)
def test_every_shape_is_read_whatever_its_line_endings(written: str) -> None:
    found = {
        shape: (
            micro.goal,
            tuple((step.number, step.is_ticked, step.text.count("\n")) for step in micro.steps),
            tuple((one.number, one.text, one.answer) for one in micro.questions),
        )
        for shape in TODOS
        for micro in [read(todo(f"{shape}, {written}"), "").micro_plan]
    }
    goal = "A page shows the results."
    assert found == {
        "close": (goal, ((1, True, 0), (2, False, 3), (3, False, 0)), ()),
        "of a local id": (
            goal,
            ((1, False, 0), (2, False, 0)),
            ((1, "Which colours?", ""), (2, "Which order?", "by name")),
        ),
        "without boxes": (goal, (), ()),
    }


@every
def test_facts_log_and_findings_are_added_without_changing_a_line(name: str) -> None:
    doc = todo(name)
    before = read(doc, name)
    changed, new = edited(doc, lambda one: set_facts(one, {"tier": "small", "landed": ("abc1234",)}))
    after = read(new, name)
    assert (changed.removed, after.tier, after.landed) == ((), "small", ("abc1234",))
    assert set_facts(new, {"tier": "small", "landed": ("abc1234",)}).text == new.text
    changed, new = edited(doc, lambda one: append_log(one, ENTRY))
    assert (changed.removed, read(new, name).log) == ((), (ENTRY,))
    changed, new = edited(doc, lambda one: set_findings(one, "- one\n\n# two"))
    assert (changed.removed, read(new, name).findings.replace("\r", "")) == ((), "- one\n\n# two")
    assert set_findings(new, "- one\n\n# two").text == new.text
    assert read(new, name).micro_plan.goal == before.micro_plan.goal


@every
def test_a_step_and_ticks_change_their_lines_alone(name: str) -> None:
    doc = todo(name)
    steps = read(doc, name).micro_plan.steps
    changed, new = edited(doc, lambda one: append_step(one, "Run the tests again"))
    assert (changed.removed, len(read(new, name).micro_plan.steps)) == ((), len(steps) + 1)
    ticked = doc.text.replace("[ ]", "[x]")
    changed, new = edited(doc, lambda one: take_progress(one, ticked))
    still_open = [step for step in steps if step.is_open]
    assert len(changed.removed) == len(changed.added) == len(still_open)
    assert all(step.is_ticked for step in read(new, name).micro_plan.steps)
    assert take_progress(new, ticked).text == new.text


@every
def test_its_own_body_taken_again_changes_nothing_and_another_goal_its_line(name: str) -> None:
    doc = todo(name)
    if doc.text.startswith("\ufeff"):
        doc = Document.parse(doc.text[1:], "t")
    changed, new = edited(doc, lambda one: take_plan(one, doc.text))
    assert changed == Changed((), (), 0)
    goal = read(doc, name).micro_plan.goal
    changed, new = edited(doc, lambda one: take_plan(one, doc.text.replace(goal, "Another goal.")))
    assert ([line.strip() for line in changed.added], len(changed.removed)) == (["Another goal."], 1)
    assert read(new, name).micro_plan.goal == "Another goal."


@pytest.mark.parametrize("written", WRITTEN)
def test_an_answer_is_written_under_its_question(written: str) -> None:
    doc = todo(f"of a local id, {written}")
    changed, new = edited(doc, lambda one: answer_question(one, 1, "green"))
    assert [one.answer for one in read(new, "").micro_plan.questions] == ["green", "by name"]
    assert any(line.strip() == "Answer: green" for line in changed.added)
    assert answer_question(new, 1, "green").text == new.text


@every
def test_what_orch_takes_on_is_kept_below_earlier(name: str) -> None:
    doc = todo(name)
    new = adopted(doc, KEY, "T", "T2.3-report-page")
    found = read_task_file(new, KEY)
    assert (found.problems, found.value.id, found.value.micro_plan.goal) == ((), "T2.3-report-page", "")
    quoted = [line[2:] for line in new.text.replace("\r\n", "\n").split("\n") if line.startswith("> ")]
    lines = doc.text.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n").split("\n")
    assert [line for line in quoted if line.strip()] == [line for line in lines if line.strip()]
    assert adopted(new, KEY, "T", "T2.3-report-page") is new


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("top", ["", "\ufeff", "---\nmine: 1\n---\n", "\ufeff---\nmine: 1\n---\n\n"])
@pytest.mark.parametrize("rest", ["", "\n", "\n\n", "\n  \n\n"])
def test_no_byte_of_what_orch_takes_on_is_lost_and_new_lines_end_as_the_old_ones(
    ending: str, top: str, rest: str
) -> None:
    body = CLOSE.rstrip("\n") + rest
    old = Document.parse((top + body).replace("\n", ending))
    new = append_log(adopted(old, KEY, "T", "T2.3"), LogEntry("2026-11-29T11:00:00Z", "started", {"turn": "plan"}))
    above, _, below = new.text.partition(f"## Earlier{ending}{ending}")
    assert unquote(below) == body.replace("\n", ending)
    assert above.startswith("\ufeff") == top.startswith("\ufeff")
    assert {line.ending for line in new.source.lines} <= {ending, ""}
    assert read_task_file(new, KEY).problems == ()
