"""A wave as the plan writes it down, before its tasks' sections are known: what the readers of waves return.

Owns these nouns and the forms of a wave's number. Knows neither tables nor headings.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from orchestrator.errors import Location, Problem
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, field
from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER, whole_number

_NUMBER = regex(rf"(?:wave\s*)?#?\s*({NUMBER})(?:\b|(?=\W))\s*(.*)", re.IGNORECASE | re.DOTALL)

if TYPE_CHECKING:

    class _Parts(NamedTuple):
        word: str
        at: Span
        title: str
        waits: Span | None
        key: TaskKey | None
else:
    # What NamedTuple makes of it, without its millisecond for looking at the types.
    _Parts = namedtuple("_Parts", "word at title waits key")


class Named(_Parts):
    """A task as a wave names it: the word, its place, the title beside it, the span of its own dependency cell.

    `key` is None until the numbering gives it one, set at once where the word is a whole key. A tuple, because a plan
    has a thousand of them.
    """

    __slots__ = ()

    def with_key(self, key: TaskKey | None) -> Named:
        return Named(self.word, self.at, self.title, self.waits, key)


@dataclass(frozen=True, slots=True)
class WaveLine:
    """A wave as written. `waits` spans its dependency cell; None without such a column: all earlier waves."""

    number: int
    theme: str
    tasks: tuple[Named, ...]
    waits: Span | None
    at: Location


@dataclass(frozen=True, slots=True)
class Waves:
    """The waves of a plan in ascending order, and what is wrong with them. `lines` is empty where it has none."""

    lines: tuple[WaveLine, ...]
    problems: tuple[Problem, ...] = ()
    is_found: bool = False
    """Whether there is a wave table, be it an empty one or one of several that can't be told apart."""
    is_per_task: bool = False
    """Whether they come from a table with a row a task."""
    items: Mapping[str, Item] = field(default_factory=dict)
    """The list items that name tasks, by the word: each may hold its task's fields."""


def keys_of(lines: Iterable[WaveLine]) -> list[TaskKey]:
    """The keys of all tasks in the waves, in order."""
    return [named.key for line in lines for named in line.tasks if named.key is not None]


def wave_number(written: str) -> tuple[int, str]:
    """The wave's number and what else its cell or heading says; 0 where it begins with no number."""
    number = whole_number(written)
    if number is not None:
        return number, ""
    match = _NUMBER.fullmatch(written)
    return (int(match[1]), match[2]) if match else (0, "")


def place(doc: Document, span: Span) -> Location:
    """The place of a span with its length in its first line."""
    text = doc.text[span.start : span.end].rstrip("\r\n")
    return doc.source.location(span.start, max(len(text), 1))
