"""Front matter: found, read with every scalar a string, and told what is wrong with it."""

from __future__ import annotations

import frontmatter
import pytest
import yaml
from frontmatter.default_handlers import YAMLHandler

from orchestrator.errors import Location, Problem, Severity
from orchestrator.markdown.document import Document
from orchestrator.markdown.source import Span
from orchestrator.markdown.values import Value
from tests.markdown.texts import DATA, need_real_files, read, real_files


def parse(body: str) -> Document:
    return Document.parse(f"---\n{body}---\n# Title\n", "f.md")


def values(document: Document) -> dict[str, Value]:
    front = document.front_matter
    assert front is not None
    return {key: entry.value for key, entry in front.by_key.items()}


def test_every_scalar_is_a_string_in_whatever_form_it_is_written() -> None:
    document = Document.parse(read(DATA / "front_matter_full.md"))
    assert values(document) == {
        "name": "two\nlines",
        "nested": {"deep": {"x": ("1", "2")}, "list": ({"a": "1", "b": "2"},)},
        "text": "block\n\nmore\n",
        "folded": "a b",
        "last": "plain",
    }
    assert document.problems == ()


@pytest.mark.parametrize("top", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_byte_order_mark_and_line_endings_make_no_difference(top: str, ending: str) -> None:
    text = top + "---\na: 1.10\nb: [x, no]\n---\n# Title\n".replace("\n", ending)
    document = Document.parse(text)
    front = document.front_matter
    assert front is not None
    assert values(document) == {"a": "1.10", "b": ("x", "no")}
    assert front.span == Span(len(top), text.index("#"))
    assert front.body.of(text) == "a: 1.10\nb: [x, no]\n".replace("\n", ending)
    assert [heading.text for heading in document.headings] == ["Title"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n",
        "---\n\ntext\n\n---\n",
        "---\ntext\n",
        "----\na: 1\n----\n",
        "text\n",
        "-- -\na: 1\n---\n",
        " ---\na: 1\n---\n",
    ],
)
def test_what_is_no_front_matter_is_none_without_a_word(text: str) -> None:
    document = Document.parse(text)
    assert document.front_matter is None
    assert document.problems == ()


def test_an_empty_front_matter_has_no_keys() -> None:
    document = Document.parse("---\n---\n# Title\n")
    assert values(document) == {}
    assert document.front_matter is not None and document.front_matter.get("a") is None


def file_problem(code: str, message: str, at: Location, hint: str) -> Problem:
    return Problem(code, message, at, hint=hint, severity=Severity.FILE)


BROKEN = {
    "paths: [**/*.py]\n": ("an unquoted `*` begins a YAML alias", Location("f.md", 2, 9, 1, "paths: [**/*.py]")),
    "paths: *.py\n": ("an unquoted `*` begins a YAML alias", Location("f.md", 2, 8, 1, "paths: *.py")),
    "a: &x 1\nb: *x\n": ("an unquoted `*` begins a YAML alias", Location("f.md", 3, 4, 1, "b: *x")),
    "title: fix: colon\n": ("a second `: ` in one value", Location("f.md", 2, 11, 1, "title: fix: colon")),
    "who: [@me]\n": ("a value can't begin with `@`", Location("f.md", 2, 7, 1, "who: [@me]")),
}


@pytest.mark.parametrize("body", BROKEN)
def test_broken_yaml_is_told_at_its_place_with_a_hint(body: str) -> None:
    message, at = BROKEN[body]
    assert parse(body).problems == (file_problem("broken-front-matter", message, at, "put the value in quotes"),)


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        ("a:\tb\n", "a tab where YAML wants spaces", 2),
        ("a: 1\nb\nc: 2\n", "a line that is neither `key: value` nor goes on with a value", 3),
        ("a: 'x\n", "a quote that never ends", 2),
        ("- a\n", "front matter must be `key: value` lines", 2),
        ("a: x\x00y\n", "the character U+0000, which YAML doesn't allow", 2),
        ("? [a]\n: b\n", "a key must be a word", 2),
    ],
)
def test_each_kind_of_break_has_its_own_words(body: str, message: str, line: int) -> None:
    found = [(one.message, one.at.line if one.at else 0, bool(one.hint)) for one in parse(body).problems]
    assert found == [(message, line, True)]


