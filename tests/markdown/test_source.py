"""Lines, their endings, and the way from an offset to a place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import Location
from orchestrator.markdown.source import Line, Source, Span
from tests.markdown.texts import anything


@given(anything)
def test_lines_put_together_are_the_text(text: str) -> None:
    source = Source(text)
    assert "".join(text[line.start : line.end] + line.ending for line in source.lines) == text
    assert [line.number for line in source.lines] == list(range(1, len(source.lines) + 1))


@given(anything)
def test_lines_end_at_lf_crlf_and_cr_only(text: str) -> None:
    source = Source(text)
    assert all(not re.search(r"[\r\n]", text[line.start : line.end]) for line in source.lines)
    assert all(line.ending in ("\n", "\r\n", "\r") for line in source.lines[:-1])


def test_form_feeds_and_unicode_separators_end_no_line() -> None:
    assert Source("a\x0cb\x85c\u2028d\x1ce\n").lines == (Line(1, 0, 9, "\n"),)


def test_an_empty_text_has_no_line_and_still_a_place() -> None:
    source = Source("", "f.md")
    assert source.lines == ()
    assert source.line_at(0) == Line(1, 0, 0, "")
    assert source.location(0) == Location("f.md", 1, 1, 1, "")


def test_a_place_counts_lines_and_columns_from_one_and_leaves_a_bom_out() -> None:
    source = Source("\ufeffab\r\ncd\n", "f.md")
    assert source.location(1, 2) == Location("f.md", 1, 1, 2, "ab")
    assert source.location(2) == Location("f.md", 1, 2, 1, "ab")
    assert source.location(6) == Location("f.md", 2, 2, 1, "cd")


@given(anything, st.data())
def test_every_offset_lies_in_the_line_that_is_found_for_it(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    source = Source(text)
    line = source.line_at(offset)
    assert line.start <= offset
    assert offset < line.stop or line.stop == len(text)


@pytest.mark.parametrize(
    ("text", "offset", "ending"),
    [
        ("", 0, "\n"),
        ("a", 1, "\n"),
        ("a\r\nb", 4, "\r\n"),
        ("a\r\nb\n", 3, "\r\n"),
        ("a\r\nb\n", 5, "\n"),
        ("a\nb\r\n", 0, "\n"),
        ("a\r\nb\nc", 6, "\n"),
        ("a\rb", 3, "\r"),
    ],
)
def test_a_new_line_takes_the_ending_of_the_line_before_it(text: str, offset: int, ending: str) -> None:
    assert Source(text).ending_before(offset) == ending


def test_a_span_knows_its_part_and_what_it_covers() -> None:
    assert Span(1, 3).of("abcd") == "bc"
    assert len(Span(1, 3)) == 2
    assert Span(1, 3).covers(Span(2, 3)) and not Span(1, 3).covers(Span(2, 4))
