"""What holds of every edit of every text: it reads back, nothing else changes, twice is once."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.errors import DocumentError, UserError
from orchestrator.formats import question_edits, state_edits, task_file
from orchestrator.formats.guest_text import trim_blank_lines, with_endings
from orchestrator.formats.log_outline import read_log_outline
from orchestrator.formats.questions import read_questions
from orchestrator.formats.row_names import names_of
from orchestrator.formats.scope_edits import add_paths
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.formats.task_file import read_task_file
from orchestrator.formats.task_reading import read_micro_plan
from orchestrator.markdown.document import Document
from orchestrator.markdown.front_matter_edits import remove_key, set_key
from orchestrator.model.log import LogEntry
from orchestrator.model.questions import Asked
from orchestrator.model.status import Status
from tests.fuzz.inputs import texts
from tests.markdown.texts import change
from tests.support.planning import canonical, canonical_plan, key

PLAN = canonical_plan()
KEY, OTHER = key("5.1.1"), key("5.2.1")
ENTRY = LogEntry("2026-11-29T10:03:40Z", "ended", {"turn": "plan"})
Edit = Callable[[Document], Document]


def front_matter_edits(data: bytes) -> None:
    text, value = texts(data, 2)
    doc = Document.parse(text, "t")
    body = text[doc.front_matter.span.end :] if doc.front_matter else text.removeprefix("\ufeff")
    new = _made(doc, lambda one: set_key(one, "key", value))
    if new is not None:
        assert new.front_matter is not None and new.front_matter.get("key") == value
        assert new.text.endswith(body)
        _made(new, lambda one: remove_key(one, "key"))


def state(data: bytes) -> None:
    """A state as somebody left it: what the quick look takes the whole reader reads so, and each edit."""
    text, words = texts(data, 2)
    doc = Document.parse(text, "s")
    read = read_state(doc, PLAN, "s")
    outline = read_state_outline(text, PLAN, "s")
    assert outline is None or (outline == read.value and not read.problems)
    names = names_of(PLAN, doc)
    whole: Edit = lambda one: state_edits.set_status(one, OTHER, Status.RUNNING)  # noqa: E731
    new = _made(doc, whole)
    if new is not None:
        taken, _ = change(text, new.text)
        assert "\n" not in taken and "\r" not in taken
        row = read_state(new, PLAN, "s").value.row(OTHER)
        # Where two tables could be the board, no row is read; the edit knows the one that has the task.
        assert read.value.row(OTHER) is None or (row is not None and row.status is Status.RUNNING)
    for edit in (
        lambda one: state_edits.set_note_if_empty(one, OTHER, words),
        lambda one: state_edits.set_wave(one, 2, note=f"flake: {words}"),
        lambda one: state_edits.put_report(one, OTHER, "T", ["- **Status:** done", words]),
        lambda one: state_edits.add_discovered(one, OTHER, [words]),
        lambda one: state_edits.sync_rows(one, PLAN),
    ):
        new = _made(doc, edit)
        assert new is None or _keeps(text, new.text)
    # Its rows are all orch's own, and a failure has its suite before it.
    _made(doc, lambda one: state_edits.set_baseline(one, read.value.baseline, [f"unit: {words}"]))
    number = max((one.number for one in read_questions(doc, names)[0]), default=0) + 1
    asked = Asked(number, OTHER, with_endings(words.strip(), "\n"))
    new = _made(doc, lambda one: question_edits.enter_question(one, names, asked), is_repeatable=False)
    if new is not None:
        assert _keeps(text, new.text)
        _made(new, lambda one: question_edits.answer_question(one, names, number, words))


def todo(data: bytes) -> None:
    """A todo file and a worker's copy as somebody left them, and each edit."""
    text, words = texts(data, 2)
    doc = Document.parse(text, "t")
    read_task_file(doc, KEY)
    for edit in (
        lambda one: task_file.set_facts(one, {"model": words}),
        lambda one: task_file.set_findings(one, words),
        lambda one: task_file.adopted(one, KEY, "T"),
        lambda one: task_file.keep_report(one, words),
        lambda one: task_file.take_plan(one, words),
        lambda one: task_file.take_progress(one, words),
        lambda one: task_file.answer_question(one, 1, words),
    ):
        _made(doc, edit)
    for edit in (
        lambda one: task_file.append_log(one, ENTRY),
        lambda one: task_file.append_step(one, words),
        lambda one: task_file.append_answered(one, "Why?", words),
    ):
        _made(doc, edit, is_repeatable=False)
    _own_file(text)


