"""What mistune and python-frontmatter say to the same text."""

from __future__ import annotations

import pytest

from orchestrator.errors import Location, Problem, Severity
from orchestrator.markdown.document import Document
from orchestrator.markdown.second_opinion import frontmatter_values, mistune_marks, own_marks, second_opinion
from tests.markdown.texts import DATA, need_real_files, read, real_files


def test_both_readers_see_the_same_headings_and_fences_of_a_usual_text() -> None:
    text = "\ufeff---\na: 1.10\nb: [no, ~]\n---\n# A *b* #\n\n```py\nx = 1\n\n# no\n```\n\n- item\n  # no\n\n"
    text += "Set\next\n---\n\n~~~\nend\n"
    document = Document.parse(text)
    marks = [("heading", 1, "A *b*"), ("fence", 0, "x = 1\n\n# no"), ("heading", 2, "Set\next"), ("fence", 0, "end")]
    assert [mark.key for mark in own_marks(document)] == [mark.key for mark in mistune_marks(document)] == marks
    assert [mark.line for mark in own_marks(document)] == [5, 7, 16, 20]
    assert frontmatter_values(document) == {"a": "1.10", "b": ("no", "")}
    assert second_opinion(document) == ()


def differing(text: str) -> tuple[Problem, ...]:
    return second_opinion(Document.parse(text, "f.md"))


def test_a_heading_that_only_the_scanner_sees_is_told_at_its_line() -> None:
    assert differing("# A\n\n> quoted\n#\n\n## B\n") == (
        Problem(
            "readers-differ",
            "mistune, another reader of Markdown, doesn't see this heading",
            Location("f.md", 4, 1, 1, "#"),
            hint="set it off by blank lines; close fences and HTML above it",
            severity=Severity.WARNING,
        ),
    )


def test_keys_that_python_frontmatter_reads_otherwise_are_told() -> None:
    found = differing('---\na: "x\n----\ny"\nb: 1\n---\n# T\n')
    assert [(one.message, str(one.at), one.severity) for one in found] == [
        ("python-frontmatter, another reader, reads the key 'a' otherwise", "f.md:2:4", Severity.WARNING),
        ("python-frontmatter, another reader, reads the key 'b' otherwise", "f.md:5:4", Severity.WARNING),
    ]


def test_faults_that_are_told_already_are_not_told_twice() -> None:
    assert differing("---\na: @x\n---\n# T\n") == ()


@pytest.mark.parametrize(
    "name", ["crlf.md", "bom.md", "bom_heading.md", "nested_fences.md", "front_matter_full.md", "tables.md"]
)
def test_our_odd_files_are_read_alike(name: str) -> None:
    assert second_opinion(Document.parse(read(DATA / name))) == ()


def test_real_files_are_read_alike_by_all() -> None:
    need_real_files()
    told = {path.name: second_opinion(Document.parse(read(path), path.name)) for path in real_files()}
    assert {name: problems for name, problems in told.items() if problems} == {}
