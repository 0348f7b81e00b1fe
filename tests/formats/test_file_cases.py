"""What other tools got wrong in files like these, each by the right behaviour."""

from __future__ import annotations

import pytest

from orchestrator.formats.state_edits import add_discovered, put_report, set_state_key, set_status, set_wave
from orchestrator.formats.state_file import read_state
from orchestrator.formats.task_file import (
    adopted,
    answer_question,
    append_log,
    append_step,
    new_task_file_text,
    read_task_file,
    set_facts,
    take_plan,
    take_progress,
)
from orchestrator.formats.task_reading import name_problems
from orchestrator.markdown.document import Document
from orchestrator.model.log import LogEntry
from orchestrator.model.state import State
from orchestrator.model.status import Status, WaveStatus
from tests.support.bare_plans import bare_plan
from tests.support.diffs import diff
from tests.support.planning import canonical, canonical_plan, key

KEY = key("1.1.1")
FRESH = new_task_file_text(KEY, "T")


def steps(text: str) -> list[str]:
    return [step.mark for step in read_task_file(Document.parse(text), KEY).value.micro_plan.steps]


def state(text: str, *names: str, wave: int = 1) -> State:
    found = read_state(Document.parse(text), bare_plan({wave: names}), "s")
    assert [problem for problem in found.problems if problem.is_error] == []
    return found.value


FENCED = [
    "3. Use the form\n\n   ```markdown\n   - [ ] an example\n   - [ ] another\n   ```\n",
    "~~~\n- [ ] an example\n~~~\n",
    "  ```\n  - [ ] an example\n  ```\n",
    "> ```\n> - [ ] an example\n> ```\n",
    "`- [ ] in a line`\n",
    "<!--\n- [ ] commented out\n-->\n",
]


@pytest.mark.parametrize("example", FENCED)
def test_boxes_in_examples_are_no_steps_and_no_rows_and_no_edit_touches_them(example: str) -> None:
    todo = f"## TODO items\n\n- [x] one\n- [x] two\n\n{example}"
    assert steps(todo) == ["x", "x"]
    copy = todo.replace("- [x] two", "- [ ] two")
    assert diff(copy, take_progress(Document.parse(copy), todo).text) == "-- [ ] two\n+- [x] two\n"
    board = f"# S\n\n## Board\n\n- [ ] 1.1.1\n\n{example.replace('an example', '1.1.1')}"
    assert [row.status for row in state(board, "1.1.1").board] == [Status.PENDING]
    done = set_status(Document.parse(board), KEY, Status.DONE)
    assert diff(board, done.text) == "-- [ ] 1.1.1\n+- [x] 1.1.1 (done)\n"


def test_every_list_marker_makes_boxes_and_legends_and_links_make_none() -> None:
    boxes = "- [x] a\n\n* [ ] b\n\n+ [ ] c\n\n1. [ ] d\n\n2) [ ] e\n\n"
    legend = "- [P] = parallel\n- [USx] = story\n\n1. [link](u)\n"
    assert steps(f"## TODO items\n\n{boxes}{legend}") == ["x", " ", " ", " ", " "]
    rows = "- [x] 1.1.1\n\n* [ ] 1.1.2\n\n+ [ ] 1.1.3\n\n1. [ ] 1.1.4\n\n2) [ ] 1.1.5\n\n"
    names = tuple(f"1.1.{number}" for number in range(1, 6))
    assert len(state(f"# S\n\n## Board\n\n{rows}{legend}", *names).board) == 5


def test_an_unknown_mark_is_not_done_and_survives_every_write() -> None:
    todo = "## TODO items\n\n- [x] a\n- [~] b\n- [-] c\n"
    assert [step.is_ticked for step in read_task_file(Document.parse(todo), KEY).value.micro_plan.steps] == [
        True,
        False,
        False,
    ]
    assert "- [~] b\n- [-] c\n- [ ] d" in append_step(Document.parse(todo), "d").text
    board = "# S\n\n## Board\n\n- [x] 1.1.1\n- [~] 1.1.2\n- [-] 1.1.3\n"
    assert [row.status for row in state(board, "1.1.1", "1.1.2", "1.1.3").board] == [
        Status.DONE,
        Status.PENDING,
        Status.PENDING,
    ]
    doc = set_status(Document.parse(board), KEY, Status.BLOCKED)
    doc = set_status(doc, key("1.1.2"), Status.RUNNING)
    assert doc.text.endswith("- [ ] 1.1.1 (blocked)\n- [~] 1.1.2 (running)\n- [-] 1.1.3\n")


