"""A worker's todo file that is far longer than any need be, cut to what is worth keeping.

Owns how much of each part is kept. What is cut is said at its place; must not know where the whole lies.
"""

from __future__ import annotations

from orchestrator.formats.guest_text import set_in
from orchestrator.formats.todo_body import PARTS, find_part, part_source
from orchestrator.markdown.document import Document

USUAL = 64_000
"""Characters up to which a todo file is taken as it is."""

MOST = 16_000
"""Characters that are kept of a part of a longer one."""


def shortened(text: str) -> str:
    """The text itself up to USUAL characters; of a longer one its heading and its parts, each cut to MOST characters.

    Sections that are no part of a todo file are left out, as they are passed over anyway.
    """
    if len(text) <= USUAL:
        return text
    doc = Document.parse(text)
    first = doc.headings[0] if doc.headings else None
    parts = [section.heading for part in PARTS if (section := find_part(doc, part)) is not None]
    lines = [] if first is None or first in parts else [f"# {' '.join(first.text.split())}"]
    for part in PARTS:
        source = part_source(doc, part)
        if source is not None:
            lines += ["", f"## {part}", "", set_in(_cut(source))]
    return "\n".join(lines).strip("\n") + "\n"


def _cut(text: str) -> str:
    if len(text) <= MOST:
        return text
    kept = text[:MOST]
    end = kept.rfind("\n")
    if end > 0:
        kept = kept[:end]
    return f"{kept.rstrip()}\n\n(cut: {len(text) - len(kept)} more characters)"
