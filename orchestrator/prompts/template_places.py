"""Where in a template something is wrong: Jinja knows lines but no columns, problems want both.

Must not know Jinja or the vocabulary.
"""

from __future__ import annotations

import re

from orchestrator.errors import Location, Problem, Severity

_BOM = "\ufeff"
_ENDING = re.compile(r"\r\n|\r|\n")


def bare(text: str) -> str:
    """The text without a byte order mark, which would else be the first character of the prompt."""
    return text.removeprefix(_BOM)


def place(text: str, path: str, line: int, word: str = "") -> Location:
    """The location of `word` at or a few lines after `line`, else the line as a whole. Line 0 is the whole file."""
    lines = _ENDING.split(bare(text))
    if word and line:
        for number in range(line, min(line + 5, len(lines) + 1)):
            found = re.search(rf"\b{re.escape(word)}\b", lines[number - 1])
            if found:
                return Location(path, number, found.start() + 1, len(word), lines[number - 1])
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    return Location(path, line, 1, 1, source)


def fault(code: str, message: str, at: Location, hint: str) -> Problem:
    """A problem that keeps a template from being used; Jinja's messages are brought into the form of ours."""
    return Problem(code, message[:1].lower() + message[1:].rstrip("."), at, hint, Severity.FILE)


def syntax_fault(message: str, text: str, path: str, line: int) -> Problem:
    """The problem for a template that Jinja can't read."""
    return fault(
        "template-syntax",
        f"the template can't be read: {message[:1].lower()}{message[1:]}",
        place(text, path, line),
        "to have braces as text, write {% raw %} before them and {% endraw %} after",
    )
