"""The quick look at a state: what it takes, the whole reader reads the same; what it isn't sure of, it declines."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.markdown.document import Document
from orchestrator.model.state import State, WaveRow
from orchestrator.model.status import Status, WaveStatus
from tests.formats.foreign_text import texts
from tests.support.bare_plans import bare_plan
from tests.support.planning import canonical, canonical_plan

PLAN = canonical_plan()
MARKS = {"~": Status.SKIPPED}
HEAD = "---\norchestration: 5\nstatus: open\n---\n# State 5\n\n"
TABLE = "| Wave | Task | Title | Status | Note |\n| --- | --- | --- | --- | --- |\n"
ROWS = (
    "| 1 | 5.1.1 | Parse `x` | done | |\n",
    "| 1 | 5.1.2 | Store | plan-ready | Ana |\n",
    "| 2 | 5.2.1 | List | | |\n",
)
BOARD = f"## Wave board\n\n{TABLE}{''.join(ROWS)}"
REPORT = "\n## 5.1.1 — Parse\n\n- **Status:** done\n- **Files:** `a.py`\n  > quoted\n"


def whole(text: str) -> State | None:
    """What the whole reader makes of it, None where it finds a problem."""
    found = read_state(Document.parse(text, "s"), PLAN, "s")
    return None if found.problems else found.value


def test_the_canonical_state_is_taken_and_reads_the_same() -> None:
    text = canonical("STATE_5.md")
    outline = read_state_outline(text, PLAN, "s")
    assert outline is not None
    assert outline == whole(text)
    assert len(outline.board) == 3
    assert len(outline.reports) == 1


@pytest.mark.parametrize(
    "text",
    [
        HEAD + BOARD,
        HEAD + BOARD.rstrip("\n"),
        HEAD + BOARD + REPORT + REPORT.replace("5.1.1", "5.1.2").rstrip(),
        HEAD + BOARD + "\n## Task Reports\n" + REPORT.replace("## ", "### ") + "\n## Discovered\n\n- a\n- b\n",
        HEAD + BOARD + "\n## Discovered\n\n- a\n" + REPORT,
        HEAD + BOARD.replace("| 1 | 5.1.1", "| Wave 1: first | 5.1.1"),
        HEAD + BOARD.replace("| 2 | 5.2.1 | List | | |", "| 2 | 5.2.1 | List"),
        HEAD + BOARD.replace("| done |", "| **Done** ✅ |"),
    ],
)
def test_usual_states_are_taken(text: str) -> None:
    outline = read_state_outline(text, PLAN, "s")
    assert outline is not None
    assert outline == whole(text)


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD + BOARD + BOARD,
        HEAD + BOARD.replace("done", "Ana has it"),
        HEAD + BOARD.replace("5.1.2", "5.1.1"),
        HEAD + BOARD.replace("5.1.2", "5.1.9"),
        HEAD + BOARD.replace("| 2 | 5.2.1", "| 1 | 5.2.1"),
        HEAD + BOARD.replace("Store", "a \\| b"),
        HEAD + BOARD.replace("Ana |", "Ana | more |"),
        HEAD + BOARD + "a row without a pipe\n",
        HEAD + BOARD.replace("\n", "\r\n"),
        HEAD + "```\n" + BOARD,
        HEAD + BOARD + "\n## Discovered\n" + REPORT.replace("## ", "### "),
        HEAD + BOARD + REPORT + "\n### Part\n\n- x\n",
        HEAD + BOARD + REPORT + "\n```\nopen\n",
        HEAD + BOARD + REPORT.replace("- **Status:** done\n", "mine\n"),
        HEAD + BOARD + "\nText\n---\n",
        HEAD.replace("open", "opne") + BOARD,
    ],
)
def test_what_needs_the_whole_reader_is_declined(text: str) -> None:
    assert read_state_outline(text, PLAN, "s") is None


LOCAL = bare_plan({1: ("T1.1-parse", "T1.2-store"), 2: ("T2.1-list",)})
LOCAL_HEAD = "---\nids: {T1.1-parse: 1.1.1, T1.2-store: 1.1.2, T2.1-list: 1.2.1}\n---\n# State 1\n\n"
LOCAL_ROWS = ("| T1.1-parse | done | |\n", "| T1.2-store | | Ana |\n", "| T2.1-list | pending | |\n")
LOCAL_BOARD = f"## Wave Board\n\n| Task | Status | Notes |\n| --- | --- | --- |\n{''.join(LOCAL_ROWS)}"
LOCAL_REPORT = "\n## T1.1-parse — Parse\n\n- **Status:** done\n"


def whole_of_local(text: str) -> State | None:
    found = read_state(Document.parse(text, "s"), LOCAL, "s", MARKS)
    return None if found.problems else found.value


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        (LOCAL_HEAD + LOCAL_BOARD + LOCAL_REPORT, True),
        (LOCAL_BOARD + LOCAL_REPORT.replace("T1.1-parse", "1.1.1"), False),
        ("# State 1\n\n" + LOCAL_BOARD + LOCAL_REPORT.replace("T1.1-parse", "1.1.1"), True),
        (LOCAL_HEAD + LOCAL_BOARD.replace("| done |", "| [~] |").replace("| | Ana", "| done | Ana"), True),
        (LOCAL_HEAD + LOCAL_BOARD.replace("| | Ana", "| [x] done | Ana") + "\n## Waves\n\nnothing yet\n", True),
        (LOCAL_HEAD + LOCAL_BOARD.replace("T1.2-store", "T1.2"), False),
        (LOCAL_HEAD + LOCAL_BOARD.replace("T1.2-store", "`T1.2-store`"), False),
        (LOCAL_HEAD + LOCAL_BOARD + LOCAL_REPORT.replace(" — Parse", ""), False),
        (LOCAL_HEAD + LOCAL_BOARD + LOCAL_REPORT + LOCAL_REPORT, False),
        (LOCAL_HEAD + LOCAL_BOARD.replace("| done |", "| in review (#3) |"), False),
        (LOCAL_HEAD + LOCAL_BOARD.replace("| done |", "| [>] |"), False),
        (LOCAL_HEAD + "## Wave Board\n\n- [x] T1.1-parse (done)\n", False),
        (LOCAL_HEAD.replace("1.1.2", "1.1.x.y") + LOCAL_BOARD, False),
    ],
)
def test_states_of_local_ids_are_taken_where_they_are_plain(text: str, is_taken: bool) -> None:
    outline = read_state_outline(text, LOCAL, "s", MARKS)
    assert (outline is not None) is is_taken
    assert outline is None or outline == whole_of_local(text)


def test_waves_that_a_foreign_board_shows_done_are_believed_by_the_quick_look_too() -> None:
    text = "# State 1\n\n" + LOCAL_BOARD.replace("| | Ana", "| skipped | Ana")
    outline = read_state_outline(text, LOCAL, "s")
    assert outline is not None and outline.waves == (WaveRow(1, WaveStatus.DONE, note="not checked"),)
    assert outline == whole_of_local(text)


_PIECES = st.lists(
    st.one_of(
        texts,
        st.sampled_from(
            (
                *ROWS,
                REPORT,
                REPORT.replace("## ", "### "),
                REPORT.replace("5.1.1", "5.1.2"),
                "## Wave board\n",
                "## Task Reports\n",
                "## Discovered\n\n- a thing\n",
                "## Waves\n\n| Wave | Status |\n| --- | --- |\n| 1 | done |\n",
                "### Known failures\n\n- a\n",
                "| Wave | Task | Status |\n| --- | --- | --- |\n| 1 | 5.1.1 | done |\n",
                "## 5.1.1 — Parse\n\nmine\n",
                "## 5.1.1 — `a` #\n\n- **Status:** done\n",
                "#### Sub\n",
                "STOP: wait\n",
                "\n",
            )
        ),
    ),
    max_size=4,
).map("\n".join)


@settings(max_examples=300)
@given(_PIECES, st.lists(st.sampled_from(ROWS), max_size=4).map("".join), _PIECES, _PIECES)
@example("", "".join(ROWS), "", REPORT)
@example("", "".join(ROWS), "## Discovered", REPORT.replace("## ", "### "))
def test_what_is_taken_reads_the_same(before: str, rows: str, between: str, after: str) -> None:
    text = f"{HEAD}{before}\n\n## Wave board\n\n{TABLE}{rows}\n{between}\n{REPORT}{after}"
    outline = read_state_outline(text, PLAN, "s")
    assert outline is None or outline == whole(text)


_LOCAL_PIECES = st.lists(
    st.one_of(
        texts,
        st.sampled_from(
            (
                *LOCAL_ROWS,
                LOCAL_REPORT,
                LOCAL_REPORT.replace("T1.1-parse", "T1.2-store"),
                LOCAL_REPORT.replace("T1.1-parse", "T1.2"),
                LOCAL_REPORT.replace("T1.1-parse", "1.2.1"),
                "## Task Reports\n",
                "## Waves\n\n| Wave | Status |\n| --- | --- |\n| 2 | open |\n",
                "## Board of Ana\n\n- [ ] T1.1-parse\n",
                "- [x] T1.2-store (done) — text\n",
                "### Wave 1\n",
                "## T1.1-parse\n\n- Status: done\n",
            )
        ),
    ),
    max_size=3,
).map("\n".join)
_CELLS = st.sampled_from(("done", "", "[~]", "[x]", "[-] done", "`in_progress`", "✅", "❌", "published", "skipped"))


@settings(max_examples=200)
@given(st.sampled_from((LOCAL_HEAD, "# S\n\n", "---\nrun: a1\n---\n")), _LOCAL_PIECES, st.lists(_CELLS), _LOCAL_PIECES)
def test_what_is_taken_of_a_state_of_local_ids_reads_the_same(
    head: str, before: str, cells: list[str], after: str
) -> None:
    names = ("T1.1-parse", "1.1.2", "T2.1-list")
    rows = "".join(f"| {name} | {cell} | |\n" for name, cell in zip(names, cells, strict=False))
    board = f"## Wave board\n\n| Task | Status | Notes |\n| --- | --- | --- |\n{rows}"
    text = f"{head}{before}\n\n{board}\n{LOCAL_REPORT}{after}"
    outline = read_state_outline(text, LOCAL, "s", MARKS)
    assert outline is None or outline == whole_of_local(text)
