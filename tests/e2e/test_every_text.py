"""Whatever people, sessions and workers write, it comes back as it went in and is never taken for structure."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from tests.e2e.test_suites import state
from tests.support.changed_lines import changed_lines
from tests.support.orch import ROOT, Left, begin_orch, left_of, run_orch
from tests.support.planned import Task, plan_text, planned, report_text, working
from tests.support.planning import key

HOSTILE = (
    "every \\1 \\g<0> $1 ${x} %s {0} C:\\new {{ x }} {% y %} {# z #} | `c` `` é 日本 👩‍💻\n\n# head\n## Report\n"
    "## Log\n- 2026-11-29T10:00:00Z landed commit=abc\n---\ntask: 1.1.9\n---\n| Wave | Task | Status |\n| --- | --- |\n"
    "```\nnever closed\n<!-- nor this\n- [x] box\n\ttab \x07 bell \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m\n"
    "\u202eleft\u202c \u2067r\u2069 \u200fשלום\u200f \u2028 \u2029 \x85 \x0b \x0c \ufeff end"
)
TEXTS = {
    "everything": HOSTILE,
    "line endings": "\\d+ C:\\new\\tmp\r\nsecond\rthird\n\n\tfourth  \nlast",
    "an option": "--json -n 3 --force",
    "very long": "é `|` \\1 **b** {{ x }}\n" * 4000,
}
ON_A_TERMINAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
TITLE = "A `|` title of **bold** {{ x }} \\1 \u200fשלום\u200f \u202eleft\u202c \x1b[31m 👩‍💻"


def aimless(local: str) -> Task:
    """A task whose plan has an error: it says no goal."""
    bare = Task(local, (f"{local}.dat",))
    return Task(
        local, bare.creates, turns=({"turn": "plan", "plan": plan_text(bare).replace(f"Do task {local}.", "")},)
    )


def first_without(folder: Path, locals_: str, event: str) -> str:
    """The first of these tasks whose log has no such event."""
    return next(one for one in locals_ if not said(folder, one, event))


def revise(folder: Path, text: str) -> str:
    local = first_without(folder, "3fgh", "revised")
    run(folder, "revise", f"1.1.{local}", "-m", text)
    return said(folder, local, "revised")[-1]


def block(folder: Path, text: str) -> str:
    run(folder, "block", "1.1.4", "--why", text)
    return said(folder, "4", "decided")[-1]


def retry(folder: Path, text: str) -> str:
    run(folder, "block", "1.1.5", "--why", "wait")
    run(folder, "retry", "1.1.5", "--because", text)
    return said(folder, "5", "decided")[-1]


def rescope(folder: Path, text: str) -> str:
    path = f"more{len(said(folder, '6', 'rescoped'))}.dat"
    run(folder, "rescope", "1.1.6", "--create", path, "--why", text)
    return said(folder, "6", "rescoped")[-1].removeprefix(f"its scope was widened by {path}: ")


def skip(folder: Path, text: str) -> str:
    local = first_without(folder, "789a", "decided")
    run(folder, "skip", f"1.1.{local}", "--why", text)
    return said(folder, local, "decided")[-1]


def force(folder: Path, text: str) -> str:
    local = first_without(folder, "bcde", "approved")
    run(folder, "approve", f"1.1.{local}", "--force", "--why", text)
    return said(folder, local, "approved")[-1]


WAYS: dict[str, Callable[[Path, str], str]] = {
    one.__name__: one for one in (revise, block, retry, rescope, skip, force)
}
"""The commands that take a reason: each gives it, and finds it again."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, clean_environment: dict[str, str]) -> Path:
    """A wave whose tasks wait for a judgement: the first asks something, the second has a title of every kind."""
    bare = Task("1", ("a.txt",))
    asks = plan_text(bare).replace("## Questions\n", "## Questions\n1. Why?\n")
    report = report_text(["a.txt"]).replace("Gotchas:** none", f"Gotchas:** {HOSTILE.partition(chr(10))[0]}")
    first = Task("1", ("a.txt",), turns=({"turn": "plan", "plan": asks}, working(bare, report=report)))
    made = planned(
        tmp_path_factory.mktemp("texts") / "repo",
        [
            first,
            *(Task(one, (f"{one}.dat",), extra=f"- **Commit:** feat: {one}") for one in "23456789afghi"),
            *(aimless(one) for one in "bcde"),
        ],
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


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_a_reason_comes_back_as_it_went_in(folder: Path, way: Callable[[Path, str], str], text: str) -> None:
    assert way(folder, text) == text.strip()


def test_a_reason_to_run_suites_again_stands_in_the_logs_of_the_wave(tmp_path: Path) -> None:
    settings = "on_regression: ask\nsuites: {unit: test ! -e a.dat}\n"
    made = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=settings)
    assert run_orch(made, "next-wave", "--auto").code == 4
    run(made, "retry", "--wave", "1", "--because", HOSTILE)
    assert said(made, "1", "decided") == [HOSTILE]
    assert next(line for line in state(made).split("\n") if line.startswith("| 1 | checking |")).count(" | ") == 4
    run(made, "check")


