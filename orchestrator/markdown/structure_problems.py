"""What is wrong with the structure of a text, told at its place: blocks that never end, tables that aren't read,
conflicts of a merge that nobody has resolved.

Owns the faults that hide part of a text from every reader of Markdown. Says nothing of what the text is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.errors import Problem, Severity
from orchestrator.markdown import grammar
from orchestrator.markdown.blocks import Table
from orchestrator.markdown.scanner import FENCE, HTML, PARAGRAPH, Node
from orchestrator.markdown.source import BOM, Source
from orchestrator.patterns import regex

_PIPE_HINT = "write a pipe inside a cell as `\\|`, in code too"

_CONFLICT = regex(rf"(?:\A{BOM}?|(?<=\r)|(?<=\n))(?:<{{7}}|>{{7}}|={{7}}(?=[\r\n]|\Z))(?![<>=])[^\r\n]*")


def may_hold_conflict(text: str) -> bool:
    """Whether the text could hold a conflict: no means no, told in a moment."""
    return "<<<<<<<" in text or ">>>>>>>" in text


def structure_problems(source: Source, root: Node, tables: Iterable[Table]) -> tuple[Problem, ...]:
    """All such faults of the top level, in the order of their places."""
    found = [
        *_conflicts(source, root),
        *_unclosed(source, root),
        *_nested_fences(source, root),
        *_lost_tables(source, root),
        *_lost_cells(source, tables),
    ]
    return tuple(sorted(found, key=lambda one: one.at.line if one.at else 0))


def _conflicts(source: Source, root: Node) -> Iterator[Problem]:
    """Both sides of a conflict would be read as content. Its end alone counts behind a line of `=======`."""
    if not may_hold_conflict(source.text):
        return
    fences = [node for node in root.children if node.kind == FENCE]
    marks = ""
    for found in _CONFLICT.finditer(source.text):
        start = found.start() + len(found[0]) - len(found[0].lstrip(BOM))
        line = source.index_at(start)
        if any(node.first < line <= node.last for node in fences) and "<" not in marks:
            # An example of one.
            continue
        mark = source.text[start]
        marks = mark if mark == "<" else marks + mark
        if mark == "<" or marks == "=>":
            yield Problem(
                "merge-conflict",
                "a conflict of a merge stands here that isn't resolved",
                source.location(start, found.end() - start),
                hint="keep what is right of the two sides and take out the lines with <<<<<<<, ======= and >>>>>>>",
                severity=Severity.FILE,
            )
        if mark == ">":
            marks = ""


def _unclosed(source: Source, root: Node) -> Iterator[Problem]:
    for node in root.children:
        if node.closed:
            continue
        if node.kind == FENCE:
            yield Problem(
                "unclosed-fence",
                "this code fence never ends, so all that follows is read as code",
                source.location(node.start, len(node.marker)),
                hint=f"close it with a line of just {node.marker}; around other fences it takes more marks than theirs",
            )
        elif node.kind == HTML and node.width in grammar.HTML_END:
            comment = node.width == grammar.COMMENT
            yield Problem(
                "unclosed-comment" if comment else "unclosed-html",
                f"this {'comment' if comment else 'HTML'} never ends, so all that follows is read as part of it",
                source.location(node.start, 4),
                hint="close it with `-->`" if comment else "close it, or write `<` as `&lt;`",
            )


def _nested_fences(source: Source, root: Node) -> Iterator[Problem]:
    """A line in a fence that opens another one of as many marks: that one's end ends the outer one."""
    starts, ends = source.bounds
    for node in root.children:
        if node.kind != FENCE or source.text.find(node.marker, node.content, starts[node.last]) < 0:
            continue
        for index in range(node.first + 1, node.last):
            line = source.text[starts[index] : ends[index]]
            mark = line.lstrip(" ")
            width = len(mark) - len(mark.lstrip(node.marker[0]))
            info = mark[width:].strip()
            if width >= len(node.marker) and info and len(info.split()) == 1 and "`" not in info:
                more = node.marker[0] * (width + 1)
                yield Problem(
                    "nested-fence",
                    f"this fence is inside the one of line {node.first + 1}, and its end closes that one",
                    source.location(starts[index] + len(line) - len(mark), len(mark.rstrip())),
                    hint=f"give the outer fence more marks: {more}",
                    severity=Severity.WARNING,
                )
                break


def _lost_tables(source: Source, root: Node) -> Iterator[Problem]:
    ends = source.bounds[1]
    for node in root.children:
        if node.kind != PARAGRAPH or len(node.starts) < 2:
            continue
        lines = [source.text[start : ends[node.first + n]] for n, start in enumerate(node.starts)]
        for n, line in enumerate(lines[1:], start=1):
            columns = grammar.delimiter_count(line.rstrip(" \t")) if line[0] in "|:-" and "|" in line else 0
            if columns and "|" in lines[n - 1]:
                cells = len(grammar.split_row(lines[n - 1])[1])
                yield Problem(
                    "lost-table",
                    f"this isn't read as a table: {_count(cells, 'cell')} above {_count(columns, 'column')}",
                    source.location(node.starts[n - 1], len(lines[n - 1].rstrip(" \t"))),
                    hint=f"give header and delimiter row as many cells; {_PIPE_HINT}",
                    severity=Severity.WARNING,
                )


def _lost_cells(source: Source, tables: Iterable[Table]) -> Iterator[Problem]:
    for table in tables:
        columns = len(table.header.cells)
        for row in table.rows:
            if len(row.texts) <= columns:
                continue
            extra = [cell for cell in row.cells[columns:] if cell.text]
            if extra:
                yield Problem(
                    "lost-cell",
                    f"this row has {_count(len(row.cells), 'cell')}, its table {_count(columns, 'column')}",
                    source.location(extra[0].span.start, len(extra[0].span)),
                    hint=_PIPE_HINT,
                    severity=Severity.WARNING,
                )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
