"""Plans that tools like this one have been bitten by, each named by the right behaviour."""

from __future__ import annotations

import pytest

from orchestrator.errors import Read
from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.plan_check import check_plan
from orchestrator.model.settings import Settings

HEAD = "# Execution plan 1 — Cases\n\n## Waves\n\n| Wave | Theme | Tasks | Depends on |\n| --- | --- | --- | --- |\n"
FIELDS = "- **Can create:** `{file}`\n- **Acceptance:** it is there\n- **Test:** `true`\n"


def spec(key: str, prose: str = "") -> str:
    return f"### {key} — Do it\n\n{FIELDS.format(file=f'{key}.txt')}\n{prose}\n\n"


def read(text: str) -> Read[Plan]:
    return read_plan(Document.parse(text, "planning/EXECUTION_PLAN_1.md"), 1)


def errors(text: str) -> list[str]:
    found = read(text)
    every = (*found.problems, *check_plan(found.value, Settings()))
    return [problem.code for problem in every if problem.is_error]


def test_ids_that_differ_in_a_letter_or_a_digit_are_different_tasks() -> None:
    keys = ("1.1.1", "1.1.1a", "1.1.1b", "1.1.10", "1.1.11")
    text = f"{HEAD}| 1 | x | {', '.join(keys)} | — |\n\n## Tasks\n\n{''.join(spec(key) for key in keys)}"
    assert [str(one.key) for one in read(text).value.specs] == list(keys)
    assert errors(text) == []


def test_the_same_id_twice_is_an_error() -> None:
    text = f"{HEAD}| 1 | x | 1.1.1 | — |\n\n## Tasks\n\n{spec('1.1.1')}{spec('1.1.1')}"
    assert errors(text) == ["duplicate-task"]


def test_the_text_of_a_task_ends_where_the_next_one_begins() -> None:
    text = f"{HEAD}| 1 | x | 1.1.6, 1.1.6b | — |\n\n## Tasks\n\n{spec('1.1.6', 'six')}{spec('1.1.6b', 'another')}"
    first, second = read(text).value.specs
    assert ("six" in first.text, "another" in first.text, "another" in second.text) == (True, False, True)


def test_what_is_commented_out_is_neither_a_wave_nor_a_task() -> None:
    hidden = f"<!--\n| 2 | y | 1.2.1 | 1 |\n\n{spec('1.2.1')}-->\n\n"
    text = f"{HEAD}| 1 | x | 1.1.1 | — |\n\n## Tasks\n\n{spec('1.1.1')}{hidden}"
    plan = read(text).value
    assert ([wave.number for wave in plan.waves], [str(one.key) for one in plan.specs]) == ([1], ["1.1.1"])
    assert errors(text) == []


@pytest.mark.parametrize("theme", [r'`grep "a\|b"`', r"a \| b"])
def test_an_escaped_pipe_in_a_cell_shifts_nothing(theme: str) -> None:
    text = f"{HEAD}| 1 | {theme} | 1.1.1 | — |\n| 2 | y | 1.2.1 | 1 |\n\n## Tasks\n\n{spec('1.1.1')}{spec('1.2.1')}"
    plan = read(text).value
    assert [(wave.number, [str(key) for key in wave.tasks], wave.depends_on) for wave in plan.waves] == [
        (1, ["1.1.1"], ()),
        (2, ["1.2.1"], (1,)),
    ]


def test_a_bare_pipe_in_code_is_told_and_no_dependency_is_lost_in_silence() -> None:
    text = f"{HEAD}| 1 | x | 1.1.1 | — |\n| 2 | `a|b` | 1.2.1 | 1 |\n\n## Tasks\n\n{spec('1.1.1')}{spec('1.2.1')}"
    told = [(problem.code, problem.at.line) for problem in read(text).problems if problem.at]
    assert told == [("lost-cell", 8)]
    assert errors(text) != []


def test_many_tasks_stand_in_natural_order() -> None:
    keys = [f"1.1.{number}" for number in range(12, 0, -1)]
    text = f"{HEAD}| 1 | x | {', '.join(keys)} | — |\n\n## Tasks\n\n{''.join(spec(key) for key in keys)}"
    assert [str(key) for key in sorted(one.key for one in read(text).value.specs)] == keys[::-1]


@pytest.mark.parametrize("text", ["", "# Execution plan 1\n\n## Goal\n\nNothing.\n", HEAD])
def test_a_plan_without_a_task_is_an_error_and_never_done(text: str) -> None:
    assert errors(text) != []
