"""Hints: a slip or two away is meant, anything else isn't."""

from __future__ import annotations

import pytest

from orchestrator.formats.nearest import did_you_mean, distance, nearest


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("must edti", "must edit"),
        ("mustedit", "must edit"),
        ("Acceptence", "acceptance"),
        ("tset", "test"),
        ("text", "test"),
        ("te", ""),
        ("owner", ""),
        ("status", ""),
    ],
)
def test_the_nearest_word_is_found_or_none(word: str, found: str) -> None:
    assert nearest(word, ("must edit", "acceptance", "test", "tier")) == found


def test_distance_counts_slips() -> None:
    pairs = {
        ("", ""): 0,
        ("a", ""): 1,
        ("ab", "ba"): 1,
        ("abc", "acb"): 1,
        ("kitten", "sitting"): 3,
        ("same", "same"): 0,
    }
    assert {pair: distance(*pair) for pair in pairs} == pairs


def test_the_hint_is_empty_where_nothing_is_near() -> None:
    assert [did_you_mean("brnach", ["branch"]), did_you_mean("x", ["branch"])] == ['did you mean "branch"?', ""]