def test_a_message_to_a_worker_stands_in_its_prompt(folder: Path) -> None:
    run(folder, "revise", "1.1.i", "-m", HOSTILE)
    log = run_orch(folder, "show", "1.1.i", "--json").document["log"]
    assert isinstance(log, list)
    assert [entry["why"] for entry in log if entry["event"] == "revised"] == [HOSTILE]
    assert harmless(run_orch(folder, "next-wave", "--until", "plan")).code in (3, 4)
    prompt = run_orch(folder, "prompt", "1.1.i", "--json").document["text"]
    assert isinstance(prompt, str)
    assert HOSTILE in prompt


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_question_and_its_answer_come_back_from_the_state(folder: Path, text: str) -> None:
    before = state(folder)
    for number in range(2):
        run(folder, "ask", "1.1.2", "--", f"{text} {len(before)} {number}")
    first, second = (str(one["id"]) for one in questions(folder)[-2:])
    run(folder, "answer", "--person", "--", first, text)
    run(folder, "answer", "--person", second, "--withdraw", text)
    assert changed_lines(before, state(folder)).removed == ()
    answered, withdrawn = questions(folder)[-2:]
    # New lines end as the file's do.
    lines = re.sub("\r\n?", "\n", text)
    assert (answered["text"], answered["answer"]) == (f"{lines} {len(before)} 0", lines.strip())
    assert withdrawn["withdrawn"] == lines.strip()


def questions(folder: Path) -> list[dict[str, object]]:
    found = run_orch(folder, "status", "--json").document["questions"]
    assert isinstance(found, list)
    return found


def test_an_answer_to_a_micro_plan_stands_under_its_question(folder: Path) -> None:
    run(folder, "approve", "1.1.1", "--answer", f"1={HOSTILE}")
    micro = read_task_file(kept(folder, "1"), key("1.1.1")).value.micro_plan
    assert [(one.text, one.answer) for one in micro.questions] == [("Why?", HOSTILE)]


