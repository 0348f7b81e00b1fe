"""The small reader of front matter agrees with PyYAML on everything it takes, and takes the usual things."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.markdown.full_yaml import read_full
from orchestrator.markdown.plain_yaml import NotPlain, read_plain
from orchestrator.markdown.source import Source
from orchestrator.markdown.values import NULLS, Entry, Value

_ATOMS = [
    "a",
    "b",
    "1",
    "1.10",
    "no",
    "~",
    "null",
    "x y",
    "-",
    "- ",
    "-x",
    ":",
    ": ",
    "::",
    "#",
    " #",
    " # c",
    "'",
    "''",
    '"',
]
_ATOMS += [
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "*",
    "&",
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "?",
    "? ",
    "\\",
    "\t",
    "é",
    "日本",
    "\u2028",
]
_ATOMS += [
    "\x85",
    "\xa0",
    "\ufeff",
    "😀",
    "http://x/y",
    "10:12:03Z",
    "{a: b}",
    "[a, b]",
    "'q'",
    "'it''s'",
    '"dq"',
    '"a\\n"',
]
_ATOMS += [
    "k: v",
    "k:v",
    "<<",
    "=",
    "...",
    "---",
    "--- x",
    " ",
    "  ",
    "[a, [b, {c: d}]]",
    "{a: [b], 'c d': e}",
    "[]",
    "{}",
]
_ATOMS += ["{a}", "[a,]", "\x07", ""]

_values = st.lists(st.sampled_from(_ATOMS), max_size=4).map("".join)
_keys = st.sampled_from(["a", "b", "key", "a_b", "a-b", "no", "1", "a.b", "'q'", '"q"', "k k", "é", "", "- a", "  x"])
_body_lines = st.one_of(
    st.builds(lambda key, blank, value: f"{key}:{blank}{value}", _keys, st.sampled_from([" ", "", "  "]), _values),
    st.builds(
        lambda indent, key, blank, value: f"{indent}{key}:{blank}{value}",
        st.sampled_from(["", " ", "  ", "    "]),
        _keys,
        st.sampled_from([" ", "", " # c"]),
        st.sampled_from(["", "", "x", "[a, b]", "{c: d}", "'q'"]),
    ),
    st.builds(lambda indent, value: f"{indent}- {value}", st.sampled_from(["", "  ", " ", "    "]), _values),
    st.builds(lambda value: f"# {value}", _values),
    st.sampled_from(["", "  ", "   x: y", "  more", "-"]),
)
bodies = st.lists(st.tuples(_body_lines, st.sampled_from(["\n", "\n", "\r\n"])), min_size=1, max_size=7).map(
    lambda lines: "".join(line + ending for line, ending in lines)
)


def by_reference(body: str) -> list[tuple[str, Value]]:
    """Keys and values as PyYAML composes them, every scalar a string, a plain null the empty one."""
    node = yaml.compose(body, Loader=yaml.BaseLoader)
    if node is None:
        return []
    assert isinstance(node, yaml.MappingNode)
    return [(key.value, _value(value)) for key, value in node.value]


def _value(node: yaml.Node) -> Value:
    if isinstance(node, yaml.ScalarNode):
        return "" if node.style is None and node.value in NULLS else str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(one) for one in node.value)
    assert isinstance(node, yaml.MappingNode)
    return {key.value: _value(value) for key, value in node.value}


def small(body: str) -> list[Entry]:
    source = Source(body)
    return read_plain(source, 0, len(source.lines))


def spans(entries: list[Entry] | tuple[Entry, ...]) -> list[object]:
    """Everything but the key spans of list places, which only one of the readers has a use for."""
    return [(e.key, e.value, e.span, () if e.key.isdigit() else e.key_span, spans(e.inner)) for e in entries]


@settings(max_examples=400)
@given(bodies)
def test_what_the_small_reader_takes_it_reads_as_yaml_does_at_the_same_places(body: str) -> None:
    try:
        entries = small(body)
    except NotPlain:
        return
    assert [(entry.key, entry.value) for entry in entries] == by_reference(body)
    assert spans(entries) == spans(read_full(body, 0))


_nested_lines = st.builds(
    lambda indent, key, rest: f"{indent}{key}{rest}",
    st.sampled_from(["", "", " ", "  ", "  ", "    "]),
    st.sampled_from(["a:", "b:", "c:", "d:", "e:", "- x"]),
    st.sampled_from(["", "", "", " x", " [a, b]", " {c: d}", " # c", "  "]),
)


@settings(max_examples=400)
@given(st.lists(_nested_lines, min_size=2, max_size=8).map("\n".join))
def test_mappings_within_mappings_are_read_as_yaml_does_at_the_same_places(body: str) -> None:
    body = f"a:\n{body}\n"
    try:
        entries = small(body)
    except NotPlain:
        return
    assert [(entry.key, entry.value) for entry in entries] == by_reference(body)
    assert spans(entries) == spans(read_full(body, 0))


TAKEN = {
    "workers:  # x\n  small: {driver: command}\n\n  mid:\n    driver: x\n    args:\n    - a\n  top:\ngate: stop\n": [
        ("workers", {"small": {"driver": "command"}, "mid": {"driver": "x", "args": ("a",)}, "top": ""}),
        ("gate", "stop"),
    ],
    "orchestration: 5\ntitle: Event triggers\ncreated: 2026-11-29\n": [
        ("orchestration", "5"),
        ("title", "Event triggers"),
        ("created", "2026-11-29"),
    ],
    "a: 1.10\nb: 010\nc: no\nd: 1_000\ne: 12:30\n": [
        ("a", "1.10"),
        ("b", "010"),
        ("c", "no"),
        ("d", "1_000"),
        ("e", "12:30"),
    ],
    "a: ~\nb: null\nc:\nd: ''\n": [("a", ""), ("b", ""), ("c", ""), ("d", "")],
    "small:    {driver: claude, model: haiku, turns: 40}   # by size\n": [
        ("small", {"driver": "claude", "model": "haiku", "turns": "40"})
    ],
    "lint: {paths: ['**/*.py', \"*.pyi\"], run: ruff check, when: land}\n": [
        ("lint", {"paths": ("**/*.py", "*.pyi"), "run": "ruff check", "when": "land"})
    ],
    "ids: {T2.3-markdown-and-redact: 1.2.3, 3a: 1.1.1}\n": [
        ("ids", {"T2.3-markdown-and-redact": "1.2.3", "3a": "1.1.1"})
    ],
    "test: python -m pytest -q --x=1 a/b.py::test_c\n": [("test", "python -m pytest -q --x=1 a/b.py::test_c")],
    "url: http://example.org/a#b\n": [("url", "http://example.org/a#b")],
    "list:\n  - one\n\n  # why\n  - 'it''s'\n  - [x, y]\nnext: 1\n": [
        ("list", ("one", "it's", ("x", "y"))),
        ("next", "1"),
    ],
    "list:\n- a\n- b\n": [("list", ("a", "b"))],
    "branch: orch/{n}-{slug}\n": [("branch", "orch/{n}-{slug}")],
    "empty: []\nnone: {}\n": [("empty", ()), ("none", {})],
    "# only a comment\n": [],
}


@pytest.mark.parametrize("body", TAKEN)
def test_the_usual_things_need_no_library(body: str) -> None:
    assert [(entry.key, entry.value) for entry in small(body)] == TAKEN[body] == by_reference(body)
    crlf = body.replace("\n", "\r\n")
    assert [(entry.key, entry.value) for entry in small(crlf)] == TAKEN[body]


@pytest.mark.parametrize(
    "body",
    [
        *[
            "a: |\n  text\n",
            "a: >-\n  text\n",
            "a: one\n  two\n",
            "a:\n  text\n",
            "a: &x y\n",
            "a: *x\n",
        ],
        *[
            "a: !!str b\n",
            "- a\n",
            "a\n",
            "'q': b\n",
            "a b: c\n",
            "  a: b\n",
            "a: [b,\n  c]\n",
            "a: 'b\n  c'\n",
            "a: b: c\n",
        ],
        *["a: [b: c]\n", "a: {b}\n", "a: [b,]\n", 'a: "x\\ny"\n', "a:\tb\n", "a: b\tc\n", "a: b\u2028c\n", "a: \x07\n"],
        *[
            "a:\n  - b: c\n",
            "a:\n  - - b\n",
            "a:\n  - b\n    c\n",
            "a:\n  -\n",
            "a:\n - b\n  - c\n",
            "? a\n: b\n",
            "{a: b}\n",
        ],
    ],
)
def test_anything_more_is_declined(body: str) -> None:
    with pytest.raises(NotPlain):
        small(body)
