"""Problems as a reader sees them: place, message, source line, caret, hint.

The one home of that form. Knows no file kind; takes Problems and gives text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.errors import Location, Problem, Severity
from orchestrator.views.printable import one_line

SHOWN = 5
"""So many errors have a line beside other news."""
_WORDS = {
    Severity.FILE: "error",
    Severity.ITEM: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}


def problem_text(problem: Problem, *, width: int = 100) -> str:
    """One problem, several lines without a final newline. `width` is the longest source line shown, in columns."""
    place = f"{problem.at}: " if problem.at else ""
    lines = [f"{place}{_WORDS[problem.severity]}: {problem.message}"]
    if problem.at and problem.at.line and problem.at.source.strip():
        lines += _excerpt(problem.at, width)
    if problem.hint:
        lines.append(f"hint: {problem.hint}")
    return "\n".join(lines)


def problems_text(problems: Iterable[Problem], *, width: int = 100) -> str:
    """All problems in the order given and a line that counts them; empty for none."""
    listed = tuple(problems)
    if not listed:
        return ""
    return "\n".join([*(problem_text(problem, width=width) for problem in listed), count_line(listed)])


def count_line(problems: Iterable[Problem]) -> str:
    """`2 errors, 1 warning`; notes are counted only where there are any; `no problems` for none."""
    words = [_WORDS[problem.severity] for problem in problems]
    counts = [(words.count(word), word) for word in ("error", "warning", "note")]
    return ", ".join(f"{count} {word}{'s' if count > 1 else ''}" for count, word in counts if count) or "no problems"


def _excerpt(at: Location, width: int) -> list[str]:
    margin = f"{at.line:>5} | "
    source = at.source.replace("\t", " ")
    start = min(max(at.column, 1) - 1, len(source))
    length = max(1, min(at.length, len(source) - start))
    room = max(20, width - len(margin))
    if _columns(source) > room:
        # A long line is shown around the place; `...` stands for what is left out.
        first = min(max(0, start - room // 3), max(0, len(source) - room))
        last = min(len(source), first + room)
        before, after = "..." if first else "", "..." if last < len(source) else ""
        start = max(start, first + len(before))
        source = before + source[first + len(before) : last - len(after)] + after
        start -= first
        length = max(1, min(length, len(source) - start))
    caret = " " * _columns(source[:start]) + "^" * max(1, _columns(source[start : start + length]))
    return [margin + source.rstrip(), " " * (len(margin) - 2) + "| " + caret]


def _columns(text: str) -> int:
    """How many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    # Here and not above: most lines don't need it.
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def error_lines(errors: Sequence[Problem]) -> list[str]:
    """A line an error with its place, where they stand beside other news; of many the first ones."""
    lines = [
        one_line(f"{one.at}: {one.message}" + (f"; {one.hint}" if one.hint else ""), 200) for one in errors[:SHOWN]
    ]
    return [*lines, f"orch check shows {len(errors) - SHOWN} more"] if len(errors) > SHOWN else lines
