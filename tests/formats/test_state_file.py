"""STATE_N.md read whole: the canonical one, a foreign one, and every problem at its place."""

from __future__ import annotations

import pytest

from orchestrator.errors import DocumentError
from orchestrator.formats.board_reading import read_row
from orchestrator.formats.new_state import new_state_text
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.state_edits import sync_rows
from orchestrator.formats.state_file import read_state
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.state import BaselineRow, BoardRow, ReportSection, State, WaveRow
from orchestrator.model.status import Status, WaveStatus
from tests.support.planning import canonical, canonical_document, canonical_plan, key, told

REPORT = canonical("STATE_5.md").partition("## 5.1.1 — Parse trigger definitions\n\n")[2].rstrip()


def read(text: str) -> tuple[State, str]:
    found = read_state(Document.parse(text, "state.md"), canonical_plan(), "state.md")
    return found.value, told(found.problems)


def test_the_canonical_state_reads_whole_and_without_a_problem() -> None:
    found = read_state(canonical_document("STATE_5.md"), canonical_plan(), "planning/STATE_5.md")
    assert found.problems == ()
    assert found.value == State(
        number=5,
        path="planning/STATE_5.md",
        exists=True,
        branch="orch/5-event-triggers",
        base="main",
        fork="1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
        status="open",
        run="k3f9",
        baseline=(BaselineRow(".", "unit", "pass", 812, 0, "1a2b3c4"),),
        has_baseline=True,
        known_failures=("unit: `tests/test_net.py::test_timeout`",),
        waves=(
            WaveRow(1, WaveStatus.OPEN, note="flake: `test_clock`"),
            WaveRow(2, WaveStatus.OPEN),
        ),
        board=(
            BoardRow(key("5.1.1"), "Parse trigger definitions", "done", Status.DONE),
            BoardRow(key("5.1.2"), "Store triggers", "plan-ready", Status.PLAN_READY, "waiting for Ana"),
            BoardRow(key("5.2.1"), "List triggers", "pending", Status.PENDING),
        ),
        reports=(ReportSection(key("5.1.1"), "Parse trigger definitions", REPORT),),
        discovered=("5.1.1: `validate()` ignores empty cron strings",),
    )
    assert [str(row.at) for row in found.value.board] == [f"planning/STATE_5.md:{line}:7" for line in (32, 33, 34)]


def test_a_state_that_is_not_there_is_told_apart_from_an_empty_one() -> None:
    plan = canonical_plan()
    assert read_state(None, plan, "state.md").value == State(5, "state.md")
    assert read("") == (State(5, "state.md", exists=True), "")


def test_a_foreign_state_is_read_in_place() -> None:
    text = (
        "# State 5\n\n## Baseline\n\n- `make test` passed before wave 1.\n\n## Wave Board\n\n"
        "| Task | Owner | Status | Notes |\n| --- | --- | --- | --- |\n"
        "| `5.1.1` | Ana | **Done** ✅ | merged |\n| 1.2 | Ben | `in_progress` | |\n| **5.2.1** | | |\n"
        "\n## Task Reports\n"
    )
    assert read(text) == (
        State(
            number=5,
            path="state.md",
            exists=True,
            board=(
                BoardRow(key("5.1.1"), "", "**Done** ✅", Status.DONE, "merged"),
                BoardRow(key("5.1.2"), "", "`in_progress`", Status.RUNNING),
                BoardRow(key("5.2.1"), "", "", Status.PENDING),
            ),
        ),
        "",
    )


