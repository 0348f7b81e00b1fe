"""What one rendering may cost: steps, the length of a text, the size of a number.

A template is its owner's own code, so this is no wall against malice: it turns a loop that would run for hours into
a problem with its line. Must not know Jinja's environment; sandbox.py puts these bounds in.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MOST_STEPS = 200_000
"""Turns of loops and calls in one rendering; the shipped templates take some hundreds."""
LONGEST = 4_000_000
"""Characters of a text, or items of a list, that an expression may come to."""


_GREAT = re.compile(r"\d{7}")


class BoundError(Exception):
    """A bound was passed; the text says which."""


class Steps:
    """Counts down; made anew for each rendering."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def take(self) -> None:
        """Count one step. Raises BoundError when there are none left."""
        self.left -= 1
        if self.left < 0:
            raise BoundError(f"it takes more than {MOST_STEPS:,} steps: a loop or a macro that doesn't end soon")

    def through(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, each counted as a step."""
        for item in items:
            self.take()
            yield item


def sized(value: Any) -> Any:
    """The value. Raises BoundError for a text or list that is too long."""
    if isinstance(value, str | bytes | list | tuple) and len(value) > LONGEST:
        raise BoundError(f"a text or list of more than {LONGEST:,} characters or items")
    return value


def modest(*values: Any) -> None:
    """Raise BoundError if one of the values is a number that could make a text too long."""
    for value in values:
        if isinstance(value, int | float) and abs(value) > LONGEST:
            raise BoundError(f"a number greater than {LONGEST:,}")


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that takes no great number and gives no long text; what Jinja wrote on the function stays."""

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        modest(*args, *kwargs.values())
        return sized(function(*args, **kwargs))

    return guarded


def operated(operator: str, left: Any, right: Any, result: Callable[[], Any]) -> Any:
    """What `left operator right` gives, refused beforehand where it would be too much. Raises BoundError."""
    modest(*(value for value in (left, right) if not isinstance(value, str)))
    if operator == "**" and isinstance(right, int | float) and abs(right) > 64:
        raise BoundError("a power greater than 64")
    if operator == "%" and isinstance(left, str) and _GREAT.search(left):
        raise BoundError("a width of seven digits or more")
    if operator == "*":
        for one, times in ((left, right), (right, left)):
            if isinstance(one, str | list | tuple) and isinstance(times, int) and len(one) * times > LONGEST:
                raise BoundError(f"a text or list of more than {LONGEST:,} characters or items")
    return sized(result())
