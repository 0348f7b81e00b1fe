"""A list of names in a line of text, cut where it is long. Knows nothing of what bears the names."""

from __future__ import annotations

from collections.abc import Sequence


def some(names: Sequence[str], most: int = 5) -> str:
    """`a, b and 3 more`: at most so many of the names, and how many there are besides."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
