"""Bodies of todo files in the ways workers write them."""

from __future__ import annotations

from orchestrator.formats.todo_body import read_body, read_discovered, read_questions, read_report
from orchestrator.markdown.document import Document
from orchestrator.model.micro_plan import Question


def steps(text: str) -> list[tuple[int, str, str]]:
    return [(step.number, step.mark, step.text) for step in read_body(Document.parse(f"## TODO items\n\n{text}")).steps]


def test_steps_are_the_top_level_boxes() -> None:
    assert steps(
        "Some words.\n\n- [ ] 1. one\n- no box\n* [X] 2) two\n  goes on\n\n  - [x] nested\n\n    ```\n    code\n"
        "    ```\n\n### Then\n\n1. [~] Step 3: three\n"
    ) == [
        (1, " ", "one"),
        (2, "X", "two\ngoes on\n\n- [ ] nested\n\n  ```\n  code\n  ```"),
        (3, "~", "three"),
    ]


def test_steps_are_counted_where_their_numbers_do_not_go_up() -> None:
    assert steps("- [ ] 2. a\n- [ ] 5. b\n") == [(2, " ", "a"), (5, " ", "b")]
    assert steps("- [ ] 1. a\n- [ ] 1. b\n") == [(1, " ", "a"), (2, " ", "b")]
    assert steps("- [ ] 4. a\n- [ ] b\n") == [(1, " ", "a"), (2, " ", "b")]


def test_boxes_in_fences_quotes_and_comments_are_text() -> None:
    assert steps("```\n- [ ] a\n```\n\n> - [ ] b\n\n<!--\n- [ ] c\n-->\n") == []


def test_sections_are_found_in_any_case_and_level_and_dress() -> None:
    text = "# 5.1.1 -- T\n# **GOAL**:\nx\n# Todo\n- [ ] a\n# Open questions\n- b?\n# Discovered work\n* c\n"
    body = read_body(Document.parse(text))
    assert (body.heading, body.goal, len(body.steps), body.questions, body.discovered) == (
        "5.1.1 -- T",
        "x",
        1,
        (Question(1, "b?"),),
        ("c",),
    )


def test_an_empty_section_gives_way_to_a_full_one_and_the_last_report_counts() -> None:
    text = (
        "## Goal\n\n## Report\n\n- Status: no\n\n## Goal\n\nx\n\n## Goal\n\ny\n\n## Report\n\n- Status: yes\n\n"
        "## Report\n"
    )
    body = read_body(Document.parse(text))
    assert (body.goal, body.report and body.report.status) == ("x", "yes")


def test_a_sub_heading_of_a_part_is_its_text() -> None:
    body = read_body(Document.parse("## Notes\n\nx\n\n### Report\n\n- Status: done\n\n### Goal\n\nno\n"))
    assert (body.goal, body.report, body.notes) == ("", None, "x\n\n### Report\n\n- Status: done\n\n### Goal\n\nno")


def test_questions_are_items_or_paragraphs_with_answers_below() -> None:
    assert read_questions(
        "1. One?\n   Answer: yes\n2. Two,\n   over lines?\n   - with a point\n\n   **Answer:** no,\n   not now\n"
        "3. Three?\n   Answer:\n"
    ) == (
        Question(1, "One?", "yes"),
        Question(2, "Two,\nover lines?\n- with a point", "no,\nnot now"),
        Question(3, "Three?"),
    )
    assert read_questions("- One?\n  - Answer: a\n- Two?\n\nAnswer: b\n") == (
        Question(1, "One?", "a"),
        Question(2, "Two?", "b"),
    )
    assert read_questions("May I?\n\nAnd this\nhere?\nAnswer: yes\n") == (
        Question(1, "May I?"),
        Question(2, "And this\nhere?", "yes"),
    )
    assert read_questions("7. Seven?\n8. Eight?\n") == (Question(7, "Seven?"), Question(8, "Eight?"))


def test_none_is_no_question() -> None:
    for text in ("", "None", "None.", "- None.", "* none", "—", "n/a", "No questions.", "1. None (all clear)"):
        assert read_questions(text) == ()


def test_discovered_work_is_items_or_paragraphs() -> None:
    assert read_discovered("- one\n  goes on\n- two\n  - nested\n\nthree\nmore\n") == (
        "one goes on",
        "two\n- nested",
        "three\nmore",
    )
    assert read_discovered("None.\n") == ()


def test_a_report_has_its_labels_as_items_or_lines() -> None:
    for text in (
        "- **Status:** done\n- **Files:** `a.py` (L1–9), `b.py` (new)\n- **Tests:** 3 passed\n- **Deviations:** none\n"
        "- **Gotchas:** x\n  y\n",
        "Status: done\nFiles: a.py, b.py\nTest: 3 passed\nDeviations: none\nGotchas: x\ny\n",
        "* status: done\n* files:\n  - `a.py`: parser\n  - `b.py` (new)\n* tests: 3 passed\n* deviations: none\n\n"
        "**Gotchas:** x\ny\n",
    ):
        report = read_report(text)
        assert report is not None
        assert (report.status, report.files, report.tests, report.deviations, report.gotchas, report.missing) == (
            "done",
            ("a.py", "b.py"),
            "3 passed",
            "none",
            "x\ny",
            (),
        )
        assert report.text == text


def test_missing_and_empty_labels_of_a_report_are_named() -> None:
    report = read_report("All done, I think.\n\n- **Files:** none\n- **Gotchas:**\n")
    assert report is not None
    assert (report.missing, report.files) == (("Status", "Deviations", "Gotchas"), ())
    assert read_report(" \n") is None


def test_a_reports_label_at_a_lines_start_ends_the_list_above_it() -> None:
    report = read_report(
        "- **Status:** done\nFiles:\n- `a.py`\n- `b.py`\n**Deviations:** none\n**Gotchas:** none\nat all\n"
    )
    assert report is not None
    assert (report.status, report.files, report.deviations) == ("done", ("a.py", "b.py"), "none")
    assert (report.gotchas, report.missing) == ("none\nat all", ())
