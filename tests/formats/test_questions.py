"""The queue of STATE: any text in question and answer comes back as it went in, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from orchestrator.formats.question_edits import answer_question, enter_question, withdraw_question
from orchestrator.formats.questions import read_questions
from orchestrator.formats.row_names import names_of
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.questions import Asked, Audience, question_key
from tests.formats.foreign_text import texts
from tests.support.diffs import diff
from tests.support.planning import canonical, canonical_plan

PLAN = canonical_plan()
A, B = TaskKey(5, 1, "1"), TaskKey(5, 1, "2")
STATE = canonical("STATE_5.md").replace("## Discovered", "- Bring the list.\n\n## Discovered", 1)
NAMES = names_of(PLAN, Document.parse(STATE))
LEGACY = (
    "- **Q1** 5.1.2 (2026-11-29) key=legacy-column for=person: keep or drop the legacy column? "
    "Options: keep · drop. Recommended: drop. Unblocks: 5.1.2.\n  Answer:\n"
)


def queued(text: str) -> tuple[Asked, ...]:
    return read_questions(Document.parse(text, "s"), NAMES)[0]


def one(text: str) -> Asked:
    """The one entry that a queue of these lines holds."""
    (asked,) = queued(f"# S\n\n## Questions\n\n{text}\n## Discovered\n")
    return asked


def test_the_entry_of_the_documentation_is_read_whole() -> None:
    text = "keep or drop the legacy column? Options: keep · drop. Recommended: drop."
    asked = one(LEGACY)
    assert asked == Asked(1, B, text, "legacy-column", Audience.PERSON, "2026-11-29", (B,))
    assert (asked.options, asked.recommended, asked.is_open) == (("keep", "drop"), "drop", True)


@pytest.mark.parametrize(
    ("written", "text", "answer", "withdrawn"),
    [
        ("- Q1 5.1.2: keep it?\n", "keep it?", "", ""),
        ("* Q1. keep it?\n\n  **Answer:** yes\n", "keep it?", "yes", ""),
        ("1. __Q1__ (5.1.2) keep it?\n   - answer: yes,\n     always\n", "keep it?", "yes,\nalways", ""),
        ("- **Q1** keep\n  it?\nAnswer: yes\n", "keep\nit?", "yes", ""),
        ("- **Q1** keep it?\n  Answer:\n\n  > yes\n  >\n  > Answer: no\n", "keep it?", "yes\n\nAnswer: no", ""),
        ("- **Q1** keep it?\n  Answer:\n  Withdrawn: no need\n", "keep it?", "", "no need"),
        ("- **Q1** keep it?\n  ```\n  Answer: x\n  ```\n", "keep it?\n```\nAnswer: x\n```", "", ""),
        ("- **Q1** Unblocks: nothing\n", "", "", ""),
        ("- **Q1** keep it: x=1 or for=all?\n", "keep it: x=1 or for=all?", "", ""),
    ],
)
def test_entries_as_people_write_them(written: str, text: str, answer: str, withdrawn: str) -> None:
    asked = one(written)
    assert (asked.text, asked.answer, asked.withdrawn) == (text, answer, withdrawn)


def test_other_items_are_no_entries() -> None:
    assert queued("# S\n\n## Questions\n\n- Quorum?\n- Q1-2026 numbers\n- [ ] none\n\nQ3: prose\n") == ()


@given(text=texts, answer=texts)
@example(text="Which? Unblocks: 5.1.2", answer="Withdrawn: x")
@example(text="5.1.1 (2026-11-29) key=x for=orchestrator: y", answer="> quoted")
@example(text="```\n## x", answer="<!--")
def test_any_text_comes_back_as_it_went_in_and_is_no_structure(text: str, answer: str) -> None:
    text, answer = (part.replace("\r\n", "\n").replace("\r", "\n").strip() for part in (text, answer))
    doc = Document.parse(STATE, "s")
    asked = Asked(7, A, text, "k", Audience.ORCHESTRATOR, "2026-11-29", (A, B))
    before = queued(STATE)
    entered = enter_question(doc, NAMES, asked)
    assert queued(entered.text) == (*before, asked)
    assert [one.text for one in entered.headings] == [one.text for one in doc.headings]
    assert read_state(entered, PLAN, "s").value.board == read_state(doc, PLAN, "s").value.board
    if answer:
        done = answer_question(entered, NAMES, 7, answer)
        assert queued(done.text)[-1].answer == answer
        assert queued(done.text)[-1].text == text
        assert answer_question(done, NAMES, 7, answer).text == done.text
        assert [one.text for one in done.headings] == [one.text for one in doc.headings]
        gone = withdraw_question(entered, NAMES, 7, answer)
        assert (queued(gone.text)[-1].withdrawn, queued(gone.text)[-1].text) == (answer, text)
        assert withdraw_question(gone, NAMES, 7, answer).text == gone.text
        quick = read_state_outline(done.text, PLAN, "s")
        assert quick is None or quick == read_state(done, PLAN, "s").value


def test_an_edit_changes_its_lines_alone_and_keeps_their_endings() -> None:
    text = f"# S\n\n## Questions\n\n{LEGACY}- mine\n".replace("\n", "\r\n")
    doc = Document.parse(text, "s")
    answered = answer_question(doc, NAMES, 1, "drop").text
    assert diff(text, answered) == "-  Answer:␍\n+  Answer: drop␍\n"
    lines = answer_question(doc, NAMES, 1, "drop\nit").text
    assert diff(text, lines) == "+  > drop␍\n+  > it␍\n"
    ended = withdraw_question(doc, NAMES, 1, "no\nneed").text
    assert diff(text, ended) == "+  Withdrawn:␍\n+  > no␍\n+  > need␍\n"


def test_the_key_of_a_question_is_blind_to_case_and_space_and_tells_questions_apart() -> None:
    assert question_key("Keep  the\nColumn?") == question_key("keep the column?") == "keep-the-column"
    keys = [question_key(text) for text in ("x Options: a · b.", "x Options: c.", "x", "ä?", "ö?", "?", "y" * 90)]
    assert len(set(keys)) == len(keys)
    assert all(0 < len(key) <= 50 and " " not in key and ":" not in key for key in keys)


def test_the_quick_look_at_a_state_with_questions_is_taken_and_reads_the_same() -> None:
    text = canonical("STATE_5.md").replace("## Discovered", f"{LEGACY}\n## Discovered", 1)
    quick = read_state_outline(text, PLAN, "s")
    assert quick is not None
    assert quick == read_state(Document.parse(text, "s"), PLAN, "s").value
    assert [asked.id for asked in quick.questions][-1:] == ["Q1"]