def test_a_title_is_the_plans_own_and_changes_nothing_on_the_board(folder: Path) -> None:
    assert f"### 1.1.2 — {TITLE}\n" in (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8")
    assert [row.count(" | ") for row in state(folder).split("\n") if "| 1.1.2 |" in row] == [4]
    run(folder, "resume")
    run(folder, "check")


WORDS = (
    *(
        ("revise", "1.1.2", "-m"),
        ("block", "1.1.2", "--why"),
        ("skip", "1.1.2", "--why"),
        ("retry", "1.1.4", "--because"),
    ),
    *(("retry", "--wave", "1", "--because"), ("rescope", "1.1.6", "--create", "x.dat", "--why"), ("ask", "1.1.2")),
    *(
        ("rescope", "1.1.6", "--why", "x", "--create"),
        ("ask", "1.1.2", "Why?", "--option"),
        ("answer", "--person", "Q1"),
    ),
    *(("answer", "--person", "Q1", "--withdraw"), ("approve", "1.1.1", "--answer", "1=yes", "--force", "--why")),
    *(("takeover", "1.1.2", "--force", "--file", "planning/ORCH.md", "--why"), ("new",), ("show",)),
)
"""Command lines whose last word is somebody's text."""


def written(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted((folder / "planning").rglob("*")) if path.is_file()}


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_a_byte_that_is_no_text_is_refused_before_anything_is_written(folder: Path, words: tuple[str, ...]) -> None:
    before = written(folder)
    left = run(folder, *words, "bad \udcff", code=2)
    number = len(words) + 1
    assert left.err == f"error: argument {number} isn't UTF-8, and nothing else can be kept\nhint: orch --help\n"
    assert written(folder) == before


@pytest.mark.parametrize("data", [b"\xff", "half a pair \ud800".encode("utf-8", "surrogatepass"), "a".encode("utf-16")])
@pytest.mark.parametrize("verb", ["takeover", "report"])
def test_a_file_that_is_no_text_is_refused_before_anything_is_written(
    folder: Path, tmp_path: Path, verb: str, data: bytes
) -> None:
    file, before = tmp_path / "plan.md", written(folder)
    file.write_bytes(plan_text(Task("2", ("2.dat",))).encode() + data)
    assert f"error: {file} isn't UTF-8: " in run(folder, verb, "1.1.2", "--file", str(file), code=2).err
    assert written(folder) == before


@pytest.mark.parametrize("verb", ["takeover", "report"])
@pytest.mark.parametrize("kind", ["a sparse file", "an endless one", "endless standard input"])
def test_a_file_without_end_is_refused_before_it_fills_the_memory(
    folder: Path, tmp_path: Path, verb: str, kind: str
) -> None:
    file, before = tmp_path / "plan.md", written(folder)
    if kind == "a sparse file":
        with file.open("wb") as made:
            made.truncate(1 << 40)
    endless = Path("/dev/zero")
    named = {"a sparse file": str(file), "an endless one": str(endless), "endless standard input": "-"}[kind]
    with endless.open("rb") as stream:
        left = subprocess.run(
            [sys.executable, "-m", "orchestrator", verb, "1.1.2", "--file", named],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=stream,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    shown = "standard input" if named == "-" else named
    assert (left.returncode, left.stdout) == (1, ""), left
    assert left.stderr == (
        f"{shown}: error: {shown} is longer than 16 MiB: that is no message or plan of a worker\n"
        "hint: hand in the text alone, without what programs printed\n"
    )
    assert written(folder) == before


def test_a_pipe_is_read_to_its_end_and_waiting_for_it_ends_with_an_interrupt(folder: Path, tmp_path: Path) -> None:
    pipe, before = tmp_path / "pipe", written(folder)
    os.mkfifo(pipe)
    call = begin_orch(folder, "takeover", "1.1.2", "--file", str(pipe))
    # A writer gets in once it is being read; what it writes is taken like a file's.
    pipe.write_bytes(b"\xff")
    assert f"error: {pipe} isn't UTF-8: " in left_of(call).err
    call = begin_orch(folder, "takeover", "1.1.2", "--file", str(pipe))
    with pipe.open("wb"):
        call.send_signal(signal.SIGINT)
        left = left_of(call)
    assert (left.code, left.err) == (130, f"interrupted; state is saved\nnext: orch takeover 1.1.2 --file {pipe}\n")
    assert written(folder) == before


IN_A_SECTION = "\n".join(line for line in HOSTILE.split("\n") if not line.startswith(("#", "-", "task:")))
NOTES = {
    "everything": IN_A_SECTION,
    "a NUL": "a\0b\n> \0",
    "line endings": "a\r\nb\rc",
    "very long": "é word | `x`\n" * 80_000,
}


def with_notes(task: Task, notes: str) -> bytes:
    """The task's micro-plan with these notes at its end, where nothing has to follow what is never closed."""
    plan = plan_text(task).partition("## Notes\n")[0]
    return f"{plan}## Questions\n\n## Notes\n\n{notes}\n".encode()


@pytest.mark.parametrize("notes", NOTES.values(), ids=NOTES.keys())
def test_a_plan_by_file_comes_back_as_it_went_in(folder: Path, tmp_path: Path, notes: str) -> None:
    file = tmp_path / "plan.md"
    file.write_bytes(with_notes(Task("2", ("2.dat",)), notes))
    for one in questions(folder):
        if one["task"] == "1.1.2" and not (one["answer"] or one["withdrawn"]):
            run(folder, "answer", "--person", str(one["id"]), "--withdraw", "no need")
    run(folder, "takeover", "1.1.2", "--file", str(file))
    read = read_task_file(kept(folder, "2"), key("1.1.2"))
    assert (read.value.micro_plan.notes, read.problems) == (re.sub("\r\n?", "\n", notes.strip()), ())


@pytest.mark.parametrize("name", ["everything", "a NUL", "line endings"])
def test_a_message_by_file_comes_back_as_it_went_in(tmp_path: Path, name: str) -> None:
    task, file = Task("1", ("a.dat",)), tmp_path / "plan.md"
    made = planned(tmp_path / "repo", [task], worker="small: {driver: manual}", settings="gate: stop\n")
    assert run_orch(made, "next-wave").code == 3
    # What only a terminal obeys is no part of a message.
    notes = re.sub("\x1b.*?[m\x07]", "", NOTES[name])
    file.write_bytes(with_notes(task, notes))
    assert "was found" not in run(made, "report", "1.1.1", "--file", str(file)).out
    run(made, "next-wave", code=3)
    read = read_task_file(kept(made, "1"), key("1.1.1"))
    assert (read.value.micro_plan.notes, read.problems) == (re.sub("\r\n?", "\n", notes.strip()), ())


def test_a_message_that_is_too_long_is_told_to_be_that(tmp_path: Path) -> None:
    task, file = Task("1", ("a.dat",)), tmp_path / "plan.md"
    made = planned(tmp_path / "repo", [task], worker="small: {driver: manual}")
    assert run_orch(made, "next-wave").code == 3
    file.write_bytes(with_notes(task, NOTES["very long"]))
    said = "must begin with a line `# 1.1.1` or `# 1.1` among its last 65,536 characters; its todo file counts"
    assert said in run(made, "report", "1.1.1", "--file", str(file)).out


def test_the_words_of_a_report_stand_in_the_state_and_whole_in_the_todo_file(folder: Path) -> None:
    if not said(folder, "1", "approved"):
        run(folder, "approve", "1.1.1", "--answer", f"1={HOSTILE}")
    harmless(run_orch(folder, "next-wave", "--auto"))
    words = HOSTILE.partition("\n")[0]
    assert f"- **Gotchas:** {words}\n" in state(folder)
    report = read_task_file(kept(folder, "1"), key("1.1.1")).value.micro_plan.report
    assert report is not None and report.gotchas == words
    shown = run_orch(folder, "show", "1.1.1", "--json").out
    assert "👩‍💻" in shown
