"""Whole plans: the canonical one reads without a problem, and a bad one tells every problem at its place."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.errors import Location
from orchestrator.formats.plan_file import new_plan_text, read_plan
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Dependency, Plan, Reference, ScopePath, Spec, Wave
from tests.support.planning import canonical, canonical_document, key, told

HEAD = """\
# Execution plan 5 — X

## Waves

| Wave | Theme | Tasks | Depends on |
| --- | --- | --- | --- |
"""


def read(text: str, number: int = 5) -> tuple[Plan, str]:
    found = read_plan(Document.parse(text, "plan.md"), number)
    return found.value, told(found.problems)


def bare(spec: Spec) -> Spec:
    """The spec without text and places, so that a whole one can be compared."""
    return replace(spec, text="", fields={}, at=Location(""))


def test_the_canonical_plan_reads_whole_and_without_a_problem() -> None:
    found = read_plan(canonical_document("EXECUTION_PLAN_5.md"), 5)
    assert found.problems == ()
    plan = found.value
    assert replace(plan, specs=()) == Plan(
        number=5,
        title="Event triggers",
        path="planning/EXECUTION_PLAN_5.md",
        goal=(
            "Jobs can be started by events, not only by the clock. In: triggers in job definitions, their storage,"
            " a page that\nlists them. Out: webhooks from outside."
        ),
        slug="event-triggers",
        waves=(
            Wave(1, "API layer", (key("5.1.1"), key("5.1.2")), ()),
            Wave(2, "Frontend", (key("5.2.1"),), (1,)),
        ),
        acceptance=("an event starts a job within a second", "`go test ./...`"),
    )
    assert [bare(spec) for spec in plan.specs] == [
        Spec(
            key=key("5.1.1"),
            title="Parse trigger definitions",
            at=Location(""),
            text="",
            must_edit=(ScopePath("pkg/jobdef/definition.go"),),
            can_create=(ScopePath("pkg/jobdef/trigger.go"), ScopePath("pkg/jobdef/trigger_test.go")),
            scratch=(ScopePath(".development/"),),
            anchors=(
                Reference(
                    "`func ParseDefinition` in `pkg/jobdef/definition.go` (~120)",
                    "pkg/jobdef/definition.go",
                    Location(
                        "planning/EXECUTION_PLAN_5.md",
                        30,
                        16,
                        59,
                        "- **Anchors:** `func ParseDefinition` in `pkg/jobdef/definition.go` (~120)",
                    ),
                ),
            ),
            references=(
                Reference(
                    "port the pattern in `pkg/jobdef/schedule.go`",
                    "pkg/jobdef/schedule.go",
                    Location(
                        "planning/EXECUTION_PLAN_5.md",
                        31,
                        18,
                        44,
                        "- **Reference:** port the pattern in `pkg/jobdef/schedule.go`",
                    ),
                ),
            ),
            acceptance=("every test in `pkg/jobdef/trigger_test.go` passes",),
            test="go test ./pkg/jobdef -run Trigger",
            tier="small",
            commit="feat(jobdef): parse trigger definitions",
        ),
        Spec(
            key=key("5.1.2"),
            title="Store triggers",
            at=Location(""),
            text="",
            must_edit=(ScopePath("pkg/store/jobs.go"),),
            can_create=(ScopePath("pkg/store/trigger.go"), ScopePath("pkg/store/trigger_test.go")),
            acceptance=("a stored trigger is read back unchanged", "deleting a job deletes its triggers"),
            test="go test ./pkg/store -run Trigger",
        ),
        Spec(
            key=key("5.2.1"),
            title="List triggers",
            at=Location(""),
            text="",
            depends_on=(Dependency("5.1.1", key("5.1.1")), Dependency("5.1.2", key("5.1.2"))),
            must_edit=(ScopePath("ui/src/pages/[job].tsx"),),
            can_create=(ScopePath("ui/src/triggers/"),),
            acceptance=("the page lists kind and filter of every trigger",),
            test="npm --prefix ui test -- triggers",
            tier="mid",
        ),
    ]


def test_every_noun_of_the_plan_knows_its_place() -> None:
    plan = read_plan(canonical_document("EXECUTION_PLAN_5.md"), 5).value
    spec = plan.specs[0]
    assert str(spec.at) == "planning/EXECUTION_PLAN_5.md:22:5"
    assert spec.can_create[1].at is not None
    assert (spec.can_create[1].at.line, spec.can_create[1].at.column, spec.can_create[1].at.length) == (27, 44, 28)
    assert {name: (at.line, at.column) for name, at in spec.fields.items()} == {
        "repo": (24, 5),
        "depends on": (25, 5),
        "must edit": (26, 5),
        "can create": (27, 5),
        "can delete": (28, 5),
        "scratch": (29, 5),
        "anchors": (30, 5),
        "reference": (31, 5),
        "acceptance": (32, 5),
        "test": (33, 5),
        "tier": (34, 5),
        "commit": (35, 5),
    }
    assert [(wave.at.line, wave.at.column) for wave in plan.waves if wave.at] == [(17, 3), (18, 3)]


def test_the_spec_text_is_the_exact_section_without_its_heading() -> None:
    text = canonical("EXECUTION_PLAN_5.md")
    plan = read_plan(Document.parse(text), 5).value
    start = text.index("### 5.1.2")
    assert plan.spec(key("5.1.2")).text == text[text.index("\n", start) + 1 : text.index("### 5.2.1")]


def test_the_same_plan_with_crlf_reads_the_same() -> None:
    text = canonical("EXECUTION_PLAN_5.md").replace("\n", "\r\n")
    found = read_plan(Document.parse(text), 5)
    assert found.problems == ()
    lf = read_plan(Document.parse(canonical("EXECUTION_PLAN_5.md")), 5).value
    assert [bare(spec) for spec in found.value.specs] == [bare(spec) for spec in lf.specs]
    assert found.value.waves == lf.waves


def test_front_matter_is_optional_and_the_slug_comes_from_the_heading() -> None:
    text = canonical("EXECUTION_PLAN_5.md").partition("---\n")[2].partition("---\n")[2]
    plan, problems = read(text)
    assert (plan.title, plan.slug, problems) == ("Event triggers", "event-triggers", "")
    assert read("# Execution Plan: Ünïcode, “quotes” & more (Plan 5)\n")[0].slug == "unicode-quotes-more"
    assert read("# Execution Plan: Lamps (Plan 5)\n")[0].title == "Lamps"
    assert read("# Execution Plan 5\n")[0].slug == ""
    assert read("---\ntitle: From the keys\n---\n# Execution Plan 5\n")[0].slug == "from-the-keys"


def test_a_number_that_disagrees_with_the_file_name_is_an_error_of_the_file() -> None:
    assert (
        read("---\norchestration: 4\n---\n# Execution plan 6 — X\n")[1]
        == """\
