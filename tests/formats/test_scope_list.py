"""Lists of paths in all the ways people write them."""

from __future__ import annotations

import pytest

from orchestrator.formats.scope_list import listed_paths
from orchestrator.markdown.source import Span

CASES = [
    ("`a.py`", ["a.py"]),
    ("`a.py`, `b/c.py`", ["a.py", "b/c.py"]),
    ("a.py, b/c.py", ["a.py", "b/c.py"]),
    ("`a.py` and `b.py` + `c.py` & `d.py`", ["a.py", "b.py", "c.py", "d.py"]),
    ("a.py and b.py", ["a.py", "b.py"]),
    ("`a.py` `b.py`", ["a.py", "b.py"]),
    ("new `a.py`, `b.py` (rewrite, with care), new: c.py", ["a.py", "b.py", "c.py"]),
    ("`a.py` — the parser, b.py - the rest", ["a.py", "b.py"]),
    ("`a.py:120`, `b.py:3-9`, c.py:7", ["a.py", "b.py", "c.py"]),
    ("`with blank.py`, `comma,inside.py`", ["with blank.py", "comma,inside.py"]),
    ("``tick`.py``", ["tick`.py"]),
    ("src/{a,b}.py, `src/{c,d}.py`", ["src/{a,b}.py", "src/{c,d}.py"]),
    ("app/(group)/[id].tsx, [slug]/page.tsx", ["app/(group)/[id].tsx", "[slug]/page.tsx"]),
    ("[a.py](src/a.py), **b.py**, **/*.md, **/x/**", ["a.py", "b.py", "**/*.md", "**/x/**"]),
    ("`a.py`,\n  `b.py`", ["a.py", "b.py"]),
    ("`a.py`;\r\n`b.py`", ["a.py", "b.py"]),
    ("`a.py` with a remark of words", ["a.py"]),
    ("a.py (new), (all of them)", ["a.py"]),
    ("new", ["new"]),
    ("none", []),
    ("None.", []),
    ("—", []),
    ("n/a (only tests)", []),
    ("", []),
]
UNCLEAR = [
    ("everything in src", ["everything in src"]),
    ("the file `a.py`", ["the file `a.py`"]),
    ("`a.py` like `b.py`", ["`a.py` like `b.py`"]),
    ("`a.py", ["` a.py"]),
]


@pytest.mark.parametrize(("text", "paths"), CASES)
def test_a_clear_list_gives_its_paths(text: str, paths: list[str]) -> None:
    found = listed_paths(f"x: {text} :y", Span(3, 3 + len(text)))
    assert [(one.text, one.is_clear) for one in found] == [(path, True) for path in paths]


@pytest.mark.parametrize(("text", "told"), UNCLEAR)
def test_what_is_not_clearly_a_path_is_told_and_never_guessed(text: str, told: list[str]) -> None:
    found = listed_paths(text, Span(0, len(text)))
    assert [one.is_clear for one in found] == [False] * len(told)
    assert [text[one.span.start : one.span.end] for one in found] == [text]


def test_each_path_knows_where_it_stands() -> None:
    text = "- **Must edit:** new `a.py` (x), b.py:3"
    assert [text[one.span.start : one.span.end] for one in listed_paths(text, Span(17, len(text)))] == [
        "`a.py`",
        "b.py:3",
    ]
