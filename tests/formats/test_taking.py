"""What orch takes from a worker's copy, before and after approval, and what it passes over."""

from __future__ import annotations

import pytest

from orchestrator.errors import UserError
from orchestrator.formats.task_file import (
    LEGEND,
    answer_question,
    append_step,
    new_task_file_text,
    read_micro_plan,
    read_task_file,
    set_facts,
    set_findings,
    take_plan,
    take_progress,
    worker_copy_text,
)
from orchestrator.markdown.document import Document
from orchestrator.model.micro_plan import MicroPlan, Question, plan_hash
from tests.support.diffs import diff
from tests.support.planning import key

KEY = key("5.1.1")
FRESH = Document.parse(new_task_file_text(KEY, "Parse triggers"), "todo.md")
COPY = """\
---
task: 5.9.9
approved: 2026-11-29T10:12:03Z
---
# 5.1.1 — Parse triggers

## Goal
Jobs can hold triggers.

## TODO items
- [ ] 1. Create `trigger.go`
      with the type
  - [ ] and its parser
- [ ] 2. Run the test

## Notes

Small.

### A sub-heading

stays.

## Questions

1. Is an empty filter an error?
2. Keep the old name?

## Discovered

- `validate()` ignores empty strings

## Approved

- yes

## Log

- 2026-11-29T10:12:03Z approved by=person
"""


def plan(doc: Document) -> MicroPlan:
    return read_micro_plan(doc).value


def test_a_plan_is_taken_verbatim_section_by_section_and_nothing_else_is() -> None:
    new = take_plan(FRESH, COPY)
    assert (
        new.text
        == """\
---
task: 5.1.1
---
# 5.1.1 — Parse triggers

## Goal

Jobs can hold triggers.

## TODO items

- [ ] 1. Create `trigger.go`
      with the type
  - [ ] and its parser
- [ ] 2. Run the test

## Notes

Small.

### A sub-heading

stays.

## Questions

1. Is an empty filter an error?
2. Keep the old name?

## Discovered

- `validate()` ignores empty strings

## Report

## Log
"""
        + f"\n{LEGEND}\n"
    )
    assert take_plan(new, COPY).text == new.text
    assert plan_hash(plan(new)) == plan_hash(plan(Document.parse(COPY)))
    assert read_task_file(new, KEY).value.log == ()


def test_a_second_plan_replaces_the_first() -> None:
    first = set_findings(set_facts(take_plan(FRESH, COPY), {"tier": "small"}), "- error: too many steps")
    new = take_plan(first, "# 5.1.1 — T\n\n## Goal\n\nLess.\n\n## TODO items\n\n* [ ] Only this\n")
    assert (
        diff(first.text, new.text)
        == """\
-Jobs can hold triggers.
+Less.
-- [ ] 1. Create `trigger.go`
-      with the type
-  - [ ] and its parser
-- [ ] 2. Run the test
+* [ ] Only this
-
-1. Is an empty filter an error?
-2. Keep the old name?
"""
    )


def test_what_would_break_the_file_is_quoted_and_reads_as_it_would_have() -> None:
    for harm in ("```\nnever closed", "<!-- never closed", "<script>\nnever closed"):
        copy = f"# T\n\n# Goal\n\nDo it.\n\n# Notes\n\n{harm}\n"
        new = take_plan(FRESH, copy)
        quoted = "\n".join(f"> {line}" for line in harm.split("\n"))
        assert quoted in new.text
        assert new.problems == ()
        assert [section.heading.text for section in new.sections] == [
            section.heading.text for section in FRESH.sections
        ]
        assert plan(new).notes == plan(Document.parse(copy)).notes


def test_a_section_with_headings_of_level_two_is_quoted() -> None:
    copy = "# Goal\n\nDo it.\n\n## Log\n\n- 2026-11-29T10:12:03Z approved by=person\n\n# TODO items\n\n- [ ] a\n"
    new = take_plan(FRESH, copy)
    assert "## Goal\n\n> Do it.\n> \n> ## Log\n> \n> - 2026-11-29T10:12:03Z approved by=person\n\n## TODO" in new.text
    assert plan(new) == MicroPlan(
        heading="5.1.1 — Parse triggers",
        goal="Do it.\n\n## Log\n\n- 2026-11-29T10:12:03Z approved by=person",
        steps=plan(new).steps,
        at=plan(new).at,
    )
    assert read_task_file(new, KEY).value.log == ()


def test_steps_behind_an_unclosed_fence_are_no_steps_in_either_file() -> None:
    copy = "## TODO items\n\n- [ ] a\n\n```\n- [ ] b\n"
    assert plan(Document.parse(copy)).steps == ()
    new = take_plan(FRESH, copy)
    assert plan(new).steps == ()
    assert "> - [ ] a\n> \n> ```\n> - [ ] b\n" in new.text


def test_answers_stay_with_their_questions_and_a_worker_cannot_answer_itself() -> None:
    asked = take_plan(FRESH, COPY)
    answered = answer_question(asked, 2, "yes,\nfor a release")
    assert diff(asked.text, answered.text) == "+   Answer:\n+   > yes,\n+   > for a release\n"
    copy = COPY.replace("an error?\n2. Keep", "an error?\n   Answer: sure, go on\n3. And the docs?\n4. Keep")
    again = take_plan(answered, copy)
    assert (
        diff(answered.text, again.text)
        == """\
-2. Keep the old name?
+   Proposed answer: sure, go on
+3. And the docs?
+4. Keep the old name?
"""
    )
    assert plan(again).questions == (
        Question(1, "Is an empty filter an error?\nProposed answer: sure, go on"),
        Question(3, "And the docs?"),
        Question(4, "Keep the old name?", "yes,\nfor a release"),
    )
    assert take_plan(again, worker_copy_text(again, KEY, "T")).text == again.text


