"""Waves and dependencies: every fault with its place, and no fault twice."""

from __future__ import annotations

import pytest

from orchestrator.model.plan import Dependency, Plan, Spec
from orchestrator.model.wave_check import dependency_problems, wave_problems
from tests.support.model_nouns import PLAN, after, key, plan, shown, spec, wave


def problems_of(whole: Plan) -> list[str]:
    return [shown(problem) for problem in (*wave_problems(whole), *dependency_problems(whole))]


def test_a_plan_in_order_has_no_problem() -> None:
    whole = plan(
        spec("1.a"),
        spec("1.b"),
        spec("2.a", depends_on=after("1.a", "1.b")),
        spec("3.a", depends_on=after("1", "2.a")),
    )
    assert problems_of(whole) == []


def test_an_empty_plan_is_one_problem() -> None:
    found = wave_problems(Plan(5, "A plan", PLAN))
    assert [shown(problem) for problem in found] == ["0:0 item empty-plan: the plan holds no wave and no task"]
    assert found[0].hint == "fill in the table under `## Waves`, and add a section a task under `## Tasks`"


def test_tasks_without_any_wave() -> None:
    assert problems_of(plan(spec("1.a"), waves=())) == ["0:0 item no-waves: the plan holds no wave"]


@pytest.mark.parametrize(
    ("waves", "problems"),
    [
        ((wave(1, "1.a"), wave(2)), ["2:1 item empty-wave: wave 2 has no task"]),
        ((wave(2, "2.a"),), ["2:1 warning wave-numbers: the first wave has the number 2, not 1"]),
        (
            (wave(1, "1.a"), wave(3, "3.a"), wave(6, "6.a")),
            [
                "3:1 warning wave-numbers: wave 3 follows on wave 1: a gap in the numbers",
                "6:1 warning wave-numbers: wave 6 follows on wave 3: a gap in the numbers",
            ],
        ),
        ((wave(1, "1.a"), wave(1, "1.b")), ["1:1 item duplicate-wave: wave 1 stands twice, first at line 1"]),
        ((wave(1, "1.a", "1.a"),), ["1:1 item task-in-two-waves: task 5.1.a stands twice in wave 1"]),
        (
            (wave(1, "1.a"), wave(2, "1.a", "2.b")),
            ["2:1 item task-in-two-waves: task 5.1.a stands in wave 2, and in wave 1 too"],
        ),
        (
            (wave(1, "1.a", "2.b"),),
            ["1:1 item wrong-wave: task 5.2.b stands in the row of wave 1; its key says wave 2"],
        ),
        ((wave(1, "1.a", "6.1.b"),), ["1:1 item wrong-plan: task 6.1.b belongs to plan 6, this is plan 5"]),
    ],
)
def test_what_can_be_wrong_with_the_rows(waves: tuple[object, ...], problems: list[str]) -> None:
    names = dict.fromkeys(task for each in waves for task in each.tasks)  # type: ignore[attr-defined]
    assert problems_of(plan(*(spec(str(name)) for name in names), waves=waves)) == problems  # type: ignore[arg-type]


def test_table_and_sections_must_agree() -> None:
    whole = plan(spec("1.a", line=20), spec("1.a", line=30), spec("1.c", line=40), waves=(wave(1, "1.a", "1.b"),))
    assert problems_of(whole) == [
        "30:1 item duplicate-task: task 5.1.a has two sections, the first at line 20",
        "1:1 item no-section: task 5.1.b of wave 1 has no section",
        "40:1 item no-wave: task 5.1.c stands in no wave",
    ]


def test_a_large_wave_gets_a_split() -> None:
    whole = plan(*(spec(f"1.{n}") for n in range(1, 18)))
    (problem,) = wave_problems(whole)
    assert shown(problem) == "1:1 warning large-wave: wave 1 has 17 tasks, more than 8"
    assert problem.hint == (
        "split it into 3 waves: 5.1.1, 5.1.2, 5.1.3, 5.1.4, 5.1.5, 5.1.6 | "
        "5.1.7, 5.1.8, 5.1.9, 5.1.10, 5.1.11, 5.1.12 | 5.1.13, 5.1.14, 5.1.15, 5.1.16, 5.1.17"
    )
    assert wave_problems(plan(*(spec(f"1.{n}") for n in range(1, 9)))) == []


def waiting(name: str, *dependencies: str, line: int = 12) -> Spec:
    return spec(name, depends_on=after(*dependencies, line=line))


