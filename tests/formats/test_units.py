"""Durations, sizes, counts and switches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orchestrator.formats.units import example, parse_amount, parse_count, parse_duration, parse_size, parse_switch


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_duration, "90s", 90.0),
        (parse_duration, "20m", 1200.0),
        (parse_duration, " 1.5 H ", 5400.0),
        (parse_duration, "2d", 172800.0),
        (parse_size, "5M", 5_000_000),
        (parse_size, "200k", 200_000),
        (parse_size, "1500", 1500),
        (parse_count, "12", 12),
        (parse_amount, "0.5", 0.5),
        (parse_switch, "Yes", True),
        (parse_switch, "off", False),
    ],
)
def test_values_with_their_units(parse: Callable[[str], object], text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_duration, "20"),
        (parse_duration, "0s"),
        (parse_duration, "-1m"),
        (parse_duration, "1h30m"),
        (parse_duration, "٣m"),
        (parse_size, "5X"),
        (parse_size, ""),
        (parse_count, "0"),
        (parse_count, "1.5"),
        (parse_count, "²"),
        (parse_amount, "1,5"),
        (parse_switch, "maybe"),
    ],
)
def test_anything_else_is_refused_in_words(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(ValueError, match='^"' + text.replace(".", r"\.") + '" is '):
        parse(text)


@pytest.mark.parametrize(
    ("word", "meant"), [("6 hours", "6h"), ("90 Seconds", "90s"), ("15", "15m"), ("1.5 hrs", "1.5h"), ("soon", "20m")]
)
def test_a_hint_for_a_duration_keeps_number_and_unit_of_what_was_written(word: str, meant: str) -> None:
    assert example(parse_duration, word) == meant
    parse_duration(meant)
