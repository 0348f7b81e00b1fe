"""What other people's plans are read as, or what they are refused for: facts settled from the format's description.

Of a plan that is read: waves with their tasks' names, what each task waits for, scopes, tests. Of one that is refused:
each error's line (0 for the file as a whole) and code, and the words of the first.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.plan_check import check_plan
from orchestrator.model.repositories import RepoNames
from orchestrator.model.settings import Settings, Worker
from tests.support.shared import shared

SETTINGS = Settings(workers=(Worker("small", "command"),))
EMPTY = "the plan holds no wave and no task"

WITHOUT_WAVES = [
    ("execution-plan/AI-Nikitka93__AI_Blogersite__EXECUTION_PLAN.md", 1),
    ("execution-plan/Aegis-Omega__AEGIS-OMEGA__EXECUTION_PLAN.md", 1),
    ("execution-plan/Alejob60__video-generator__EXECUTION_PLAN.md", 1),
    ("execution-plan/Averroeskw__pickle-rick-firmware__EXECUTION_PLAN.md", 1),
    ("execution-plan/takeokunn__ts-minecraft__EXECUTION_PLAN_2.md", 2),
    ("execution-plan/takeokunn__ts-minecraft__EXECUTION_PLAN_4.md", 4),
    ("plan-wave/gsd-build__gsd-2__2026-05-03-long-running-refactor-plan-of-plans.md", 1),
    ("plan-wave/oimiragieo__agent-studio__production-hardening-plan-20260128.md", 1),
    ("exec-plan/EdwinZhanCN__Lumilio-Photos__deployment-origin-tls-plan.md", 1),
    ("exec-plan/Evidune__Evidune__skill-iteration-closure.md", 1),
    ("exec-plan/Jonnyton__Workflow__2026-04-27-arc-b-phase-3-dispatch-card.md", 1),
    ("exec-plan/Jonnyton__Workflow__2026-04-27-memory-scope-stage-2c-flip-prep.md", 1),
    ("exec-plan/caesium-cloud__caesium__2026-05-27-sso-foundation.md", 1),
    ("exec-plan/caesium-cloud__caesium__backtesting.md", 1),
    ("exec-plan/caesium-cloud__caesium__console-v2-bug-sweep.md", 1),
    ("exec-plan/caesium-cloud__caesium__plan-template.md", 1),
    ("exec-plan/caesium-cloud__caesium__resource-right-sizing.md", 1),
]
WITHOUT_A_TASK_COLUMN = [
    ("plan-wave/Esteban-Marketing__MarkOS__DISCUSS.md", 50),
    ("plan-wave/mcp-tool-shop-org__style-dataset-lab__WAVE_PLAN.md", 174),
    ("plan-wave/oimiragieo__agent-studio__framework-deep-dive-analysis-plan.md", 331),
    ("plan-wave/subtiliorars-sys__CodeMonkeys__WAVES.md", 24),
]


def read(name: str, number: int = 1) -> tuple[Plan, list[tuple[int, str]], list[str]]:
    """The plan, and line, code and message of each error of reading and checking it."""
    doc = Document.parse(shared("corpus", name).read_bytes().decode(), "plan.md")
    found = read_plan(doc, number)
    repos = RepoNames(frozenset({"pypkgtest"}))
    problems = [*found.problems, *check_plan(found.value, SETTINGS, repos=repos)]
    errors = [one for one in problems if one.is_error]
    return found.value, [(one.at.line if one.at else 0, one.code) for one in errors], [one.message for one in errors]


def waves(plan: Plan) -> list[tuple[int, str, tuple[int, ...]]]:
    return [(one.number, " ".join(map(str, one.tasks)), one.depends_on) for one in plan.waves]


def keys(wave: int, count: int) -> str:
    return " ".join(f"1.{wave}.{place}" for place in range(1, count + 1))


def lines(code: str, *at: int) -> Iterable[tuple[int, str]]:
    return ((line, code) for line in at)


@pytest.mark.parametrize(("name", "number"), WITHOUT_WAVES)
def test_a_plan_without_waves_is_refused_for_that(name: str, number: int) -> None:
    plan, errors, messages = read(name, number)
    assert (waves(plan), plan.specs) == ([], ())
    assert (errors, messages) == ([(0, "empty-plan")], [EMPTY])


@pytest.mark.parametrize(("name", "line"), WITHOUT_A_TASK_COLUMN)
def test_a_wave_table_without_tasks_is_refused_for_that(name: str, line: int) -> None:
    plan, errors, messages = read(name)
    assert (waves(plan), plan.specs) == ([], ())
    assert errors == [(line, "no-task-column"), (0, "empty-plan")]
    assert messages[0] == "this table of waves has no column for their tasks"


def test_the_set_of_pypkgtest_is_read_whole() -> None:
    plan, errors, _ = read("execution-plan/AndrewBrown-USDA__pypkgtest__EXECUTION_PLAN_1.md")
    assert errors == []
    assert [(one.number, one.theme) for one in plan.waves] == [(1, "Core API"), (2, "Validation and docs")]
    assert waves(plan) == [(1, "1.1.1", ()), (2, "1.2.1 1.2.2", (1,))]
    assert [(str(one.key), one.local_id, [str(each.task) for each in one.depends_on]) for one in plan.specs] == [
        ("1.1.1", "", []),
        ("1.2.1", "", ["1.1.1"]),
        ("1.2.2", "", ["1.1.1"]),
    ]
    assert [[path.pattern for path in one.must_edit] for one in plan.specs] == [
        ["src/pypkgtest/distances.py", "src/pypkgtest/__init__.py"],
        ["tests/test_distances.py"],
        ["docs/index.md"],
    ]
    assert [(one.can_create, one.can_delete, one.repo, len(one.acceptance)) for one in plan.specs] == [
        ((), (), "pypkgtest", 1)
    ] * 3
    assert [one.test.split("&&")[-1].strip() for one in plan.specs] == [
        "uv run ruff check src/pypkgtest",
        "uv run pytest tests/test_distances.py",
        "uv run mkdocs build",
    ]
    assert all(one.constraints.startswith("do not touch") for one in plan.specs)


def test_a_table_with_a_row_a_task_is_read_and_its_bare_specs_are_refused() -> None:
    plan, errors, _ = read("plan-wave/awslabs__cli-agent-orchestrator__568-js-yaml-omap-dos__tasks.md")
    assert waves(plan) == [(1, "1.1.1 1.1.2 1.1.3", ())]
    assert [(one.local_id, one.at.line, one.depends_on) for one in plan.specs] == [
        ("T1", 31, ()),
        ("T2", 88, ()),
        ("T3", 143, ()),
    ]
    assert errors == [
        (line, code) for line in (31, 88, 143) for code in ("no-scope", "no-acceptance", "no-test")
    ]  # their scope is called "Owns", their acceptance stands below a heading, their test in a fence


def test_a_summary_table_of_tasks_without_sections_is_refused_for_them() -> None:
    plan, errors, messages = read("plan-wave/brendanbecker__fugue__DEPLOYMENT_PLAN.md")
    assert waves(plan) == [
        (1, keys(1, 13), ()),
        (2, keys(2, 10), (1,)),
        (3, keys(3, 6), (1, 2)),
        (4, keys(4, 5), (2, 3)),
    ]
    assert errors[:14] == [
        *lines("bad-wave", 401, 402, 403, 404, 405),
        *lines("unknown-dependency", 413, 414, 417, 418, 424, 426),
        *lines("no-section", 388, 389, 390),
    ]
    assert {code for _, code in errors[14:]} == {"no-section"}
    assert len(errors) == 5 + 6 + 34
    assert messages[0] == '"-" is no wave number'
    assert messages[5] == 'there is no task "FEAT-029"'


def test_waves_as_headings_over_tables_of_tasks_are_read_and_refused_for_the_sections() -> None:
    plan, errors, messages = read("plan-wave/brendanbecker__fugue__WAVES.md")
    assert waves(plan) == [
        (1, keys(1, 10), ()),
        (2, keys(2, 3), (1,)),
        (3, keys(3, 2), (1, 2)),
        (4, keys(4, 7), (1, 2, 3)),
    ]
    assert errors[0] == (60, "bad-wave")
    assert messages[0] == '"0" is no wave number'
    assert {code for _, code in errors[1:]} == {"no-section"}


def test_waves_as_headings_without_a_task_below_are_refused_for_that() -> None:
    plan, errors, _ = read("plan-wave/mmarcus006__openclaw-dashboard__WAVES-v4.md")
    assert [one.tasks for one in plan.waves] == [()] * 6
    assert errors == [(319, "bad-wave"), *lines("empty-wave", 480, 539, 614, 674, 838, 928)]


def test_notes_on_past_waves_are_refused_since_nothing_says_what_their_tasks_are() -> None:
    plan, errors, _ = read("exec-plan/caesium-cloud__caesium__data-plane-memory-ii.md")
    assert [one.number for one in plan.waves] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {code for _, code in errors} == {"no-section"}
    assert (plan.specs, errors[0][0]) == ((), 324)