def test_the_second_of_three_equal_steps_is_ticked_and_no_other() -> None:
    body = "## TODO items\n\n- [ ] Run tests\n- [ ] Write\n  - [ ] Run tests\n- [ ] Run tests\n- [ ] Run tests\n"
    ticked = body.replace("  - [ ] Run tests\n- [ ] Run", "  - [ ] Run tests\n- [x] Run")
    new = take_progress(Document.parse(body), ticked)
    assert new.text == ticked


def test_a_pipe_in_code_is_told_and_never_shifts_a_status() -> None:
    board = '# S\n\n## Board\n\n| Task | Status | Note |\n| --- | --- | --- |\n| 1.1.1 | done | `grep "a\\|b"` |\n'
    assert [(row.status, row.note) for row in state(board, "1.1.1").board] == [(Status.DONE, '`grep "a|b"`')]
    bare = board.replace("\\|", "|")
    found = read_state(Document.parse(bare), bare_plan({1: ("1.1.1",)}), "s")
    assert [row.status for row in found.value.board] == [Status.DONE]
    assert [(problem.code, problem.at.line if problem.at else 0) for problem in found.problems] == [("lost-cell", 7)]


def test_a_byte_order_mark_is_read_over_and_kept() -> None:
    text = "\ufeff" + canonical("STATE_5.md")
    found = read_state(Document.parse(text), canonical_plan(), "planning/STATE_5.md")
    plain = read_state(Document.parse(text[1:]), canonical_plan(), "planning/STATE_5.md")
    assert (found.value, found.problems) == (plain.value, ())
    new = set_status(Document.parse(text), key("5.1.2"), Status.DONE)
    assert new.text == text.replace("| plan-ready |", "| done |")
    todo = "\ufeff" + canonical("tasks/5.1.1.todo.md")
    assert read_task_file(Document.parse(todo), key("5.1.1")) == read_task_file(Document.parse(todo[1:]), key("5.1.1"))


def test_what_is_commented_out_is_no_row_and_no_report() -> None:
    text = (
        "# S\n\n## Board\n\n- [x] 1.1.1\n\n<!-- - [x] 1.1.2 -->\n\n<!--\n- [x] 1.1.3\n\n## 1.1.1 — old\n\n"
        "- **Status:** done\n-->\n\n```\n## 1.1.2 — x\n\n- **Status:** done\n```\n"
    )
    found = state(text, "1.1.1", "1.1.2", "1.1.3")
    assert ([str(row.key) for row in found.board], found.reports) == (["1.1.1"], ())


def test_an_id_is_the_whole_word_and_its_report_ends_where_the_next_begins() -> None:
    names = ("1.1.2", "1.1.2b", "1.1.21", "1.1.20")
    rows = "".join(f"- [ ] {name}\n" for name in reversed(names))
    reports = "".join(f"\n## {name} — T\n\n- **Status:** word-of-{name}\n" for name in reversed(names))
    text = f"# S\n\n## Board\n\n{rows}{reports}"
    for name in names:
        new = set_status(Document.parse(text), key(name), Status.DONE)
        assert diff(text, new.text) == f"-- [ ] {name}\n+- [x] {name} (done)\n"
        report = state(text, *names).report(key(name))
        assert report is not None and report.text == f"- **Status:** word-of-{name}"
        line = f"- **Status:** word-of-{name}"
        new = put_report(Document.parse(text), key(name), "T", ["- **Status:** new"])
        assert diff(text, new.text) == f"-{line}\n+- **Status:** new\n"


def test_pinned_ids_are_the_words_of_the_file_and_no_numbers() -> None:
    text = "---\nids: {1.10: 1.1.1, 010: 1.1.2, no: 1.1.3, 1.1: 1.1.4}\n---\n# S\n\n## Board\n\n"
    rows = "| Task | Status |\n| --- | --- |\n| 1.10 | done |\n| 010 | blocked |\n| no | skipped |\n| 1.1 | |\n"
    plan = bare_plan({1: ("1.10", "010", "no", "1.1")})
    found = read_state(Document.parse(text + rows), plan, "s")
    assert found.problems == ()
    assert [(str(row.key), str(row.status)) for row in found.value.board] == [
        ("1.1.1", "done"),
        ("1.1.2", "blocked"),
        ("1.1.3", "skipped"),
        ("1.1.4", "pending"),
    ]
    assert set_status(Document.parse(text + rows), key("1.1.4"), Status.DONE).text == text + rows.replace(
        "| 1.1 | |", "| 1.1 | done |"
    )


