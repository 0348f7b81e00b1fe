"""Conflicts of a merge that nobody resolved: told at their first line, and only where they can be one."""

from __future__ import annotations

import pytest

from orchestrator.errors import Severity
from orchestrator.markdown.document import Document

CONFLICT = "# a\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n"


def told(text: str) -> list[tuple[int, int, str]]:
    problems = [one for one in Document.parse(text, "a.md").problems if one.code == "merge-conflict"]
    assert all(one.severity is Severity.FILE for one in problems)
    return [(one.at.line, one.at.column, one.at.source) for one in problems if one.at]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_conflict_is_told_once_at_its_first_line(ending: str) -> None:
    assert told(CONFLICT.replace("\n", ending)) == [(3, 1, "<<<<<<< HEAD")]


def test_each_conflict_is_told() -> None:
    assert told(CONFLICT + CONFLICT) == [(3, 1, "<<<<<<< HEAD"), (10, 1, "<<<<<<< HEAD")]


def test_a_conflict_with_the_ancestor_between_its_sides_is_told_once() -> None:
    assert told("<<<<<<< HEAD\none\n||||||| 1a2b3c4\nnone\n=======\ntwo\n>>>>>>> other\n") == [(1, 1, "<<<<<<< HEAD")]


def test_a_conflict_is_told_at_the_top_and_in_front_matter() -> None:
    assert told("\ufeff<<<<<<< HEAD\n---\na: 1\n") == [(1, 1, "<<<<<<< HEAD")]
    assert told("---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n---\n") == [(3, 1, "<<<<<<< HEAD")]


def test_a_conflict_with_a_fence_on_one_side_is_told_and_so_is_what_is_left_of_a_half_resolved_one() -> None:
    assert told("<<<<<<< HEAD\n```sh\none\n```\n=======\ntwo\n>>>>>>> other\n") == [(1, 1, "<<<<<<< HEAD")]
    assert told("one\n\n=======\ntwo\n>>>>>>> other\n") == [(5, 1, ">>>>>>> other")]


def test_what_only_looks_like_one_is_no_conflict() -> None:
    assert told(f"```\n{CONFLICT}```\n") == []
    assert told("Heading\n=======\n\n>>>>>>>> deep\n\n    <<<<<<< HEAD\n\nsee <<<<<<< HEAD\n") == []
    assert told(">>>>>>> a quote in quotes\n") == []
