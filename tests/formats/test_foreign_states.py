"""States in other people's shapes are read in place: both forms of the board, local ids, reports anywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.errors import DocumentError, Severity
from orchestrator.formats.state_edits import sync_rows
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.markdown.document import Document
from orchestrator.model.state import State, WaveRow
from orchestrator.model.status import Status, WaveStatus
from tests.formats.foreign_states import BOXES, PLAN, STATES, STATUSES, TABLE, TITLES, UNDERLINED, WRITTEN
from tests.support.bare_plans import bare_plan
from tests.support.planning import told

KEYS = ("1.1.1", "1.1.2", "1.2.1", "1.2.2", "1.2.3")
MARKS = {"~": Status.RUNNING, "-": Status.SKIPPED}


def with_plain_reports(state: State) -> State:
    """The state with reports whose line endings don't tell which editor wrote them."""
    reports = tuple(replace(one, text=one.text.replace("\r\n", "\n")) for one in state.reports)
    return replace(state, reports=reports)


def read(text: str, marks: dict[str, Status] | None = None) -> tuple[State, str]:
    found = read_state(Document.parse(text, "s"), PLAN, "s", marks)
    return found.value, told(found.problems)


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("shape", STATES)
def test_every_shape_is_read_whatever_its_line_endings(shape: str, written: str) -> None:
    text = WRITTEN[written](STATES[shape])
    state, problems = read(text)
    assert problems == ""
    assert [str(row.key) for row in state.board] == [*KEYS]
    assert tuple(str(row.status) for row in state.board) == STATUSES[shape]
    assert with_plain_reports(state) == read(STATES[shape])[0]
    outline = read_state_outline(text, PLAN, "s")
    assert outline is None or outline == state


@pytest.mark.parametrize("shape", STATES)
def test_the_first_wave_is_believed_to_be_done_and_not_checked(shape: str) -> None:
    assert read(STATES[shape])[0].waves == (WaveRow(1, WaveStatus.DONE, note="not checked"),)
    own = f"---\nrun: k3f9\n---\n{STATES[shape]}"
    assert read(own)[0].waves == ()
    with_section = f"{STATES[shape].rstrip()}\n\n## Waves\n\n| Wave | Status |\n| --- | --- |\n| 2 | open |\n"
    assert read(with_section)[0].waves == (WaveRow(2, WaveStatus.OPEN),)


def test_boxes_keep_title_and_word() -> None:
    state, _ = read(BOXES)
    assert [row.title for row in state.board] == [*TITLES.values()]
    assert [row.raw_status for row in state.board] == ["done", "done", "in progress", "pending", "blocked"]
    assert [str(row.at) for row in state.board] == ["s:12:8", "s:13:8", "s:16:8", "s:17:8", "s:18:8"]


def test_reports_are_found_by_local_id_below_task_reports_and_beside_other_sections() -> None:
    assert [(str(one.key), one.title, one.text.count("\n")) for one in read(BOXES)[0].reports] == [
        ("1.1.2", "", 3),
        ("1.1.1", "", 2),
    ]
    assert [(str(one.key), one.title) for one in read(TABLE)[0].reports] == [
        ("1.1.2", "Hashes of files"),
        ("1.1.1", "Folders and models"),
    ]
    assert [(str(one.key), one.title) for one in read(UNDERLINED)[0].reports] == [("1.1.1", "Folders and models")]


def test_a_second_report_of_a_task_is_told_and_the_first_counts() -> None:
    state, problems = read(BOXES + "\n### T1.1-scaffold\n- Status: failed\n")
    report = state.report(state.board[0].key)
    assert report is not None and report.text.startswith("- Status: completed")
    assert problems == (
        "35:5 <T1.1-scaffold> warning duplicate-report: 1.1.1 has two reports, the first in line 30\n"
        "    only the first is read and replaced; keep one of them\n"
    )