@pytest.mark.parametrize(
    ("specs", "problems"),
    [
        ([waiting("1.a", "1.a")], ["12:1 item self-dependency: task 5.1.a depends on itself"]),
        (
            [waiting("1.a", "1.z")],
            ["12:1 item unknown-dependency: task 5.1.a depends on 5.1.z, which is no task of this plan"],
        ),
        ([waiting("1.a", "7")], ["12:1 item unknown-dependency: task 5.1.a depends on wave 7, which there isn't"]),
        (
            [spec("1.a"), waiting("2.a", "1.a", "1.a")],
            ["12:2 item duplicate-dependency: task 5.2.a names its dependency 5.1.a twice"],
        ),
        (
            [spec("1.a"), waiting("2.a", "1", "1")],
            ["12:2 item duplicate-dependency: task 5.2.a names its dependency wave 1 twice"],
        ),
        (
            [spec("1.a"), waiting("1.b", "1.a")],
            ["12:1 item same-wave-dependency: task 5.1.b depends on 5.1.a of its own wave 1"],
        ),
        ([waiting("1.a", "1")], ["12:1 item same-wave-dependency: task 5.1.a depends on its own wave 1"]),
        (
            [waiting("1.a", "2.a"), spec("2.a")],
            ["12:1 item later-wave-dependency: task 5.1.a of wave 1 depends on 5.2.a of the later wave 2"],
        ),
        (
            [waiting("1.a", "2"), spec("2.a")],
            ["12:1 item later-wave-dependency: task 5.1.a of wave 1 depends on the later wave 2"],
        ),
        (
            [waiting("1.1", "1.2"), waiting("1.2", "1.1", line=22)],
            ["12:1 item dependency-cycle: tasks wait for each other: 5.1.1 → 5.1.2 → 5.1.1"],
        ),
        (
            [waiting("3.c", "1.a"), waiting("1.a", "2.b", line=22), waiting("2.b", "3.c", line=32)],
            ["22:1 item dependency-cycle: tasks wait for each other: 5.1.a → 5.2.b → 5.3.c → 5.1.a"],
        ),
    ],
)
def test_what_can_be_wrong_with_a_dependency(specs: list[Spec], problems: list[str]) -> None:
    assert [shown(problem) for problem in dependency_problems(plan(*specs))] == problems


def test_all_faults_of_dependencies_are_told_in_one_run() -> None:
    whole = plan(
        waiting("1.a", "1.b"),
        waiting("1.b", "1.c", line=22),
        waiting("1.c", "1.a", line=32),
        waiting("1.d", "1.d", "1.z", "2.e", line=42),
        spec("2.e"),
    )
    assert [shown(problem) for problem in dependency_problems(whole)] == [
        "42:1 item self-dependency: task 5.1.d depends on itself",
        "42:2 item unknown-dependency: task 5.1.d depends on 5.1.z, which is no task of this plan",
        "42:3 item later-wave-dependency: task 5.1.d of wave 1 depends on 5.2.e of the later wave 2",
        "12:1 item dependency-cycle: tasks wait for each other: 5.1.a → 5.1.b → 5.1.c → 5.1.a",
    ]


def test_what_the_reader_could_not_resolve_is_its_own_to_report() -> None:
    assert dependency_problems(plan(spec("1.a", depends_on=(Dependency("the rest"),)))) == []


def test_waves_depend_on_waves_before_them() -> None:
    waves = (wave(1, "1.a", after=(1, 2)), wave(2, "2.a", after=(1, 4)))
    assert problems_of(plan(spec("1.a"), spec("2.a"), waves=waves)) == [
        "1:1 item self-dependency: wave 1 depends on itself",
        "1:1 item later-wave-dependency: wave 1 depends on the later wave 2",
        "2:1 item unknown-dependency: wave 2 depends on wave 4, which there isn't",
    ]


def test_a_wave_that_waits_because_its_task_does_is_no_second_problem() -> None:
    waves = (wave(1, "1.a", after=(2,)), wave(2, "2.a"))
    whole = plan(waiting("1.a", "2.a"), spec("2.a"), waves=waves)
    assert [problem.code for problem in dependency_problems(whole)] == ["later-wave-dependency"]


def test_every_problem_of_a_task_names_it_and_a_remedy() -> None:
    whole = plan(waiting("1.a", "1.a", "1.b"), spec("1.b"), spec("1.c"), waves=(wave(1, "1.a", "1.b"),))
    found = [*wave_problems(whole), *dependency_problems(whole)]
    assert [(problem.subject, bool(problem.hint)) for problem in found] == [
        (str(key("1.c")), True),
        (str(key("1.a")), True),
        (str(key("1.a")), True),
    ]


def test_a_split_keeps_themes_together_where_it_can() -> None:
    names = [f"1.{letter}" for letter in "abcdefghij"]
    themes = ["store", "parse"] * 5
    specs = [spec(name, theme=theme) for name, theme in zip(names, themes, strict=True)]
    (problem,) = wave_problems(plan(*specs))
    assert problem.hint == (
        "split it into 2 waves: 5.1.a, 5.1.c, 5.1.e, 5.1.g, 5.1.i | 5.1.b, 5.1.d, 5.1.f, 5.1.h, 5.1.j"
    )
