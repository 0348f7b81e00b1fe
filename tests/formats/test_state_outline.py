"""The quick look at a state: what it takes, the whole reader reads the same; what it isn't sure of, it declines."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.markdown.document import Document
from orchestrator.model.state import State
from tests.formats.foreign_text import texts
from tests.support.planning import canonical, canonical_plan

PLAN = canonical_plan()
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
