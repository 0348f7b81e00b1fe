"""Inline code in prose: where backticks open and close. Must know nothing of what stands in them."""

from __future__ import annotations

from typing import NamedTuple

from orchestrator.patterns import regex

_RUN = regex(r"`+")


class CodeSpan(NamedTuple):
    """`text[start:end]` is the span with its backticks; `code` what they hold, trimmed."""

    start: int
    end: int
    code: str


def code_spans(text: str) -> tuple[CodeSpan, ...]:
    """The code spans of a text: a run of backticks and the next run of the same length. Linear in the text."""
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    next_of_length: dict[int, int] = {}
    closing = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = next_of_length.get(length, -1)
        next_of_length[length] = index
    found: list[CodeSpan] = []
    index = 0
    while index < len(runs):
        close = closing[index]
        if close < 0:
            index += 1
            continue
        start, end = runs[index][0], runs[close][1]
        found.append(CodeSpan(start, end, text[runs[index][1] : runs[close][0]].strip()))
        index = close + 1
    return tuple(found)


def without_code(text: str, mark: str = " ", rest: str = " ") -> str:
    """The text with every code span blanked, its first character `mark`, the others `rest`, so that offsets stay."""
    parts: list[str] = []
    at = 0
    for span in code_spans(text):
        parts += [text[at : span.start], mark, rest * (span.end - span.start - 1)]
        at = span.end
    return "".join([*parts, text[at:]])
