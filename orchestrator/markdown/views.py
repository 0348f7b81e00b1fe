"""From the scanner's nodes to headings, sections, items and tables of the document's top level.

Owns how a view is read off a node; each view is made only when asked for. Headings and tables inside list items,
quotes and other blocks are no structure and don't appear.
"""

from __future__ import annotations

from orchestrator.markdown import grammar
from orchestrator.markdown.blocks import Block, Cell, Heading, Item, Row, Section, Table
from orchestrator.markdown.scanner import HEADING, ITEM, LIST, PARAGRAPH, TABLE, Node
from orchestrator.markdown.source import Source, Span


def node_span(source: Source, node: Node) -> Span:
    """The whole lines of a node, the last one's ending included."""
    starts = source.bounds[0]
    stop = starts[node.last + 1] if node.last + 1 < len(starts) else len(source.text)
    return Span(starts[node.first], stop)


def blocks(source: Source, root: Node, first: int) -> tuple[Block, ...]:
    """All top-level blocks, blank lines between them included; lines before index `first` are front matter."""
    starts = [*source.bounds[0], len(source.text)]
    found: list[Block] = []

    def add(kind: str, begin: int, stop: int) -> None:
        if stop > begin:
            found.append(Block(kind, Span(starts[begin], starts[stop]), begin + 1))

    add("front_matter", 0, first)
    at = first
    for node in root.children:
        add("blank", at, node.first)
        add(node.kind, node.first, node.last + 1)
        at = node.last + 1
    add("blank", at, len(starts) - 1)
    return tuple(found)


def headings(source: Source, root: Node) -> tuple[Heading, ...]:
    """The top-level headings in order."""
    return tuple(_heading(source, node) for node in root.children if node.kind == HEADING)


def _heading(source: Source, node: Node) -> Heading:
    text, ends = source.text, source.bounds[1]
    if node.marker[0] == "#":
        start, stop = _trimmed(text, node.detail, ends[node.first])
        closing = grammar.ATX_CLOSE.search(text[start:stop])
        if closing:
            start, stop = _trimmed(text, start, start + closing.start())
        content = text[start:stop]
    else:
        start, stop = _trimmed(text, node.starts[0], ends[node.last - 1])
        content = _paragraph_text(source, node)
    return Heading(node.width, content, node_span(source, node), Span(start, stop), node.first + 1)


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


def items(source: Source, root: Node) -> tuple[Item, ...]:
    """The items of all top-level lists, in order."""
    return _items(source, root, 0)


def _items(source: Source, parent: Node, depth: int) -> tuple[Item, ...]:
    lists = (child for child in parent.children if child.kind == LIST)
    return tuple(_item(source, node, depth) for listing in lists for node in listing.children if node.kind == ITEM)


def _item(source: Source, node: Node, depth: int) -> Item:
    text, ends = source.text, source.bounds[1]
    own = node.children[0] if node.children and node.children[0].kind == PARAGRAPH else None
    box: str | None = None
    box_span: Span | None = None
    content = ""
    start = stop = min(node.detail, ends[node.first])
    if own is not None:
        start = own.starts[0]
        _, stop = _trimmed(text, start, ends[own.last])
        mark = grammar.BOX.match(text, start, stop)
        skip = 0
        if mark:
            box, box_span = mark[1], Span(start + 1, start + 2)
            start, stop = _trimmed(text, mark.end(), stop)
            skip = start - own.starts[0]
        content = _paragraph_text(source, own, skip)
    span = Span(node.start, node_span(source, node).end)
    return Item(
        span,
        node.first + 1,
        depth,
        node.marker,
        box,
        box_span,
        content,
        Span(start, stop),
        _items(source, node, depth + 1),
    )


def _paragraph_text(source: Source, node: Node, skip: int = 0) -> str:
    """The lines of a paragraph, white space cut, joined by LF; `skip` characters of the first are left out."""
    text, ends = source.text, source.bounds[1]
    parts = []
    for number, start in enumerate(node.starts):
        parts.append(text[start : ends[node.first + number]].strip(" \t"))
    if skip:
        whole = text[node.starts[0] + skip : ends[node.first]]
        parts[0] = whole.strip(" \t")
    return "\n".join(parts).strip("\n")


def tables(source: Source, root: Node) -> tuple[Table, ...]:
    """The top-level tables in order."""
    return tuple(_table(source, node) for node in root.children if node.kind == TABLE)


def _table(source: Source, node: Node) -> Table:
    starts = [*source.bounds[0], len(source.text)]
    rows = [_row(source, node.first + number, start, starts) for number, start in enumerate(node.starts) if number != 1]
    delimiter = Span(starts[node.first + 1], starts[node.first + 2])
    return Table(node_span(source, node), rows[0], delimiter, tuple(rows[1:]))


def _row(source: Source, index: int, start: int, starts: list[int]) -> Row:
    text = source.text
    begin, end = _trimmed(text, start, source.bounds[1][index])
    cells = []
    for left, right in grammar.split_row(text, begin, end):
        first, last = _trimmed(text, left, right)
        if first == last:
            # The insertion point of an empty cell: after one blank, if it has one.
            first = last = min(left + 1, right)
        content = text[first:last]
        cells.append(Cell(content.replace("\\|", "|") if "\\" in content else content, Span(first, last)))
    return Row(Span(starts[index], starts[index + 1]), index + 1, tuple(cells))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    while start < end and text[start] in " \t\r\n":
        start += 1
    return start, end
