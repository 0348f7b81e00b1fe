"""From the scanner's nodes to headings, sections, items and tables of the document's top level.

Owns how a view is read off a node; each view is made only when asked for. Headings and tables inside list items,
quotes and other blocks are no structure and don't appear.
"""

from __future__ import annotations

from orchestrator.markdown import grammar
from orchestrator.markdown.blocks import Block, Heading, Item, Row, Section, Table
from orchestrator.markdown.scanner import HEADING, LIST, PARAGRAPH, TABLE, Node
from orchestrator.markdown.source import Source, Span


def node_span(source: Source, node: Node) -> Span:
    """The whole lines of a node, the last one's ending included; a BOM belongs to no node."""
    return Span(source.text_start(node.first), source.line_start(node.last + 1))


def blocks(source: Source, root: Node, first: int) -> tuple[Block, ...]:
    """All top-level blocks, blank lines between them included; lines before index `first` are front matter."""
    found: list[Block] = []

    def add(kind: str, begin: int, stop: int) -> None:
        if stop > begin:
            found.append(Block(kind, Span(source.line_start(begin), source.line_start(stop)), begin + 1))

    add("front_matter", 0, first)
    at = first
    for node in root.children:
        add("blank", at, node.first)
        add(node.kind, node.first, node.last + 1)
        at = node.last + 1
    add("blank", at, len(source.bounds[0]))
    return tuple(found)


def headings(source: Source, root: Node) -> tuple[Heading, ...]:
    """The top-level headings in order."""
    return tuple(heading_of(source, node) for node in root.children if node.kind == HEADING)


def heading_of(source: Source, node: Node) -> Heading:
    """The heading that a heading node is, at whatever depth."""
    text, ends = source.text, source.bounds[1]
    if node.marker[0] == "#":
        content = text[node.content : ends[node.first]]
        closing = grammar.ATX_CLOSE.search(content) if content.endswith(("#", " ", "\t")) else None
        if closing:
            content = content[: closing.start()]
        span = trimmed(text, node.content, node.content + len(content))
        content = span.of(text)
    else:
        content = paragraph_text(source, node)
        span = trimmed(text, node.starts[0], ends[node.last - 1])
    return Heading(node.width, content, node_span(source, node), span, node.first + 1)


def sections(source: Source, found: tuple[Heading, ...]) -> tuple[Section, ...]:
    """One section per heading, in order."""
    length = len(source.text)
    ends = [length] * len(found)
    open_ones: list[int] = []
    for index, heading in enumerate(found):
        while open_ones and found[open_ones[-1]].level >= heading.level:
            ends[open_ones.pop()] = heading.span.start
        open_ones.append(index)
    made = []
    for index, heading in enumerate(found):
        start, stop = heading.span.start, heading.span.end
        following = found[index + 1].span.start if index + 1 < len(found) else length
        made.append(Section(heading, Span(start, ends[index]), Span(stop, ends[index]), Span(stop, following)))
    return tuple(made)


def items(source: Source, parent: Node, depth: int = 0) -> tuple[Item, ...]:
    """The items of the lists that lie directly in a node, in order, with their children."""
    return tuple(one for listing in parent.children if listing.kind == LIST for one in items_of(source, listing, depth))


def items_of(source: Source, listing: Node, depth: int = 0) -> tuple[Item, ...]:
    """The items of one list node, with their children."""
    return tuple(_item(source, node, depth) for node in listing.children)


def _item(source: Source, node: Node, depth: int) -> Item:
    text, ends = source.text, source.bounds[1]
    box: str | None = None
    box_span: Span | None = None
    content = ""
    text_span = Span(node.content, node.content)
    own = node.children[0] if node.children else None
    if own is not None and own.kind == PARAGRAPH:
        start = own.starts[0]
        mark = grammar.BOX.match(text, start, ends[own.first])
        if mark:
            box, box_span = mark[1], Span(start + 1, start + 2)
            start += 3
        content = paragraph_text(source, own, start)
        text_span = trimmed(text, start, ends[own.last])
    children = (
        items(source, node, depth + 1) if len(node.children) > (own is not None and own.kind == PARAGRAPH) else ()
    )
    span = Span(node.start, source.line_start(node.last + 1))
    return Item(span, node.first + 1, depth, node.marker, box, box_span, content, text_span, children)


def paragraph_text(source: Source, node: Node, start: int | None = None) -> str:
    """The lines of a paragraph or heading node, white space cut, joined by LF; from offset `start` if given."""
    text, ends = source.text, source.bounds[1]
    begin = node.starts[0] if start is None else start
    first = text[begin : ends[node.first]].strip(" \t")
    if len(node.starts) == 1:
        return first
    lines = [first]
    lines += (text[at : ends[node.first + n]].strip(" \t") for n, at in enumerate(node.starts) if n)
    return "\n".join(lines).strip("\n")


def tables(source: Source, root: Node) -> tuple[Table, ...]:
    """The top-level tables in order."""
    return tuple(table_of(source, node) for node in root.children if node.kind == TABLE)


def table_of(source: Source, node: Node) -> Table:
    """The table that a table node is, at whatever depth."""
    rows = [Row(source, node.first + n, start) for n, start in enumerate(node.starts) if n != 1]
    delimiter = Span(source.line_start(node.first + 1), source.line_start(node.first + 2))
    return Table(node_span(source, node), rows[0], delimiter, tuple(rows[1:]))


def trimmed(text: str, start: int, end: int) -> Span:
    """The range without white space and line endings on both sides; empty at `start` if there is nothing else."""
    part = text[start:end]
    content = part.strip(" \t\r\n")
    begin = start + part.find(content)
    return Span(begin, begin + len(content))
