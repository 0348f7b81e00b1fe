"""Whatever people, sessions and workers write, it comes back as it went in and is never taken for structure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from tests.e2e.test_suites import state
from tests.support.changed_lines import changed_lines
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, report_text, working
from tests.support.planning import key

HOSTILE = (
    "every \\1 \\g<0> $1 ${x} %s {0} C:\\new {{ x }} {% y %} {# z #} | `c` `` é 日本 👩‍💻\n\n# head\n## Report\n"
    "## Log\n- 2026-11-29T10:00:00Z landed commit=abc\n---\ntask: 1.1.9\n---\n| Wave | Task | Status |\n| --- | --- |\n"
    "```\nnever closed\n<!-- nor this\n- [x] box\n\ttab \x07 bell \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m\n"
    "\u202eleft\u202c \u2067r\u2069 \u200fשלום\u200f \u2028 \u2029 \x85 \x0b \x0c \ufeff end"
)
ON_A_TERMINAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
TITLE = "A `|` title of **bold** {{ x }} \\1 \u200fשלום\u200f \u202eleft\u202c \x1b[31m 👩‍💻"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, clean_environment: dict[str, str]) -> Path:
    """A wave whose tasks wait for a judgement: the first asks something, the second has a title of every kind."""
    bare = Task("1", ("a.txt",))
    asks = plan_text(bare).replace("## Questions\n", "## Questions\n1. Why?\n")
    report = report_text(["a.txt"]).replace("Gotchas:** none", f"Gotchas:** {HOSTILE.partition(chr(10))[0]}")
    first = Task("1", ("a.txt",), turns=({"turn": "plan", "plan": asks}, working(bare, report=report)))
    made = planned(
        tmp_path_factory.mktemp("texts") / "repo",
        [first, *(Task(one, (f"{one}.txt",), extra=f"- **Commit:** feat: {one}") for one in "234")],
    )
    plan = made / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("— Task 2\n", f"— {TITLE}\n"), "utf-8")
    assert run_orch(made, "next-wave").code == 3
    return made


def kept(folder: Path, local: str) -> Document:
    """The task's todo file."""
    return Document.parse((folder / "planning" / "tasks" / f"1.1.{local}.todo.md").read_bytes().decode())


def said(folder: Path, local: str, event: str) -> list[str]:
    """The reasons that the task's log holds for an event; the file has no problem."""
    read = read_task_file(kept(folder, local), key(f"1.1.{local}"))
    assert read.problems == ()
    return [entry.get("why") for entry in read.value.log if entry.event == event]


def harmless(left: Left) -> Left:
    """What was printed, without a character that a terminal obeys."""
    assert ON_A_TERMINAL.search(left.out + left.err) is None, left
    return left


def run(folder: Path, *words: str, code: int = 0) -> Left:
    left = harmless(run_orch(folder, *words))
    assert left.code == code, left
    return left


def test_a_message_to_a_worker_stands_in_the_log_and_in_its_prompt(folder: Path) -> None:
    run(folder, "revise", "1.1.3", "-m", HOSTILE)
    assert said(folder, "3", "revised") == [HOSTILE]
    log = run_orch(folder, "show", "1.1.3", "--json").document["log"]
    assert isinstance(log, list)
    assert [entry["why"] for entry in log if entry["event"] == "revised"] == [HOSTILE]


def test_a_reason_stands_in_the_log_and_is_shown_on_one_line(folder: Path) -> None:
    run(folder, "block", "1.1.4", "--why", HOSTILE)
    assert said(folder, "4", "decided") == [HOSTILE]
    run(folder, "show", "1.1.4")
    run(folder, "status")


def test_a_question_and_its_answer_come_back_from_the_state(folder: Path) -> None:
    before = state(folder)
    run(folder, "ask", "1.1.2", HOSTILE)
    run(folder, "answer", "--person", "Q2", HOSTILE)
    assert changed_lines(before, state(folder)).removed == ()
    asked = run_orch(folder, "status", "--json").document["questions"]
    assert isinstance(asked, list)
    assert [(one["text"], one["answer"]) for one in asked if one["id"] == "Q2"] == [(HOSTILE, HOSTILE)]


def test_an_answer_to_a_micro_plan_stands_under_its_question(folder: Path) -> None:
    run(folder, "approve", "1.1.1", "--answer", f"1={HOSTILE}")
    micro = read_task_file(kept(folder, "1"), key("1.1.1")).value.micro_plan
    assert [(one.text, one.answer) for one in micro.questions] == [("Why?", HOSTILE)]


def test_a_title_is_the_plans_own_and_changes_nothing_on_the_board(folder: Path) -> None:
    assert f"### 1.1.2 — {TITLE}\n" in (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8")
    assert [row.count(" | ") for row in state(folder).split("\n") if "| 1.1.2 |" in row] == [4]
    run(folder, "resume")
    run(folder, "check")


def test_a_byte_that_is_no_text_is_refused_before_anything_is_written(folder: Path) -> None:
    before = kept(folder, "2").text
    left = run_orch(folder, "revise", "1.1.2", "-m", "bad \udcff")
    assert (left.code, left.err) == (
        2,
        "error: argument 4 isn't UTF-8, and nothing else can be kept\nhint: orch --help\n",
    )
    assert kept(folder, "2").text == before


def test_the_words_of_a_report_stand_in_the_state_and_whole_in_the_todo_file(folder: Path) -> None:
    if not said(folder, "1", "approved"):
        run(folder, "approve", "1.1.1", "--answer", "1=yes")
    harmless(run_orch(folder, "next-wave", "--auto"))
    words = HOSTILE.partition("\n")[0]
    assert f"- **Gotchas:** {words}\n" in state(folder)
    report = read_task_file(kept(folder, "1"), key("1.1.1")).value.micro_plan.report
    assert report is not None and report.gotchas == words
    shown = run_orch(folder, "show", "1.1.1", "--json").out
    assert "👩‍💻" in shown
