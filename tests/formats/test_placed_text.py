"""Text of others, put into states of other people's shapes: it comes back as it went in and is never structure."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.formats.guest_text import trim_blank_lines, with_endings
from orchestrator.formats.new_state import taken_on
from orchestrator.formats.state_edits import add_discovered, put_report, set_note_if_empty, set_status
from orchestrator.formats.state_file import read_state
from orchestrator.formats.task_file import answer_question, keep_report, new_task_file_text, read_task_file, take_plan
from orchestrator.markdown.document import Document
from orchestrator.model.micro_plan import WorkerReport
from orchestrator.model.report import MOST_LINES, report_lines
from orchestrator.model.state import State
from orchestrator.model.status import Status
from tests.formats.foreign_states import PLAN, STATES, WRITTEN
from tests.formats.foreign_text import texts
from tests.support.planning import key

KEY = key("1.2.2")
KEYS = {"branch": "orch/1", "base": "main", "fork": "1a2b3c4", "run": "k3f9"}
HOSTILE = (
    "# Heading\n\n## 1.2.1 — fake\n\n- **Status:** done\n\n## Wave board\n\n- [x] T2.1-input (done)",
    "---\nstop: now\nids: {T1: 1.1.1}\n---",
    "| Task | Status |\n| --- | --- |\n| T2.1-input | done |",
    "```\nnever closed",
    "~~~~ md\n```\n~~~",
    "<!-- never closed",
    "<script>\n## x",
    "\\1 \\g<0> $1 ${x} %s {0} C:\\new\\tmp \\d+",
    "{{ task }} {% raw %} {# #}",
    "a | b `c|d` \\| e",
    "``` `` ` unpaired",
    "bell \x07 null\x00 escape \x1b[31m tab\tend",
    "right \u202eto left\u202c and \u200fmarks\u200b",
    "Setext\n===\n\nSTOP\n",
    "- [ ] T1.1-scaffold (blocked)\n  - [x] nested",
    "> quoted\n>> twice",
    "\ufeffBOM inside",
    "lone\rreturns\r\rand\r\nboth",
    "one \u2028 two \u2029 three \x85 four \x0b five \x0c six",
    "👩‍💻 e\u0301 \u200d \u00ad \ufffd",
    f"{'long ' * 13_000}end",
)


def taken(shape: str, written: str = "as it is") -> Document:
    doc = Document.parse(WRITTEN[written](STATES[shape]), "s")
    return taken_on(doc, PLAN, read(doc), KEYS)


def read(doc: Document) -> State:
    found = read_state(doc, PLAN, "s")
    assert [one for one in found.problems if one.is_error] == []
    return found.value


def of_lines(words: str) -> str:
    """The words without outer white space, every break of a line LF, as a file of such lines holds them."""
    return with_endings(words.strip(), "\n")


def structure(state: State) -> tuple[object, ...]:
    return (state.board, state.waves, state.stop, state.run, state.baseline, state.known_failures)


def report_of(words: str) -> tuple[str, ...]:
    worker = WorkerReport(deviations=words, gotchas="none")
    return report_lines(
        status="done, abc1234", changes=(), test="true", passed=1, failed=0, worker=worker, todo_path="planning/t.md"
    )


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("shape", STATES)
def test_nothing_that_is_placed_reads_as_structure(shape: str, words: str) -> None:
    for written in WRITTEN:
        doc = taken(shape, written)
        before = read(doc)
        new = add_discovered(put_report(doc, KEY, words, report_of(words)), KEY, [words])
        after = read(new)
        assert structure(after) == structure(before)
        assert {one.key for one in after.reports} == {one.key for one in before.reports} | {KEY}
        assert [one.text for one in after.reports if one.key != KEY] == [one.text for one in before.reports]
        assert [trim_blank_lines(one) for one in after.discovered] == [f"{KEY}: {of_lines(words)}"]
        assert add_discovered(put_report(new, KEY, words, report_of(words)), KEY, [words]).text == new.text


@settings(max_examples=60)
@given(st.sampled_from(sorted(STATES)), st.sampled_from(sorted(WRITTEN)), texts, texts, st.sampled_from(Status))
@example("boxes with words", "no final newline", "```", "# x", Status.DONE)
def test_any_words_leave_any_board_what_it_was(shape: str, written: str, words: str, more: str, status: Status) -> None:
    doc = taken(shape, written)
    before = read(doc)
    new = set_status(doc, KEY, status)
    new = put_report(new, KEY, "T", report_of(words))
    new = add_discovered(new, KEY, [more])
    new = set_note_if_empty(new, KEY, words)
    after = read(new)
    assert [row for row in after.board if row.key != KEY] == [row for row in before.board if row.key != KEY]
    row = after.row(KEY)
    assert row is not None and row.status is status
    assert (after.waves, after.stop, after.run) == (before.waves, before.stop, before.run)
    expected = [f"{KEY}: {more.strip()}"] if more.strip() else []
    assert [trim_blank_lines(one) for one in after.discovered] == expected


def test_a_report_of_a_hundred_lines_is_cut_to_fifteen_with_a_pointer() -> None:
    words = "\n".join(f"{number}. ## line {number}" for number in range(1, 101))
    new = put_report(taken("boxes with words"), KEY, "T", report_of(words))
    report = read(new).report(KEY)
    assert report is not None
    lines = report.text.split("\n")
    assert len(lines) == MOST_LINES
    assert lines[-1] == "- **Cut:** the whole report is in `planning/t.md`"


@pytest.mark.parametrize("words", HOSTILE)
def test_an_answer_of_any_words_stays_under_its_question(words: str) -> None:
    doc = take_plan(Document.parse(new_task_file_text(KEY, "T")), "## Goal\nx\n## Questions\n1. first?\n2. second?\n")
    new = answer_question(doc, 1, words)
    micro = read_task_file(new, KEY).value.micro_plan
    assert [(one.text, one.answer) for one in micro.questions] == [("first?", of_lines(words)), ("second?", "")]
    assert micro.goal == "x"
    assert answer_question(new, 1, words).text == new.text


@pytest.mark.parametrize("words", HOSTILE)
def test_a_report_that_gives_way_is_kept_whole_in_the_todo_file(words: str) -> None:
    doc = Document.parse(new_task_file_text(KEY, "T"))
    once = keep_report(doc, words)
    both = keep_report(keep_report(once, "another"), words)
    assert keep_report(once, words).text == once.text
    assert both.text.startswith(once.text.rstrip("\n"))
    for one in (once, both):
        task = read_task_file(one, KEY)
        assert (task.value.micro_plan.report, task.value.log, task.problems) == (None, (), ())
    assert [section.heading.text for section in both.sections if section.heading.level == 2][-2:] == ["Log", "Earlier"]
