"""Small edits of list items: put another mark into a box. Owns that one character, nothing else of the item."""

from __future__ import annotations

from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit


def set_box(doc: Document, item: Item, mark: str) -> Document:
    """The document with the item's box holding `mark`. Raises ValueError for an item without box or a bad mark."""
    if item.box_span is None:
        raise ValueError(f"the item on line {item.line} has no box")
    if len(mark) != 1 or mark in "\r\n[]\t":
        raise ValueError(f"a box holds one character, not {mark!r}")
    if item.box_span.of(doc.text) == mark:
        return doc
    new = doc.edited(Edit(item.box_span, mark))
    found = find_item(new, item)
    if found is None or found.box != mark or found.text != item.text:
        raise RuntimeError(f"setting the box on line {item.line} to {mark!r} didn't read back")
    return new


def find_item(doc: Document, item: Item) -> Item | None:
    """The item of the document that begins where `item` does, or None."""
    candidates = list(doc.items)
    while candidates:
        one = candidates.pop()
        if one.span.start == item.span.start:
            return one
        if one.span.covers(item.span):
            candidates = list(one.children)
    return None