@pytest.mark.parametrize(
    ("line", "status", "problem"),
    [
        ("[ ] `T1.1-scaffold` (done)", Status.DONE, "8:8 <done> warning mark-clash"),
        ("[x] `T1.1-scaffold` (pending)", Status.PENDING, "8:8 <pending> warning mark-clash"),
        ("[x] T1.1-scaffold (in progress) — text", Status.RUNNING, "warning mark-clash"),
        ("[ ] T1.1-scaffold (blocked)", Status.BLOCKED, ""),
        ("[~] T1.1-scaffold (done)", Status.DONE, ""),
        ("[~] T1.1-scaffold — text", Status.PENDING, "5:3 <[~]> warning unknown-mark"),
        ("[!] T1.1-scaffold", Status.PENDING, "5:3 <[!]> warning unknown-mark"),
        ("[x] **T1.1-scaffold** (✅ Done): text", Status.DONE, ""),
        ("[ ] **T1.1-scaffold (NEEDS_INPUT)** - text", Status.NEEDS_INPUT, ""),
        ("[ ] [T1.1-scaffold](tasks/1.1.1.todo.md) (`plan ready`)", Status.PLAN_READY, ""),
        ("[ ] Task T1.1 (): text", Status.PENDING, ""),
        ("[ ] T1.1-scaffold (dnoe)", None, "item unknown-status"),
        ("[ ] T1.1-scaffold (in review (#12))", None, "item reserved-status"),
        ("[x] T1.1-scaffold (published) — x", None, "item reserved-status"),
        ("[ ] T1.1-scaffold (done, abc1234)", None, "item unknown-status"),
        ("[ ] 1.1.1 (done (mostly))", None, "item unknown-status"),
    ],
)
def test_the_word_wins_over_the_mark_and_what_is_not_understood_is_told(
    line: str, status: Status | None, problem: str
) -> None:
    state, problems = read(f"# State 1\n\n## Wave board\n\n- {line}\n- [ ] T1.2-hashing\n")
    assert (str(state.board[0].key), state.board[0].status) == ("1.1.1", status)
    parts = problem.split(" ", 1)
    assert (problems == "") if not problem else parts[-1] in problems.split("\n")[0]
    assert len(state.board) == 2 and problems.count("\n") == (2 if problem else 0)


def test_a_problem_stands_at_the_word_and_holds_its_task_alone() -> None:
    text = BOXES.replace("(pending)", "(nearly there)").replace("(in progress)", "(done?)")
    found = read_state(Document.parse(text, "s"), PLAN, "s")
    assert (
        told(found.problems)
        == """\
16:21 <done?> item unknown-status: "done?" is no status
    did you mean "done"?
17:22 <nearly there> item unknown-status: "nearly there" is no status
    the words are pending, approved, done, needs-input, blocked, skipped
"""
    )
    assert [problem.subject for problem in found.problems] == ["1.2.1", "1.2.2"]


def test_marks_mean_what_the_settings_say_and_a_word_still_wins() -> None:
    board = "# S\n\n## Board\n\n- [~] T1.1-scaffold\n- [-] T1.2-hashing — x\n- [~] T2.1-input (blocked)\n- [>] T2.2\n"
    state, problems = read(board, MARKS)
    assert [row.status for row in state.board] == [Status.RUNNING, Status.SKIPPED, Status.BLOCKED, Status.PENDING]
    assert (
        problems
        == """\
7:19 <blocked> warning mark-clash: the box says "[~]", the word "blocked"
    the word counts: blocked; make them agree
8:3 <[>]> warning unknown-mark: the mark "[>]" has no meaning; it counts as not done
    write the status in words, or say what it means in ORCH.md: marks: {'>': skipped}
"""
    )
    cells = "# S\n\n## Board\n\n| Task | Status |\n| --- | --- |\n| T1.1 | [~] |\n| T1.2 | [-] done |\n| T2.1 | [?] |\n"
    state, problems = read(cells, MARKS)
    assert [row.status for row in state.board] == [Status.RUNNING, Status.DONE, Status.PENDING]
    assert [line.split(":")[1].split()[-1] for line in problems.split("\n")[::2] if line] == [
        "mark-clash",
        "unknown-mark",
    ]


def test_a_row_under_another_waves_heading_is_told() -> None:
    text = BOXES.replace("### Wave 2\n", "").replace("- [~]", "\n### Wave 2\n- [~]")
    problems = read_state(Document.parse(text, "s"), PLAN, "s").problems
    assert [(one.code, one.subject, one.at.line if one.at else 0) for one in problems] == [
        ("wave-mismatch", "1.2.1", 11),
        ("wave-mismatch", "1.2.2", 11),
    ]


