"""Dependency lists: what is understood, and that what isn't is never read as none."""

from __future__ import annotations

import pytest

from orchestrator.formats.dependencies import DependencyReader, first_line
from orchestrator.formats.task_names import TaskNames
from orchestrator.markdown.source import Source, Span
from tests.support.planning import key, told

KEYS = [key(text) for text in ("5.1.1", "5.1.2", "5.1.parse-it", "5.2.1", "5.2.b", "5.3.c")]

IN_A_TASK = [
    ("none", []),
    ("None (it is first)", []),
    ("—", []),
    ("n/a", []),
    ("nothing", []),
    ("start", []),
    ("", []),
    ("5.1.1", ["5.1.1"]),
    ("`5.1.1`, 5.1.2", ["5.1.1", "5.1.2"]),
    ("5.1.1 + 5.1.2; 5.2.1 and b", ["5.1.1", "5.1.2", "5.2.1", "5.2.b"]),
    ("1.2", ["5.1.2"]),
    ("parse-it", ["5.1.parse-it"]),
    ("after 5.1.1", ["5.1.1"]),
    ("depends on **5.1.1** (the parser, and more), [5.2.1](#x)", ["5.1.1", "5.2.1"]),
    ("task 5.1.1, tasks 5.1.2", ["5.1.1", "5.1.2"]),
    ("wave 1", ["wave 1"]),
    ("waves 1-2", ["wave 1", "wave 2"]),
    ("Waves 1 and 2", ["wave 1", "wave 2"]),
    ("waves 1–2", ["wave 1", "wave 2"]),
    ("all of the above", ["wave 1", "wave 2"]),
    ("5.1.1–5.2.1", ["5.1.1", "5.1.2", "5.1.parse-it", "5.2.1"]),
    ("5.1.1-5.1.2", ["5.1.1", "5.1.2"]),
    ("5.1.1 to 5.1.2.", ["5.1.1", "5.1.2"]),
    ("parse-it–b", ["5.1.parse-it", "5.2.1", "5.2.b"]),
    ("parse-it to 5.2.1", ["5.1.parse-it", "5.2.1"]),
    ("#b, #parse-it", ["5.2.b", "5.1.parse-it"]),
]
IN_A_ROW = [
    ("1", ["wave 1"]),
    ("1, 2", ["wave 1", "wave 2"]),
    ("1–2", ["wave 1", "wave 2"]),
    ("wave 1", ["wave 1"]),
    ("all", ["wave 1", "wave 2"]),
    ("5.1.1 and 2", ["5.1.1", "wave 2"]),
    ("—", []),
]
FAULTS = [
    (
        "5.1.9, soon, when the API is there",
        '1:1 <5.1.9> item unknown-dependency: there is no task "5.1.9"\n    wave 1 has 5.1.1, 5.1.2, 5.1.parse-it\n'
        '1:8 <soon> item unknown-dependency: there is no task "soon"\n'
        '1:14 <when the API is there> item not-understood: "when the API is there" is neither a task nor a wave\n'
        '    separate keys with commas, put remarks in parentheses, write "none" for no dependency\n',
    ),
    (
        "4.1.1",
        '1:1 <4.1.1> item other-plan: "4.1.1" is a task of plan 4, not of this one\n    name a task of this plan\n',
    ),
    ("1", '1:1 <1> item ambiguous-task: "1" could be 5.1.1, 5.2.1\n    write the whole key\n'),
    ("wave 9", "1:1 <wave 9> item unknown-wave: there is no wave 9\n    the waves are 1, 2, 3\n"),
    ("waves 2-4", "1:1 <waves 2-4> item unknown-wave: there is no wave 4\n    the waves are 1, 2, 3\n"),
    ("waves 2-1", "1:1 <waves 2-1> item unknown-wave: there is no wave 2\n    the waves are 1, 2, 3\n"),
    (
        "5.2.1–5.1.1",
        '1:1 <5.2.1–5.1.1> item empty-range: "5.2.1–5.1.1" runs backwards\n    write the earlier task first\n',
    ),
    (
        "(5.1.1)",
        '1:1 <(5.1.1)> item not-understood: "(5.1.1)" is only a remark\n'
        '    separate keys with commas, put remarks in parentheses, write "none" for no dependency\n',
    ),
    (
        "none — fully parallel",
        '1:1 <none — fully parallel> item not-understood: "none — fully parallel" is neither a task nor a wave\n'
        '    separate keys with commas, put remarks in parentheses, write "none" for no dependency\n',
    ),
]


def read(text: str, *, in_task: bool) -> tuple[list[str], str]:
    reader = DependencyReader(Source(text, "plan.md"), TaskNames(5, KEYS), (1, 2, 3))
    subject = key("5.3.c") if in_task else None
    found = reader.read(Span(0, len(text)), wave=3, subject=subject)
    names = [str(one.task) if one.task else f"wave {one.wave}" if one.wave else "?" for one in found]
    return names, told(reader.problems)


@pytest.mark.parametrize(("text", "names"), IN_A_TASK)
def test_a_tasks_list_is_read(text: str, names: list[str]) -> None:
    assert read(text, in_task=True) == (names, "")


@pytest.mark.parametrize(("text", "names"), IN_A_ROW)
def test_a_waves_cell_is_read(text: str, names: list[str]) -> None:
    assert read(text, in_task=False) == (names, "")


@pytest.mark.parametrize(("text", "problems"), FAULTS)
def test_what_is_not_understood_is_a_problem_and_stays_unresolved(text: str, problems: str) -> None:
    names, found = read(text, in_task=True)
    assert found == problems
    assert "?" in names


def test_a_list_ends_with_its_line_unless_that_ends_in_a_comma() -> None:
    for text, rest in [("5.1.1\ntext", "5.1.1"), ("5.1.1,\r\n  5.1.2\nmore", "5.1.1,\r\n  5.1.2"), ("5.1.1", "5.1.1")]:
        span = first_line(text, Span(0, len(text)))
        assert text[span.start : span.end] == rest
