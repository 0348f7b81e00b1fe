"""Spans replaced in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.markdown.edits import Edit, apply_edits
from orchestrator.markdown.source import Span


def test_edits_are_made_at_once_whatever_their_order() -> None:
    edits = [Edit(Span(4, 5), "E"), Edit(Span(0, 1), ""), Edit(Span(2, 2), "++")]
    assert apply_edits("abcdef", edits) == "b++cdEf"


def test_insertions_at_one_offset_keep_their_order() -> None:
    assert apply_edits("ab", [Edit(Span(1, 1), "1"), Edit(Span(1, 1), "2")]) == "a12b"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(Span(0, 2), "x"), Edit(Span(1, 3), "y")],
        [Edit(Span(0, 9), "x")],
        [Edit(Span(2, 1), "x")],
        [Edit(Span(-1, 1), "x")],
    ],
)
def test_edits_that_overlap_or_lie_outside_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps another or lies outside"):
        apply_edits("abc", edits)


@given(st.text(), st.lists(st.tuples(st.integers(0, 30), st.text(max_size=3)), max_size=6))
def test_what_no_edit_covers_stays(text: str, wanted: list[tuple[int, str]]) -> None:
    places = sorted({min(at, len(text)) for at, _ in wanted})
    edits = [Edit(Span(at, at), "<" + put + ">") for at, (_, put) in zip(places, wanted, strict=False)]
    parts = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    out = apply_edits(text, edits)
    assert out == parts[0] + "".join(edit.text + part for edit, part in zip(edits, parts[1:], strict=True))
