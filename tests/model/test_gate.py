"""The mechanical gate: every rule, in both directions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.errors import Severity
from orchestrator.model.gate import Finding, gate_findings, missing_test_step, with_test_step
from orchestrator.model.micro_plan import MicroPlan, Question, Step
from orchestrator.model.plan import Reference, Spec
from tests.support.model_nouns import change, key, micro, paths, spec

TREE = {"src/a.py", "src/b.py", "src/other.py", "README.md", "src", "docs", "docs/x.md"}
TASK = spec(
    edit="src/a.py",
    create="tests/test_a.py",
    acceptance=("every test in `tests/test_a.py` passes",),
    test="pytest tests/test_a.py",
)
STEPS = (
    "Read `src/b.py`",
    "Edit `src/a.py`",
    "Create `tests/test_a.py`: empty, full (A1)",
    "Run `pytest tests/test_a.py`",
)


def findings(task: Spec = TASK, plan: MicroPlan | None = None, *changes: str, **more: Any) -> list[str]:
    found = gate_findings(task, plan or micro(*STEPS), tuple(map(change, changes)), exists=TREE.__contains__, **more)
    return [f"{each.severity} {each.code}: {each.message}" for each in found]


def test_a_good_plan_passes() -> None:
    assert findings() == []


@pytest.mark.parametrize(
    ("heading", "finding"),
    [
        ("5.1.a — Do it", None),
        ("5.1.a -- Do it", None),
        ("5.1.a: Do it", None),
        ("Task 5.1.a Do it", None),
        ("`5.1.a` Do it", None),
        ("", "item no-title: it has no title; the first line is `# 5.1.a — …`"),
        ("5.1.a —", "item no-title: its title is only the key; the first line is `# 5.1.a — …`"),
        ("5.1.b — Do it", "item wrong-key: its title names 5.1.b; this is task 5.1.a"),
        ("5.1.a-b — Do it", "item wrong-key: its title names 5.1.a-b; this is task 5.1.a"),
        ("15.1.a — Do it", "item wrong-key: its title names 15.1.a; this is task 5.1.a"),
        ("TODO", "item wrong-key: its title doesn't name 5.1.a; this is task 5.1.a"),
    ],
)
def test_the_title_holds_the_key(heading: str, finding: str | None) -> None:
    assert findings(plan=micro(*STEPS, heading=heading)) == ([finding] if finding else [])


def test_a_plan_without_a_goal_or_steps() -> None:
    assert findings(plan=MicroPlan(heading="5.1.a — Do it", goal=" \n")) == [
        "item no-goal: it has no goal: one sentence under `## Goal`",
        "item no-steps: it has no step: 1 to 12 boxes under `## TODO items`",
    ]


def test_twelve_steps_pass_and_thirteen_do_not() -> None:
    assert findings(plan=micro(*STEPS, *["Read `src/b.py`"] * 8)) == []
    assert findings(plan=micro(*STEPS, *["Read `src/b.py`"] * 9)) == [
        "item too-many-steps: it has 13 steps, 12 at most"
    ]


def test_a_mark_in_a_box_before_approval_is_an_error() -> None:
    plan = micro(*STEPS)
    marked = replace(plan, steps=(replace(plan.steps[0], mark="x"), replace(plan.steps[1], mark="~"), *plan.steps[2:]))
    assert findings(plan=marked) == [
        "item step-ticked: step 1 is ticked before approval",
        "item step-ticked: step 2 is marked `[~]` before approval",
    ]


def test_five_questions_pass_and_six_do_not_and_an_open_one_only_waits() -> None:
    def asking(count: int) -> MicroPlan:
        return micro(*STEPS, questions=tuple(Question(n, f"Keep {n}?", "yes") for n in range(1, count + 1)))

    assert findings(plan=asking(5)) == []
    assert findings(plan=asking(6)) == ["item too-many-questions: it asks 6 questions, 5 at most"]
    still_open = micro(*STEPS, questions=(Question(1, "Keep it?"), Question(2, "Drop it?", "no"), Question(3, "None.")))
    assert findings(plan=still_open) == ["warning open-question: question 1 is open"]


def test_none_is_no_question_and_nonexistent_is() -> None:
    def open_ones(text: str) -> int:
        return len(findings(plan=micro(*STEPS, questions=(Question(1, text),))))

    assert [
        open_ones(text) for text in ("None", "- none.", "n/a", "No questions", "nonexistent?", "None of these?")
    ] == [
        0,
        0,
        0,
        0,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ("Edit `src/other.py`", "src/other.py"),
        ("Create `lib/new.py`", "lib/new.py"),
        ("Delete `src/b.py`", "src/b.py"),
        ("Update README.md", "README.md"),
        ("Add a note to `docs/`", "docs/"),
        ("Add a note to `docs`", None),
        ("Edit `Src/A.py`", None),
        ("Edit `./src//a.py:12`", None),
        ("Edit `a.py`", None),
        ("Edit `/home/me/work/src/a.py`", None),
        ("Edit `repo/src/a.py`", None),
        ("Update the files in `src/`", None),
        ("Update `src/*.py`", None),
        ("Write notes to `tmp/notes.md`", None),
        ("Tick the boxes in `planning/tasks/5.1.a.todo.md`", None),
        ("Append the report to `STATE_5.md`", None),
        ("Read `src/other.py`", None),
        ("Run `pytest tests/other.py`", None),
        ("Update the and/or logic", None),
    ],
)
def test_a_step_that_changes_a_path_out_of_scope_is_an_error(step: str, path: str | None) -> None:
    task = replace(TASK, scratch=paths("tmp/"))
    expected = [f"item out-of-scope: step 5 changes `{path}`, which is out of scope"] if path else []
    assert [each for each in findings(task, micro(*STEPS, step)) if each.startswith("item")] == expected


def test_a_bare_name_beneath_a_folder_of_the_scope_is_in_scope_unless_it_lies_at_the_top() -> None:
    task = spec(edit="src/")
    assert findings(task, micro("Edit `helpers.py` in `src/`")) == []
    assert findings(task, micro("Edit `README.md`")) == [
        "item out-of-scope: step 1 changes `README.md`, which is out of scope",
        "warning must-edit-unplanned: no step names `src/`, which must be edited",
    ]


def test_anything_written_before_approval_is_an_error() -> None:
    assert findings(TASK, None, "M src/a.py", "A x") == [
        "item written-before-approval: it changed `src/a.py`, `x` before approval"
    ]
    many = [f"A f{n}" for n in range(8)]
    assert findings(TASK, None, *many) == [
        "item written-before-approval: it changed `f0`, `f1`, `f2`, `f3`, `f4` and 3 more before approval"
    ]
    ref = Finding("tampering", "the branch `main` was moved", Severity.ITEM)
    assert findings(other_findings=(ref,)) == ["item tampering: the branch `main` was moved"]


def test_a_must_edit_file_in_no_step_is_a_warning() -> None:
    task = replace(TASK, must_edit=paths("src/a.py", "src/b/c.py", "lib/"))
    plan = micro(*STEPS, "Adapt c.py")
    assert findings(task, plan) == ["warning must-edit-unplanned: no step names `lib/`, which must be edited"]
    assert findings(task, micro(*STEPS, "Adapt c.py and `lib/x.py`")) == []


@pytest.mark.parametrize(
    ("acceptance", "last_step", "unnamed"),
    [
        (("`tests/test_a.py` passes",), "Stop", []),
        (("it is fast", "it is small"), "Stop", []),
        (("it is fast", "it is small"), "Measure it (A1)", [2]),
        (("it is fast", "it is small"), "Measure it (A1, A2)", []),
        (("`make bench` is fast",), "Stop", [1]),
        (("`make bench` is fast",), "Run `make bench`", []),
        (("`docs/x.md` says so",), "Stop", [1]),
        (("`docs/x.md` says so",), "Look at x.md", []),
        (("`docs/x.md` says so",), "See XA1", [1]),
    ],
)
def test_an_acceptance_that_no_step_names_is_a_warning(
    acceptance: tuple[str, ...], last_step: str, unnamed: list[int]
) -> None:
    task = replace(TASK, acceptance=acceptance)
    steps = ("Edit `src/a.py`", "Create `tests/test_a.py`", last_step)
    assert findings(task, micro(*steps)) == [
        f"warning acceptance-unnamed: no step names acceptance A{number}" for number in unnamed
    ]


def test_a_step_on_a_file_of_a_dependency_is_a_warning_if_it_may_change_it() -> None:
    files = {key("9.z"): ("src/other.py", "src/a.py")}
    assert findings(plan=micro(*STEPS, "`src/other.py` too"), dependency_files=files) == [
        "warning dependency-file: step 5 names `src/other.py`, which 5.9.z changed and this scope doesn't hold"
    ]
    assert findings(plan=micro(*STEPS, "Read `src/other.py`", "Then `src/a.py`"), dependency_files=files) == []


def test_a_big_file_without_an_anchor_is_a_warning() -> None:
    def of(step: str, task: Spec = TASK, lines: int | None = 900) -> list[str]:
        return findings(task, micro(*STEPS[2:], step), line_count=lambda path: lines)

    warning = ["warning no-anchor: `src/a.py` has 900 lines, and no step says where to enter it"]
    assert of("Edit `src/a.py`") == warning
    assert of("Edit `src/a.py` at line 300") == []
    assert of("Edit `parse` in `src/a.py`") == []
    assert of("Edit `src/a.py:300`") == []
    assert of("Edit `src/a.py`", lines=800) == []
    assert of("Edit `src/a.py`", lines=None) == []
    anchored = replace(TASK, anchors=(Reference("`def x` in `src/a.py`", "src/a.py"),))
    assert of("Edit `src/a.py`", anchored) == []


def test_what_a_step_is_wrong_about_is_only_noted() -> None:
    plan = micro(
        *STEPS,
        "Read `src/gone.py`",
        "Read `gone.py`, `x/y`, `lib/*.py`",
        "Read `src/b.py`",
        "Read `tests/test_a.py`",
    )
    assert findings(plan=plan) == ["note path-not-found: step 5 names `src/gone.py`, which doesn't exist"]
    task = replace(TASK, can_create=paths("src/b.py", "tests/test_a.py"))
    assert findings(task, micro("Create `src/b.py`", *STEPS[1:])) == [
        "note creates-existing: step 1 creates `src/b.py`, which exists"
    ]


def test_errors_come_first_then_warnings_then_notes() -> None:
    plan = micro("Read `src/gone.py`", "Edit `src/other.py`", questions=(Question(1, "Why?"),))
    assert [each.split(" ")[0] for each in findings(plan=plan)] == ["item", "warning", "warning", "note"]


@pytest.mark.parametrize(
    ("test", "steps", "added"),
    [
        ("pytest tests/test_a.py", STEPS, ""),
        ("pytest  tests/test_a.py", STEPS, ""),
        ("pytest tests/test_a.py", STEPS[:3], "Run `pytest tests/test_a.py`"),
        ("pytest tests/test_a.py", (*STEPS[:3], "Run the targeted tests"), ""),
        ("pytest tests/test_a.py", (*STEPS[:3], "Run the targeted pytest module."), ""),
        ("pytest tests/test_a.py", (*STEPS[:3], "Run the acceptance command"), ""),
        ("pytest tests/test_a.py", (*STEPS[:3], "Run the tests"), "Run `pytest tests/test_a.py`"),
        ("echo `date`", STEPS, "Run `` echo `date` ``"),
        ("", STEPS, ""),
    ],
)
def test_a_missing_test_step_is_added_and_sends_nothing_back(test: str, steps: tuple[str, ...], added: str) -> None:
    task = replace(TASK, test=test)
    plan = micro(*steps)
    assert missing_test_step(task, plan) == added
    assert [each for each in findings(task, plan) if "test" in each.split(":")[0]] == []
    whole = with_test_step(task, plan)
    assert whole.steps[: len(steps)] == plan.steps
    assert whole.steps[len(steps) :] == ((Step(len(steps) + 1, added, " "),) if added else ())
    assert with_test_step(task, whole) == whole


def test_a_finding_says_how_far_it_reaches() -> None:
    severities = (Severity.FILE, Severity.ITEM, Severity.WARNING, Severity.NOTE)
    each = [Finding("x", "y", severity) for severity in severities]
    assert [(one.is_error, one.is_warning, one.is_note) for one in each] == [
        (True, False, False),
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_the_example_of_the_file_format_passes() -> None:
    task = spec(
        "1.1",
        edit="pkg/jobdef/definition.go",
        create="pkg/jobdef/trigger.go pkg/jobdef/trigger_test.go",
        scratch=paths(".development/"),
        acceptance=("every test in `pkg/jobdef/trigger_test.go` passes",),
        test="go test ./pkg/jobdef -run Trigger",
    )
    plan = micro(
        "Create `pkg/jobdef/trigger.go` with the `Trigger` type and its parser",
        "Call it from `ParseDefinition` in `pkg/jobdef/definition.go`",
        "Create `pkg/jobdef/trigger_test.go`: valid, empty, unknown kind (A1)",
        "Run `go test ./pkg/jobdef -run Trigger`",
        name="1.1",
    )
    assert gate_findings(task, plan, (), exists={"pkg/jobdef/definition.go"}.__contains__) == ()
    assert missing_test_step(task, plan) == ""
