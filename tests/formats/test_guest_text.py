"""Text of others: when it may stand verbatim, and that quoting it is undone exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from orchestrator.formats.guest_text import is_harmless, set_in, set_in_exactly, taken_out, trim_blank_lines
from tests.formats.foreign_text import texts


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("", True),
        ("words", True),
        ("### sub\n\nwords", True),
        ("# top", False),
        ("## section", False),
        ("words\n---", False),
        ("words\n\n---", True),
        ("---\na: b\n---", False),
        ("```\ncode\n```", True),
        ("```\ncode", False),
        ("````\n```\n````", True),
        ("````\n```", False),
        ("- item\n  ```\n  code", True),
        ("<!-- a -->", True),
        ("<!-- a", False),
        ("<div>", False),
        ("<script>\n\n# x\n</script>", True),
        ("> # quoted", True),
        ("    # code", True),
        ("- # in an item", True),
        ("| a |\n| --- |", True),
    ],
)
def test_what_may_stand_verbatim(text: str, harmless: bool) -> None:
    assert is_harmless(text) is harmless


@settings(max_examples=40)
@given(texts)
def test_what_is_set_in_never_reads_as_structure_for_any_reader(text: str) -> None:
    for form in (set_in(text), set_in_exactly(text)):
        whole = f"## Before\n\n{form}\n\n## After\n"
        tokens = MarkdownIt("commonmark").enable("table").parse(whole)
        headings = [
            (token.tag, tokens[index + 1].content)
            for index, token in enumerate(tokens)
            if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2")
        ]
        assert headings == [("h2", "Before"), ("h2", "After")]


@settings(max_examples=40)
@given(texts)
def test_what_is_set_in_exactly_comes_back(text: str) -> None:
    assert taken_out(f"\n{set_in_exactly(text)}\n\n") == text


@settings(max_examples=40)
@given(texts)
def test_what_is_set_in_reads_as_the_text_itself_would(text: str) -> None:
    trimmed = trim_blank_lines(text)
    assert taken_out(set_in(trimmed)) == taken_out(trimmed)
