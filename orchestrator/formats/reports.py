"""Report sections of STATE_N.md: orch's own told from the user's.

Owns the rule that orch's report is the section with the task's key whose first item is `Status:`; any other section
with the same heading is the user's and never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.formats.labels import split_label
from orchestrator.markdown.blocks import Item, Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.model.ids import ID, TaskKey, parse_key
from orchestrator.model.state import ReportSection
from orchestrator.patterns import regex

_HEADING = regex(rf"(?:task\s+)?(\d+\.\d+\.{ID})(?:\s*(?:—|–|:)\s*|\s+--?\s+|$)(.*)", re.IGNORECASE | re.DOTALL)


def read_reports(doc: Document) -> tuple[ReportSection, ...]:
    """All of orch's report sections in order."""
    return tuple(
        ReportSection(
            key,
            title,
            doc.text[section.own.start : section.own.end].strip(),
            doc.source.location(section.heading.text_span.start, max(len(section.heading.text_span), 1)),
        )
        for key, title, section, _ in own_sections(doc)
    )


def own_sections(doc: Document) -> Iterator[tuple[TaskKey, str, Section, tuple[Item, ...]]]:
    """Key, title, section and items of each report of orch's, in order."""
    for section in doc.sections:
        match = _HEADING.fullmatch(plain(section.heading.text))
        key = parse_key(match[1]) if match else None
        if match is None or key is None:
            continue
        items = doc.items_in(section.own)
        first = split_label(items[0].text) if items else None
        if first is not None and first[0] == "status":
            yield key, match[2].strip(), section, items
