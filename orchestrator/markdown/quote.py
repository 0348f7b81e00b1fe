"""The quote form: text of others set in so that nothing in it can be read as structure, and taken out again."""

from __future__ import annotations

from orchestrator.patterns import regex

_LINE = regex(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


def quote(text: str) -> str:
    """The text with `> ` before every line; endings are kept, so a text without a final one stays so."""
    return "".join("> " + line for line in _LINE.findall(text))


def unquote(text: str) -> str:
    """The exact inverse of `quote`. A line with `>` alone, or without the mark, is taken as it stands."""
    return "".join(_bare(line) for line in _LINE.findall(text))


def _bare(line: str) -> str:
    if line.startswith("> "):
        return line[2:]
    return line[1:] if line.startswith(">") else line
