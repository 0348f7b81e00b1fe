"""The form of a reviewer's answer: what counts, and what is told of everything else."""

from __future__ import annotations

import pytest

from orchestrator.model.review import Answer, read_answer

TABLE: list[tuple[str, Answer | str]] = [
    ("APPROVE", Answer(True)),
    ("APPROVE\n", Answer(True)),
    ("\n\nAPPROVE  \r\n\r\n- small\r\n", Answer(True, ("small",))),
    (
        "REVISE\n\n- step 1: no\n- step 2:\n  not so,\n  but so\n",
        Answer(False, ("step 1: no", "step 2: not so, but so")),
    ),
    ("REVISE\n- " + "x" * 500, Answer(False, ("x" * 399 + "…",))),
    ("", "it said nothing"),
    (" \n\t\n", "it said nothing"),
    ("approve\n", 'it begins with "approve", not with APPROVE or REVISE'),
    ("**APPROVE**\n", 'it begins with "**APPROVE**", not with APPROVE or REVISE'),
    ("APPROVE.\n", 'it begins with "APPROVE.", not with APPROVE or REVISE'),
    ("I say:\nAPPROVE\n", 'it begins with "I say:", not with APPROVE or REVISE'),
    ("REVISE\n", "REVISE stands there without a reason"),
    ("REVISE\n-\n", '"-" stands below REVISE, where only a list of reasons may stand'),
    ("REVISE\n1. no\n", '"1. no" stands below REVISE, where only a list of reasons may stand'),
    ("REVISE\n  no\n", '"no" stands below REVISE, where only a list of reasons may stand'),
    ("APPROVE\n- fine\nREVISE\n", '"REVISE" stands below APPROVE, where only a list of reasons may stand'),
    ("REVISE\n- a \x1b[31mred\x07 word\n", Answer(False, ("a [31mred word",))),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_an_answer_counts_in_its_form_alone(text: str, expected: Answer | str) -> None:
    assert read_answer(text) == expected


def test_the_reasons_are_told_in_one_line() -> None:
    assert Answer(False, ("step 1: no", "step 2: no")).text == "step 1: no; step 2: no"
