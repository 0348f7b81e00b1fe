"""A text and its lines: where each begins, where it ends, what ends it.

Owns spans, lines and the way from an offset to a place a person can find. Offsets count code points of the str.
Lines are split at LF, CRLF and CR only. Knows nothing of Markdown.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from orchestrator.errors import Location
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

BOM = "\ufeff"
_ENDING = regex(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of offsets into a text."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The part of `text` that the span covers."""
        return text[self.start : self.end]

    def covers(self, other: Span) -> bool:
        """Whether `other` lies inside, ends included."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `end` is where its ending begins; `ending` is "" only on the last line."""

    number: int
    start: int
    end: int
    ending: str

    @property
    def stop(self) -> int:
        """Where the next line begins."""
        return self.end + len(self.ending)

    @property
    def span(self) -> Span:
        """The whole line with its ending."""
        return Span(self.start, self.stop)


def line_bounds(text: str) -> tuple[list[int], list[int]]:
    """Starts and ends (without endings) of all lines; a text that ends with an ending has no empty last line."""
    if "\r" not in text:
        # In the usual case a line's end is all that stands before it, and the endings before it.
        ends = [length + index for index, length in enumerate(accumulate(map(len, text.split("\n"))))]
        starts = [0, *[end + 1 for end in ends]]
        starts.pop()
        if starts[-1] == len(text):
            starts.pop()
            ends.pop()
        return starts, ends
    starts, ends = [0], []
    for ending in _ENDING.finditer(text):
        ends.append(ending.start())
        starts.append(ending.end())
    if starts[-1] == len(text):
        starts.pop()
    else:
        ends.append(len(text))
    return starts, ends


class Source:
    """A text with a name, and its lines. Immutable; lines are made when first asked for."""

    def __init__(self, text: str, name: str = "") -> None:
        self.text = text
        self.name = name

    @cached_property
    def bounds(self) -> tuple[list[int], list[int]]:
        """Starts and ends of all lines, as two lists."""
        return line_bounds(self.text)

    def line_start(self, index: int) -> int:
        """Where the line of an index from 0 begins; beyond the last line, where the text ends."""
        starts = self.bounds[0]
        return starts[index] if index < len(starts) else len(self.text)

    def text_start(self, index: int) -> int:
        """As line_start, but behind a BOM."""
        start = self.line_start(index)
        return start or (len(BOM) if self.text.startswith(BOM) else 0)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every line in order."""
        return tuple(self.line(index) for index in range(len(self.bounds[0])))

    def line(self, index: int) -> Line:
        """The line at an index that counts from 0. Raises IndexError beyond the last one."""
        starts, ends = self.bounds
        return Line(index + 1, starts[index], ends[index], self.text[ends[index] : self.line_start(index + 1)])

    def index_at(self, offset: int) -> int:
        """The index, from 0, of the line that holds the offset; the last line for the end of the text."""
        return max(0, bisect_right(self.bounds[0], offset) - 1)

    def line_at(self, offset: int) -> Line:
        """The line that holds the offset; an empty line for an empty text."""
        return self.line(self.index_at(offset)) if self.bounds[0] else Line(1, 0, 0, "")

    def location(self, start: int, length: int = 1) -> Location:
        """The place of an offset as line and column, both from 1, with the line's text. A BOM has no column."""
        if not self.bounds[0]:
            return Location(self.name, 1, 1, length)
        return self.location_in(self.index_at(start), start, length)

    def location_in(self, index: int, start: int, length: int = 1) -> Location:
        """The same for an offset in the line at an index that counts from 0."""
        starts, ends = self.bounds
        begin = starts[index] or (len(BOM) if self.text.startswith(BOM) else 0)
        # A long line may have thousands of places; one copy of its text serves them all.
        shown = self._shown.get(index)
        if shown is None:
            self._shown.clear()
            shown = self._shown[index] = self.text[begin : ends[index]]
        return Location(self.name, index + 1, max(start - begin, 0) + 1, length, shown)

    @cached_property
    def _shown(self) -> dict[int, str]:
        return {}

    def ending_before(self, offset: int) -> str:
        """The ending for a new line put at the offset: that of the line before it, else of the nearest, else LF."""
        count = len(self.bounds[0])
        if not count:
            return "\n"
        here = self.index_at(offset)
        before = here - 1 if self.bounds[0][here] >= offset else here
        for index in [*range(max(before, 0), -1, -1), *range(here, count)]:
            ending = self.line(index).ending
            if ending:
                return ending
        return "\n"