def test_every_problem_is_told_at_its_place() -> None:
    text = (
        "---\norchestration: 4\nstatus: opne\nbrnach: x\nfork: [a]\nstop: no\nmine: 1\n---\n# State 5\n\n"
        "## Baseline\n\n| Suite | Result |\n| --- | --- |\n| unit | passed |\n| ui | ok |\n\n"
        "## Waves\n\n| Wave | Status |\n| --- | --- |\n| 1 | opn |\n| x | open |\n| 1 | open |\n\n"
        "## Wave board\n\n| Wave | Task | Status |\n| --- | --- | --- |\n"
        "| 1 | 5.1.1 | dnoe |\n| 2 | 5.1.2 | someone has it |\n"
        "| 1 | 5.1.1 | done |\n| 2 | 5.2.2 | done |\n| | note | |\n"
    )
    state, problems = read(text)
    assert (
        problems
        == """\
2:16 <4> file number-mismatch: the front matter says orchestration "4", the file name 5
    make them agree; a set keeps the number of its files
3:9 <opne> item unknown-status: "opne" is no status of an orchestration
    did you mean "open"?
4:1 <brnach> warning unknown-key: "brnach" is no key that orch knows
    did you mean "branch"?
5:7 <[a]> item wrong-type: `fork` takes one value, not a list or a map
    write it on one line
15:10 <passed> item unknown-result: "passed" is no result of a suite
    did you mean "pass"?
16:8 <ok> item unknown-result: "ok" is no result of a suite
    the words are pass, fail, error
22:7 <opn> item unknown-wave-status: "opn" is no status of a wave
    did you mean "open"?
23:3 <x> item bad-wave: "x" is no wave number
    waves count from 1
24:3 <1> item duplicate-wave: wave 1 has two rows
    keep one of them
30:15 <dnoe> item unknown-status: "dnoe" is no status
    did you mean "done"?
31:3 <2> item wave-mismatch: 5.1.2 stands in a row of wave 2
    make key and wave agree
31:15 <someone has it> item unknown-status: "someone has it" is no status
    the words are pending, approved, done, needs-input, blocked, skipped
32:7 <5.1.1> item duplicate-row: 5.1.1 has two rows on the board, the first in line 30
    keep one of them
33:7 <5.2.2> warning stray-row: the row "5.2.2" is about no task of the plan
    did you mean "5.1.2"?
34:5 <note> warning stray-row: the row "note" is about no task of the plan
    it is left as it is
"""
    )
    assert [(str(row.key), row.raw_status, row.status) for row in state.board] == [
        ("5.1.1", "dnoe", None),
        ("5.1.2", "someone has it", None),
    ]
    assert [(row.number, row.status) for row in state.waves] == [(1, None)]
    assert state.stop == ""


def test_the_subject_of_a_cells_problem_is_its_task() -> None:
    text = canonical("STATE_5.md").replace("plan-ready", "almost")
    problems = read_state(Document.parse(text), canonical_plan(), "").problems
    assert [(problem.code, problem.subject) for problem in problems] == [("unknown-status", "5.1.2")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\nstop: lunch\n---\n# State 5\n", "lunch"),
        ("---\nstop:\n---\n# State 5\n", ""),
        ("---\nstop: false\n---\n# State 5\n", ""),
        ("STOP\n\n# State 5\n", "STOP"),
        ("---\nrun: a\n---\n\n**STOP**: the API moved\n\n# State 5\n", "the API moved"),
        ("Some words.\r\nSTOP until Monday\r\n\r\n# State 5\r\n", "until Monday"),
        ("# State 5\n\nSTOP\n", ""),
        ("<!--\nSTOP\n-->\n# State 5\n", ""),
        ("Don't STOP\n\nSTOPPED\n\n# State 5\n", ""),
    ],
)
def test_a_run_is_told_to_stop_above_the_first_heading_or_by_key(text: str, reason: str) -> None:
    assert read(text)[0].stop == reason


def test_two_boards_of_one_rank_are_told_and_none_is_guessed() -> None:
    table = "| Task | Status |\n| --- | --- |\n| 5.1.1 | done |\n"
    assert read(f"# S\n\n{table}\n## More\n\n{table}") == (
        State(5, "state.md", exists=True),
        "3:1 <| Task | Status |> file ambiguous-board: the tables in lines 3, 9 could all be the wave board\n"
        '    put the right one alone under a heading "Wave board"\n',
    )
    assert len(read(f"# S\n\n{table}\n## Task board\n\n{table}")[0].board) == 1


def test_a_board_with_a_misspelt_column_or_without_boxes_is_told_and_not_doubled() -> None:
    plain_list = "# S\n\n## Wave Board\n\n- 5.1.1: done\n- 5.1.2: pending\n"
    misspelt = "# S\n\n## Wave Board\n\n| Task | Sttaus |\n| --- | --- |\n| 5.1.1 | done |\n"
    nameless = misspelt.replace("Sttaus", "Where it is")
    for text, problem in [
        (
            nameless,
            "5:1 <| Task | Where it is |> file no-status-column: the board has no column Status\n"
            "    call the column that says pending, running or done Status\n",
        ),
        (
            plain_list,
            "5:3 <5.1.1: done> file board-without-boxes: the item of 5.1.1 has no box, so it is no row of a board\n"
            "    write - [ ] before the task, or make the board a table with the columns Task and Status\n",
        ),
        (
            misspelt,
            '5:10 <Sttaus> file unknown-column: "Sttaus" is no column of the board\n    did you mean "Status"?\n',
        ),
    ]:
        assert read(text) == (State(5, "state.md", exists=True), problem)
        with pytest.raises(DocumentError):
            sync_rows(Document.parse(text), canonical_plan())