def test_one_broken_value_hides_neither_the_others_nor_their_faults() -> None:
    document = parse("a: @x\nb: fine\nc: [1, 2]\nd: x: y\n")
    assert values(document) == {"b": "fine", "c": ("1", "2")}
    assert [(one.message, str(one.at)) for one in document.problems] == [
        ("a value can't begin with `@`", "f.md:2:4"),
        ("a second `: ` in one value", "f.md:5:5"),
    ]


def test_duplicate_keys_are_told_at_every_depth_and_the_last_one_counts() -> None:
    document = parse("a: 1\nb: {x: 1, x: 2}\na: 3\n")
    assert values(document) == {"a": "3", "b": {"x": "2"}}
    assert document.problems == (
        Problem(
            "duplicate-key",
            "key 'x' is already set on line 3",
            Location("f.md", 3, 11, 1, "b: {x: 1, x: 2}"),
            hint="keep one of the two",
        ),
        Problem(
            "duplicate-key",
            "key 'a' is already set on line 2",
            Location("f.md", 4, 1, 1, "a: 3"),
            hint="keep one of the two",
        ),
    )


def test_front_matter_that_never_ends_is_told_and_read_as_text() -> None:
    document = Document.parse("---\na: 1\n\n# Title\n", "f.md")
    assert document.front_matter is None
    assert document.problems == (
        file_problem(
            "unclosed-front-matter",
            "front matter begins here and never ends",
            Location("f.md", 1, 1, 3, "---"),
            "add a line `---` after the last key",
        ),
    )


@pytest.mark.parametrize("above", ["\n", "generated by hand\n", "<!-- a comment -->\n\n"])
def test_text_above_what_looks_like_front_matter_is_told(above: str) -> None:
    document = Document.parse(above + "---\na: 1\nb:\n  - x\n---\n# Title\n", "f.md")
    line = above.count("\n") + 1
    assert document.front_matter is None
    assert document.problems == (
        Problem(
            "text-above-front-matter",
            "text above the opening `---`: this isn't read as front matter",
            Location("f.md", line, 1, 3, "---"),
            hint="make `---` the very first line",
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\n---\na: 1\n---\n",
        "text\n\n---\n\na: 1\n\n---\n",
        "text\n\n---\nmore text\n---\n",
        "text\n---\n---\n",
    ],
)
def test_rules_and_underlines_in_a_text_are_not_taken_for_misplaced_front_matter(text: str) -> None:
    assert Document.parse(text).problems == ()


def test_places_lead_to_values_keys_and_as_near_as_the_path_goes() -> None:
    document = parse("a: one # c\nb: {x: [1, '2'], y: }\nc:\nd:\n  - e\n  - f\n")
    front = document.front_matter
    assert front is not None

    def place(*path: str | int) -> tuple[str, int]:
        at = front.location(*path)
        return str(at), at.length

    assert place("a") == ("f.md:2:4", 3)
    assert place("b", "x", 1) == ("f.md:3:12", 3)
    assert place("b", "y") == ("f.md:3:18", 1)
    assert place("b", "z", "deeper") == ("f.md:3:4", 18)
    assert place("c") == ("f.md:4:1", 1)
    assert place("d", 1) == ("f.md:7:5", 1)
    assert place("missing") == ("f.md:1:1", 3)


class Strings(YAMLHandler):
    """How python-frontmatter reads when it keeps its hands off the scalars."""

    def load(self, fm: str, **_: object) -> dict[str, object]:
        return yaml.load(fm, Loader=yaml.BaseLoader)


def test_front_matter_of_real_files_reads_as_python_frontmatter_reads_it() -> None:
    need_real_files()
    compared = 0
    for path in real_files():
        document = Document.parse(read(path))
        if document.front_matter is None or document.problems:
            continue
        metadata, _ = frontmatter.parse(document.text.removeprefix("\ufeff"), handler=Strings())
        assert _plain_types(values(document)) == _without_nulls(metadata), path.name
        compared += 1
    assert compared > 10


def _plain_types(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain_types(one) for key, one in value.items()}
    return [_plain_types(one) for one in value] if isinstance(value, tuple) else value


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_nulls(one) for one in value]
    return "" if value in ("null", "~") else value
