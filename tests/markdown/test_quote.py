"""Text of others set in as a quote, and taken out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.markdown.document import Document
from orchestrator.markdown.quote import quote, unquote
from tests.markdown.texts import anything


@given(anything)
def test_unquote_is_the_exact_inverse_of_quote(text: str) -> None:
    assert unquote(quote(text)) == text


@given(anything)
def test_nothing_in_a_quote_is_structure(text: str) -> None:
    document = Document.parse("# Top\n\n" + quote(text))
    assert [heading.text for heading in document.headings] == ["Top"]
    assert document.items == () and document.tables == () and document.problems == ()
    assert {block.kind for block in document.blocks} <= {"heading", "blank", "quote"}


@given(
    st.lists(
        st.sampled_from(["# x", "```", "<!--", "- [ ] x", "---", "| a |", "", "\r", "> y"]), min_size=1, max_size=6
    )
)
def test_a_section_below_a_quote_stays_one(lines: list[str]) -> None:
    text = "# Top\n\n" + quote("\n".join(lines) + "\n") + "\n## Next\n\n- [ ] box\n"
    document = Document.parse(text)
    assert [heading.text for heading in document.headings] == ["Top", "Next"]
    assert [item.box for item in document.items] == [" "]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("", ""), ("a", "> a"), ("a\n", "> a\n"), ("a\n\nb", "> a\n> \n> b"), ("a\r\n> b\r\n", "> a\r\n> > b\r\n")],
)
def test_every_line_gets_the_mark_and_keeps_its_ending(text: str, quoted: str) -> None:
    assert quote(text) == quoted


def test_a_mark_without_blank_and_a_line_without_mark_are_taken_as_they_stand() -> None:
    assert unquote(">a\n>\nb\n> c\n") == "a\n\nb\nc\n"
