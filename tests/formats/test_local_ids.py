"""Tasks that a plan calls by names of its own: which key each gets, and by which words it is found."""

from __future__ import annotations

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.task_names import names_for, names_of
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.plan_check import check_plan
from orchestrator.model.settings import Settings
from tests.support.planning import key, told

HEAD = "# Execution plan 5\n\n## Waves\n\n| Wave | Tasks | Depends on |\n| --- | --- | --- |\n"


def read(text: str, pins: dict[str, TaskKey] | None = None) -> tuple[Plan, str]:
    found = read_plan(Document.parse(text, "plan.md"), 5, pins)
    return found.value, told(found.problems)


def names(plan: Plan) -> list[tuple[str, str, str]]:
    return [(spec.local_id, str(spec.key), spec.title) for spec in plan.specs]


def test_the_key_is_the_place_in_the_wave() -> None:
    plan, problems = read(
        HEAD + "| 1 | `T1.1-scaffold`, `T1.2-hash` | |\n| 2 | 3a, 1.2.3 | T1.1 |\n\n"
        "### T1.1-scaffold — Scaffold\n\n### Task T1.2-hash: Hash\n\n### 3a - Third\n\n- After: T1.1, T1.2-hash\n\n"
        "### `1.2.3`\n\n- Depends on: T1.2\n"
    )
    assert problems == ""
    assert names(plan) == [
        ("T1.1-scaffold", "5.1.1", "Scaffold"),
        ("T1.2-hash", "5.1.2", "Hash"),
        ("3a", "5.2.1", "Third"),
        ("1.2.3", "5.2.2", ""),
    ]
    waits = [[str(one.task) for one in spec.depends_on] for spec in plan.specs]
    assert waits == [[], [], ["5.1.1", "5.1.2"], ["5.1.2"]]
    assert [(wave.number, wave.depends_on) for wave in plan.waves] == [(1, ()), (2, (1,))]


def test_pinned_pairs_come_first_so_that_a_new_task_renames_nothing() -> None:
    pins = {"a1": key("5.1.1"), "gone": key("5.1.2"), "b1": key("5.1.3")}
    text = HEAD + "| 1 | a0, a1, new, b1 | |\n\n### a0 — A0\n\n### a1 — A1\n\n### new — N\n\n### b1 — B1\n"
    assert names(read(text, pins)[0]) == [
        ("a0", "5.1.4", "A0"),
        ("a1", "5.1.1", "A1"),
        ("new", "5.1.5", "N"),
        ("b1", "5.1.3", "B1"),
    ]
    assert names(read(text)[0])[0] == ("a0", "5.1.1", "A0")


def test_whole_keys_keep_their_ids_and_local_ones_pass_them_by() -> None:
    plan, problems = read(
        HEAD + "| 1 | cache, 5.1.1, api, 1.3 | |\n\n### cache — C\n\n### 5.1.1 — One\n\n"
        "### 5.1.api — A\n\n### 1.3 — T\n"
    )
    assert problems == ""
    assert names(plan) == [("cache", "5.1.2", "C"), ("", "5.1.1", "One"), ("", "5.1.api", "A"), ("", "5.1.3", "T")]


def test_keys_of_another_plan_are_local_ids_only_where_no_task_has_a_key_of_this_one() -> None:
    assert names(read(HEAD + "| 1 | 4.1.7 | |\n\n### 4.1.7 — A\n")[0]) == [("4.1.7", "5.1.1", "A")]
    assert read(HEAD + "| 1 | 4.1.7, 5.1.1 | |\n\n### 5.1.1 — A\n")[1] == (
        "7:7 <4.1.7> item other-plan: 4.1.7 is a task of plan 4, this is plan 5\n    did you mean 5.1.7?\n"
    )


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("T1.1-scaffold", "5.1.1"),
        ("T1.1", "5.1.1"),
        ("5.1.1", "5.1.1"),
        ("1.1", "5.1.1"),
        ("1.2.3", "5.2.2"),
        ("2.2", "5.2.2"),
        ("3a", "5.2.1"),
        ("3", 'there is no task "3"'),
        ("1", 'there is no task "1"'),
        ("T1.1-sca", 'there is no task "T1.1-sca"'),
        ("T2", '"T2" could be T2-a, T2-b'),
        ("t1.1", 'there is no task "t1.1"'),
    ],
)
def test_a_task_is_found_by_local_id_key_short_key_and_beginning(word: str, meant: str) -> None:
    plan, _ = read(
        HEAD + "| 1 | T1.1-scaffold, T1.2-hash | |\n| 2 | 3a, 1.2.3, T2-a, T2-b | |\n\n### T1.1-scaffold — S\n\n"
        "### T1.2-hash — H\n\n### 3a — A\n\n### 1.2.3 — X\n\n### T2-a — Y\n\n### T2-b — Z\n"
    )
    found = names_of(plan).find(word)
    assert (str(found) if isinstance(found, TaskKey) else found.message) == meant


