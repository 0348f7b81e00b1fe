"""The project's own planning set with a text in it, at every place where people or workers write."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.errors import DocumentError, UserError
from orchestrator.formats import question_edits, state_edits, task_file
from orchestrator.formats.junit import JUnitError, read_junit
from orchestrator.formats.log_outline import read_log_outline
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.plan_outline import read_outline
from orchestrator.formats.printed import plan_in, report_in
from orchestrator.formats.row_names import names_of
from orchestrator.formats.settings_file import read_settings
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.markdown.document import Document
from orchestrator.markdown.second_opinion import second_opinion
from orchestrator.masking import mask
from orchestrator.model.counts import parse_counts
from orchestrator.model.gate import gate_findings
from orchestrator.model.log import LogEntry
from orchestrator.model.paths_in_text import paths_in
from orchestrator.model.questions import Asked
from orchestrator.model.status import Status
from orchestrator.model.step_paths import mentions
from orchestrator.model.verify import report_findings
from orchestrator.views.printable import printable
from orchestrator.views.problems import problems_text
from tests.support.planning import canonical, canonical_plan, key

PLAN = canonical_plan()
KEY, OTHER = key("5.1.1"), key("5.2.1")
ENTRY = LogEntry("2026-11-29T10:03:40Z", "ended", {"turn": "plan"})
Work = Callable[[], object]

_INLINE = {
    "EXECUTION_PLAN_5.md": (
        *("API layer", "| 5.2.1 | 1 |", "lists them.", "Store triggers", "`pkg/store/jobs.go`", "A trigger has a kind"),
        *("a stored trigger is read back unchanged", "`go test ./pkg/store -run Trigger`", "Needs a decision"),
        *("`func ParseDefinition` in", "feat(jobdef): parse trigger definitions", "5.1.1, 5.1.2\n- **Must", "small\n"),
    ),
    "STATE_5.md": (
        *("waiting for Ana", "plan-ready", "Store triggers", "flake: `test_clock`", "is called twice at start-up"),
        *("ignores empty cron strings", "unit: `tests/", "| 1 | open"),
    ),
    "tasks/5.1.1.todo.md": (
        *("Job definitions can hold", "Call it from", "`ParseDefinition` is called", "Is an empty filter an error?"),
        *("no, it matches every event", "**Files:** ", "ignores empty cron strings", "usd=0.0041"),
        *("Parse trigger definitions", "none\n- **Gotchas"),
    ),
    "ORCH.md": ("AGENTS.md", "go test ./...", "orch/{n}-{slug}", "Write small functions"),
}
_BELOW = {
    "EXECUTION_PLAN_5.md": ("lists them.", "names the line.", "deletes its triggers\n", "authentication first."),
    "STATE_5.md": ("cron strings\n", "at start-up\n", "## Questions\n", "test_timeout`\n", "| pending | |\n", "k3f9\n"),
    "tasks/5.1.1.todo.md": (
        "hold triggers.\n",
        "-run Trigger`\n",
        "every event\n",
        "## Report\n",
        "## Log\n",
        "77aa\n",
    ),
    "ORCH.md": ("reuse: true}\n",),
}


def in_line(name: str, text: str) -> list[str]:
    """The file with the text in every line of that kind at once."""
    whole = canonical(name)
    for place in _INLINE[name]:
        assert place in whole, place
        whole = whole.replace(place, place[:1] + text + place[1:], 1)
    return [whole, text]


def below(name: str, text: str) -> list[str]:
    """The file with the text below each of several lines, one by one, and the text alone."""
    whole = canonical(name)
    assert all(place in whole for place in _BELOW[name])
    return [*(whole.replace(place, f"{place}{text}\n", 1) for place in _BELOW[name]), text]


def works(forms: Callable[[str, str], list[str]], text: str) -> dict[str, Work]:
    """Every reader and edit, by a name, over files with the text in them."""
    made: dict[str, Work] = {}
    for number, one in enumerate(forms("EXECUTION_PLAN_5.md", text)):
        made |= {f"{name} {number}": work for name, work in _of_plan(one).items()}
    for number, one in enumerate(forms("STATE_5.md", text)):
        made |= {f"{name} {number}": work for name, work in _of_state(one).items()}
    for number, one in enumerate(forms("tasks/5.1.1.todo.md", text)):
        made |= {f"{name} {number}": work for name, work in _of_todo(one).items()}
    for number, one in enumerate(forms("ORCH.md", text)):
        made[f"settings {number}"] = lambda one=one: read_settings(Document.parse(one, "o"), "o")
    return made | _with(text)


def _of_plan(text: str) -> dict[str, Work]:
    return {
        "plan": lambda: problems_text(read_plan(Document.parse(text, "p"), 5).problems),
        "plan outline": lambda: read_outline(text, "p", 5),
        "second opinion": lambda: second_opinion(Document.parse(text, "p")),
    }


def _of_state(text: str) -> dict[str, Work]:
    def doc() -> Document:
        return Document.parse(text, "s")

    return {
        "state": lambda: problems_text(read_state(doc(), PLAN, "s").problems),
        "state outline": lambda: read_state_outline(text, PLAN, "s"),
        "status": lambda: state_edits.set_status(doc(), OTHER, Status.DONE),
        "note": lambda: state_edits.set_note_if_empty(doc(), OTHER, "x"),
        "wave": lambda: state_edits.set_wave(doc(), 2, note="flake: x"),
        "report": lambda: state_edits.put_report(doc(), OTHER, "T", ["- **Status:** done"]),
        "discovered": lambda: state_edits.add_discovered(doc(), OTHER, ["x"]),
        "baseline": lambda: state_edits.set_baseline(doc(), (), ["x"]),
        "ask": lambda: question_edits.enter_question(doc(), names_of(PLAN, doc()), Asked(99_999, OTHER, "Why?")),
    }


def _of_todo(text: str) -> dict[str, Work]:
    def doc() -> Document:
        return Document.parse(text, "t")

    def judged() -> None:
        micro = task_file.read_micro_plan(doc()).value
        gate_findings(PLAN.spec(KEY), micro, (), exists=lambda path: False)
        report_findings(micro.report, ())

    own = Document.parse(canonical("tasks/5.1.1.todo.md"), "t")
    return {
        "todo": lambda: problems_text(task_file.read_task_file(doc(), KEY).problems),
        "judging": judged,
        "log outline": lambda: read_log_outline(text),
        "log": lambda: task_file.append_log(doc(), ENTRY),
        "take plan": lambda: task_file.take_plan(own, text),
        "take progress": lambda: task_file.take_progress(own, text),
        "answer": lambda: task_file.answer_question(doc(), 1, "yes"),
        "facts": lambda: task_file.set_facts(doc(), {"tier": "mid"}),
        "findings": lambda: task_file.set_findings(doc(), "a\nb"),
        "adopted": lambda: task_file.adopted(Document.parse(text.replace("## Log", "## Lo"), "t"), KEY, "T"),
    }


def _with(text: str) -> dict[str, Work]:
    """What is done with the text itself: put into files, or found in an output."""
    state = Document.parse(canonical("STATE_5.md"), "s")
    todo = Document.parse(canonical("tasks/5.1.1.todo.md"), "t")
    names = names_of(PLAN, state)
    asked = question_edits.enter_question(state, names, Asked(99_999, OTHER, "Why?"))
    return {
        "put note": lambda: state_edits.set_note_if_empty(state, OTHER, text),
        "put discovered": lambda: state_edits.add_discovered(state, OTHER, [text]),
        "put report": lambda: state_edits.put_report(state, OTHER, "T", ["- **Status:** done", text]),
        "put question": lambda: question_edits.enter_question(state, names, Asked(99_999, OTHER, text)),
        "put answer": lambda: question_edits.answer_question(asked, names, 99_999, text),
        "put answer of a micro-plan": lambda: task_file.answer_question(todo, 1, text),
        "put findings": lambda: task_file.set_findings(todo, text),
        "put step": lambda: task_file.append_step(todo, text),
        "keep report": lambda: task_file.keep_report(todo, text),
        "put log": lambda: task_file.append_log(todo, LogEntry(ENTRY.time, "ended", {"why": text})),
        "printed plan": lambda: plan_in(text, ("5.1.1",)),
        "printed report": lambda: report_in(f"## Report\n{text}"),
        "counts": lambda: parse_counts(text),
        "junit": lambda: read_junit(f"<testsuite><testcase name='a'>{text}</testcase></testsuite>".encode()),
        "paths": lambda: (mentions(text), paths_in(text)),
        "shown": lambda: printable(text),
        "masked": lambda: mask(text),
    }


REFUSALS = (DocumentError, LookupError, UserError, ValueError, JUnitError)
