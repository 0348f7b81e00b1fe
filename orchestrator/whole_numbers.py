"""Whole numbers in text. Owns how long one may be; knows nothing of what it counts."""

from __future__ import annotations

_MOST_DIGITS = 9
NUMBER = r"[0-9]{1,9}"
"""As a part of a pattern. Nobody counts further, and Python refuses to convert some thousand digits."""


def whole_number(word: str) -> int | None:
    """The number that a word of digits writes; None for any other word and for one of more than nine digits."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS else None