2:16 <4> file number-mismatch: the front matter says orchestration "4", the file name 5
    make them agree; a plan keeps the number of its file
4:3 <Execution plan 6 — X> file number-mismatch: the heading says plan 6, the file name 5
    make them agree; a plan keeps the number of its file
"""
    )


def test_all_problems_are_told_at_once() -> None:
    text = HEAD + (
        "| 1 | a | 5.1.a, 5.1.b, 4.1.c, 5.1.x y!z | — |\n"
        "| two | b | 5.2.a | 1 |\n"
        "| 3 | c | 5.3.a | 1, 7, wave 9, someday |\n"
        "| 3 | c | 5.3.b | |\n"
        "\n## Tasks\n\n"
        "### 5.1.a — A\n\n"
        "- **Must edti:** `a`\n"
        "- **Must edit:** a file somewhere\n"
        "- **Test:** `x` then `y`\n"
        "- **Test:** `z`\n"
        "- **Depends on:** 5.1.zz, 5.1.bb, when ready\n"
        "- **Wave:** 2\n"
        "- **Can append:** `log.md`\n\n"
        "### 5.1.a — A again\n\n"
        "### 4.1.c — C\n\n"
        "### 5.1.b — B\n\n"
        "- **Depends on:** a\n\n"
        "### 5.3.a — A\n\n"
        "- **Depends on:** a, b\n\n"
        "## Backlog\n\n"
        "### 5.3.b — Later\n"
    )
    assert (
        read(text)[1]
        == """\
