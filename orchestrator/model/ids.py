"""Task keys and natural order. A key can only be made by parsing, so a typed string is never taken for one."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, NamedTuple

from orchestrator.patterns import regex
from orchestrator.whole_numbers import whole_number

ID = r"[A-Za-z0-9][A-Za-z0-9_-]*"
_KEY = regex(rf"([1-9][0-9]{{0,8}})\.([1-9][0-9]{{0,8}})\.({ID})")
_ID = regex(ID)
_PARTS = regex(r"([0-9]+)")
_GREAT = 10**9

NaturalKey = tuple[tuple[int, int, str], ...]


def natural(text: str) -> NaturalKey:
    """A sort key under which 5.1.10 comes after 5.1.9 and a after 10."""
    parts: list[tuple[int, int, str]] = []
    for part in _PARTS.split(text):
        if part[:1].isascii() and part[:1].isdigit():
            number = whole_number(part)
            parts.append((0, _GREAT if number is None else number, part))
        elif part:
            parts.append((1, 0, part))
    return tuple(parts)


if TYPE_CHECKING:

    class _Parts(NamedTuple):
        orchestration: int
        wave: int
        id: str
else:
    # What NamedTuple makes of it, without its millisecond for looking at the types.
    _Parts = namedtuple("_Parts", "orchestration wave id")


class TaskKey(_Parts):
    """N.W.id: orchestration, wave, id. `str()` gives the written form.

    A tuple and not a dataclass: one decision looks keys up some ten thousand times, and a tuple's hash costs a fifth.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return f"{self.orchestration}.{self.wave}.{self.id}"

    # All four, or those of a plain tuple would put 5.1.10 before 5.1.9.
    def __lt__(self, other: tuple[object, ...]) -> bool:
        return isinstance(other, TaskKey) and self.order() < other.order()

    def __gt__(self, other: tuple[object, ...]) -> bool:
        return isinstance(other, TaskKey) and self.order() > other.order()

    def __le__(self, other: tuple[object, ...]) -> bool:
        return isinstance(other, TaskKey) and self.order() <= other.order()

    def __ge__(self, other: tuple[object, ...]) -> bool:
        return isinstance(other, TaskKey) and self.order() >= other.order()

    def order(self) -> tuple[int, int, NaturalKey]:
        return (self.orchestration, self.wave, natural(self.id))


def parse_key(text: str) -> TaskKey | None:
    """The key that the whole of `text` is, or None."""
    match = _KEY.fullmatch(text)
    if not match:
        return None
    return TaskKey(int(match[1]), int(match[2]), match[3])


def is_task_id(text: str) -> bool:
    """Whether `text` may stand as the id part of a key."""
    return _ID.fullmatch(text) is not None