def test_an_answered_question_that_is_no_longer_asked_stays() -> None:
    answered = answer_question(take_plan(FRESH, COPY), 1, "no")
    new = take_plan(answered, COPY.replace("1. Is an empty filter an error?\n2. Keep the old name?", "None."))
    assert plan(new).questions == (Question(1, "Is an empty filter an error?", "no"),)


def test_an_answer_is_replaced_and_one_to_no_question_refused() -> None:
    doc = answer_question(answer_question(take_plan(FRESH, COPY), 1, "no"), 1, " yes ")
    assert [question.answer for question in plan(doc).questions] == ["yes", ""]
    with pytest.raises(UserError, match="there is no question 7") as caught:
        answer_question(doc, 7, "x")
    assert caught.value.hint == "the questions are 1, 2"


def test_progress_is_ticks_of_equal_steps_notes_discovered_and_report() -> None:
    doc = take_plan(FRESH, COPY)
    copy = """\
## Goal

Another goal.

## TODO items

- [x] 1. Create `trigger.go` with the type
  - [x] and its parser
- [x] 2. Run another test
- [x] 3. More

## Notes

## Discovered

- one more

## Report

- **Status:** done
- **Files:** `trigger.go`
- **Deviations:** 2: ran another test
- **Gotchas:** none
"""
    new = take_progress(doc, copy)
    assert (
        diff(doc.text, new.text)
        == """\
-- [ ] 1. Create `trigger.go`
+- [x] 1. Create `trigger.go`
-- `validate()` ignores empty strings
+- one more
+
+- **Status:** done
+- **Files:** `trigger.go`
+- **Deviations:** 2: ran another test
+- **Gotchas:** none
"""
    )
    assert plan_hash(plan(new)) == plan_hash(plan(doc))
    assert take_progress(new, copy).text == new.text
    assert take_progress(new, copy.replace("[x] 1", "[ ] 1")).text == new.text.replace("[x] 1", "[ ] 1")
    assert take_progress(new, copy.replace("[x] 1", "[~] 1")).text == new.text


def test_an_empty_report_section_takes_the_old_report_away_and_a_missing_one_doesnt() -> None:
    doc = take_progress(FRESH, "## Report\n\n- **Status:** done\n")
    assert plan(take_progress(doc, "## Notes\n\nx\n")).report == plan(doc).report
    assert plan(take_progress(doc, "## Report\n")).report is None


def test_equal_steps_are_ticked_in_their_order() -> None:
    doc = take_plan(FRESH, "## TODO items\n\n- [ ] again\n- [ ] again\n")
    new = take_progress(doc, "## TODO items\n\n- [ ] again\n- [x] again\n")
    assert [step.mark for step in plan(new).steps] == [" ", "x"]


def test_a_step_is_appended_in_the_form_of_the_others() -> None:
    for steps, added in [
        ("- [ ] 1. a\n- [ ] 2. b\n", "- [ ] 3. run it\n"),
        ("- [ ] a\n  more\n", "- [ ] run it\n"),
        ("", "- [ ] run it\n"),
    ]:
        doc = take_plan(FRESH, f"## TODO items\n\n{steps}")
        new = append_step(doc, "run\nit")
        assert f"## TODO items\n\n{steps}{added}\n## Notes" in new.text
        assert plan(new).steps[-1].text == "run it"


TWICE = """\
---
task: 5.1.1
---
# 5.1.1 — Parse triggers

## Goal

The worker's.

## Goal

A person's.

## TODO items

- [ ] a

## Questions

1. Theirs?

## Questions

1. A person's?

## Report

- **Status:** stopped

## Report

- **Status:** done

## Log

- 2026-11-29T10:12:03Z approved by=person
"""


def test_of_two_sections_of_a_part_the_one_that_is_meant_changes_and_the_other_stays() -> None:
    doc = Document.parse(TWICE)
    copy = "# T\n\n## Goal\n\nNew.\n\n## TODO items\n\n- [ ] a\n\n## Questions\n\n1. New?\n"
    new = take_plan(doc, copy)
    assert diff(TWICE, new.text) == "-The worker's.\n+New.\n-1. Theirs?\n+1. New?\n"
    assert take_plan(new, copy).text == new.text


def test_a_part_that_is_emptied_is_empty_and_the_text_of_a_second_section_is_kept() -> None:
    doc = Document.parse(TWICE)
    new = take_progress(take_plan(doc, "# T\n\n## TODO items\n\n- [ ] a\n"), "## Report\n")
    read = read_task_file(new, KEY).value
    assert (read.micro_plan.goal, read.micro_plan.questions, read.micro_plan.report) == ("", (), None)
    assert read.log == read_task_file(doc, KEY).value.log
    about = "until the first one was emptied:\n\n>"
    assert new.text.split("\n## Earlier\n\n")[1] == (
        f"Another section Goal, {about} A person's.\n\n"
        f"Another section Questions, {about} 1. A person's?\n\n"
        f"Another section Report, {about} - **Status:** stopped\n"
    )
    again = take_progress(take_plan(new, "# T\n\n## TODO items\n\n- [ ] a\n"), "## Report\n")
    assert again.text == new.text
