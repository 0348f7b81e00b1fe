"""Where a label ends the list or quote above it, though no blank line stands between them.

To a Markdown parser such a line goes on with the last item's text. Whoever writes a label at a line's start means a
field: it would be lost in the item without a word. Owns which lines these are; what a field says is read elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from orchestrator.formats.labels import split_label
from orchestrator.markdown.blocks import Block, Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.source import Span
from orchestrator.patterns import regex

Known = Callable[[str], bool]
"""Whether a label's name is one that is read."""

_BREAK = r"(?:(?<=\n)|(?<=\r))"
# An item's text begins at the third column or behind it, so that a line before that can't be meant to belong to it.
_AT_START = regex(rf"{_BREAK} ?(?=[*_`]{{0,3}}[^\W\d_])")
_INSIDE = regex(rf"{_BREAK}[ \t]*(?=[*_`]{{0,3}}[^\W\d_])")
_REST = regex(r"[^\r\n]*")


def ended_blocks(doc: Document, span: Span, is_known: Known) -> Iterator[tuple[Document, Block]]:
    """The blocks inside the span, lists and quotes ended by known labels; each with the document that has its parts."""
    for block in doc.blocks_in(span):
        cuts = _cuts(doc.text, block.span, is_known) if block.kind in ("list", "quote") else []
        if not cuts:
            yield doc, block
            continue
        bounds = [block.span.start, *cuts, block.span.end]
        for start, end in pairwise(bounds):
            part = doc.part(Span(start, end))
            yield from ((part, one) for one in part.blocks_in(Span(start, end)))


def labels_inside(doc: Document, items: Sequence[Item], is_known: Known) -> Iterator[tuple[str, Span, bool]]:
    """Known labels that begin a further line of an item's text: name, place, and whether it is without bold.

    Without bold, one that begins with a small letter is prose.
    """
    for item in items:
        if ":" in item.text and "\n" in item.text:
            for line in _INSIDE.finditer(doc.text, item.text_span.start, item.text_span.end):
                found = _label(doc.text, line.end(), is_known)
                if found and (found[1] or doc.text[line.end()].isupper()):
                    yield found[0], Span(line.end() + found[1], line.end() + found[2]), not found[1]
        yield from labels_inside(doc, item.children, is_known)


def _cuts(text: str, span: Span, is_known: Known) -> list[int]:
    """Where lines begin that can't be meant as a part of the item or quote above, and begin with a known label."""
    found = []
    for line in _AT_START.finditer(text, span.start, span.end):
        if _label(text, line.end(), is_known):
            found.append(line.start())
    return found


def _label(text: str, begin: int, is_known: Known) -> tuple[str, int, int] | None:
    line = _REST.match(text, begin)
    found = split_label(line[0]) if line else None
    return (found[0], found[1], found[2]) if found and is_known(found[0]) else None