def test_a_pin_that_is_no_key_or_stands_twice_is_told() -> None:
    text = "---\nids: {T1: 1.1, T2: x, T3: 2.1.1, T4: 1.1.1}\n---\n# S\n"
    problems = read_state(Document.parse(text), bare_plan({1: ("T1",)}), "s").problems
    assert [(one.code, one.at.column if one.at else 0, one.message) for one in problems] == [
        ("bad-pin", 20, '"x" is no key of plan 1, so "T2" stands for no task'),
        ("bad-pin", 27, '"2.1.1" is no key of plan 1, so "T3" stands for no task'),
        ("duplicate-pin", 38, '"T1" and "T4" both stand for 1.1.1'),
    ]
    for value in ("[a]", "T1"):
        problems = read_state(Document.parse(f"---\nids: {value}\n---\n# S\n"), bare_plan({1: ("T1",)}), "s").problems
        assert [(one.code, one.hint) for one in problems] == [
            ("wrong-type", "write it on one line: ids: {T1-first: 1.1.1}")
        ]


def test_one_part_of_a_todo_file_changes_and_the_others_stay() -> None:
    text = (
        "---\ntask: 1.1.1 # mine\nowner: 'Ana'\n---\n# 1.1.1 — T\n\n## Goal\n\nold\n\n"
        "## TODO items\n\n* [ ] a  \n  b\n\n"
        "## My own\n\n| x |\n| - |\n\n## Notes\n\n- n\n\n## Questions\n\n1. q?\n\n## Discovered\n\n## Log\n"
    )
    copy = "## Goal\n\nnew\n\n## TODO items\n\n* [ ] a  \n  b\n\n## Questions\n\n1. q?\n"
    doc = Document.parse(text)
    once = take_plan(doc, copy)
    assert diff(text, once.text) == "-old\n+new\n"
    assert take_plan(once, copy).text == once.text
    assert diff(text, answer_question(doc, 1, "yes").text) == "+   Answer: yes\n"
    assert diff(text, set_facts(doc, {"tier": "small"}).text) == "+tier: small\n"
    entry = LogEntry("2026-11-29T10:02:11Z", "decided", {"why": "`a` $(rm -rf /) \"b\" 'c' \\1"})
    logged = append_log(doc, entry)
    assert read_task_file(logged, KEY).value.log == (entry,)


def test_a_tight_list_keeps_its_other_items() -> None:
    rows = (
        "- [ ] 1.1.1 — 🚀 first 📅 2026-11-29\n- [X] 1.1.2 — second  \n  hard break\n"
        "- [~] 1.1.3 (blocked)\n-   [ ]   1.1.4\n"
    )
    text = f"# S\n\n## Board\n\n{rows}"
    new = set_status(Document.parse(text), KEY, Status.DONE).text
    assert new == text.replace("- [ ] 1.1.1 —", "- [x] 1.1.1 (done) —")
    word = text.replace("1.1.1 —", "1.1.1 (running) —")
    assert set_status(Document.parse(word), KEY, Status.VERIFIED).text == word.replace("(running)", "(verified)")
    assert set_status(Document.parse(text), key("1.1.4"), Status.DONE).text == text.replace(
        "-   [ ]   1.1.4", "-   [x]   1.1.4 (done)"
    )


@pytest.mark.parametrize("tail", ["\n\n\n\n", "\n", ""])
def test_a_report_at_the_end_leaves_all_that_was_there_in_front(tail: str) -> None:
    text = f"# S\n\n## Board\n\n- [ ] 1.1.1\n\n## Task Reports{tail}"
    new = put_report(Document.parse(text), KEY, "T", ["- **Status:** done"]).text
    assert new.startswith(text)
    assert new[len(text) :].strip("\n") == "### 1.1.1 — T\n\n- **Status:** done"


def test_the_row_of_the_board_changes_and_not_that_of_a_log_with_the_same_ids() -> None:
    log = "| Task | Status | When |\n| --- | --- | --- |\n| 1.1.1 | pending | monday |\n"
    for board, old, new in [
        ("| Task | Status |\n| --- | --- |\n| 1.1.1 | pending |\n", "| 1.1.1 | pending |", "| 1.1.1 | done |"),
        ("- [ ] 1.1.1 (pending)\n", "- [ ] 1.1.1 (pending)", "- [x] 1.1.1 (done)"),
    ]:
        text = f"# S\n\n## Log\n\n{log}\n## Wave board\n\n{board}"
        assert diff(text, set_status(Document.parse(text), KEY, Status.DONE).text) == f"-{old}\n+{new}\n"


def test_a_hand_edit_stays_when_something_else_is_written() -> None:
    text = canonical("STATE_5.md").replace("| plan-ready |", "| Ana: wait! |").replace("base: main", "base:   main # x")
    doc = set_wave(Document.parse(text), 1, status=WaveStatus.CHECKING)
    doc = add_discovered(doc, key("5.1.1"), ["more"])
    doc = set_state_key(doc, "status", "done")
    doc = set_status(doc, key("5.2.1"), Status.RUNNING)
    assert "| Ana: wait! |" in doc.text and "base:   main # x" in doc.text


