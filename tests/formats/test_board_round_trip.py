"""Whatever stands under the board's heading: taking it on loses no line, and each edit reads back and stays alone."""

from __future__ import annotations

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from orchestrator.errors import DocumentError
from orchestrator.formats.new_state import taken_on
from orchestrator.formats.state_edits import put_report, set_status, sync_rows
from orchestrator.formats.state_file import read_state
from orchestrator.markdown.document import Document
from orchestrator.model.state import State
from orchestrator.model.status import Status
from tests.support.bare_plans import bare_plan
from tests.support.changed_lines import changed_lines

PLAN = bare_plan({1: ("T1.1-a", "T1.2-b"), 2: ("T2.1-c",), 3: ("T3.1-d",)})
LINES = (
    "- [x] `T1.1-a` (done) — x",
    "- [ ] T1.2-b",
    "  - [ ] T2.1-c nested",
    "- [~] **T2.1-c**: y",
    "* [ ] T1.1 (blocked)",
    "-   [ ] T3.1-d ( ) - t",
    "- [x] T3.1-d — (done)",
    "- [ ] T1.2-b (pending)\\",
    "- [ ] *T1.2-b (pending)*",
    "1. [ ] T3.1-d (done)",
    "- [ ] buy milk",
    "\t- [ ] x",
    "> - [x] T3.1-d",
    "### Wave 1",
    "### Wave 2 — z",
    "## Wave 3",
    "## Board",
    "## Task Reports",
    "### T1.1-a",
    "- Status: done",
    "| Task | Status |",
    "| --- | --- |",
    "| T1.1-a | done |",
    "| T2.1-c | ✅ |",
    "```",
    "---",
    "text",
    "",
)


def read(doc: Document) -> State:
    return read_state(doc, PLAN, "s").value


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def has_all_lines(new: str, old: str) -> bool:
    """Whether the old text's lines stand in the new one in their order."""
    left = iter(lines_of(new))
    return all(any(line == other for other in left) for line in lines_of(old) if line)


@settings(max_examples=250, deadline=None)
@given(
    st.lists(st.sampled_from(LINES), max_size=12),
    st.sampled_from(("\n", "\r\n")),
    st.sampled_from(("", "\n")),
    st.sampled_from(Status),
)
@example(["  - [ ] T2.1-c nested", "- [x] `T1.1-a` (done) — x"], "\n", "", Status.DONE)
@example(["### Wave 1", "  - [ ] T2.1-c nested"], "\n", "", Status.DONE)
@example(["- [x] `T1.1-a` (done) — x", "## Board", "### Wave 1", "- [ ] buy milk"], "\n", "\n", Status.PENDING)
@example(["### T1.1-a", "- Status: done", "- [x] `T1.1-a` (done) — x"], "\r\n", "", Status.PENDING)
def test_any_board_is_taken_on_whole_and_edited_row_by_row(
    lines: list[str], ending: str, end: str, status: Status
) -> None:
    text = ending.join(["# S", "", "## Wave Board", "", *lines]) + end
    doc = Document.parse(text, "s")
    before = read(doc)
    try:
        new = sync_rows(taken_on(doc, PLAN, before, {"run": "a1"}), PLAN)
    except DocumentError:
        assume(False)
        return
    after = read(new)
    assert {row.key for row in after.board} == {*PLAN.in_waves()}
    assert [after.row(row.key) for row in before.board] == [*before.board]
    assert has_all_lines(new.text, text)
    assert sync_rows(new, PLAN).text == new.text
    for row in after.board:
        edited = set_status(new, row.key, status)
        found = read(edited)
        changed = found.row(row.key)
        assert changed is not None and changed.status is status
        assert [one for one in found.board if one.key != row.key] == [one for one in after.board if one.key != row.key]
        assert len(changed_lines(new.text, edited.text).removed) <= 1
        assert set_status(edited, row.key, status).text == edited.text
        reported = put_report(edited, row.key, "T", ["- **Status:** x"])
        assert read(reported).board == found.board
