"""One pass over the lines of a Markdown text: which block each line belongs to, with exact offsets.

Owns the block structure of CommonMark with GFM tables, as a tree of nodes over line indexes. It keeps a stack of
open containers (quotes and list items) and at most one open leaf; no line is looked at twice. Inline text, views
and edits are others' matter.
"""

from __future__ import annotations

from orchestrator.markdown import grammar
from orchestrator.markdown.grammar import indent_at

DOCUMENT, QUOTE, LIST, ITEM = "document", "quote", "list", "item"
PARAGRAPH, HEADING, RULE, FENCE, CODE, HTML, TABLE = "paragraph", "heading", "rule", "fence", "code", "html", "table"

DEEPEST = 100
"""Containers inside containers beyond this depth are read as text: nobody writes them, and depth costs time."""


class Node:
    """A block. `first` and `last` are line indexes, both inclusive; `start` is the offset where it begins."""

    __slots__ = ("children", "closed", "content", "first", "kind", "last", "marker", "start", "starts", "width")

    def __init__(self, kind: str, first: int, start: int) -> None:
        self.kind = kind
        self.first = first
        self.last = first
        self.start = start
        self.children: list[Node] = []
        self.starts: list[int] = []
        """Paragraphs, underlined headings and tables: the offset of each line's first character that isn't blank."""
        self.marker = ""
        """Items: the marker; lists: its last character; fences: the opening marks; headings: `#…`, `=` or `-`."""
        self.width = 0
        """Items: columns up to the content; headings: the level; HTML: which of the seven kinds."""
        self.content = start
        """Items, fences and headings: the offset behind the marker."""
        self.closed = False
        """Fences and HTML: whether the end was found."""