7:25 <4.1.c> item other-plan: 4.1.c is a task of plan 4, this is plan 5
    did you mean 5.1.c?
7:38 <y!z> item not-understood: "y!z" beside the task 5.1.x
    separate tasks with commas, put remarks in parentheses
8:3 <two> item bad-wave: "two" is no wave number
    waves count from 1
9:22 <7> item unknown-wave: there is no wave 7
    the waves are 1, 3
9:25 <wave 9> item unknown-wave: there is no wave 9
    the waves are 1, 3
9:33 <someday> item unknown-dependency: there is no task "someday"
10:3 <3> item duplicate-wave: wave 3 has two rows, the first in line 9
    put its tasks in one row, separated by commas
10:11 <5.3.b> item in-backlog: 5.3.b is in the wave table, but its section in line 38 is below Backlog
    move the section below Tasks, or take the key out of the table
16:5 <Must edti> warning unknown-label: "Must edti" is no label of a spec
    did you mean "must edit"?
17:18 <a file somewhere> item unclear-path: "a file somewhere" isn't clearly one path
    put each path in backticks, separate paths with commas, put remarks in parentheses
18:13 <`x` then `y`> item several-commands: the test is one shell command line, here are several
    join them with && inside one pair of backticks
19:5 <Test> item duplicate-label: "test" is given twice, first in line 18
    keep one; prose with labels belongs under a sub-heading
20:19 <5.1.zz> item unknown-dependency: there is no task "5.1.zz"
20:27 <5.1.bb> item unknown-dependency: there is no task "5.1.bb"
    did you mean "5.1.b"?
20:35 <when ready> item not-understood: "when ready" is neither a task nor a wave
    separate keys with commas, put remarks in parentheses, write "none" for no dependency
21:13 <2> item wave-mismatch: the key says wave 1, this field 2
    a task's key holds its wave: change both or none
22:5 <Can append> item not-available: "can append" is not available yet
    take the line out
24:5 <5.1.a — A again> item duplicate-task: 5.1.a has two headings, the first in line 14
    give one of them another id
26:5 <4.1.c — C> item other-plan: 4.1.c is a task of plan 4, this is plan 5
    did you mean 5.1.c?
30:19 <a> item ambiguous-task: "a" could be 5.1.a, 5.3.a
    write the whole key
34:19 <a> item ambiguous-task: "a" could be 5.1.a, 5.3.a
    write the whole key
34:22 <b> item ambiguous-task: "b" could be 5.1.b, 5.3.b
    write the whole key
