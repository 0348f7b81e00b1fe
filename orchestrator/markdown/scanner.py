"""One pass over the lines of a Markdown text: which block each line belongs to, with exact offsets.

Owns the block structure of CommonMark with GFM tables, as a tree of nodes over line indexes. It keeps a stack of
open containers (quotes and list items) and at most one open leaf; nothing is looked at twice. Inline text, views
and edits are others' matter.
"""

from __future__ import annotations

from orchestrator.markdown import grammar
from orchestrator.markdown.grammar import advance, indent_at

DOCUMENT, QUOTE, LIST, ITEM = "document", "quote", "list", "item"
DEEPEST = 100
"""Containers inside containers beyond this depth are read as text: nobody writes them, and depth costs time."""
PARAGRAPH, HEADING, RULE, FENCE, CODE, HTML, TABLE = "paragraph", "heading", "rule", "fence", "code", "html", "table"


class Node:
    """A block. `first` and `last` are line indexes, both inclusive; `starts` are the content offsets of its lines."""

    __slots__ = ("children", "closed", "detail", "first", "kind", "last", "marker", "start", "starts", "width")

    def __init__(self, kind: str, first: int, start: int) -> None:
        self.kind = kind
        self.first = first
        self.last = first
        self.start = start
        self.children: list[Node] = []
        self.starts: list[int] = []
        self.marker = ""
        """Items and lists: the marker; fences: its characters; headings: "#…", "=" or "-"."""
        self.width = 0
        """Items: columns of content indent; fences: columns of indent; headings: the level; HTML: its kind."""
        self.detail = 0
        """Offset: items: where content begins; fences: where the info begins."""
        self.closed = False
        """Fences and HTML: whether an end was found."""