def test_writing_what_is_there_changes_no_byte() -> None:
    text = "---\nb: 2 # two\na: 'x'\n\nlist:\n  - 1\n---\n# S\n\n## Board\n\n* [X] **1.1.1** (Done)\n\n\n"
    doc = Document.parse(text)
    assert set_status(set_state_key(doc, "a", "x"), KEY, Status.DONE).text == text
    assert set_facts(doc, {"b": "2"}).text == text


def test_a_wave_that_is_set_twice_is_listed_once_and_two_waves_keep_their_order() -> None:
    doc = Document.parse("# S\n")
    for number in (2, 1, 2):
        doc = set_wave(doc, number, status=WaveStatus.DONE)
    found = read_state(doc, bare_plan({1: ("1.1.1",), 2: ("1.2.1",)}), "s").value
    assert [(row.number, row.status) for row in found.waves] == [(1, WaveStatus.DONE), (2, WaveStatus.DONE)]


def test_two_reports_stand_whole_beside_each_other() -> None:
    doc = Document.parse("# S\n\n## Board\n\n- [ ] 1.1.1\n- [ ] 1.1.2\n")
    lines = {name: [f"- **Status:** {name}", f"- **Gotchas:** {name}"] for name in ("1.1.2", "1.1.1")}
    for name, report in lines.items():
        doc = put_report(doc, key(name), "T", report)
    found = {str(one.key): one.text for one in state(doc.text, "1.1.1", "1.1.2").reports}
    assert found == {name: "\n".join(report) for name, report in lines.items()}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- None.", 0),
        ("None - the spec says it all", 0),
        ("- *None* (checked twice)", 0),
        ("- nonexistent paths: what then", 1),
        ("- None of the tests run; why?", 1),
        ("- None: or should I ask Ana?", 1),
    ],
)
def test_none_with_a_reason_is_none_and_a_word_that_begins_so_is_not(text: str, count: int) -> None:
    micro = read_task_file(Document.parse(f"## Questions\n{text}\n## Discovered\n{text}\n"), KEY).value.micro_plan
    assert (len(micro.questions), len(micro.discovered)) == (count, count)


LOCAL = {"T1.1-models": key("1.1.1"), "T1.2-hashing": key("1.1.2"), "extra": key("1.1.3")}


@pytest.mark.parametrize(
    ("named", "heading", "told_of"),
    [
        ("id: T1.2-hashing\n", "1.1.2 — Hashes", ""),
        ("", "T1.2-hashing: Hashes", ""),
        ("", "1.1.2 — T1.2-hashing", ""),
        ("", "1.1.2 — an extra thing", ""),
        ("", "Task T1.1-models", 'its heading says "T1.1-models", which is 1.1.1'),
        ("", "1.1.2 — T1.1-models", 'its heading says "T1.1-models", which is 1.1.1'),
        ("id: T1.1-models\n", "1.1.2 — Hashes", 'says id "T1.1-models", the plan calls 1.1.2 "T1.2-hashing"'),
    ],
)
def test_file_name_front_matter_and_heading_of_a_todo_file_agree_on_its_local_id(
    named: str, heading: str, told_of: str
) -> None:
    text = f"---\ntask: 1.1.2\n{named}---\n# {heading}\n"
    found = read_task_file(Document.parse(text, "t.md"), key("1.1.2"))
    assert found.problems == ()
    problems = [*name_problems(found.value, LOCAL)]
    assert [(one.code, one.subject, told_of in one.message) for one in problems] == (
        [("key-mismatch", "1.1.2", True)] if told_of else []
    )
    assert all(one.at is not None and one.at.length > 3 for one in problems)


def test_a_new_todo_file_of_a_local_id_says_so() -> None:
    text = new_task_file_text(key("1.1.2"), "Hashes", "T1.2-hashing")
    assert text.startswith("---\ntask: 1.1.2\nid: T1.2-hashing\n---\n# 1.1.2 — Hashes\n")
    found = read_task_file(Document.parse(text), key("1.1.2"))
    assert (found.problems, found.value.id) == ((), "T1.2-hashing")
    foreign = adopted(Document.parse("# T1.2-hashing\n\nmine\n"), key("1.1.2"), "Hashes", "T1.2-hashing")
    assert foreign.text.startswith("---\ntask: 1.1.2\nid: T1.2-hashing\n---\n") and "> mine" in foreign.text