class _Scan:
    """The state of a pass. A line's place is told by `column` (up to where containers have taken it), and by the
    offset `begin` and the column `reached` of its first character that isn't blank."""

    def __init__(self, text: str, ends: list[int], first: int) -> None:
        self.text = text
        self.ends = ends
        self.root = Node(DOCUMENT, first, 0)
        self.stack = [self.root]
        self.leaf: Node | None = None

    def line(self, index: int, at: int, end: int) -> None:
        leaf = self.leaf
        if self.plainly(leaf, index, at, end):
            return
        matched, column, begin, reached = self.match_containers(at, end)
        whole = matched == len(self.stack)
        if leaf is not None and whole and self.goes_on(leaf, index, begin, end, reached - column):
            return
        open_paragraph = leaf is not None and leaf.kind == PARAGRAPH
        if begin >= end:
            self.close(matched)
        elif open_paragraph and not whole:
            # The paragraph may still go on, lazily, if nothing else begins here: its containers stay open so far.
            self.begin(index, begin, end, column, reached, matched, lazy=True)
        else:
            if not (whole and (open_paragraph or (leaf is not None and leaf.kind == TABLE))):
                self.close(matched)
            self.begin(index, begin, end, column, reached, matched, lazy=False)

    def plainly(self, leaf: Node | None, index: int, at: int, end: int) -> bool:
        """The short ways for what most lines are; False says only that it isn't so plain."""
        is_top = len(self.stack) == 1
        if at == end:
            if not is_top or (leaf is not None and leaf.kind not in (PARAGRAPH, TABLE)):
                return False
            self.leaf = None
            return True
        if is_top and leaf is not None:
            return self.plainly_goes_on(leaf, index, at)
        char = self.text[at]
        return self.plain_item(index, at, end) if char == "-" else char == "#" and self.plain_heading(index, at, end)

    def plain_item(self, index: int, at: int, end: int) -> bool:
        """An item at the top level, whatever is open inside another one, if nothing but text begins in it."""
        text = self.text
        char = text[at + 2] if at + 2 < end and text[at + 1] == " " else ""
        if not (
            char.isalpha()
            or char == "["
            or (char == "*" and text.startswith("**", at + 2) and text[at + 4 : at + 5].isalpha())
        ):
            return False
        self.close(1)
        siblings = self.root.children
        if not (siblings and siblings[-1].kind == LIST and siblings[-1].marker == "-"):
            listing = Node(LIST, index, at)
            listing.marker = "-"
            siblings.append(listing)
        node = Node(ITEM, index, at)
        node.marker, node.width, node.content = "-", 2, at + 2
        siblings[-1].children.append(node)
        self.stack.append(node)
        self.leaf = paragraph = Node(PARAGRAPH, index, at + 2)
        paragraph.starts.append(at + 2)
        node.children.append(paragraph)
        return True

    def plain_heading(self, index: int, at: int, end: int) -> bool:
        """A heading at the top level, whatever is open inside an item or quote."""
        mark = grammar.ATX.match(self.text, at, end)
        if not mark:
            return False
        self.close(1)
        node = Node(HEADING, index, at)
        node.marker, node.width, node.content = mark[1], len(mark[1]), mark.end()
        self.root.children.append(node)
        return True

    def plainly_goes_on(self, leaf: Node, index: int, at: int) -> bool:
        """The short way for most lines of long blocks at the top level; False says only that it isn't so plain."""
        char = self.text[at]
        kind = leaf.kind
        if (kind == TABLE and char == "|") or (kind == PARAGRAPH and char.isalpha()):
            leaf.starts.append(at)
        elif kind != FENCE or char in " \t`~":
            return False
        leaf.last = index
        return True

    def match_containers(self, at: int, end: int) -> tuple[int, int, int, int]:
        """How many open containers (the document is one) the line goes on with, and its place behind their marks."""
        text, stack = self.text, self.stack
        column = 0
        begin, reached = indent_at(text, at, end, 0)
        matched = 1
        while matched < len(stack):
            node = stack[matched]
            if node.kind == ITEM:
                if begin >= end:
                    # An item that begins with a blank line has no second one.
                    if not node.children:
                        break
                    column = reached
                elif reached - column >= node.width:
                    column += node.width
                else:
                    break
            elif begin < end and text[begin] == ">" and reached - column < 4:
                column, begin, reached = self.past_quote_mark(begin, end, reached)
            else:
                break
            matched += 1
        return matched, column, begin, reached

    def past_quote_mark(self, mark: int, end: int, column: int) -> tuple[int, int, int]:
        begin, reached = indent_at(self.text, mark + 1, end, column + 1)
        # One column of white space belongs to the mark, be it only a part of a tab.
        return column + 1 + (begin > mark + 1), begin, reached

    def goes_on(self, leaf: Node, index: int, begin: int, end: int, indent: int) -> bool:
        """Whether the line surely belongs to the open leaf; closes the leaf where the line ends it."""
        text = self.text
        if leaf.kind == FENCE:
            leaf.last = index
            if indent < 4 and text.startswith(leaf.marker, begin):
                rest = text[begin:end].rstrip(" \t")
                if rest == leaf.marker[0] * len(rest):
                    leaf.closed = True
                    self.leaf = None
            return True
        if leaf.kind == HTML:
            ending = grammar.HTML_END.get(leaf.width)
            if ending is None and begin >= end:
                return False
            leaf.last = index
            if ending is not None and ending.search(text, begin, end):
                leaf.closed = True
                self.leaf = None
            return True
        if leaf.kind == CODE:
            if begin >= end:
                return True
            if indent >= 4:
                leaf.last = index
                return True
        return False

    def begin(self, index: int, begin: int, end: int, column: int, reached: int, matched: int, *, lazy: bool) -> None:
        """Open the blocks that begin on the line, or give its text to the open paragraph or table."""
        text, stack = self.text, self.stack
        leaf = self.leaf
        while begin < end:
            in_paragraph = leaf is not None and leaf.kind == PARAGRAPH
            if reached - column >= 4:
                if not in_paragraph:
                    self.open(CODE, index, begin, matched)
                    return
                break
            char = text[begin]
            if char.isalpha():
                break
            if char == ">" and matched < DEEPEST:
                stack.append(self.open(QUOTE, index, begin, matched))
                column, begin, reached = self.past_quote_mark(begin, end, reached)
                leaf, lazy, matched = None, False, len(stack)
                self.leaf = None
                continue
            if char in "#`~<" and self.marked(char, index, begin, end, matched):
                return
            if in_paragraph and not lazy and char in "-=|:" and self.underlined(index, begin, end):
                return
            if char in "-*_" and grammar.is_rule(text, begin, end):
                self.open(RULE, index, begin, matched)
                self.leaf = None
                return
            if char in "-+*0123456789" and matched < DEEPEST:
                place = self.item(index, begin, end, column, reached, matched, interrupts=in_paragraph and not lazy)
                if place is not None:
                    column, begin, reached = place
                    leaf, lazy, matched = None, False, len(stack)
                    continue
            break
        else:
            return
        if leaf is None or leaf.kind not in (PARAGRAPH, TABLE):
            leaf = self.open(PARAGRAPH, index, begin, matched)
        leaf.starts.append(begin)
        leaf.last = index

    def marked(self, char: str, index: int, begin: int, end: int, matched: int) -> bool:
        """Open a heading, fence or HTML block if the line begins one."""
        text = self.text
        if char == "#":
            mark = grammar.ATX.match(text, begin, end)
            if not mark:
                return False
            node = self.open(HEADING, index, begin, matched)
            node.marker, node.width, node.content = mark[1], len(mark[1]), mark.end()
            self.leaf = None
        elif char == "<":
            kind = grammar.html_kind(text[begin:end], in_paragraph=self.leaf is not None)
            if not kind:
                return False
            node = self.open(HTML, index, begin, matched)
            node.width = kind
            ending = grammar.HTML_END.get(kind)
            if ending is not None and ending.search(text, begin, end):
                node.closed = True
                self.leaf = None
        else:
            mark = grammar.FENCE.match(text, begin, end)
            if not mark:
                return False
            node = self.open(FENCE, index, begin, matched)
            node.marker = mark[1] or mark[2]
            node.content = begin + len(node.marker)
        return True

    def underlined(self, index: int, begin: int, end: int) -> bool:
        """Make a table or a heading of the open paragraph if this line is what makes it one."""
        leaf = self.leaf
        return leaf is not None and (self.table(leaf, index, begin, end) or self.setext(leaf, index, begin, end))

    def table(self, leaf: Node, index: int, begin: int, end: int) -> bool:
        """Turn the paragraph's last line into a table's header if this line is its delimiter row."""
        text = self.text
        columns = grammar.delimiter_count(text[begin:end].rstrip(" \t"))
        header = leaf.starts[-1]
        above = text[header : self.ends[index - 1]]
        if not columns or "|" not in above or len(grammar.split_row(above)[1]) != columns:
            return False
        if len(leaf.starts) > 1:
            leaf.starts.pop()
            leaf.last = index - 2
        else:
            self.stack[-1].children.pop()
        node = self.open(TABLE, index - 1, header, len(self.stack))
        node.starts += (header, begin)
        node.last = index
        return True

    def setext(self, leaf: Node, index: int, begin: int, end: int) -> bool:
        """Turn the paragraph into a heading if this line underlines it."""
        text = self.text
        if not grammar.SETEXT.match(text, begin, end):
            return False
        if text[leaf.start] == "[":
            lines = (text[at : self.ends[leaf.first + n]] for n, at in enumerate(leaf.starts))
            taken = grammar.definition_lines("\n".join(lines))
            if taken == len(leaf.starts):
                return False
            if taken:
                # Link definitions above the heading's text are no part of it.
                rest = leaf.starts[taken:]
                leaf.starts = leaf.starts[:taken]
                leaf.last = leaf.first + taken - 1
                leaf = self.open(HEADING, leaf.last + 1, rest[0], len(self.stack))
                leaf.starts = rest
        leaf.kind = HEADING
        leaf.marker = text[begin]
        leaf.width = 1 if text[begin] == "=" else 2
        leaf.last = index
        self.leaf = None
        return True

    def item(
        self, index: int, begin: int, end: int, column: int, reached: int, matched: int, *, interrupts: bool
    ) -> tuple[int, int, int] | None:
        """Open a list item if the line begins one; returns the place of its content, as match_containers does."""
        text = self.text
        mark = grammar.MARKER.match(text, begin, end)
        if not mark:
            return None
        marker = mark[1]
        after = mark.end()
        after_column = reached + after - begin
        content, content_column = indent_at(text, after, end, after_column)
        # A paragraph is broken only by an item with text, and by a numbered one only if it is the first.
        if interrupts and (content >= end or (len(marker) > 1 and int(marker[:-1]) != 1)):
            return None
        self.close(matched)
        siblings = self.stack[-1].children
        if not (siblings and siblings[-1].kind == LIST and siblings[-1].marker == marker[-1]):
            listing = Node(LIST, index, begin)
            listing.marker = marker[-1]
            siblings.append(listing)
        node = Node(ITEM, index, begin)
        node.marker = marker
        siblings[-1].children.append(node)
        self.stack.append(node)
        space = content_column - after_column
        if content >= end or space > 4:
            space = 1
        node.width = reached - column + len(marker) + space
        node.content = content if content < end else min(after + 1, end)
        return after_column + space, content, content_column

    def open(self, kind: str, index: int, begin: int, matched: int) -> Node:
        """Close what isn't matched and put a new block into the innermost container that is."""
        self.close(matched)
        node = Node(kind, index, begin)
        self.stack[-1].children.append(node)
        self.leaf = node
        return node

    def close(self, matched: int) -> None:
        """Close the open leaf and all containers beyond the matched ones."""
        self.leaf = None
        stack = self.stack
        while len(stack) > matched:
            node = stack.pop()
            if node.children:
                node.last = node.children[-1].last
            if node.kind == ITEM:
                stack[-1].children[-1].last = node.last


def scan(
    text: str, starts: list[int], ends: list[int], *, first: int = 0, begin: int = 0, stop: int | None = None
) -> Node:
    """The tree of blocks of the lines from index `first` up to `stop` (the text's end where that is None).

    `begin` is the offset where the first line's text begins.
    """
    state = _Scan(text, ends, first)
    for index in range(first, len(starts) if stop is None else stop):
        state.line(index, begin if index == first else starts[index], ends[index])
    state.close(1)
    return state.root
