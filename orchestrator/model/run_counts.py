"""What a test run says of itself: counts, and the ids of the tests that failed. Knows no runner and no file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from orchestrator.patterns import regex

LONGEST = 300
"""Characters of a test's id that are kept."""


class RunCounts(NamedTuple):
    """What a test run says of itself. A count that isn't known is None; errors count as failed."""

    passed: int | None = None
    failed: int | None = None
    failing: tuple[str, ...] = ()
    """The ids of failing tests, as the runner writes them, each once."""

    @property
    def is_named(self) -> bool:
        """Whether every failure that was counted has its name."""
        return bool(self.failing) and (self.failed is None or len(self.failing) >= self.failed)


_PARTS = regex(r"\s*(?:::|>|›)\s*|/")


def same_test(name: str) -> str:
    """The form in which ids of one test are equal, whoever wrote them: `tests/test_a.py::T::x` is `tests.test_a.T.x`.

    What stands in brackets, the parameters, stays as it is.
    """
    head, bracket, rest = name.replace("`", "").partition("[")
    dotted = _PARTS.sub(".", head.strip()).replace(".py.", ".").removesuffix(".py")
    return " ".join(f"{dotted}{bracket}{rest}".split())


def as_ids(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, on one line and of bounded length."""
    return tuple(dict.fromkeys(folded[:LONGEST] for name in names if (folded := " ".join(name.split()))))


def named(lines: Iterable[str], pattern: re.Pattern[str]) -> tuple[str, ...]:
    """The first group of every line that the pattern matches."""
    return tuple(match[1].strip() for line in lines if (match := pattern.match(line)))


def sum_of(line: str, words: tuple[str, ...]) -> int:
    """The sum of the numbers that stand before these words: `2 failed, 1 error`."""
    return sum(int(match[1]) for match in re.finditer(r"(?<!\d)(\d{1,9}) ([a-z]+)", line) if match[2] in words)
