"""Keys set and removed; all other bytes stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.errors import DocumentError
from orchestrator.markdown.document import Document
from orchestrator.markdown.front_matter_edits import remove_key, set_key
from orchestrator.markdown.values import Value
from tests.markdown.texts import anything, change, every_text, phrases

LONG = """---
a: 1  # why
b: [1, 2]
list:
  # about the list
  - x
  - y # about y

map:
  k: v
  n: w
block: |
  text

  more
# at the end
z: >-
  folded
---
# Title
"""

SET: list[tuple[str, str, Value, str]] = [
    ("---\na: 1\n---\n", "a", "2", "---\na: 2\n---\n"),
    ("---\na: 1  # why\n---\n", "a", "two words", "---\na: two words  # why\n---\n"),
    ("---\na: 1  # why\n---\n", "a", "", "---\na:  # why\n---\n"),
    ("---\na:   # why\n---\n", "a", "1", "---\na: 1   # why\n---\n"),
    ("---\na:\nb: 1\n---\n", "a", ("x", "y"), "---\na: [x, y]\nb: 1\n---\n"),
    ("---\na: 'x'\n---\n", "a", "it's: so", '---\na: "it\'s: so"\n---\n'),
    ("---\r\na: 1\r\n---\r\ntext", "b", "2", "---\r\na: 1\r\nb: 2\r\n---\r\ntext"),
    ("---\n  a: 1\n---\n", "b", "2", "---\n  a: 1\n  b: 2\n---\n"),
    ("---\n---\n", "a", {"k": "v", "l": ("1", "2")}, "---\na: {k: v, l: [1, 2]}\n---\n"),
    ("---\n'a': 1\n---\n", "a", "2", "---\n'a': 2\n---\n"),
    ("---\na:\n  - x\n  - y\nb: 1\n---\n", "a", ("x",), "---\na: [x]\nb: 1\n---\n"),
    ("---\na:\n  k: v\n---\n", "a", "", "---\na:\n---\n"),
    ("---\na: |\n  t\n\n  u\nb: 1\n---\n", "a", "one", "---\na: one\nb: 1\n---\n"),
    ("---\na: # why\n  - x\n  # in between\n  - y\n---\n", "a", "1", "---\na: 1 # why\n---\n"),
    ("# Title\n", "a", "1", "---\na: 1\n---\n# Title\n"),
    ("\ufeff# Title\r\n", "a", "1", "\ufeff---\r\na: 1\r\n---\r\n# Title\r\n"),
    ("", "a", "", "---\na:\n---\n"),
]


@pytest.mark.parametrize(("text", "key", "value", "expected"), SET)
def test_a_key_is_set_at_its_place(text: str, key: str, value: Value, expected: str) -> None:
    document = set_key(Document.parse(text), key, value)
    assert document.text == expected
    assert set_key(document, key, value) is document


@pytest.mark.parametrize(
    ("key", "taken", "put"),
    [
        ("a", "1", "9"),
        ("b", "[1, 2]", "9"),
        ("list", "", " 9"),
        ("map", "\n  k: v\n  n: w", " 9"),
        ("block", "|\n  text\n\n  more", "9"),
        ("z", ">-\n  folded", "9"),
    ],
)
def test_only_the_value_is_replaced_in_a_long_front_matter(key: str, taken: str, put: str) -> None:
    document = set_key(Document.parse(LONG), key, "9")
    if key == "list":
        # A comment between the key and its list stays; the list's own lines go.
        expected = LONG.replace("list:\n", "list: 9\n").replace("  - x\n  - y # about y\n", "")
        assert document.text == expected
    else:
        assert change(LONG, document.text) == (taken, put)


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        ("a", "a: 1  # why\n"),
        ("list", "list:\n  # about the list\n  - x\n  - y # about y\n"),
        ("map", "map:\n  k: v\n  n: w\n"),
        ("block", "block: |\n  text\n\n  more\n"),
    ],
)
def test_a_key_is_removed_with_its_lines_and_nothing_else(key: str, lines: str) -> None:
    assert lines in LONG
    assert remove_key(Document.parse(LONG), key).text == LONG.replace(lines, "")


def test_removing_a_key_that_is_not_there_changes_nothing() -> None:
    document = Document.parse(LONG)
    assert remove_key(document, "nothing") is document
    bare = Document.parse("# Title\n")
    assert remove_key(bare, "a") is bare


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("---\na: @x\n---\n", "broken-front-matter"),
        ("---\na: 1\n# never closed\n", "unclosed-front-matter"),
        ("\n---\na: 1\n---\n", "text-above-front-matter"),
        ("---\nb: 1\na: 1\na: 2\n---\n", "duplicate-key"),
        ("---\n{a: 1}\n---\n", "flow-front-matter"),
    ],
)
def test_front_matter_that_cannot_be_trusted_is_not_touched(text: str, code: str) -> None:
    document = Document.parse(text, "f.md")
    for edit in (lambda: set_key(document, "a", "9"), lambda: remove_key(document, "a")):
        with pytest.raises(DocumentError) as caught:
            edit()
        assert [problem.code for problem in caught.value.problems] == [code]


def test_another_key_than_the_doubled_one_can_be_set() -> None:
    text = "---\nb: 1\na: 1\na: 2\n---\n"
    assert set_key(Document.parse(text), "b", "2").text == text.replace("b: 1", "b: 2")


@pytest.mark.parametrize("value", ["\ud800", {"k" * 300: "v"}])
def test_what_yaml_cannot_hold_is_refused(value: Value) -> None:
    with pytest.raises(ValueError, match=r"surrogate|a key of"):
        set_key(Document.parse(""), "a", value)


_strings = st.one_of(
    phrases, st.sampled_from(["null", "~", "no", "1.10", "---", "- x", "# c", "a: b", "*x", "orch/5.1"])
)
_values: st.SearchStrategy[Value] = st.recursive(
    _strings,
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.dictionaries(_strings, inner, max_size=3)),
    max_leaves=6,
)
_starts = st.sampled_from([text for text, _, _, _ in SET] + [LONG])


@settings(max_examples=150)
@given(_starts, st.one_of(st.sampled_from(["a", "b", "list", "map", "z"]), _strings), _values)
def test_any_value_reads_back_and_the_rest_stays(text: str, key: str, value: Value) -> None:
    before = Document.parse(text)
    after = set_key(before, key, value)
    assert after.front_matter is not None and after.front_matter.get(key) == value
    assert set_key(after, key, value) is after
    assert after.text.endswith(text[before.front_matter.span.end :] if before.front_matter else text.lstrip("\ufeff"))
    for other, line in (("a", "a: 1  # why"), ("b", "b: [1, 2]"), ("z", "# at the end\nz: >-\n  folded")):
        assert other == key or line not in text or line in after.text
    removed = remove_key(after, key)
    assert removed.front_matter is not None and key not in removed.front_matter.keys


@given(anything)
def test_a_key_can_be_put_before_any_text_or_its_front_matter_is_told_to_be_broken(text: str) -> None:
    before = Document.parse(text)
    try:
        after = set_key(before, "added", "x y")
    except DocumentError:
        assert before.top_problems or text.lstrip("\ufeff").startswith("---")
        return
    assert after.front_matter is not None and after.front_matter.get("added") == "x y"
    assert change(before.text, after.text)[0] == ""


def test_in_every_file_a_new_key_is_one_new_line() -> None:
    for name, text in every_text():
        document = Document.parse(text)
        if document.top_problems:
            continue
        taken, put = change(text, set_key(document, "zz-new", "1").text)
        front = document.front_matter
        assert taken == "", name
        # Lines that begin alike make the cut fall within one; what was put in is the same turned round.
        assert sorted(put.strip("\r\n-")) == sorted("zz-new: 1"), name
        assert (front is None) == (put.count("---") >= 2), name
