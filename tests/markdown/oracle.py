"""What markdown-it-py sees in a text, and what the scanner sees, in one common form to compare.

A seen block is (kind, first line, last line, words about it), with lines from 1 and trailing blank lines cut;
containers come before their content and an "end" after it, so nesting is compared too.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orchestrator.markdown import scanner
from orchestrator.markdown.document import Document
from orchestrator.markdown.scanner import Node
from orchestrator.markdown.source import line_bounds
from orchestrator.markdown.views import heading_of, paragraph_text, table_of

Seen = tuple[str, int, int, str]
_NO_CONTENT = re.compile(r"[\s>]*\Z")


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"inline_definitions": True, "maxNesting": 1000}).enable("table")
    parser.disable("inline")
    return parser


PARSER = _parser()


def lines_of(text: str) -> list[str]:
    """The lines without their endings."""
    return [text[start:end] for start, end in zip(*line_bounds(text), strict=True)]


def _body(text: str) -> str:
    """The text as a plain reader of Markdown should get it: no BOM, front matter lines blank."""
    document = Document.parse(text)
    front = document.front_matter
    if front is None:
        return text.removeprefix("\ufeff")
    return "\n" * len(lines_of(front.span.of(text))) + text[front.span.end :]


def _clean(content: str) -> str:
    return "\n".join(line.strip(" \t") for line in content.replace("\x00", "\ufffd").strip().split("\n"))


def _last(lines: list[str], first: int, stop: int) -> int:
    while stop > first + 1 and _NO_CONTENT.match(lines[stop - 1]):
        stop -= 1
    return stop


def by_reference(text: str) -> list[Seen]:
    """The blocks that markdown-it-py sees."""
    body = _body(text)
    lines = lines_of(body)
    tokens = PARSER.parse(body)
    found: list[Seen] = []
    names = {
        "heading_open": "heading",
        "paragraph_open": "paragraph",
        "list_item_open": "item",
        "blockquote_open": "quote",
        "bullet_list_open": "list",
        "ordered_list_open": "list",
    }
    row: list[str] = []
    for index, token in enumerate(tokens):
        first, stop = token.map or [0, 0]
        last = _last(lines, first, stop)
        if token.type in ("heading_open", "paragraph_open"):
            words = _clean(tokens[index + 1].content)
            if token.type == "heading_open":
                words = f"{token.tag[1]} {words}"
            found.append((names[token.type], first + 1, last, words))
        elif token.type == "definition":
            found.append(("definition", first + 1, last, ""))
        elif token.type in ("fence", "code_block", "html_block", "hr"):
            kind = {"fence": "fence", "code_block": "code", "html_block": "html", "hr": "rule"}[token.type]
            found.append((kind, first + 1, last, token.info.strip() if kind == "fence" else ""))
        elif token.type in names:
            found.append((names[token.type], first + 1, 0, _marker(token)))
        elif token.type == "table_open":
            found.append(("table", first + 1, last, ""))
        elif token.type == "tr_open":
            row = []
        elif token.type in ("th_open", "td_open"):
            row.append(tokens[index + 1].content.replace("\x00", "\ufffd"))
        elif token.type == "tr_close":
            found.append(("row", 0, 0, repr(row)))
        elif token.type in ("list_item_close", "blockquote_close", "bullet_list_close", "ordered_list_close"):
            found.append(("end", 0, 0, ""))
    return _merged(found)


def _marker(token: Token) -> str:
    if token.type == "list_item_open":
        return token.info + token.markup
    return token.markup if token.type != "blockquote_open" else ""


def _merged(found: list[Seen]) -> list[Seen]:
    """Definitions are no blocks of their own for us: they belong to the paragraph they begin, or are one."""
    out: list[Seen] = []
    for kind, first, last, words in found:
        previous = out[-1] if out else None
        after = previous is not None and previous[0] == "definition" and previous[2] == first - 1
        if kind in ("definition", "paragraph") and after and previous is not None:
            out[-1] = ("definition", previous[1], last, "")
        else:
            out.append((kind, first, last, words))
    return out


def by_scanner(text: str) -> list[Seen]:
    """The blocks that the scanner sees."""
    document = Document.parse(text)
    found: list[Seen] = []
    _walk(document, document.root, found, lines_of(text))
    return found


def _walk(document: Document, parent: Node, found: list[Seen], lines: list[str]) -> None:
    for node in parent.children:
        last = _last(lines, node.first, node.last + 1)
        first = node.first + 1
        if node.kind in (scanner.QUOTE, scanner.LIST, scanner.ITEM):
            found.append((node.kind, first, 0, node.marker))
            _walk(document, node, found, lines)
            found.append(("end", 0, 0, ""))
            continue
        words = ""
        if node.kind == scanner.PARAGRAPH:
            words = _clean(paragraph_text(document.source, node))
        elif node.kind == scanner.HEADING:
            words = f"{node.width} {_clean(heading_of(document.source, node).text)}"
        elif node.kind == scanner.FENCE:
            words = document.text[node.content : document.source.bounds[1][node.first]].strip()
        found.append((node.kind, first, last, words))
        if node.kind == scanner.TABLE:
            table = table_of(document.source, node)
            rows = [[cell.text for cell in row.cells] for row in (table.header, *table.rows)]
            for row in rows:
                cells = [*row, *[""] * (len(rows[0]) - len(row))][: len(rows[0])]
                found.append(("row", 0, 0, repr([cell.replace("\x00", "\ufffd") for cell in cells])))


def compare(text: str) -> list[tuple[Seen | None, Seen | None]]:
    """Pairs (reference, scanner) where the two differ, from the first difference on; empty if they agree."""
    reference, ours = by_reference(text), by_scanner(text)
    pairs: list[tuple[Seen | None, Seen | None]] = []
    for index in range(max(len(reference), len(ours))):
        theirs = reference[index] if index < len(reference) else None
        mine = ours[index] if index < len(ours) else None
        if theirs is not None and mine is not None and theirs[0] == "definition" and mine[0] == "paragraph":
            theirs = ("paragraph", *theirs[1:3], mine[3])
        if theirs != mine:
            pairs.append((theirs, mine))
            break
    return pairs
