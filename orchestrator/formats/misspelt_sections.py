"""Headings that are likely to be meant for a section that orch reads and the file lacks. Knows no file kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.errors import Problem, Severity
from orchestrator.formats.nearest import did_you_mean
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain


def misspelt_sections(doc: Document, known: Iterable[str]) -> Iterator[Problem]:
    """A warning for each such heading of level two: what stands below it would be left out without a word."""
    named = [(heading, plain(heading.text)) for heading in doc.headings if heading.level == 2]
    there = {name.casefold() for _, name in named}
    lacking = [name for name in known if name.casefold() not in there]
    for heading, name in named if lacking else ():
        # A number makes it a heading of its own: `Wave 1` isn't meant for `Waves`.
        hint = "" if any(letter.isdigit() for letter in name) else did_you_mean(name, lacking)
        if hint:
            at = doc.source.location(heading.text_span.start, max(len(heading.text_span), 1))
            yield Problem("unknown-section", f'"{name}" is no section that orch knows', at, hint, Severity.WARNING)
