"""Inline code in prose."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.code_spans import CodeSpan, code_spans, without_code


def test_a_run_of_backticks_closes_with_the_next_run_of_its_length() -> None:
    assert code_spans("a `b` and ``c `d` e`` f") == (CodeSpan(2, 5, "b"), CodeSpan(10, 21, "c `d` e"))
    assert code_spans("an open ` and ``") == ()
    assert code_spans("``a` b`") == (CodeSpan(3, 7, "b"),)


def test_blanked_code_leaves_every_other_character_where_it_was() -> None:
    assert without_code("a `bc` d", "#") == "a #    d"


@given(st.text(alphabet="` ab\n", max_size=40))
def test_spans_are_in_order_and_blanking_keeps_offsets(text: str) -> None:
    spans = code_spans(text)
    assert all(first.end <= second.start for first, second in pairwise(spans))
    blank = without_code(text)
    assert len(blank) == len(text)
    outside = [n for n in range(len(text)) if not any(span.start <= n < span.end for span in spans)]
    assert all(blank[n] == text[n] for n in outside)


def test_thousands_of_backticks_cost_no_more_than_their_number() -> None:
    assert len(code_spans("".join("`" * (n % 50 + 1) + "a" for n in range(20_000)))) > 0
