"""Where in a template something is wrong: Jinja knows lines but no columns, problems want both.

Must not know Jinja or the vocabulary.
"""

from __future__ import annotations

import re

from orchestrator.errors import Location, Problem, Severity

_BOM = "\ufeff"
_ENDING = re.compile(r"\r\n|\r|\n")
_TAG = re.compile(r"\{#.*?#\}|\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}|\{%[-+]?\s*(\w+)(.*?)%\}", re.DOTALL)
_BLOCKS = ("if", "for", "macro", "call", "filter", "with", "block", "autoescape")
_WORDS = re.compile(r"\{\{[-+]?\s*\w+(?:\s+\w+)+\s*[-+]?\}\}")


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
    opened = _never_closed(bare(text)) if "end of template" in message else None
    if opened is not None:
        word, at_line = opened
        at = place(text, path, at_line, word)
        return fault("template-syntax", f"this {{% {word} %}} is never closed", at, f"add {{% end{word} %}} below it")
    at = place(text, path, line)
    slot = _WORDS.search(at.source) if "expected token 'end of print statement'" in message else None
    if slot is not None:
        at = Location(path, line, slot.start() + 1, len(slot[0]), at.source)
        hint = "the one slot of several words is {{task spec verbatim}}; to have braces as text: {% raw %}…{% endraw %}"
        return fault("unknown-slot", f"{slot[0]} is no slot: a slot is one name", at, hint)
    return fault(
        "template-syntax",
        f"the template can't be read: {message[:1].lower()}{message[1:]}",
        at,
        "to have braces as text, write {% raw %} before them and {% endraw %} after",
    )


def _never_closed(text: str) -> tuple[str, int] | None:
    """The innermost block that is open at the end, and its line."""
    opened: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text):
        word = tag[1] or ""
        if word in _BLOCKS or (word == "set" and "=" not in tag[2]):
            opened.append((word, len(_ENDING.findall(text, 0, tag.start())) + 1))
        elif word.startswith("end") and opened and opened[-1][0] == word[3:]:
            opened.pop()
    return opened[-1] if opened else None