@pytest.mark.parametrize(
    ("row", "code", "hint"),
    [
        ("- [ ] T9.9-other (done)", "stray-row", "it is left as it is"),
        ("- [ ] T2.1-inptu", "stray-row", 'did you mean "T2.1-input"?'),
        ("- [ ] `T1.1-scaffold` (done)", "duplicate-row", "keep one of them"),
    ],
)
def test_a_row_for_no_task_warns_and_a_second_one_is_refused(row: str, code: str, hint: str) -> None:
    text = BOXES.replace("— The page of results\n", f"— The page of results\n{row}\n")
    problems = read_state(Document.parse(text, "s"), PLAN, "s").problems
    assert [(one.code, one.hint) for one in problems] == [(code, hint)]
    assert (problems[0].severity is Severity.WARNING) == (code == "stray-row")


def test_a_beginning_of_two_local_ids_is_refused_with_both() -> None:
    plan = bare_plan({1: ("T1-parse-list", "T1-parse-page", "T1-x")})
    text = "# S\n\n## Board\n\n- [x] T1-parse\n- [ ] T1-x\n"
    found = read_state(Document.parse(text, "s"), plan, "s")
    assert told(found.problems) == (
        '5:7 <T1-parse> item ambiguous-row: the row "T1-parse" could be about T1-parse-list or T1-parse-page\n'
        "    write the whole id\n"
    )
    assert [str(row.key) for row in found.value.board] == ["1.1.3"]


def test_ids_are_compared_whole() -> None:
    plan = bare_plan({1: ("1.1.1", "1.1.10", "1.1.3", "1.1.3a")})
    text = "# S\n\n## Board\n\n- [x] 1.1.10\n- [ ] 1.1.3a (blocked)\n- [ ] 1.1.1\n- [ ] 1.1.3 (skipped)\n"
    state = read_state(Document.parse(text), plan, "s").value
    assert [(str(row.key), str(row.status)) for row in state.board] == [
        ("1.1.10", "done"),
        ("1.1.3a", "blocked"),
        ("1.1.1", "pending"),
        ("1.1.3", "skipped"),
    ]


@pytest.mark.parametrize("run", ["", "---\nrun: k3f9\n---\n"])
@pytest.mark.parametrize("lead", ["# Stand 1\n", "# Stand 1\n\n## Wave board\n"])
def test_a_table_about_the_plans_tasks_in_a_language_orch_does_not_read_is_named(lead: str, run: str) -> None:
    plan = bare_plan({1: ("T1.1-索引", "T1.2-検索")})
    table = "\n| Nr | Aufgabe | Stand |\n| --- | --- | --- |\n| 1 | `T1.1-索引` | erledigt |\n| 2 | T1.2 | offen |\n"
    doc = Document.parse(run + lead + table, "s")
    line = (run + lead).count("\n") + 2
    is_named = "board" in lead
    what = 'call its column "Aufgabe" Task, and the one that says pending, running or done Status'
    hint = what if is_named else f'if it is the board, {what}; else add a heading "Wave board" alone to have one made'
    assert told(read_state(doc, plan, "s").problems) == (
        f"{line}:1 <| Nr | Aufgabe | Stand |> file no-board: this table names the plan's tasks, but has no column "
        f"Task and no column Status\n    {hint}\n"
    )
    with pytest.raises(DocumentError):
        sync_rows(doc, plan)
    half = Document.parse(doc.text.replace("Aufgabe", "Task").replace("Stand |", "Status |"), "s")
    assert told(read_state(half, plan, "s").problems).startswith(f"{line + 2}:19 <erledigt> item unknown-status")


def test_a_table_that_names_a_task_here_and_there_is_no_board() -> None:
    table = "\n| Tool | Cost |\n| --- | --- |\n| git | 1 |\n| make | 2 |\n| T1.1 | 3 |\n"
    assert read(f"# State 1\n{table}") == (State(1, "s", exists=True), "")
    assert read(f"# State 1\n{table.replace('git', 'T1.2')}\n## Wave board\n") == (State(1, "s", exists=True), "")