"""
    )


def test_a_heading_with_the_whole_key_and_a_separator_is_a_task_wherever_it_stands() -> None:
    text = HEAD + (
        "| 1 | a | 5.1.1 | |\n\n## Tasks\n\n### 5.1.1 — A\n\n#### 5.1.2 — nested\n\n##### 5.1.3 mentioned\n\n"
        "##### 4.1.1 — another plan's, mentioned\n\n## 5.1.4: at level two\n\n## Backlog\n\n### 5.1.5 — B\n"
    )
    plan, problems = read(text)
    assert problems == ""
    assert [(str(spec.key), spec.title, spec.text) for spec in plan.specs] == [
        ("5.1.1", "A", "\n"),
        ("5.1.2", "nested", "\n##### 5.1.3 mentioned\n\n##### 4.1.1 — another plan's, mentioned\n\n"),
        ("5.1.4", "at level two", "\n"),
    ]


def test_headings_of_tasks_may_be_dressed_or_short() -> None:
    text = HEAD + (
        "| 1 | a | 5.1.a, 5.1.b, 5.1.c, 5.1.d, 5.1.e | |\n\n## Tasks\n\n### Task 5.1.a: One\n\n### `5.1.b` -- Two\n\n"
        "### 1.c — Three\n\n### d — Four\n\n### 5.1.e\n"
    )
    plan, problems = read(text)
    assert problems == ""
    assert [(str(spec.key), spec.title) for spec in plan.specs] == [
        ("5.1.a", "One"),
        ("5.1.b", "Two"),
        ("5.1.c", "Three"),
        ("5.1.d", "Four"),
        ("5.1.e", ""),
    ]


def test_a_new_plan_reads_back_empty_and_keeps_any_title() -> None:
    for title in ("Event triggers", 'A: "quoted" #1', "- dash", "'single' *star*", "yes"):
        plan, problems = read(new_plan_text(7, title, "2026-11-29"), 7)
        assert (plan.number, plan.waves, plan.specs, problems) == (7, (), (), "")
        front = Document.parse(new_plan_text(7, title, "2026-11-29")).front_matter
        assert front is not None
        assert {name: front.get(name) for name in front.keys} == {
            "orchestration": "7",
            "title": title,
            "created": "2026-11-29",
        }


def test_a_text_that_is_no_plan_never_raises() -> None:
    assert read("") == (Plan(5, "", "plan.md"), "")
    plan, problems = read("# X\n\n```\n## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n")
    assert plan == Plan(5, "X", "plan.md", slug="x")
    assert problems.startswith("3:1 <```> file unclosed-fence: this code fence never ends")


def test_a_misspelt_column_of_the_wave_table_is_named() -> None:
    text = "# Execution plan 5\n\n## Waves\n\n| Wave | Taks | Depends on |\n| --- | --- | --- |\n| 1 | 5.1.1 | |\n"
    assert (
        read(text)[1]
        == """\
5:10 <Taks> file unknown-column: "Taks" is no column of the wave table
    did you mean "Tasks"?
"""
    )


def test_a_new_plan_says_how_to_fill_it_in() -> None:
    assert (
        new_plan_text(7, "Event triggers", "2026-11-29")
        == """\
---
orchestration: 7
title: Event triggers
created: 2026-11-29
---
# Execution plan 7 — Event triggers

## Goal

Why, what is in, what is out.

## Waves

| Wave | Theme | Tasks | Depends on |
| --- | --- | --- | --- |

## Tasks

<!-- One section a task. Scope, acceptance and test are required:

### 7.1.1 — Title

- **Depends on:** none
- **Must edit:** `src/file.py`
- **Can create:** `tests/test_file.py`
- **Acceptance:** what is true when it is done
- **Test:** `python -m pytest -q tests/test_file.py`
- **Tier:** small

What the worker has to know, as long as needed.
-->
"""
    )


def test_a_sentence_that_names_a_task_to_wait_for_is_told_where_no_field_says_so() -> None:
    text = (
        "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n| 2 | 5.2.1 |\n\n### 5.1.1 — A\n\n"
        "Needs 3 hours. Requires 5.1.1 itself.\n\n### 5.2.1 — B\n\nText.\nRequires 5.1.1.\n\n- Needs task `1.1`\n\n"
        "```\nRequires 5.1.1\n```\n"
    )
    assert told(read_plan(Document.parse(text, "plan.md"), 5).problems) == (
        '15:1 <Requires 5.1.1> warning dependency-in-prose: "Requires 5.1.1" is prose: nothing waits for it\n'
        "    write it as a field: **Depends on:** 5.1.1\n"
        '17:3 <Needs task `1.1> warning dependency-in-prose: "Needs task `1.1" is prose: nothing waits for it\n'
        "    write it as a field: **Depends on:** 1.1\n"
    )
    asked = text.replace("Text.\n", "**Depends on:** 5.1.1\n\n")
    assert told(read_plan(Document.parse(asked, "plan.md"), 5).problems) == ""