def _own_file(copy: str) -> None:
    """Orch's own file with all that a worker's copy may bring in: its structure and its log stay."""
    doc = Document.parse(canonical("tasks/5.1.1.todo.md"), "t")
    before = read_task_file(doc, KEY).value
    for edit in (lambda one: task_file.take_plan(one, copy), lambda one: task_file.take_progress(one, copy)):
        new = _made(doc, edit)
        assert new is not None
        found = read_task_file(new, KEY)
        assert (found.value.log, found.problems) == (before.log, ()), found.problems
        assert read_log_outline(new.text) == before.log
        theirs = read_micro_plan(Document.parse(copy)).value
        mine = found.value.micro_plan
        assert mine.discovered == theirs.discovered or not theirs.discovered
        assert mine.notes == theirs.notes or not theirs.notes


def plan_edits(data: bytes) -> None:
    from orchestrator.formats.plan_file import read_plan

    (text,) = texts(data, 1)
    doc = Document.parse(text, "p")
    spec = read_plan(doc, 5).value.spec(KEY) if KEY in {one.key for one in read_plan(doc, 5).value.specs} else None
    if spec is None:
        return
    new = _made(doc, lambda one: add_paths(one, spec, "must edit", ["pkg/added.go"]), is_repeatable=False)
    if new is not None:
        assert _keeps(text, new.text)
        after = read_plan(new, 5).value.spec(KEY)
        assert {one.pattern for one in spec.must_edit} <= {one.pattern for one in after.must_edit}


def guest(data: bytes) -> None:
    """Any text put into the project's own files comes back as it went in, and is never their structure."""
    words = data.decode("utf-8", "replace")
    doc = Document.parse(canonical("STATE_5.md"), "s")
    before = read_state(doc, PLAN, "s").value
    new = state_edits.add_discovered(
        state_edits.put_report(doc, OTHER, "T", ["- **Status:** done", words]), OTHER, [words]
    )
    new = state_edits.set_note_if_empty(new, OTHER, words)
    names = names_of(PLAN, new)
    text = with_endings(words.strip(), "\n")
    if text:
        new = question_edits.enter_question(new, names, Asked(7, OTHER, text))
        new = question_edits.answer_question(new, names, 7, words)
    read = read_state(new, PLAN, "s")
    assert not [problem for problem in read.problems if problem.is_error], read.problems
    after = read.value
    assert [one for one in after.board if one.key != OTHER] == [one for one in before.board if one.key != OTHER]
    assert (after.waves, after.stop, after.run) == (before.waves, before.stop, before.run)
    expected = [f"{OTHER}: {with_endings(words.strip(), chr(10))}"] if words.strip() else []
    assert [trim_blank_lines(one) for one in after.discovered[1:]] == expected
    if text:
        assert [(one.text, one.answer) for one in after.questions] == [(text, text)]


def _made(doc: Document, edit: Edit, *, is_repeatable: bool = True) -> Document | None:
    """The edited document, None where the edit refuses it as documented."""
    try:
        new = edit(doc)
    except (DocumentError, LookupError, UserError, ValueError):
        return None
    assert not is_repeatable or edit(new).text == new.text
    return new


def _keeps(old: str, new: str) -> bool:
    """Whether all that the old text says is still there, in its order: an edit adds or fills in."""
    rest = _lines(new)
    at = 0
    for line in _lines(old):
        while at < len(rest) and rest[at] != line:
            at += 1
        if at == len(rest):
            return _differ_by_a_line(old, new)
        at += 1
    return True


def _differ_by_a_line(old: str, new: str) -> bool:
    taken, _ = change(old, new)
    return "\n" not in taken.strip() and "\r" not in taken.strip()


def _lines(text: str) -> list[str]:
    return [line for line in with_endings(text, "\n").split("\n") if line.strip()]


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (front_matter_edits, state, todo, plan_edits, guest)
}
