"""A Markdown text and what can be read in it; a changed text is a new document.

Owns the joining of front matter, scanner and views into one immutable value. The text is the truth: a view holds
spans into it, and nothing is ever written from a view.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from orchestrator.errors import Problem
from orchestrator.markdown import views
from orchestrator.markdown.blocks import Block, Heading, Item, Section, Table
from orchestrator.markdown.edits import Edit, apply_edits
from orchestrator.markdown.front_matter import FrontMatter, Top, read_top
from orchestrator.markdown.plain import plain
from orchestrator.markdown.scanner import LIST, Node, scan
from orchestrator.markdown.source import BOM, Source, Span
from orchestrator.markdown.structure_problems import structure_problems


class Document:
    """A text with its structure, computed as it is asked for. `name` is what problems call the text."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @classmethod
    def parse(cls, text: str, name: str = "") -> Document:
        """The document of a text. Never raises for what the text holds."""
        return cls(Source(text, name))

    @property
    def text(self) -> str:
        """The text, exactly as given."""
        return self.source.text

    def __str__(self) -> str:
        return self.source.text

    def __repr__(self) -> str:
        return f"Document({self.source.name!r}, {len(self.text)} characters)"

    @cached_property
    def _top(self) -> Top:
        return read_top(self.source)

    @property
    def front_matter(self) -> FrontMatter | None:
        """The front matter, or None where the text doesn't begin with one."""
        return self._top.front_matter

    @property
    def top_problems(self) -> tuple[Problem, ...]:
        """Faults of the front matter, also of what should be one and isn't."""
        return self._top.problems

    @cached_property
    def root(self) -> Node:
        """The scanner's tree, for readers that look deeper than the structure."""
        starts, ends = self.source.bounds
        first = self._top.lines
        begin = len(BOM) if first == 0 and self.text.startswith(BOM) else self.source.line_start(first)
        return scan(self.text, starts, ends, first=first, begin=begin)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Faults of the front matter; fences and comments that never end; tables and cells that aren't read."""
        return (*self.top_problems, *structure_problems(self.source, self.root, self.tables))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All top-level blocks; their spans lie end to end and make up the text."""
        return views.blocks(self.source, self.root, self._top.lines)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The top-level headings."""
        return views.headings(self.source, self.root)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """One section per heading, flat and in order."""
        return views.sections(self.source, self.headings)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items of the top-level lists; nested ones are their children."""
        return tuple(item for node in self._lists for item in self._items_of(node))

    @cached_property
    def _lists(self) -> tuple[Node, ...]:
        return tuple(node for node in self.root.children if node.kind == LIST)

    @cached_property
    def _made_items(self) -> dict[int, tuple[Item, ...]]:
        return {}

    def _items_of(self, listing: Node) -> tuple[Item, ...]:
        """The items of a list, made once: whoever looks into one section needn't pay for all lists."""
        found = self._made_items.get(listing.start)
        if found is None:
            found = self._made_items[listing.start] = views.items_of(self.source, listing)
        return found

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The top-level tables."""
        return views.tables(self.source, self.root)

    def section(self, title: str, *, level: int | None = None, within: Span | None = None) -> Section | None:
        """The first section whose heading reads as `title` without regard to case and inline marks, or None."""
        for section in self._by_title.get(plain(title).casefold(), ()):
            if level in (None, section.heading.level) and (within is None or within.covers(section.span)):
                return section
        return None

    @cached_property
    def _by_title(self) -> dict[str, list[Section]]:
        found: dict[str, list[Section]] = {}
        for section in self.sections:
            found.setdefault(plain(section.heading.text).casefold(), []).append(section)
        return found

    def items_in(self, span: Span) -> tuple[Item, ...]:
        """The top-level items that lie inside the span."""
        first = bisect_right(self._lists, span.start, key=lambda one: one.start)
        stop = bisect_right(self._lists, span.end, lo=first, key=lambda one: one.start)
        # The list that begins before the span may go on inside it.
        near = self._lists[max(first - 1, 0) : stop]
        return tuple(item for listing in near for item in _inside(self._items_of(listing), span))

    def tables_in(self, span: Span) -> tuple[Table, ...]:
        """The tables that lie inside the span."""
        return _inside(self.tables, span)

    def paragraphs_in(self, span: Span) -> tuple[Block, ...]:
        """The paragraph blocks that lie inside the span."""
        return tuple(block for block in self.blocks_in(span) if block.kind == "paragraph")

    def blocks_in(self, span: Span) -> tuple[Block, ...]:
        """The top-level blocks that lie inside the span."""
        return _inside(self.blocks, span)

    def part(self, span: Span) -> Document:
        """The lines of the span read by themselves, as if nothing stood above and below; spans are of the whole text.

        For those who know better than the grammar where a block ends.
        """
        starts, ends = self.source.bounds
        first = self.source.index_at(span.start)
        stop = self.source.index_at(span.end - 1) + 1
        made = Document(self.source)
        # What is computed at the first use can be given before it.
        made.__dict__["root"] = scan(self.text, starts, ends, first=first, begin=span.start, stop=stop)
        return made

    def edited(self, *edits: Edit) -> Document:
        """The document of the text with the edits made. Raises ValueError for edits that overlap."""
        return Document.parse(apply_edits(self.text, edits), self.source.name)


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


_P = TypeVar("_P", bound=_Placed)


def _inside(placed: Sequence[_P], span: Span) -> tuple[_P, ...]:
    """Those of a sequence in order of place that lie inside the span; found by halving, not by looking at all."""
    first = bisect_left(placed, span.start, key=lambda one: one.span.start)
    stop = bisect_right(placed, span.end, lo=first, key=lambda one: one.span.start)
    return tuple(one for one in placed[first:stop] if one.span.end <= span.end)
