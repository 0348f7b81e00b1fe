"""The fields of a task's section in whatever form they stand: list items, lines with labels, two-column tables.

Owns how a label and its value are found. What a value means is read in spec_section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.formats.columns import cell_at
from orchestrator.formats.labels import Field, field_of, label_name, split_label, trimmed
from orchestrator.formats.list_ends import ended_blocks, labels_inside
from orchestrator.formats.spec_labels import GROUPS, canonical_label
from orchestrator.markdown.blocks import Block, Item, Table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.nouns import dataclass, replace
from orchestrator.patterns import regex

_BARE_LABEL = regex(r"(?P<mark>\*\*|__)(?P<label>[^\W\d_][\w /()-]{0,39}?)(?P=mark)(?:[ \t]+|$)")
_LINE = regex(r"[^\r\n]+")
_BREAK = regex(r"<br\s*/?>")
_FENCED = regex(
    r"(?:\A|(?<=[\r\n]))[ \t]*(`{3,}|~{3,})[^\r\n]*(?:\r\n?|\n)(.*?)(?:\r\n?|\n)[ \t]*\1[`~]*[ \t]*(?=[\r\n]|\Z)",
    re.DOTALL,
)
_HEADS = frozenset(("", "field", "fields", "label", "key", "property", "attribute", "item", "name"))
"""What the first column of a table of fields may be called."""


@dataclass(frozen=True, slots=True)
class SpecField:
    """A label with its value.

    `name` is the label as it is compared, `value` spans what stands behind it, `more` the list below it. `fenced` is
    the code of a fence below it. `in_line` marks a line of a paragraph, `is_prose` one whose label isn't in bold,
    `in_item` one that belongs to an item's text: no field, but perhaps meant as one.
    """

    name: str
    label: Span
    value: Span
    more: tuple[Span, ...] = ()
    fenced: str | None = None
    in_line: bool = False
    is_prose: bool = False
    in_cell: bool = False
    in_item: bool = False

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where a list's values stand: behind the label, and in the items below."""
        return tuple(span for span in (self.value, *self.more) if len(span))


def fields_in(doc: Document, span: Span) -> Iterator[SpecField]:
    """The fields in the part of a section that is its own, in the order of the text, groups taken apart."""
    owner: SpecField | None = None
    for part, block in ended_blocks(doc, span, _is_known):
        if block.kind == "blank":
            continue
        if block.kind == "paragraph":
            if owner is not None:
                yield owner
                owner = None
            found = list(_in_paragraph(doc, block))
            if found and not len(found[-1].value):
                owner = found.pop()
            yield from found
        elif block.kind == "list":
            items = part.items_in(block.span)
            if owner is None:
                yield from fields_of_items(doc, items)
            else:
                yield from _owning(doc, owner, items)
                owner = None
            yield from _in_items(doc, items)
        elif block.kind == "table":
            for table in part.tables_in(block.span):
                yield from _in_table(doc, table)
        elif block.kind == "fence" and owner is not None:
            yield _with_fence(owner, block.span.of(doc.text))
            owner = None
    if owner is not None:
        yield owner


def fields_below(doc: Document, item: Item) -> Iterator[SpecField]:
    """The fields that are nested in an item which is a task itself."""
    yield from fields_of_items(doc, item.children)
    yield from _in_items(doc, item.children)


def fields_of_items(doc: Document, items: Sequence[Item]) -> Iterator[SpecField]:
    """The fields that list items are; the items of a group are fields themselves."""
    for item in items:
        field = field_of(doc, item) or _without_colon(doc, item)
        if field is None:
            continue
        value = field.value
        if field.name not in GROUPS:
            more = tuple(child.text_span for child in item.children)
            made = SpecField(field.name, field.label, value, more)
            yield made if len(value) or more else _with_fence(made, item.span.of(doc.text))
            continue
        yield from _group(doc, SpecField(field.name, field.label, value), item.children)


def _in_items(doc: Document, items: Sequence[Item]) -> Iterator[SpecField]:
    for name, label, is_prose in labels_inside(doc, items, _is_known):
        yield SpecField(name, label, Span(label.end, label.end), is_prose=is_prose, in_item=True)


