"""Every form of a plan that docs/file-formats.md lists is read as it says there."""

from __future__ import annotations

import re

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.spec_labels import ALIASES
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.plan_check import check_plan
from orchestrator.model.settings import Settings, Worker
from tests.support.documents import marked, text_of
from tests.support.planning import told

PAGE = "docs/file-formats.md"
PLANS = {part.argument: part.text for part in marked(PAGE) if part.kind == "plan"}
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
SETTINGS = Settings(workers=(Worker("small", "command"),))
PROBLEM = "a problem"

TABLE = (
    "| Wave | Tasks | Depends on |\n| --- | --- | --- |\n"
    "| 1 | 5.1.1, 5.1.2, T1-parse | |\n| 2 | 5.2.1 | |\n| 3 | 5.3.1 | {} |\n"
)


def rows(name: str) -> list[tuple[str, str]]:
    below = text_of(PAGE).split(f"<!-- forms: {name} -->\n", 1)[1].split("\n\n", 1)[0]
    cells = [row.strip("| ").split(" | ") for row in below.split("\n")[2:]]
    return [(cells[0], cells[1]) for cells in cells]


def cases(name: str) -> list[tuple[str, str]]:
    """Each example of a table with what it is read as."""
    written = [(match[2], meant) for examples, meant in rows(name) for match in CODE.finditer(examples)]
    return [(text[1:-1] if text[:1] == text[-1:] == " " else text, meant) for text, meant in written]


def read(text: str) -> tuple[Plan, list[str]]:
    found = read_plan(Document.parse(text, "plan.md"), 5)
    return found.value, [one.code for one in found.problems]


def named(plan: Plan, values: list[str]) -> str:
    back = {str(key): word for word, key in plan.local_ids.items()}
    return " ".join(back.get(value, value) for value in values) or "nothing"


@pytest.mark.parametrize("shape", PLANS)
def test_a_whole_plan_is_read_and_nothing_is_wrong_with_it(shape: str) -> None:
    found = read_plan(Document.parse(PLANS[shape], "plan.md"), 6)
    assert told((*found.problems, *check_plan(found.value, SETTINGS))) == ""
    assert [(str(one.key), one.local_id, one.title) for one in found.value.specs] == {
        "a row a task": [
            ("6.1.1", "T1-hours", "Read hours"),
            ("6.1.2", "T2-zones", "Zones"),
            ("6.2.1", "T3-hold", "Hold mail back"),
        ],
        "waves as headings": [("6.1.1", "3a", "Lamp model"), ("6.2.1", "piers", "Piers with lamps")],
    }[shape]
    assert [one.depends_on for one in found.value.waves] == [(), (1,)]


@pytest.mark.parametrize(("written", "meant"), cases("headings"))
def test_a_heading_is_the_task_it_is_said_to_be(written: str, meant: str) -> None:
    name = "T1-parse" if meant == "none" else meant
    table = f"## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | {name} |\n\n"
    plan, problems = read(f"{table}### {written}\n")
    assert (problems, [one.local_id or str(one.key) for one in plan.specs]) == ([], [] if meant == "none" else [name])
    if meant == "none" or "1.1" not in written:
        below, _ = read(f"## Wave 1\n\n### {written}\n")
        assert [one.local_id for one in below.specs] == (
            [] if meant == "none" else [written.split(":")[0].split(" — ")[0].removeprefix("Task ")]
        )


@pytest.mark.parametrize(("written", "meant"), cases("waves"))
def test_a_wave_has_the_number_it_is_said_to_have(written: str, meant: str) -> None:
    if written not in ("Wave 2 — Storage", "0", "two", "27A"):
        cell, problems = read(f"## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| {written} | 5.2.1 |\n\n### 5.2.1 — A\n")
        assert ([str(one.number) for one in cell.waves], problems) == ([meant], [])
    if meant == PROBLEM:
        problems = read(f"## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| {written} | 5.2.1 |\n")[1]
        assert problems == ["bad-wave"]
    elif written.startswith("Wave"):
        heading, problems = read(f"## {written}\n\n### T1 — A\n")
        assert ([str(one.number) for one in heading.waves], problems) == ([meant], [])


@pytest.mark.parametrize(("written", "meant"), cases("dependencies"))
def test_a_list_of_dependencies_is_read_as_it_is_said(written: str, meant: str) -> None:
    specs = "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### T1-parse — C\n\n### 5.2.1 — D\n\n### 5.3.1 — E\n\n"
    plan, problems = read(f"## Waves\n\n{TABLE.format('')}\n{specs}- Depends on: {written}\n")
    waits = [f"wave {one.wave}" if one.wave else str(one.task) for one in plan.specs[-1].depends_on]
    in_row, row_problems = read(f"## Waves\n\n{TABLE.format(written)}\n{specs}")
    if meant == PROBLEM:
        assert problems and row_problems
        return
    assert (problems, row_problems, named(plan, waits)) == ([], [], meant)
    numbers = {int(one.split()[1]) if one.startswith("wave") else int(one.split(".")[1]) for one in waits}
    assert set(in_row.waves[2].depends_on) == numbers


@pytest.mark.parametrize(("written", "meant"), cases("scopes"))
def test_a_scope_is_read_as_it_is_said(written: str, meant: str) -> None:
    for label in ("Must edit", "Files in scope"):
        table = "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n\n### 5.1.1 — A\n\n"
        plan, problems = read(f"{table}- **{label}:** {written}\n")
        (spec,) = plan.specs
        paths = [one.pattern for one in (*spec.must_edit, *spec.can_create)]
        assert (
            (problems == ["unclear-path"])
            if meant == PROBLEM
            else (problems, " ".join(paths) or "nothing")
            == (
                [],
                meant,
            )
        )


def test_every_label_and_its_aliases_are_listed_and_no_other() -> None:
    listed = {label.casefold(): {one.casefold() for one in also.split(", ")} for label, also in rows("labels")}
    assert {name: more - set(ALIASES[name]) for name, more in listed.items()} == {name: set() for name in listed}
    missing = {
        spelling
        for name, more in ALIASES.items()
        for spelling in more
        if not {spelling, spelling.removesuffix("s"), f"{spelling}s"} & {name, *listed.get(name, ())}
    }
    assert missing == {"dependency", "task"}
