"""Small words that people write in cells and fields. The place to change what counts as "none"."""

from __future__ import annotations

import re

from orchestrator.markdown.plain import plain
from orchestrator.patterns import regex

_NONE = frozenset(("", "none", "—", "–", "-", "--", "n/a", "na", "nothing", "no", "nil"))
_SURELY_SOME = regex(r"\s*(?:[^\W_nN]|`+[^\W_nN])")
"""A letter or digit that none of those words begins with: most values, told without looking further."""
_PARENTHESIS = regex(r"[()]")


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """The text with every match turned into blanks: what is left keeps its offset."""
    return pattern.sub(lambda match: " " * len(match[0]), text)


def without_remarks(text: str) -> str:
    """The text with every remark in parentheses, nested ones too, turned into blanks."""
    if "(" not in text:
        return text
    opened: list[int] = []
    remarks: list[tuple[int, int]] = []
    for mark in _PARENTHESIS.finditer(text):
        if mark[0] == "(":
            opened.append(mark.start())
        elif opened:
            start = opened.pop()
            while remarks and remarks[-1][0] > start:
                remarks.pop()
            remarks.append((start, mark.end()))
    parts: list[str] = []
    at = 0
    for start, end in remarks:
        parts += (text[at:start], " " * (end - start))
        at = end
    return "".join((*parts, text[at:]))


def is_none(text: str) -> bool:
    """Whether a value says that there is nothing; a remark in parentheses and a full stop don't count."""
    if _SURELY_SOME.match(text):
        return False
    return plain(without_remarks(text)).strip(" .").casefold() in _NONE
