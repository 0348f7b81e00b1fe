"""Inline marks taken off."""

from __future__ import annotations

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from tests.markdown.texts import anything, need_real_files, read, real_files

CASES = {
    "word": "word",
    "  two  words ": "two  words",
    "**bold** and *it* and __both__ and _one_": "bold and it and both and one",
    "***all***": "all",
    "~~gone~~ stays": "gone stays",
    "`code` and ``a ` b``": "code and a ` b",
    "`**not bold**`": "**not bold**",
    "[link](u) and [other](<a b> 'title') and [ref][x]": "link and other and ref",
    "![image](u.png)": "image",
    "**[T1.1](#t11)**": "T1.1",
    "[`T1.1`](#t11) done": "T1.1 done",
    "<https://example.org>": "https://example.org",
    "a<br>b <b>c</b>": "ab c",
    "a \\* b \\| c \\_": "a * b | c _",
    "snake_case_name and `__init__.py`": "snake_case_name and __init__.py",
    "__init__.py": "init.py",
    "mcp__local__apply": "mcp__local__apply",
    "2 * 3 * 4": "2 * 3 * 4",
    "a * b*": "a * b*",
    "** not bold **": "** not bold **",
    "[ ] box": "[ ] box",
    "[x] done": "[x] done",
    "5 &lt; 6 &amp; 7": "5 < 6 & 7",
    "✅ done": "✅ done",
    "`unclosed": "`unclosed",
    "pkg/*/**/x.py": "pkg/*/**/x.py",
    "": "",
}


@pytest.mark.parametrize("text", CASES)
def test_marks_are_taken_off_and_words_stay(text: str) -> None:
    assert plain(text) == CASES[text]


@given(anything)
def test_a_text_without_marks_stays_but_for_outer_white_space(text: str) -> None:
    bare = text.translate({ord(char): None for char in "*_~`[]<>&\\"})
    assert plain(bare) == bare.strip()


PARSER = MarkdownIt("commonmark").enable("strikethrough")


def by_reference(text: str) -> str:
    children = PARSER.parseInline(text)[0].children or []
    breaks = {"softbreak": "\n", "hardbreak": "\n"}
    kept = [breaks.get(token.type, token.content) for token in children if token.type in _SHOWN]
    return "".join(kept).strip()


_SHOWN = {"text", "code_inline", "image", "softbreak", "hardbreak"}


def test_headings_cells_and_items_of_real_files_read_as_the_reference_reads_them() -> None:
    need_real_files()
    texts = {text for path in real_files() for text in _texts(Document.parse(read(path))) if "\n" not in text}
    differ = {text for text in texts if "\x00" not in text and plain(text) != by_reference(text)}
    assert len(texts) > 5_000
    # Emphasis that crosses other emphasis in one very long line; no reader of titles or cells meets that.
    assert len(differ) <= 1


def _texts(document: Document) -> list[str]:
    rows = [row for table in document.tables for row in (table.header, *table.rows)]
    cells = [cell.text for row in rows for cell in row.cells]
    return [*(heading.text for heading in document.headings), *cells, *_of_items(document.items)]


def _of_items(items: tuple[Item, ...]) -> list[str]:
    return [text for item in items for text in (item.text, *_of_items(item.children))]
