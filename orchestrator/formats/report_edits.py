"""Reports put into STATE_N.md: in place of the one there is, else in a section of their own.

Owns what of a report's section is orch's to replace: its list; what people wrote below it stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.formats.guest_text import is_harmless, item_end, with_endings
from orchestrator.formats.labels import split_label
from orchestrator.formats.reports import own_sections
from orchestrator.formats.row_names import pinned_names
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.section_edits import insert_section
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey

CONTAINER = "Task Reports"


def put_report(doc: Document, key: TaskKey, title: str, lines: Sequence[str]) -> Document:
    """The document with these lines as the task's report: in place of the one there is, else in a new section.

    `lines` are list items, the first `- **Status:** …`; a line of any other form goes below its item as a quote.
    The old one is `read_state(…).report(key).text` before the change. Raises ValueError without a status line.
    """
    body = _body(lines)
    names = pinned_names(doc, key)
    for found, _, section in own_sections(doc, names):
        if found == key:
            return _replaced(doc, section, body)
    container = doc.section(CONTAINER)
    level = container.heading.level + 1 if container else 2
    # A task that people call by another name keeps it; a plan may give it no title besides.
    name, words = names.written(key), " ".join(title.split())
    heading = name if words in ("", name) else f"{name} — {words}"
    text = f"{'#' * level} {heading}\n\n{body}"
    new = insert_section(doc, text, after=container)
    if not any(found == key for found, *_ in own_sections(new, names)):
        raise RuntimeError(f"the report of {key} didn't read back")
    return new


def _replaced(doc: Document, section: Section, body: str) -> Document:
    """Only the list is orch's: what people wrote below it stays."""
    items = doc.items_in(section.own)
    start = items[0].span.start
    block = next(block for block in doc.blocks if block.span.start <= start < block.span.end)
    last = [item for item in items if item.span.start < block.span.end][-1]
    end = max(item_end(doc, last), start + len(doc.text[start : block.span.end].rstrip()))
    new_text = with_endings(body, doc.source.ending_before(section.own.start))
    if doc.text[start:end] == new_text:
        return doc
    return doc.edited(Edit(Span(start, end), new_text))


def _body(lines: Sequence[str]) -> str:
    first = split_label(lines[0].removeprefix("- ")) if lines and lines[0].startswith("- ") else None
    if first is None or first[0] != "status":
        raise ValueError("a report begins with the item `- **Status:** …`")
    whole = [line.rstrip() for line in with_endings("\n".join(lines), "\n").rstrip().split("\n")]
    body = "\n".join(line if line.startswith(("- ", "  > ")) else f"  > {line}".rstrip() for line in whole)
    if is_harmless(body):
        return body
    # A list item alone can't hold what breaks out of it; what remains is set in as a quote of the status line.
    return "\n".join([whole[0], *(f"  > {line}".rstrip() for line in whole[1:])])
