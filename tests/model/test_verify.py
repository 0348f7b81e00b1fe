"""What speaks against finished work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.model.changes import Change, ChangeKind
from orchestrator.model.gate import Finding
from orchestrator.model.micro_plan import MicroPlan, WorkerReport, plan_hash
from orchestrator.model.verify import (
    acceptance_files,
    landing_changes,
    missing_acceptance_files,
    report_findings,
    scope_findings,
    step_findings,
    widening,
)
from tests.support.model_nouns import change, micro, paths, spec

TASK = spec(
    edit="src/a.py vendor/",
    create="src/new.py out/known.bin",
    can_delete=paths("src/old.py"),
    scratch=paths("tmp/", "src/scratch/"),
    acceptance=("`src/a.py` and `src/new.py` work", "`src/other.py` too", "`vendor/`"),
)


NESTED = "`vendor/lib` is a repository of its own; only a scope that names it can hold one"


def shown(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{each.severity} {each.code}: {each.message}" for each in findings]


@pytest.mark.parametrize(
    ("text", "fields", "finding"),
    [
        ("M src/a.py", {}, None),
        ("A src/a.py", {}, None),
        ("A src/new.py", {}, None),
        ("M src/new.py", {}, None),
        ("M src/old.py", {}, None),
        ("D src/old.py", {}, None),
        ("R src/a.py src/new.py", {}, None),
        ("R src/old.py src/new.py", {}, None),
        ("T src/a.py", {}, None),
        ("A tmp/x", {}, None),
        ("A planning/tasks/5.1.a.todo.md", {}, None),
        ("A src/b.py", {}, "creates `src/b.py`, out of scope"),
        ("M src/b.py", {}, "changes `src/b.py`, out of scope"),
        ("M SRC/A.py", {}, "changes `SRC/A.py`, out of scope"),
        ("T src/b.py", {}, "changes the kind of `src/b.py`, out of scope"),
        ("D src/b.py", {}, "deletes `src/b.py`, out of scope"),
        ("D src/a.py", {}, "deletes `src/a.py`, which its scope doesn't let it delete"),
        ("R src/a.py src/b.py", {}, "creates `src/b.py`, out of scope"),
        ("R src/b.py src/new.py", {}, "moves `src/b.py` away, which its scope doesn't let it delete"),
        ("M tmp/x", {}, "`tmp/x` is scratch, but git tracks it"),
        ("D tmp/x", {}, "`tmp/x` is scratch, but git tracks it"),
        ("A planning/STATE_5.md", {}, "`planning/STATE_5.md` lies under `planning/`, which no task changes"),
        ("M Planning/x", {}, "`Planning/x` lies under `planning/`, which no task changes"),
        ("R planning/x src/new.py", {}, "`src/new.py` lies under `planning/`, which no task changes"),
        ("A build/x", {"is_ignored": True}, None),
        ("A tmp/y", {"is_ignored": True}, None),
        ("A vendor/x", {"is_ignored": True}, None),
        ("A vendor/lib", {"is_submodule": True}, NESTED),
        ("A src/new.py", {"is_submodule": True}, None),
        ("A src/new.py", {"refusal": "a pipe"}, "`src/new.py` can't be taken into a commit: a pipe"),
        ("A tmp/x", {"refusal": "a pipe"}, None),
        ("A b\n##\x1b\udcff.py", {}, "creates `b\\x0a##\\x1b\\xff.py`, out of scope"),
    ],
)
def test_a_diff_is_held_against_the_scope(text: str, fields: dict[str, Any], finding: str | None) -> None:
    found = scope_findings(TASK, (change(text, **fields),), exempt={"planning/tasks/5.1.a.todo.md"})
    assert shown(found) == ([f"item scope: {finding}"] if finding else [])


def test_a_pattern_that_covers_the_whole_tree_does_not_cover_planning() -> None:
    task = spec(edit="**")
    assert [each.code for each in scope_findings(task, (change("M any/file"), change("M planning/x")))] == ["scope"]


def test_a_symbolic_link_is_pointed_out() -> None:
    found = scope_findings(TASK, (change("A src/new.py", is_symlink=True), change("M src/a.py", is_symlink=True)))
    assert shown(found) == ["warning symlink: `src/new.py` is a symbolic link"]


def test_both_faults_of_a_rename_are_told() -> None:
    assert shown(scope_findings(TASK, (change("R x/b.py x/c.py"),))) == [
        "item scope: creates `x/c.py`, out of scope",
        "item scope: moves `x/b.py` away, which its scope doesn't let it delete",
    ]


def test_scratch_and_protocol_never_land_and_ignored_files_only_by_name() -> None:
    changes = (
        change("M src/a.py"),
        change("A tmp/x"),
        change("A todo.md"),
        change("A src/b.py"),
        change("A vendor/x", is_ignored=True),
        change("A out/known.bin", is_ignored=True),
    )
    landing = landing_changes(TASK, changes, exempt=("todo.md",))
    assert [each.path for each in landing] == ["src/a.py", "src/b.py", "out/known.bin"]


PLAN = micro("Edit `a`", "Edit `b`", "Run `c`")
HASH = plan_hash(PLAN)


def worked(*marks: str, plan: MicroPlan = PLAN, deviations: str = "", **fields: Any) -> MicroPlan:
    steps = tuple(replace(step, mark=mark) for step, mark in zip(plan.steps, marks, strict=True))
    return replace(plan, steps=steps, report=WorkerReport(deviations=deviations), **fields)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (("M b.py", "A c.py", "D d.py"), "--edit b.py --create c.py --delete d.py"),
        (("M b.py", "M src/a.py", "M planning/STATE_5.md"), "--edit b.py"),
        (tuple(f"M {name}.py" for name in "bcde"), "--edit b.py --edit c.py --edit d.py --edit e.py"),
        (tuple(f"M {name}.py" for name in "bcdef"), ""),
        (("M src/a.py",), ""),
    ],
)
def test_the_options_that_would_take_a_change_into_the_scope(texts: tuple[str, ...], options: str) -> None:
    assert widening(TASK, tuple(change(text) for text in texts)) == options


@pytest.mark.parametrize(
    "path",
    ["a b.py", "docs/the plan.md", "a;reboot", "$(id)", "*", "src/[id].ts", "-rf", "a\nb", "caf\udce9", "a'b", "~"],
)
@pytest.mark.parametrize("kind", list(ChangeKind))
def test_a_path_that_a_shell_or_a_scope_would_take_for_something_else_is_never_offered(
    path: str, kind: ChangeKind
) -> None:
    assert widening(TASK, (Change(kind, path),)) == ""


def test_the_approved_steps_all_ticked_are_right() -> None:
    assert step_findings(HASH, PLAN, worked("x", "X", "x")) == ()
    spaced = worked("x", "x", "x", plan=micro("Edit  `a`", "Edit\n`b`", "Run `c` "))
    assert step_findings(HASH, PLAN, spaced) == ()


@pytest.mark.parametrize(
    ("deviations", "unexplained"),
    [
        ("", [2, 3]),
        ("none", [2, 3]),
        ("step 2 was not needed", [3]),
        ("Steps 2-3 were not needed", []),
        ("2, 3: no network", []),
        ("v2.3 and 12 files", [2, 3]),
        ("3 has no effect, see step 2.", []),
    ],
)
def test_an_unticked_step_is_explained_by_its_number(deviations: str, unexplained: list[int]) -> None:
    found = step_findings(HASH, PLAN, worked("x", " ", "~", deviations=deviations))
    assert shown(found) == [
        f"item step-unticked: step {number} isn't ticked, and the Deviations don't name it" for number in unexplained
    ]


def test_a_report_that_was_only_printed_explains_too() -> None:
    main = replace(PLAN, report=WorkerReport(deviations="step 3: no network"))
    assert step_findings(HASH, main, replace(worked("x", "x", " "), report=None)) == ()


def test_steps_that_are_not_those_approved_are_named() -> None:
    changed = micro("Edit `a`", "Edit `z` and " + "y" * 80, goal="Something else.")
    assert shown(step_findings(HASH, PLAN, worked("x", "x", plan=changed))) == [
        "item goal-changed: the goal isn't the one approved",
        f"item step-changed: step 2 isn't the one approved: `Edit 'z' and {'y' * 46}…`",
        "item step-missing: step 3 is gone from the todo file",
    ]
    added = micro("Edit `a`", "Edit `b`", "Run `c`", "Delete `d`")
    assert shown(step_findings(HASH, PLAN, worked("x", "x", "x", "x", plan=added))) == [
        "item step-added: step 4 was added after approval: `Delete 'd'`"
    ]
    assert shown(step_findings(HASH, PLAN, MicroPlan())) == [
        "item steps-missing: the steps are gone from the todo file"
    ]


def test_a_copy_that_is_as_approved_stands_though_the_main_file_was_edited() -> None:
    assert step_findings(HASH, micro("Edit `q`"), worked("x", "x", "x")) == ()
    assert shown(step_findings("sha256:0", PLAN, worked("x", "x", "x"))) == [
        "item step-changed: the steps aren't those that were approved"
    ]


def hide(text: str) -> str:
    return text.replace("s3cret", "[masked]")


def test_a_masked_place_counts_as_what_was_masked_and_the_rest_letter_for_letter() -> None:
    plan = micro("Edit `a` for s3cret", "Edit `b`", "Run `c`", goal="Use s3cret.")
    of_plan = plan_hash(plan)
    for goal in ("Use s3cret.", "Use [masked]."):
        for first in ("Edit `a` for s3cret", "Edit  `a` for\n[masked]"):
            copy = worked("x", "x", "x", plan=micro(first, "Edit `b`", "Run `c`", goal=goal))
            assert step_findings(of_plan, plan, copy, mask=hide) == ()
    changed = micro("Edit `a` against [masked]", "Edit `z`", "Run `c`", "Send s3cret", goal="Use two [masked].")
    hint = "(`[masked]` stands for a secret: leave it as it is)"
    assert shown(step_findings(of_plan, plan, worked("x", "x", "x", "x", plan=changed), mask=hide)) == [
        f"item goal-changed: the goal isn't the one approved {hint}",
        f"item step-changed: step 1 isn't the one approved: `Edit 'a' against [masked]` {hint}",
        "item step-changed: step 2 isn't the one approved: `Edit 'z'`",
        "item step-added: step 4 was added after approval: `Send [masked]`",
    ]


def test_the_approval_is_of_the_true_text_and_not_of_the_masked_one() -> None:
    plan = micro("Edit `a` for s3cret", "Edit `b`", "Run `c`")
    shown_plan = micro("Edit `a` for [masked]", "Edit `b`", "Run `c`")
    assert shown(step_findings(plan_hash(shown_plan), plan, worked("x", "x", "x", plan=plan), mask=hide)) == [
        "item step-changed: the steps aren't those that were approved"
    ]


CHANGES = (change("M src/a.py"), change("A src/new.py"), change("R x.py y.py"), change("D src/old.py"))


@pytest.mark.parametrize(
    ("files", "findings"),
    [
        (("src/a.py", "src/new.py", "y.py", "src/old.py"), []),
        (("`src/a.py` (L1–9)", "./src/new.py (new)", "y.py (from `x.py`)", "src/old.py (deleted)"), []),
        (("src/a.py:3-9", "src/new.py - the parser", "y.py", "x.py", "src/old.py"), []),
        (("src/a.py", "src/new.py", "y.py"), ["leave out `src/old.py`, which changed"]),
        (("src/a.py", "src/new.py", "y.py", "src/old.py", "z.py"), ["name `z.py`, which didn't change"]),
        (
            ("none",),
            [f"leave out `{path}`, which changed" for path in ("src/a.py", "src/new.py", "src/old.py", "y.py")],
        ),
    ],
)
def test_the_files_of_a_report_are_those_of_the_diff(files: tuple[str, ...], findings: list[str]) -> None:
    found = report_findings(WorkerReport(files=files), CHANGES)
    assert shown(found) == [f"item report-files: the report's Files {each}" for each in findings]


def test_a_name_that_no_text_can_hold_is_reported_as_it_is_shown() -> None:
    changes = (Change(ChangeKind.ADDED, "src/caf\udce9.py"),)
    assert report_findings(WorkerReport(files=("src/caf\\xe9.py",)), changes) == ()
    assert shown(report_findings(WorkerReport(files=("none",)), changes)) == [
        "item report-files: the report's Files leave out `src/caf\\xe9.py`, which changed"
    ]


def test_a_path_that_was_masked_in_the_report_is_the_one_of_the_diff() -> None:
    changes = (change("M src/s3cret.py"), change("A src/s3cret.txt"))
    said = WorkerReport(files=("`src/[masked].py` (L1)",))
    assert shown(report_findings(said, changes, mask=hide)) == [
        "item report-files: the report's Files leave out `src/[masked].txt`, which changed"
    ]


def test_a_report_that_lacks_something_says_what() -> None:
    assert shown(report_findings(None, CHANGES)) == [
        "item no-report: there is no `## Report` (Status, Files, Deviations, Gotchas)"
    ]
    assert shown(report_findings(WorkerReport(missing=("Files", "Gotchas")), CHANGES)) == [
        "item report-incomplete: the report lacks Files, Gotchas"
    ]
    assert report_findings(WorkerReport(files=("none",)), ()) == ()


def test_files_that_the_acceptance_names_must_be_there_and_hold_something() -> None:
    assert acceptance_files(TASK) == ("src/a.py", "src/new.py")
    sizes = {"src/a.py": 0}
    assert missing_acceptance_files(TASK, sizes.get) == (
        "`src/a.py`, which the acceptance names, is empty",
        "`src/new.py`, which the acceptance names, doesn't exist",
    )
    assert missing_acceptance_files(TASK, lambda path: 1) == ()