def test_numbers_in_two_parts_are_short_keys_unless_one_stands_in_another_wave() -> None:
    text = (
        HEAD + "| 1 | 1.1, {} | |\n| 2 | 1.2, 2.2 | 2.1 |\n\n### 1.1 — A\n\n### {} — B\n\n### 1.2 — C\n\n### 2.2 — D\n"
    )
    plan, problems = read(text.replace("{}", "2.1"))
    assert problems == ""
    assert names(plan) == [("1.1", "5.1.1", "A"), ("2.1", "5.1.2", "B"), ("1.2", "5.2.1", "C"), ("2.2", "5.2.2", "D")]
    assert [str(names_of(plan).find(word)) for word in ("1.2", "2.1", "5.1.2")] == ["5.2.1", "5.1.2", "5.1.2"]
    short = read(HEAD + "| 1 | 1.1 | |\n| 2 | 2.1 | 1.1 |\n\n### 1.1 — A\n\n### 2.1 — B\n")[0]
    assert names(short) == [("", "5.1.1", "A"), ("", "5.2.1", "B")]


def test_an_id_field_agrees_with_the_tasks_own_name() -> None:
    text = HEAD + "| 1 | 4.1.7, T2-b | |\n\n### 4.1.7 — A\n\n- id: `4.1.7`\n- wave: 1\n\n### T2-b — B\n\n- id: {}\n"
    for written in ("T2-b", "T2", "5.1.2"):
        assert read(text.replace("{}", written))[1] == ""
    assert read(text.replace("{}", "T3-b"))[1] == (
        "16:7 <T3-b> item key-mismatch: the heading says T2-b, this field T3-b\n"
        "    make them agree, or take the line out\n"
    )


def test_a_task_that_is_pinned_and_stands_in_another_wave_is_refused() -> None:
    plan, problems = read(HEAD + "| 1 | a1 | |\n| 2 | b1 | |\n\n### a1 — A\n\n### b1 — B\n", {"b1": key("5.1.2")})
    assert problems == ""
    assert told(one for one in check_plan(plan, Settings()) if one.code == "wrong-wave") == (
        "8:7 <b1> item wrong-wave: task 5.1.2 stands in the row of wave 2; its key says wave 1\n"
        "    move b1 to wave 1: STATE holds that key for it under `ids:`\n"
    )


def test_a_section_below_the_heading_of_another_wave_is_told() -> None:
    text = HEAD + "| 1 | T1 | |\n| 2 | T2 | |\n\n## Wave 1\n\n### T1 — A\n\n### T2 — B\n"
    assert read(text)[1] == (
        "14:5 <T2 — B> item wave-mismatch: T2 is in wave 2, its section stands below the heading of wave 1 in line 10\n"
        "    make table and heading agree\n"
    )


def test_two_headings_with_one_local_id_are_told_and_a_mention_inside_a_task_is_none() -> None:
    text = HEAD + "| 1 | T1, T2 | |\n\n### T1 — A\n\n#### T2\n\n### T2 — B\n\n### T1 — again\n"
    plan, problems = read(text)
    assert names(plan) == [("T1", "5.1.1", "A"), ("T2", "5.1.2", "B")]
    assert problems == (
        "15:5 <T1 — again> item duplicate-task: T1 has two headings, the first in line 9\n"
        "    give one of them another id\n"
    )


def test_a_task_goes_by_every_name_that_is_its_own_alone() -> None:
    plan, _ = read(
        HEAD + "| 1 | T1-add, T1-sub, T2-sign-it | |\n\n### T1-add — A\n\n### T1-sub — B\n\n### T2-sign-it — C\n"
    )
    assert [names_for(plan, key(f"5.1.{place}")) for place in (1, 2, 3)] == [
        ("5.1.1", "T1-add", "1.1"),
        ("5.1.2", "T1-sub", "1.2"),
        ("5.1.3", "T2-sign-it", "1.3", "T2-sign", "T2"),
    ]
