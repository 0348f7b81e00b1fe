"""Durations, sizes, numbers and switches as they are written in settings. Owns the units, knows no key."""

from __future__ import annotations

import re
from collections.abc import Callable

from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER, whole_number

_DURATION = regex(rf"({NUMBER}(?:\.[0-9]+)?)\s*(s|sec|m|min|h|d)", re.IGNORECASE | re.ASCII)
_SECONDS = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_MEANT = regex(rf"({NUMBER}(?:\.[0-9]+)?)\s*([smhd])[a-z]*$", re.IGNORECASE | re.ASCII)
"""A duration with its unit in another form, such as `6 hours`."""
_SIZE = regex(rf"({NUMBER}(?:\.[0-9]+)?)\s*(k|m|g|)", re.IGNORECASE | re.ASCII)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_YES = frozenset(("true", "yes", "on"))
_NO = frozenset(("false", "no", "off"))


def parse_duration(text: str) -> float:
    """Seconds of a duration such as `90s`, `20m`, `6h`. Raises ValueError for anything else, and for zero."""
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS[match[2].casefold()] if match else 0.0
    if seconds <= 0:
        raise ValueError(f'"{text}" is no duration such as 90s, 20m or 6h')
    return seconds


def parse_size(text: str) -> int:
    """The number of a size such as `5M`, `200k` or `1500`. Raises ValueError for anything else."""
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise ValueError(f'"{text}" is no size such as 5M or 200k')
    return round(float(match[1]) * _FACTORS[match[2].casefold()])


def parse_count(text: str) -> int:
    """A whole number from 1 up. Raises ValueError for anything else."""
    found = whole_number(text)
    if not found:
        raise ValueError(f'"{text}" is no whole number from 1 up')
    return found


def parse_amount(text: str) -> float:
    """A sum of money, from 0 up. Raises ValueError for anything else."""
    if not re.fullmatch(rf"{NUMBER}(?:\.[0-9]+)?", text, re.ASCII):
        raise ValueError(f'"{text}" is no number')
    return float(text)


def parse_switch(text: str) -> bool:
    """True or false. Raises ValueError for anything else."""
    word = text.casefold()
    if word not in _YES | _NO:
        raise ValueError(f'"{text}" is neither true nor false')
    return word in _YES


def example(convert: Callable[[str], object], word: str) -> str:
    """A value that `convert` takes, as near to the word as can be told."""
    if convert is parse_duration:
        meant = _MEANT.match(word.strip())
        return f"{word}m" if whole_number(word) else f"{meant[1]}{meant[2].casefold()}" if meant else "20m"
    examples: dict[Callable[[str], object], str] = {parse_size: "5M", parse_amount: "20", parse_switch: "true"}
    return examples.get(convert, "4")
