"""Section texts replaced, appended, inserted and removed; nothing around them changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.errors import DocumentError
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.section_edits import append_to_section, insert_section, remove_section, replace_body
from tests.markdown.texts import change, documents, every_text, phrases

TEXT = "# Top\n\n## Goal\n\nOld goal\nin two lines.\n\n### Sub\n\nsub\n\n## Notes\n## Log\n- one\n\n\n"


def section(document: Document, title: str) -> Section:
    found = document.section(title)
    assert found is not None
    return found


def edited(text: str, edit: str, title: str, put: str) -> str:
    document = Document.parse(text)
    function = {"replace": replace_body, "append": append_to_section}[edit]
    return function(document, section(document, title), put).text


@pytest.mark.parametrize(
    ("edit", "title", "put", "old", "new"),
    [
        ("replace", "Goal", "New.", "Old goal\nin two lines.\n", "New.\n"),
        ("replace", "Goal", "\n\nNew.\n\nMore.\n\n", "Old goal\nin two lines.\n", "New.\n\nMore.\n"),
        ("replace", "Goal", "", "Old goal\nin two lines.\n", ""),
        ("replace", "Notes", "- a", "## Notes\n", "## Notes\n- a\n"),
        ("replace", "Log", "- two", "- one\n", "- two\n"),
        ("append", "Log", "- two", "- one\n", "- one\n- two\n"),
        ("append", "Log", "text", "- one\n", "- one\n\ntext\n"),
        ("append", "Goal", "More.", "lines.\n", "lines.\n\nMore.\n"),
        ("append", "Goal", "- x", "lines.\n", "lines.\n\n- x\n"),
        ("append", "Notes", "> quoted", "## Notes\n", "## Notes\n> quoted\n"),
        ("append", "Top", "Intro.", "# Top\n\n", "# Top\n\nIntro.\n\n"),
    ],
)
def test_texts_go_where_they_belong(edit: str, title: str, put: str, old: str, new: str) -> None:
    assert edited(TEXT, edit, title, put) == TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "edit", "put", "expected"),
    [
        ("# A", "append", "x", "# A\nx\n"),
        ("# A\n", "append", "x\n", "# A\nx\n"),
        ("# A\r\n\r\n- a", "append", "- b\n- c", "# A\r\n\r\n- a\r\n- b\r\n- c\r\n"),
        ("# A\n\n\n\n", "append", "x", "# A\n\nx\n\n\n"),
        ("# A\n\nold", "replace", "new\n", "# A\n\nnew"),
        ("# A\r\n\r\nold\r\n\r\nB\r\n===\r\n", "replace", "1\n2", "# A\r\n\r\n1\r\n2\r\n\r\nB\r\n===\r\n"),
        ("# A\nB\n===\n", "append", "x", "# A\nx\n\nB\n===\n"),
        ("# A\n\n| a |\n|---|\n\nB\n===\n", "append", "| 1 |", "# A\n\n| a |\n|---|\n| 1 |\n\nB\n===\n"),
        ("# A\n\n| a |\n|---|\n", "append", "| b |\n|---|", "# A\n\n| a |\n|---|\n\n| b |\n|---|\n"),
        ("# A\n\n<div>\n## no\n", "append", "x", "# A\n\n<div>\n## no\n\nx\n"),
        ("# A\n\n- a\n  ```\n  x\n", "append", "- b", "# A\n\n- a\n  ```\n  x\n- b\n"),
        ("\ufeff# A\ntext\n", "replace", "x", "\ufeff# A\nx\n"),
    ],
)
def test_endings_blank_lines_and_neighbours_are_minded(text: str, edit: str, put: str, expected: str) -> None:
    title = Document.parse(text).headings[0].text
    assert edited(text, edit, title, put) == expected


def test_a_text_set_twice_is_set_once() -> None:
    once = edited(TEXT, "replace", "Goal", "- a\n\n   \n- b\n  \n")
    assert edited(once, "replace", "Goal", "- a\n\n   \n- b\n  \n") == once
    emptied = edited(once, "replace", "Goal", "")
    assert edited(emptied, "replace", "Goal", "") == emptied
    assert edited(emptied, "replace", "Goal", "- a\n\n   \n- b") == once


def test_the_whole_body_with_its_sub_sections_can_be_replaced() -> None:
    document = Document.parse(TEXT)
    after = replace_body(document, section(document, "Goal"), "New.\n\n### Other\n\ntext", whole=True)
    assert after.text == TEXT.replace("Old goal\nin two lines.\n\n### Sub\n\nsub", "New.\n\n### Other\n\ntext")
    assert replace_body(after, section(after, "Goal"), "New.\n\n### Other\n\ntext", whole=True) is after


@pytest.mark.parametrize(
    "put", ["## Done", "text\n\n# Status", "x\n===", "```\nnever closed", "<!-- never closed", "~~~\n```"]
)
def test_a_text_that_would_change_the_structure_is_refused(put: str) -> None:
    with pytest.raises(ValueError, match=r"heading that would end the section|never ends"):
        edited(TEXT, "replace", "Goal", put)


def test_a_heading_of_the_same_level_cannot_come_in_with_a_whole_body() -> None:
    document = Document.parse(TEXT)
    with pytest.raises(ValueError, match="heading"):
        replace_body(document, section(document, "Goal"), "### ok\n\n## Not ok", whole=True)


@pytest.mark.parametrize("ending", ["```\ncode\n", "<!-- comment\n", "~~~~\n```\n"])
def test_below_what_never_ends_nothing_is_put(ending: str) -> None:
    text = "# A\n\n## B\n\n" + ending
    document = Document.parse(text, "f.md")
    for edit in (
        lambda: append_to_section(document, section(document, "B"), "x"),
        lambda: insert_section(document, "## New\n\nx"),
    ):
        with pytest.raises(DocumentError) as caught:
            edit()
        assert [problem.code for problem in caught.value.problems] == [document.problems[0].code]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "## New\n\nx\n"),
        ("# A", "# A\n\n## New\n\nx\n"),
        ("# A\n", "# A\n\n## New\n\nx\n"),
        ("# A\n\n\n\n\n", "# A\n\n\n\n\n## New\n\nx\n"),
        ("# A\r\n\r\ntext", "# A\r\n\r\ntext\r\n\r\n## New\r\n\r\nx\r\n"),
        ("# A\n  ", "# A\n  \n## New\n\nx\n"),
        ("---\na: 1\n---\n", "---\na: 1\n---\n## New\n\nx\n"),
        ("\ufeff", "\ufeff## New\n\nx\n"),
    ],
)
def test_a_new_section_at_the_end_leaves_the_old_text_as_its_beginning(text: str, expected: str) -> None:
    assert insert_section(Document.parse(text), "## New\n\nx\n\n").text == expected


def test_a_new_section_stands_before_or_after_another_between_blank_lines() -> None:
    document = Document.parse(TEXT)
    before = insert_section(document, "## New\nx", before=section(document, "Log"))
    assert before.text == TEXT.replace("## Log", "\n## New\nx\n\n## Log")
    after = insert_section(document, "## New\nx", after=section(document, "Goal"))
    assert after.text == TEXT.replace("## Notes", "## New\nx\n\n## Notes")
    first = Document.parse("\ufeff# A\n")
    assert insert_section(first, "# New", before=section(first, "A")).text == "\ufeff# New\n\n# A\n"


def test_a_section_goes_with_its_sub_sections_and_nothing_else() -> None:
    document = Document.parse(TEXT)
    assert remove_section(document, section(document, "Goal")).text == TEXT.replace(
        "## Goal\n\nOld goal\nin two lines.\n\n### Sub\n\nsub\n\n", ""
    )
    glued = Document.parse("text\n# A\nB\n===\n")
    assert remove_section(glued, section(glued, "A")).text == "text\n\nB\n===\n"
    top = Document.parse("\ufeff# A\n# B\n")
    assert remove_section(top, section(top, "A")).text == "\ufeff# B\n"


def headings(document: Document) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in document.headings]


@settings(max_examples=200)
@given(documents, st.one_of(phrases, documents), st.sampled_from(["replace", "append", "insert", "remove"]), st.data())
def test_in_any_text_any_section_edit_keeps_all_other_headings_or_is_refused(
    text: str, put: str, edit: str, data: st.DataObject
) -> None:
    document = Document.parse(text + "\n\n## A\n\ntext\n\n## B\n")
    if not document.sections:
        return
    number = data.draw(st.integers(0, len(document.sections) - 1))
    chosen = document.sections[number]
    others = headings(document)
    try:
        if edit == "replace":
            after = replace_body(document, chosen, put)
            assert headings(after) == others
            assert replace_body(after, after.sections[number], put) is after
        elif edit == "append":
            after = append_to_section(document, chosen, put)
            assert change(document.text, after.text)[0] == ""
        elif edit == "insert":
            after = insert_section(document, "## New\n\nx", before=chosen)
            assert headings(after) == [*others[:number], (2, "New"), *others[number:]]
            assert change(document.text, after.text)[0] == ""
        else:
            after = remove_section(document, chosen)
            gone = [one for one in document.sections if chosen.span.covers(one.span)]
            assert headings(after) == others[:number] + others[number + len(gone) :]
    except (ValueError, DocumentError):
        assert edit not in ("insert", "remove") or document.problems


def test_in_every_file_a_line_is_appended_to_sections_in_the_middle_and_at_the_end() -> None:
    for name, text in every_text():
        document = Document.parse(text)
        found = document.sections
        for chosen in (*found[len(found) // 2 :][:1], *found[-1:]):
            try:
                after = append_to_section(document, chosen, "zz-new")
            except DocumentError:
                assert [one.code for one in document.problems if one.code.startswith("unclosed")], name
                continue
            assert change(text, after.text)[0] == "", name
            assert "zz-new" in after.text, name
            assert headings(after) == headings(document), name