class _Scan:
    def __init__(self, text: str, starts: list[int], ends: list[int], first: int) -> None:
        self.text = text
        self.starts = starts
        self.ends = ends
        self.root = Node(DOCUMENT, first, 0)
        self.stack = [self.root]
        self.leaf: Node | None = None

    def run(self, first: int, begin: int) -> Node:
        for index in range(first, len(self.starts)):
            at = begin if index == first else self.starts[index]
            self.line(index, at, self.ends[index])
        return self.root

    def line(self, index: int, at: int, end: int) -> None:
        text, stack = self.text, self.stack
        matched, at, column = self.match_containers(at, end)
        leaf = self.leaf
        begin, reached = indent_at(text, at, end, column)
        blank = begin >= end
        whole = matched == len(stack)
        if leaf is not None and whole and self.goes_on(leaf, index, at, end, begin, reached - column, blank):
            return
        leaf = self.leaf
        open_paragraph = leaf is not None and leaf.kind == PARAGRAPH
        # A paragraph whose containers aren't all continued may still go on, lazily, if nothing else begins here.
        lazy = open_paragraph and not whole
        if not lazy:
            del stack[matched:]
            if not (open_paragraph and not blank) and not (
                leaf is not None and leaf.kind == TABLE and whole and not blank
            ):
                self.leaf = None
        if blank:
            if lazy:
                del stack[matched:]
                self.leaf = None
            return
        self.begin(index, at, end, column, matched, lazy=lazy)

    def match_containers(self, at: int, end: int) -> tuple[int, int, int]:
        text, stack = self.text, self.stack
        column = 0
        matched = 1
        for node in stack[1:]:
            begin, reached = indent_at(text, at, end, column)
            if node.kind == QUOTE:
                if begin >= end or reached - column > 3 or text[begin] != ">":
                    break
                at, column = self.after_quote_mark(begin, end, reached)
            elif begin >= end:
                if not node.children:
                    break
                at, column = begin, reached
            elif reached - column >= node.width:
                at, column = advance(text, at, end, column, node.width)
            else:
                break
            matched += 1
        return matched, at, column

    def after_quote_mark(self, mark: int, end: int, column: int) -> tuple[int, int]:
        return advance(self.text, mark + 1, end, column + 1, 1 if self.text[mark + 1 : mark + 2] in (" ", "\t") else 0)

    def goes_on(self, leaf: Node, index: int, at: int, end: int, begin: int, indent: int, blank: bool) -> bool:
        """Whether the line belongs to the open leaf for sure; closes the leaf where the line ends it."""
        text = self.text
        if leaf.kind == FENCE:
            self.touch(leaf, index)
            if indent < 4 and text.startswith(leaf.marker, begin):
                rest = text[begin:end].rstrip(" \t")
                if rest == leaf.marker[0] * len(rest):
                    leaf.closed = True
                    self.leaf = None
            return True
        if leaf.kind == HTML:
            ending = grammar.HTML_END.get(leaf.width)
            if ending is None and blank:
                return False
            self.touch(leaf, index)
            if ending is not None and ending.search(text, begin, end):
                leaf.closed = True
                self.leaf = None
            return True
        if leaf.kind == CODE:
            if blank:
                return True
            if indent >= 4:
                self.touch(leaf, index)
                return True
            return False
        return False

    def begin(self, index: int, at: int, end: int, column: int, matched: int, *, lazy: bool) -> None:
        text, stack = self.text, self.stack
        leaf = self.leaf
        while True:
            begin, reached = indent_at(text, at, end, column)
            if begin >= end:
                return
            indent = reached - column
            in_paragraph = leaf is not None and leaf.kind == PARAGRAPH
            in_table = leaf is not None and leaf.kind == TABLE
            if indent >= 4:
                if not in_paragraph:
                    self.leaf = None
                    self.open_leaf(CODE, index, begin)
                    return
                break
            char = text[begin]
            if char.isalpha() and char.isascii():
                break
            if char == ">" and len(stack) < DEEPEST:
                self.close(matched)
                self.open_container(QUOTE, index, begin)
                at, column = self.after_quote_mark(begin, end, reached)
                leaf, lazy, matched = None, False, len(stack)
                continue
            if char == "#" and self.atx(index, begin, end, matched):
                return
            if char in "`~" and self.fence(index, begin, end, reached - column, matched):
                return
            if char == "<":
                kind = grammar.html_kind(text[begin:end], in_paragraph=in_paragraph or in_table)
                if kind:
                    self.close(matched)
                    node = self.open_leaf(HTML, index, begin)
                    node.width = kind
                    ending = grammar.HTML_END.get(kind)
                    if ending is not None and ending.search(text, begin, end):
                        node.closed = True
                        self.leaf = None
                    return
            if in_paragraph and not lazy and leaf is not None:
                if char in "-:|" and self.table(leaf, index, begin, end):
                    return
                if char in "-=" and self.setext(leaf, index, begin, end):
                    return
            if char in "*-_" and grammar.RULE.match(text, begin, end):
                self.close(matched)
                self.open_leaf(RULE, index, begin)
                self.leaf = None
                return
            if char in "-+*0123456789" and len(stack) < DEEPEST:
                step = self.item(index, begin, end, column, reached, matched, interrupts=in_paragraph and not lazy)
                if step is not None:
                    at, column = step
                    leaf, lazy, matched = None, False, len(stack)
                    continue
            break
        if leaf is not None and leaf.kind in (PARAGRAPH, TABLE):
            leaf.starts.append(begin)
            self.touch(leaf, index)
        else:
            self.close(matched)
            self.open_leaf(PARAGRAPH, index, begin).starts.append(begin)

    def atx(self, index: int, begin: int, end: int, matched: int) -> bool:
        mark = grammar.ATX.match(self.text, begin, end)
        if not mark:
            return False
        self.close(matched)
        node = self.open_leaf(HEADING, index, begin)
        node.marker = mark[1]
        node.width = len(mark[1])
        node.detail = mark.end()
        self.leaf = None
        return True

    def fence(self, index: int, begin: int, end: int, indent: int, matched: int) -> bool:
        mark = grammar.FENCE.match(self.text, begin, end)
        if not mark:
            return False
        self.close(matched)
        node = self.open_leaf(FENCE, index, begin)
        node.marker = mark[1] or mark[2]
        node.width = indent
        node.detail = begin + len(node.marker)
        return True

    def table(self, leaf: Node, index: int, begin: int, end: int) -> bool:
        """Turn the paragraph's last line into a table's header if this line is its delimiter row."""
        text = self.text
        columns = grammar.delimiter_count(text[begin:end].rstrip(" \t"))
        header = leaf.starts[-1]
        stop = self.ends[index - 1]
        if not columns or "|" not in text[header:stop]:
            return False
        stop = header + len(text[header:stop].rstrip(" \t"))
        if len(grammar.split_row(text, header, stop)) != columns:
            return False
        parent = self.stack[-1]
        if len(leaf.starts) > 1:
            leaf.starts.pop()
            leaf.last = index - 2
        else:
            parent.children.pop()
        self.leaf = None
        node = self.open_leaf(TABLE, index - 1, header)
        node.starts += (header, begin)
        self.touch(node, index)
        return True

    def setext(self, leaf: Node, index: int, begin: int, end: int) -> bool:
        text = self.text
        if not grammar.SETEXT.match(text, begin, end):
            return False
        if text[leaf.start] == "[":
            lines = (text[at : self.ends[leaf.first + n]] for n, at in enumerate(leaf.starts))
            if grammar.only_definitions("\n".join(lines)):
                return False
        leaf.kind = HEADING
        leaf.marker = text[begin]
        leaf.width = 1 if text[begin] == "=" else 2
        leaf.detail = leaf.start
        self.touch(leaf, index)
        self.leaf = None
        return True

    def item(
        self, index: int, begin: int, end: int, column: int, reached: int, matched: int, *, interrupts: bool
    ) -> tuple[int, int] | None:
        """Open a list item if the line begins one; returns offset and column of its content."""
        text = self.text
        mark = grammar.MARKER.match(text, begin, end)
        if not mark:
            return None
        after, after_column = mark.end(), reached + mark.end() - begin
        content, content_column = indent_at(text, after, end, after_column)
        empty = content >= end
        if interrupts and (empty or (len(mark[1]) > 1 and int(mark[1][:-1]) != 1)):
            return None
        self.close(matched)
        parent = self.stack[-1]
        kind = mark[1][-1]
        # A list goes on while its items have the same kind of mark and nothing else lies between.
        if not (parent.children and parent.children[-1].kind == LIST and parent.children[-1].marker == kind):
            listing = Node(LIST, index, begin)
            listing.marker = kind
            parent.children.append(listing)
        listing = parent.children[-1]
        node = Node(ITEM, index, begin)
        node.marker = mark[1]
        listing.children.append(node)
        space = content_column - after_column
        if empty or space > 4:
            space = 1
            at, position = advance(text, after, end, after_column, 1)
        else:
            at, position = content, content_column
        node.width = reached - column + len(mark[1]) + space
        node.detail = at
        self.stack.append(node)
        self.leaf = None
        self.touch(node, index)
        return at, position

    def open_container(self, kind: str, index: int, begin: int) -> None:
        node = Node(kind, index, begin)
        self.stack[-1].children.append(node)
        self.stack.append(node)
        self.leaf = None
        self.touch(node, index)

    def open_leaf(self, kind: str, index: int, begin: int) -> Node:
        node = Node(kind, index, begin)
        self.stack[-1].children.append(node)
        self.leaf = node
        self.touch(node, index)
        return node

    def close(self, matched: int) -> None:
        del self.stack[matched:]
        self.leaf = None

    def touch(self, leaf: Node, index: int) -> None:
        """Let the leaf and every open container reach to this line."""
        leaf.last = index
        stack = self.stack
        for depth in range(1, len(stack)):
            node = stack[depth]
            node.last = index
            if node.kind == ITEM:
                stack[depth - 1].children[-1].last = index


def scan(text: str, starts: list[int], ends: list[int], *, first: int = 0, begin: int = 0) -> Node:
    """The tree of blocks of the lines from index `first` on; `begin` is the offset where that line's text begins."""
    return _Scan(text, starts, ends, first).run(first, begin)
