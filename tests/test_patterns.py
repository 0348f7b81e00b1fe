"""Patterns compiled at their first use: they match as those of `re` do, and every one in the package compiles."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import orchestrator
from orchestrator.patterns import regex

PACKAGE = Path(orchestrator.__file__).parent


def test_it_answers_as_a_compiled_pattern_does() -> None:
    ours, theirs = regex(r"(\w)(\d)?", re.IGNORECASE), re.compile(r"(\w)(\d)?", re.IGNORECASE)
    for method in ("match", "fullmatch", "search"):
        assert [found[0] for found in [getattr(one, method)("a1 b2", 3) for one in (ours, theirs)]] == ["b2", "b2"]
    assert ours.findall("a1 b") == theirs.findall("a1 b") == [("a", "1"), ("b", "")]
    assert [one.span() for one in ours.finditer("a1 b")] == [(0, 2), (3, 4)]
    assert ours.sub("x", "a1 b") == "x x"
    assert ours.subn("x", "a1 b") == ("x x", 2)
    assert ours.split("_a1_") == theirs.split("_a1_")
    assert (ours.pattern, ours.flags) == (r"(\w)(\d)?", re.IGNORECASE)


def test_nothing_is_compiled_before_the_first_use() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("")
    with pytest.raises(AttributeError):
        _ = regex("a").groups


def test_every_pattern_of_the_package_compiles() -> None:
    kind = type(regex("a"))
    found: set[int] = set()

    def look(value: Any) -> None:
        if isinstance(value, kind):
            found.add(id(value))
            re.compile(value.pattern, value.flags)
        elif isinstance(value, tuple | list):
            for one in value:
                look(one)
        elif isinstance(value, dict):
            look(list(value.values()))

    for path in sorted(PACKAGE.rglob("*.py")):
        if "regex(" in path.read_text():
            name = ".".join(("orchestrator", *path.relative_to(PACKAGE).with_suffix("").parts))
            look(list(vars(import_module(name)).values()))
    written = sum(len(re.findall(r"(?<!def )\bregex\(", path.read_text())) for path in PACKAGE.rglob("*.py"))
    assert len(found) == written
