"""How a task's id looks where nothing else says what the tasks are: in headings and items below a wave's heading.

Owns the forms, and the words that look like ids and aren't. Where a table names the tasks, it decides and not this.
"""

from __future__ import annotations

import re

from orchestrator.formats.task_names import is_local_id
from orchestrator.markdown.plain import plain
from orchestrator.patterns import regex

_NAMED = regex(
    r"(?P<task>task\s+)?#?(?P<id>[^\W_](?:[\w.-]*\w)?)(?:\s*\([^()]*\))*"
    r"(?:(?:\s*(?:—|–)\s*|\s*:\s+|\s+--?\s+)(?P<title>.*)|:|)\s*",
    re.IGNORECASE | re.DOTALL,
)
_DRESSED = regex(r"\s*(?:\*\*|__)?`[^`]+`|\s*(?:\*\*|__)[^*_\s]+(?:\*\*|__)")
_DATE = regex(r"\d{4}(?:[-.]\d{1,2}){1,2}|\d{1,2}(?:[-.]\d{1,2}){1,2}[-.]\d{4}|(?:19|20)\d\d")
_LEAD = regex(r"([^\W\d_]*)[-_.]?\d+(?:[.-]\d+)*")
_NO_TASKS = frozenset(
    (
        *("step", "phase", "stage", "part", "p", "priority", "tier", "level", "wave", "track", "sprint", "milestone"),
        *("day", "week", "month", "q", "quarter", "round", "iteration", "version", "v", "section", "chapter", "option"),
        *("appendix", "figure", "table", "note", "question", "scenario", "example"),
    )
)
"""Words that number something else: Phase 1, Step-2, P0, v2.1, Q3."""


def named_task(text: str, *, is_dressed: bool = False) -> tuple[str, str] | None:
    """Id and title that a heading or an item names by its form, None where it names none.

    is_dressed: an id without any digit is taken if it stands in backticks or in bold.
    """
    match = _NAMED.fullmatch(plain(text))
    if match is None:
        return None
    word, title = match["id"], match["title"]
    if match["task"] is None:
        has_digit = any(letter.isdigit() for letter in word)
        if not has_digit and not (is_dressed and _DRESSED.match(text)):
            return None
        if word.isdigit() and title is None:
            return None
    if not is_local_id(word) or _DATE.fullmatch(word):
        return None
    lead = _LEAD.fullmatch(word)
    if lead and lead[1].casefold() in _NO_TASKS:
        return None
    return word, (title or "").strip()