def _group(doc: Document, group: SpecField, items: Sequence[Item]) -> Iterator[SpecField]:
    """The fields among a group's items; the others are values of the group itself."""
    plain_ones = []
    for item in items:
        field = field_of(doc, item) or _without_colon(doc, item)
        # A path in backticks with a colon behind it is no label.
        if field is not None and (_is_known(field.name) or not item.text.startswith("`")):
            yield from fields_of_items(doc, (item,))
        else:
            plain_ones.append(item.text_span)
    if len(group.value) or plain_ones:
        yield SpecField(group.name, group.label, group.value, tuple(plain_ones))


def _owning(doc: Document, owner: SpecField, items: Sequence[Item]) -> Iterator[SpecField]:
    """A label on a line of its own, and the list below it."""
    if owner.name in GROUPS:
        yield from _group(doc, owner, items)
        return
    first = field_of(doc, items[0]) if items else None
    if first is not None and canonical_label(first.name) and canonical_label(owner.name) != "acceptance":
        # The list goes on with further fields.
        yield owner
        yield from fields_of_items(doc, items)
        return
    yield replace(owner, more=tuple(item.text_span for item in items))


def _without_colon(doc: Document, item: Item) -> Field | None:
    """A known label in bold, or alone above a list, without the colon."""
    start = item.text_span.start
    text = item.text_span.of(doc.text)
    bold = _BARE_LABEL.match(text)
    if bold and _is_known(name := label_name(bold["label"])):
        label = Span(start + bold.start("label"), start + bold.end("label"))
        return Field(name, label, trimmed(doc.text, Span(start + bold.end(), item.text_span.end)), item)
    if item.children and len(text) <= 60 and _is_known(name := label_name(plain(text))):
        return Field(name, item.text_span, Span(item.text_span.end, item.text_span.end), item)
    return None


def _in_paragraph(doc: Document, block: Block) -> Iterator[SpecField]:
    """Lines that begin with a label; a line without one goes on with the value above it."""
    if doc.text.find(":", block.span.start, block.span.end) < 0:
        return
    open_one: SpecField | None = None
    is_first = True
    for line in _LINE.finditer(doc.text, block.span.start, block.span.end):
        begin = line.start() + len(line[0]) - len(line[0].lstrip())
        found = split_label(doc.text[begin : line.end()])
        if found is None:
            if open_one is not None:
                end = trimmed(doc.text, Span(begin, line.end())).end
                start = open_one.value.start if len(open_one.value) else begin
                value = Span(start, end)
                open_one = replace(open_one, value=value)
            elif is_first:
                return
        else:
            if open_one is not None:
                yield open_one
            name, label_start, label_end, value_start = found
            is_dressed = label_start > 0
            if not is_dressed and not _is_known(name):
                open_one = None
                if is_first:
                    return
            else:
                value = trimmed(doc.text, Span(begin + value_start, line.end()))
                label = Span(begin + label_start, begin + label_end)
                open_one = SpecField(name, label, value, in_line=True, is_prose=not is_dressed)
        is_first = False
    if open_one is not None:
        yield open_one


def _in_table(doc: Document, table: Table) -> Iterator[SpecField]:
    """The rows of a two-column table of fields: one that is headed so, or holds two known labels."""
    if len(table.header.texts) != 2:
        return
    rows = [row for row in (table.header, *table.rows) if row.texts]
    names = [_cell_name(row.texts[0]) for row in rows]
    if names[0] not in _HEADS and sum(map(_is_known, names)) < 2:
        return
    if names[0] in _HEADS:
        rows, names = rows[1:], names[1:]
    for row, name in zip(rows, names, strict=True):
        label, cell = cell_at(row, 0), cell_at(row, 1)
        if label is None or not name:
            continue
        first, *more = _cell_lines(doc, cell.span) if cell else [Span(label.span.end, label.span.end)]
        yield SpecField(name, label.span, first, tuple(more), in_cell=True)


def _cell_lines(doc: Document, span: Span) -> list[Span]:
    """The lines of a cell, which are divided by `<br>`."""
    breaks = list(_BREAK.finditer(doc.text, span.start, span.end))
    starts = [span.start, *(one.end() for one in breaks)]
    ends = [*(one.start() for one in breaks), span.end]
    return [trimmed(doc.text, Span(*pair)) for pair in zip(starts, ends, strict=True)]


def _cell_name(text: str) -> str:
    return label_name(plain(text).rstrip(": "))


def _with_fence(field: SpecField, text: str) -> SpecField:
    found = _FENCED.search(text)
    return replace(field, fenced=found[2]) if found else field


def _is_known(name: str) -> bool:
    return name in GROUPS or canonical_label(name) is not None