def test_a_table_of_other_ids_is_no_board_and_named_where_the_set_is_not_orchs_yet() -> None:
    text = "# S\n\n| Task | Status |\n| --- | --- |\n| T-1 | weird |\n"
    assert read(text) == (
        State(5, "state.md", exists=True),
        "3:1 <| Task | Status |> file no-board: no table is about the plan's tasks; those of tasks and statuses: "
        'line 3 ("T-1", …)\n'
        '    put the board under a heading "Wave board", or add that heading alone to have one made\n',
    )
    for own in (f"---\nrun: k3f9\n---\n{text}", f"{text}\n## Wave board\n"):
        assert read(own)[1] == ""


def test_an_unclosed_fence_is_a_problem_of_the_whole_file() -> None:
    text = canonical("STATE_5.md").replace("## Waves", "```\n## Waves", 1)
    state, problems = read(text)
    assert (state.board, problems.split(":")[1]) == ((), "1 <```> file unclosed-fence")


def test_only_a_section_that_begins_with_a_status_is_a_report_of_orchs() -> None:
    text = (
        "# State 5\n\n## 5.1.1 — mine\n\nSome words about it.\n\n- Owner: me\n- Status: no report\n\n"
        "## Task Reports\n\n### 5.1.1 — T\n\n- Status: done\n\n### 5.1.2: Mine too\n\n- Files: a\n\n"
        "#### 5.2.1\n\n* **status**: blocked\n"
    )
    state, _ = read(text)
    assert [(str(report.key), report.title, report.text) for report in state.reports] == [
        ("5.1.1", "T", "- Status: done"),
        ("5.2.1", "", "* **status**: blocked"),
    ]


def test_a_new_state_is_canonical_and_reads_back() -> None:
    plan = canonical_plan()
    text = new_state_text(plan, branch="orch/5-event-triggers", base="main", fork="1a2b3c4", run="k3f9")
    assert (
        text
        == """\
---
orchestration: 5
branch: orch/5-event-triggers
base: main
fork: 1a2b3c4
status: open
run: k3f9
---
# State 5 — Event triggers

## Baseline

## Waves

| Wave | Status | Suites | Commit | Note |
| --- | --- | --- | --- | --- |
| 1 | open | | | |
| 2 | open | | | |

## Wave board

| Wave | Task | Title | Status | Note |
| --- | --- | --- | --- | --- |
| 1 | 5.1.1 | Parse trigger definitions | pending | |
| 1 | 5.1.2 | Store triggers | pending | |
| 2 | 5.2.1 | List triggers | pending | |

## Questions

## Discovered
"""
    )
    state, problems = read(text)
    assert problems == ""
    assert (state.base, state.fork, state.run, state.has_baseline) == ("main", "1a2b3c4", "k3f9", False)
    assert [row.status for row in state.board] == [Status.PENDING] * 3


def test_any_title_can_stand_in_a_new_state() -> None:
    heading = "a | b `c` \\| d \\ **e**"
    waves = "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | 1 |\n\n"
    plan_text = f"# Execution plan 5 — {heading}\n\n{waves}### 5.1.1 — {heading}\n"
    plan: Plan = read_plan(Document.parse(plan_text), 5).value
    text = new_state_text(plan, branch="b: #1", base="- x", fork="f", run="r")
    state = read_state(Document.parse(text), plan, "s").value
    assert (state.branch, state.base) == ("b: #1", "- x")
    assert [row.title for row in state.board] == [plan.specs[0].title]


def test_a_row_alone_reads_as_it_does_among_all() -> None:
    doc = canonical_document("STATE_5.md")
    rows = read_state(doc, canonical_plan(), "planning/STATE_5.md").value.board
    alone = [read_row(doc, row.key) for row in rows]
    assert alone == list(rows)
    assert [str(row.at) for row in alone if row] == [str(row.at) for row in rows]
    assert read_row(doc, key("5.9.9")) is None
    assert read_row(Document.parse("# State 5\n"), key("5.1.1")) is None
