"""docs/file-formats.md: every example is read as the page says."""

from __future__ import annotations

import re

from orchestrator.formats.board_status import said
from orchestrator.formats.state_file import read_state
from orchestrator.formats.task_file import read_micro_plan, read_task_file
from orchestrator.formats.todo_body import (
    DISCOVERED,
    GOAL,
    NOTES,
    PARTS,
    QUESTIONS,
    REPORT,
    STEPS,
    find_part,
)
from orchestrator.markdown.document import Document
from orchestrator.model.state import State, WaveRow
from orchestrator.model.status import WaveStatus
from tests.support.bare_plans import bare_plan
from tests.support.documents import marked, text_of
from tests.support.planning import key

PAGE = "docs/file-formats.md"
PLAN = bare_plan({1: ("T1.1-scaffold", "T1.2-hashing"), 2: ("T2.1-list",)})
FENCES = {f"{part.kind}: {part.argument}": part.text for part in marked(PAGE)}


def table(mark: str) -> list[tuple[list[str], str]]:
    """The rows below `<!-- mark -->`: what stands in backticks in the first column, and the second."""
    below = text_of(PAGE).split(f"<!-- {mark} -->\n", 1)[1].split("\n\n", 1)[0]
    rows = [row.strip("|").rsplit(" | ", 1) for row in below.split("\n")[2:]]
    return [(re.findall(r"`([^`]*)`", first), second.strip()) for first, second in rows]


def state(name: str) -> State:
    found = read_state(Document.parse(FENCES[f"state: {name}"], name), PLAN, name)
    assert found.problems == ()
    return found.value


def board(of: State) -> list[tuple[str, str]]:
    return [(str(row.key), str(row.status)) for row in of.board]


def test_every_status_is_read_as_its_row_says() -> None:
    rows = table("statuses")
    assert len(rows) == 13
    for words, meaning in rows:
        assert words
        for word in words:
            found = said(word, "", {})
            assert meaning == (f"refused: {found.code}" if found.status is None else str(found.status)), word


def test_every_box_is_read_as_its_row_says() -> None:
    rows = table("boxes")
    assert len(rows) == 13
    for (line,), meaning in rows:
        found = read_state(Document.parse(f"# State 1\n\n## Board\n\n{line}\n"), PLAN, "s")
        (row,) = found.value.board
        codes = "".join(problem.code for problem in found.problems)
        warned = f"{row.status}, warned: {codes}" if codes else str(row.status)
        assert meaning == (f"refused: {codes}" if row.status is None else warned), line


def test_both_boards_are_read() -> None:
    assert board(state("table")) == [("1.1.1", "done"), ("1.1.2", "running"), ("1.2.1", "pending")]
    assert board(state("boxes")) == [("1.1.1", "done"), ("1.1.2", "running"), ("1.2.1", "pending")]


def test_pinned_ids_and_reports_are_read() -> None:
    found = state("pinned")
    assert board(found) == [("1.1.2", "done"), ("1.1.1", "pending")]
    assert [str(report.key) for report in found.reports] == ["1.1.2"]


def test_reports_stop_and_believed_waves_are_read() -> None:
    found = state("reports")
    assert found.stop == "Ana is looking at the schema"
    assert found.waves == (WaveRow(1, WaveStatus.DONE, note="not checked"),)
    assert [(str(report.key), report.title) for report in found.reports] == [
        ("1.1.2", ""),
        ("1.1.1", "Folders and models"),
    ]


def test_the_todo_file_is_read() -> None:
    document = Document.parse(FENCES["todo: close"])
    micro = read_micro_plan(document).value
    assert read_task_file(document, key("1.1.2")).problems == ()
    assert (micro.goal, micro.notes, micro.questions) == ("Every file has a hash.", "- No new dependency.", ())
    assert [(step.is_ticked, step.text.count("\n")) for step in micro.steps] == [(True, 2), (False, 0)]


def test_every_heading_of_a_todo_file_is_known() -> None:
    below = text_of(PAGE).split("<!-- todos -->\n", 1)[1].split("\n\n", 1)[0].split("\n")[2:]
    rows = {row.split("|")[1].strip(): re.findall(r"`([^`]*)`", row) for row in below}
    assert {part: find_titles(headings) for part, headings in rows.items()} == {
        part: [PART_TITLES[part]] * len(headings) for part, headings in rows.items()
    }
    assert set(rows) == set(PART_TITLES)


PART_TITLES = {
    "goal": GOAL,
    "steps": STEPS,
    "notes": NOTES,
    "questions": QUESTIONS,
    "discovered": DISCOVERED,
    "report": REPORT,
}


def find_titles(headings: list[str]) -> list[str]:
    """Which part each of the headings begins, "" for none."""
    found = []
    for heading in headings:
        document = Document.parse(f"{heading}\n\ntext\n")
        found.append(next((part for part in PARTS if find_part(document, part) is not None), ""))
    return found


def test_a_queue_of_questions_is_read_as_it_says() -> None:
    questions = state("questions").questions
    assert [(one.id, str(one.task or ""), one.key, str(one.audience), one.is_open) for one in questions] == [
        ("Q1", "1.1.1", "legacy-column", "person", False),
        ("Q2", "1.1.1", "in-utc", "orchestrator", True),
        ("Q3", "1.1.2", "layout", "orchestrator", False),
        ("Q4", "", "", "person", False),
    ]
    assert (questions[0].options, questions[0].recommended, questions[0].answer) == (("keep", "drop"), "drop", "drop")
    assert [str(key) for key in questions[1].unblocks] == ["1.1.1", "1.1.2"]
    assert (questions[2].text, questions[2].answer) == ("Is this the layout?\n\n- `a/`", "yes,\nbut flat")
    assert (questions[3].text, questions[3].withdrawn) == ("does the release wait?", "it was made already")
