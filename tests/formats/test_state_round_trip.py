"""Whatever a worker writes, it comes back from STATE as it went in, and nothing else of the file changes."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.formats.guest_text import trim_blank_lines
from orchestrator.formats.report_edits import put_report
from orchestrator.formats.state_edits import add_discovered, set_note_if_empty, set_status, set_wave
from orchestrator.formats.state_file import read_state
from orchestrator.markdown.document import Document
from orchestrator.model.state import State
from orchestrator.model.status import Status
from tests.formats.foreign_text import endings, texts
from tests.support.planning import canonical, canonical_plan, key

PLAN = canonical_plan()
STATE = canonical("STATE_5.md")


def state(doc: Document) -> State:
    found = read_state(doc, PLAN, "s")
    assert [problem for problem in found.problems if problem.is_error] == []
    return found.value


def structure(found: State) -> tuple[object, ...]:
    return (found.board, found.waves, found.baseline, found.known_failures, found.stop, found.run)


@settings(max_examples=40)
@given(texts, texts, endings)
@example("```", "# x", "\r\n")
def test_a_report_of_any_words_stays_a_report(status: str, gotchas: str, ending: str) -> None:
    text = STATE.replace("\n", ending)
    doc = Document.parse(text)
    lines = [f"- **Status:** {status}", f"- **Gotchas:** {gotchas}", gotchas]
    new = put_report(doc, key("5.1.2"), "T", lines)
    assert new.text.startswith(text)
    after = state(new)
    assert structure(after) == structure(state(doc))
    assert [(str(report.key), report.title) for report in after.reports] == [
        ("5.1.1", "Parse trigger definitions"),
        ("5.1.2", "T"),
    ]
    assert after.discovered == state(doc).discovered
    assert put_report(new, key("5.1.2"), "T", lines).text == new.text


@settings(max_examples=40)
@given(st.lists(texts, max_size=3), endings)
def test_discovered_work_comes_back_as_it_went_in(items: list[str], ending: str) -> None:
    text = STATE.replace("\n", ending)
    doc = Document.parse(text)
    new = add_discovered(doc, key("5.1.2"), items)
    head, _, tail = text.partition(f"{ending}## 5.1.1 — Parse")
    assert new.text.startswith(head) and new.text.endswith(tail)
    after = state(new)
    assert structure(after) == structure(state(doc))
    assert after.reports == state(new).reports
    expected = [f"5.1.2: {item}" for item in dict.fromkeys(item.strip() for item in items) if item]
    assert [trim_blank_lines(one) for one in after.discovered] == [
        "5.1.1: `validate()` ignores empty cron strings",
        *expected,
    ]
    assert add_discovered(new, key("5.1.2"), items).text == new.text


@settings(max_examples=40)
@given(texts, endings, st.sampled_from(Status))
def test_cells_hold_any_words_and_change_nothing_else(words: str, ending: str, status: Status) -> None:
    text = STATE.replace("\n", ending)
    new = set_status(Document.parse(text), key("5.2.1"), status)
    new = set_note_if_empty(new, key("5.2.1"), words)
    new = set_wave(new, 2, suites=words)
    after = state(new)
    row, wave = after.row(key("5.2.1")), after.wave(2)
    assert row is not None and wave is not None
    flat = " ".join(words.replace("\n", " ").split(" "))
    assert (row.status, _squeezed(row.note), _squeezed(wave.suites)) == (status, _squeezed(flat), _squeezed(flat))
    old = text.split(ending)
    changed = [index for index, line in enumerate(new.text.split(ending)) if line != old[index]]
    assert len(new.text.split(ending)) == len(old)
    assert set(changed) <= {old.index("| 2 | open | | | |"), old.index("| 2 | 5.2.1 | List triggers | pending | |")}


def _squeezed(text: str) -> str:
    return " ".join(text.split())
