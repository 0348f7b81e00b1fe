"""A document gives its text back, and only its top level is structure."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given

from orchestrator.errors import Location, Problem, Severity
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.source import Span
from tests.conftest import ROOT
from tests.markdown.texts import DATA, anything, every_text, long_text, read


def whole(text: str) -> None:
    """Everything that must hold for the document of any text whatever."""
    document = Document.parse(text, "f.md")
    assert document.text == str(document) == text
    assert "".join(block.span.of(text) for block in document.blocks) == text
    assert [block.line for block in document.blocks] == [
        document.source.line_at(b.span.start).number for b in document.blocks
    ]
    for heading in document.headings:
        assert heading.span.covers(heading.text_span)
        assert (
            heading.text.replace("\n", "") in heading.text_span.of(text).replace("\r", "").replace("\n", "")
            or "\n" in heading.text
        )
        assert heading.line == document.source.line_at(heading.span.start).number
    for section in document.sections:
        assert section.span.covers(section.body) and section.body.covers(section.own)
        assert section.heading.span.end == section.body.start == section.own.start
    for table in document.tables:
        for row in (table.header, *table.rows):
            for cell in row.cells:
                assert row.span.covers(cell.span)
                assert cell.span.of(text).replace("\\|", "|") == cell.text
    for item in document.items:
        within(text, item)
    assert document.edited().text == text


def within(text: str, item: Item) -> None:
    assert item.span.covers(item.text_span)
    assert item.text.split("\n")[0] == item.text_span.of(text).replace("\r", "\n").split("\n")[0].strip(" \t")
    assert (item.box is None) == (item.box_span is None)
    if item.box_span is not None:
        assert item.box_span.of(text) == item.box
        assert text[item.box_span.start - 1] == "[" and text[item.box_span.end] == "]"
    for child in item.children:
        assert item.span.covers(child.span) and child.depth == item.depth + 1
        within(text, child)


@given(anything)
def test_any_text_goes_through_unchanged_and_every_span_tells_the_truth(text: str) -> None:
    whole(text)


def test_every_file_goes_through_unchanged_and_every_span_tells_the_truth() -> None:
    texts = every_text()
    assert len(texts) > 15
    for _, text in texts:
        whole(text)


def test_structure_is_read_the_same_under_every_line_ending_and_a_byte_order_mark() -> None:
    text = read(DATA / "crlf.md")
    plain = Document.parse(text.replace("\r\n", "\n"))
    for other in (text, text.replace("\r\n", "\r"), "\ufeff" + text):
        document = Document.parse(other)
        assert [heading.text for heading in document.headings] == [heading.text for heading in plain.headings]
        assert [item.text for item in document.items] == [item.text for item in plain.items]
        assert [[c.text for c in row.cells] for row in document.tables[0].rows] == [["hall", "12"]]
        assert document.front_matter is not None and document.front_matter.get("ids") == {"a": "1.10", "b": "no"}


def boxes(document: Document) -> list[tuple[int, int, str | None, str]]:
    found: list[tuple[int, int, str | None, str]] = []

    def gather(items: tuple[Item, ...]) -> None:
        for item in items:
            found.append((item.line, item.depth, item.box, item.text))
            gather(item.children)

    gather(document.items)
    return found


def test_boxes_of_all_kinds_are_read_and_legends_links_and_code_are_none() -> None:
    assert boxes(Document.parse(read(DATA / "boxes.md"))) == [
        (3, 0, " ", "open"),
        (4, 0, "x", "done"),
        (5, 0, "X", "capital"),
        (6, 0, "~", "partial"),
        (7, 0, " ", "numbered"),
        (8, 0, "-", "with a bracket"),
        (9, 0, " ", "box on the next line"),
        (11, 0, " ", ""),
        (12, 0, "P", "= a legend"),
        (13, 0, None, "[link](u)"),
        (14, 0, None, "[x]no blank"),
        (15, 0, None, "[ab] two letters"),
        (16, 0, None, "text [ ] later"),
        (17, 0, " ", "outer\ngoes on\nlazily"),
        (22, 1, " ", "inner"),
        (23, 2, "x", "innermost"),
        (24, 1, "x", "inner two"),
        (28, 0, None, ""),
        (29, 0, None, ""),
        (30, 0, None, ""),
        (30, 1, " ", "twice"),
    ]


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("nested_fences.md", ["Fences", "heading", "Real"]),
        ("html.md", ["HTML", "yes one", "yes two", "yes three", "yes four"]),
        ("quotes.md", ["Quotes", "heading"]),
        ("equal_fences.md", ["Equal", "Heading that is one, since the inner fence closed nothing"]),
        (
            "setext.md",
            ["Title", "Two lines\nof a heading", "created: 2024-01-02", "Heading below a definition"],
        ),
        ("accidents.md", ["one", "closed", "closed badly ##x", "", ""]),
    ],
)
def test_headings_in_fences_comments_quotes_and_items_are_text(name: str, headings: list[str]) -> None:
    assert [heading.text for heading in Document.parse(read(DATA / name)).headings] == headings


def test_tables_are_read_as_github_reads_them() -> None:
    tables = Document.parse(read(DATA / "tables.md")).tables
    assert [[[cell.text for cell in row.cells] for row in (table.header, *table.rows)] for table in tables] == [
        [["a", "b"], ["1", "`x|y`"], ["only one"], ["1", "2", "3"], ["lazy row"]],
        [["a", "b"], ["1", "2"]],
        [["h"], ["c"]],
        [["a", "b"], ["", "x"], ["|"]],
        [["a", "b"]],
    ]


def test_tables_and_cells_that_are_not_read_are_told() -> None:
    text = "| a | `b|c` |\n|---|---|\n\n| a | b |\n|---|---|\n| 1 | `x|y` |\n| 1 | 2 | |\n\na\n--- | ---\n"
    hint = "write a pipe inside a cell as `\\|`, in code too"
    assert Document.parse(text, "f.md").problems == (
        Problem(
            "lost-table",
            "this isn't read as a table: 3 cells above 2 columns",
            Location("f.md", 1, 1, 13, "| a | `b|c` |"),
            hint=f"give header and delimiter row as many cells; {hint}",
            severity=Severity.WARNING,
        ),
        Problem(
            "lost-cell",
            "this row has 3 cells, its table 2 columns",
            Location("f.md", 6, 10, 2, "| 1 | `x|y` |"),
            hint=hint,
            severity=Severity.WARNING,
        ),
    )


def test_sections_end_at_the_next_heading_of_their_level_or_above() -> None:
    text = "# A\n\na\n\n## B\n\nb\n\n#### D\n\nd\n\n## C\n\nc\n\n# E"
    document = Document.parse(text)
    assert [(section.heading.text, section.span.of(text), section.own.of(text)) for section in document.sections] == [
        ("A", text[:-3], "\na\n\n"),
        ("B", "## B\n\nb\n\n#### D\n\nd\n\n", "\nb\n\n"),
        ("D", "#### D\n\nd\n\n", "\nd\n\n"),
        ("C", "## C\n\nc\n\n", "\nc\n\n"),
        ("E", "# E", ""),
    ]


def test_a_section_is_found_by_its_words_without_regard_to_case_and_marks() -> None:
    document = Document.parse("# Goal\n\n## **The** `Board`\n\n### goal\n")
    found = document.section("the board")
    assert found is not None and found.heading.line == 3
    deeper = document.section("GOAL", level=3)
    assert deeper is not None and deeper.heading.line == 5
    assert document.section("goal") == document.sections[0]
    assert document.section("board") is None and document.section("goal", level=2) is None


def test_views_of_a_span_hold_what_lies_wholly_inside() -> None:
    text = "- before\n\n# A\n\npara\n\n- one\n- two\n\n| a |\n|---|\n\n# B\n\n- after\n"
    document = Document.parse(text)
    body = document.sections[0].body
    assert [item.text for item in document.items_in(body)] == ["one", "two"]
    assert [table.header.line for table in document.tables_in(body)] == [10]
    assert [block.span.of(text) for block in document.paragraphs_in(body)] == ["para\n"]
    assert [block.kind for block in document.blocks_in(body)] == [
        "blank",
        "paragraph",
        "blank",
        "list",
        "blank",
        "table",
        "blank",
    ]
    assert document.items_in(Span(0, 5)) == () and len(document.items_in(Span(0, len(text)))) == 4


def test_what_never_ends_is_told_where_it_begins() -> None:
    text = "# A\n\n  ~~~~ py\ncode\n\n## lost\n"
    assert Document.parse(text, "f.md").problems == (
        Problem(
            "unclosed-fence",
            "this code fence never ends, so all that follows is read as code",
            Location("f.md", 3, 3, 4, "  ~~~~ py"),
            hint="close it with a line of just ~~~~; around other fences it takes more marks than theirs",
        ),
    )
    assert [one.code for one in Document.parse("<!-- a\n# lost\n").problems] == ["unclosed-comment"]
    assert [one.code for one in Document.parse("<script>\n# lost\n").problems] == ["unclosed-html"]
    assert Document.parse("<div>\n# lost\n\n<!-- a\n-->\n\n- ```\n\n> <!--\n").problems == ()


def test_a_fence_in_a_fence_of_as_many_marks_is_told_of() -> None:
    (problem,) = Document.parse("````md\n ````py\nx\n````\n", "f.md").problems
    assert problem == Problem(
        "nested-fence",
        "this fence is inside the one of line 1, and its end closes that one",
        Location("f.md", 2, 2, 6, " ````py"),
        hint="give the outer fence more marks: `````",
        severity=Severity.WARNING,
    )
    for text in (
        "````md\n```py\nx\n```\n````\n",
        "~~~\n```py\n~~~\n",
        "```\n```\n```py\n```\n",
        "```\n``` a `b`\n```\n",
    ):
        assert Document.parse(text).problems == (), text


def test_an_edited_document_is_a_new_one_with_the_same_name() -> None:
    document = Document.parse("# A\n", "f.md")
    after = document.edited(Edit(Span(2, 3), "B"))
    assert (after.text, after.source.name) == ("# B\n", "f.md")
    assert (document.text, [heading.text for heading in document.headings]) == ("# A\n", ["A"])


def seconds(text: str) -> float:
    """The best of three: processor time to read all of a text."""
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        document = Document.parse(text)
        assert document.sections and document.items and document.tables and document.blocks
        best = min(best, time.process_time() - start)
    return best


def test_four_times_the_lines_take_about_four_times_as_long() -> None:
    assert seconds(long_text(12_000)) < 9 * seconds(long_text(3_000))


def test_reading_needs_no_heavy_library() -> None:
    program = (
        "import sys\nfrom orchestrator.markdown.document import Document\n"
        "import orchestrator.markdown.front_matter_edits, orchestrator.markdown.section_edits\n"
        "d = Document.parse('---\\na: [1]\\nb: {c: d}\\n---\\n# T\\n\\n- [ ] x\\n')\n"
        "assert d.front_matter.get('a') == ('1',) and d.items and not d.problems\n"
        "print(sorted({'yaml', 'mistune', 'frontmatter', 'difflib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
