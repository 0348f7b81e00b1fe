"""Report sections of STATE_N.md: orch's own told from the user's.

Owns the rule that orch's report is the section with the task's key whose first item is `Status:`; any other section
with the same heading is the user's and never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.formats.labels import split_label
from orchestrator.formats.row_names import RowNames
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import ID, TaskKey, parse_key
from orchestrator.model.state import ReportSection
from orchestrator.patterns import regex

_REST = r"(?:\s*(?:—|–|:)\s*|\s+--?\s+|$)(.*)"
_HEADING = regex(rf"(?:task\s+)?(\d+\.\d+\.{ID}){_REST}", re.IGNORECASE | re.DOTALL)
_LOCAL = regex(rf"(?:task\s+)?(\w(?:[\w.-]*\w)?){_REST}", re.IGNORECASE | re.DOTALL)


def read_reports(doc: Document, names: RowNames) -> tuple[ReportSection, ...]:
    """All of orch's report sections in order."""
    return tuple(
        ReportSection(
            key,
            title,
            doc.text[section.own.start : section.own.end].strip(),
            doc.source.location(section.heading.text_span.start, max(len(section.heading.text_span), 1)),
        )
        for key, title, section in own_sections(doc, names)
    )


def own_sections(doc: Document, names: RowNames) -> Iterator[tuple[TaskKey, str, Section]]:
    """Key, title and section of each report of orch's, in order."""
    for section in doc.sections:
        found = _named(plain(section.heading.text), names)
        if found is None:
            continue
        key, title = found
        if begins_with_status(doc, section.own):
            yield key, title, section


def begins_with_status(doc: Document, own: Span) -> bool:
    """Whether the first item in a section's own text is `Status:`: then it is a report."""
    # The usual form is told without making the items: a long state has hundreds of reports.
    if own.of(doc.text).lstrip("\r\n").startswith("- **Status:** "):
        return True
    items = doc.items_in(own)
    label = split_label(items[0].text) if items else None
    return label is not None and label[0] == "status"


def _named(heading: str, names: RowNames) -> tuple[TaskKey, str] | None:
    """Key and title of a report's heading, None for any other."""
    if names.local and (match := _LOCAL.fullmatch(heading)):
        # Only what the plan itself calls its tasks; a word such as "Notes" is no beginning of an id.
        key = names.local.get(match[1])
        if key is None and "." in match[1]:
            key = names.find(match[1])
        if key is not None:
            return key, match[2].strip()
    if not (heading[:1].isdigit() or (heading[:4].casefold() == "task" and heading[4:5].isspace())):
        return None
    word, dash, title = heading.partition(" — ")
    key = parse_key(word) if dash else None
    if key is None:
        match = _HEADING.fullmatch(heading)
        key, title = (parse_key(match[1]), match[2]) if match else (None, "")
    return (key, title.strip()) if key is not None else None
