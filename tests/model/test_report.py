"""The lines of a report."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model.changes import Change, ChangeKind
from orchestrator.model.micro_plan import WorkerReport
from orchestrator.model.report import MOST_LINES, discovered_items, report_files, report_lines
from tests.support.model_nouns import change

TODO = "planning/tasks/5.1.1.todo.md"


def lines(worker: WorkerReport | None = None, **fields: Any) -> tuple[str, ...]:
    whole: dict[str, Any] = {
        "status": "done, abc1234",
        "changes": (change("M src/a.py", lines=((118, 164),)), change("A src/new.py")),
        "test": "pytest -q",
        "passed": 14,
        "failed": 0,
        "worker": worker or WorkerReport(deviations="none", gotchas="none"),
        "todo_path": TODO,
    }
    return report_lines(**{**whole, **fields})


def test_a_whole_report() -> None:
    worker = WorkerReport(deviations="none", gotchas="`ParseDefinition` is called twice at start-up")
    changes = (
        change("M pkg/definition.go", lines=((118, 164), (200, 200))),
        change("A pkg/trigger.go", lines=((1, 80),)),
        change("D pkg/old.go"),
        change("R pkg/x.go pkg/y.go", lines=((3, 4),)),
        change("R pkg/p.go pkg/q.go"),
        change("T run.sh"),
        change("M logo.png"),
    )
    assert lines(worker, changes=changes) == (
        "- **Status:** done, abc1234",
        "- **Files:** `pkg/definition.go` (L118–164, L200), `pkg/trigger.go` (new), `pkg/old.go` (deleted),"
        " `pkg/y.go` (from `pkg/x.go`, L3–4), `pkg/q.go` (from `pkg/p.go`), `run.sh` (mode), `logo.png`",
        "- **Tests:** `pytest -q`: 14 passed, 0 failed",
        "- **Deviations:** none",
        "- **Gotchas:** `ParseDefinition` is called twice at start-up",
    )


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"passed": None, "failed": None}, "- **Tests:** `pytest -q`: passed"),
        ({"passed": None}, "- **Tests:** `pytest -q`: 0 failed"),
        ({"test": "echo `date`"}, "- **Tests:** `` echo `date` ``: 14 passed, 0 failed"),
        ({"test": ""}, "- **Tests:** none"),
        ({"changes": ()}, "- **Files:** none"),
        (
            {"changes": tuple(change(f"A f{n}") for n in range(22))},
            "- **Files:** " + ", ".join(f"`f{n}` (new)" for n in range(20)) + " and 2 more",
        ),
        (
            {"changes": (change("M a", lines=((1, 1), (3, 3), (5, 5), (7, 7), (9, 9))),)},
            "- **Files:** `a` (L1, L3, L5, L7, …)",
        ),
    ],
)
def test_what_varies_in_the_facts(fields: dict[str, Any], line: str) -> None:
    assert line in lines(**fields)


def test_more_than_one_line_of_a_worker_is_a_quote() -> None:
    worker = WorkerReport(deviations="# not a heading\r\n\n- [ ] nor a box\n---", gotchas="")
    assert lines(worker)[3:] == (
        "- **Deviations:**",
        "  > # not a heading",
        "  > - [ ] nor a box",
        "  > ---",
        "- **Gotchas:** none",
    )


def test_what_is_cut_is_pointed_to() -> None:
    many = "\n".join(f"line {n}" for n in range(30))
    assert lines(WorkerReport(deviations=many, gotchas="one"))[3:] == (
        "- **Deviations:**",
        *(f"  > line {n}" for n in range(9)),
        "- **Gotchas:** one",
        f"- **Cut:** the whole report is in `{TODO}`",
    )
    both = lines(WorkerReport(deviations=many, gotchas=many))
    assert len(both) == MOST_LINES
    assert [line for line in both if not line.startswith("  >")][3:] == [
        "- **Deviations:**",
        "- **Gotchas:**",
        f"- **Cut:** the whole report is in `{TODO}`",
    ]
    long = lines(WorkerReport(deviations="x" * 500, gotchas="none"))
    assert long[3] == f"- **Deviations:** {'x' * 399}…"
    assert long[-1].startswith("- **Cut:**")


def test_control_characters_do_not_reach_the_file_and_marks_of_direction_stay() -> None:
    worker = WorkerReport(deviations="a\x1b[31mb\0\u202ec\td", gotchas="none")
    assert lines(worker)[3] == "- **Deviations:** a[31mb\u202ec d"


def test_a_worker_that_said_nothing() -> None:
    assert report_lines(status="done", changes=(), test="x", passed=1, failed=0, worker=None, todo_path=TODO)[3:] == (
        "- **Deviations:** none",
        "- **Gotchas:** none",
    )


@given(st.text(max_size=3000), st.text(alphabet="ab\n", max_size=200), st.integers(0, 40))
def test_a_report_never_has_more_lines_than_fifteen(deviations: str, gotchas: str, files: int) -> None:
    changes = tuple(Change(ChangeKind.MODIFIED, f"f{n}\n#", lines=((n, n),)) for n in range(files))
    found = lines(WorkerReport(deviations=deviations, gotchas=gotchas), changes=changes)
    assert 5 <= len(found) <= MOST_LINES
    assert all(line.startswith(("- **", "  > ")) for line in found)
    assert all("\n" not in line and "\r" not in line for line in found)


def test_the_files_of_a_report_read_back() -> None:
    changes = (
        change("M a.py", lines=((1, 2),)),
        change("A b.py"),
        change("D c.py"),
        change("R d.py e.py"),
        change("M f.py"),
    )
    text = "\n".join(lines(changes=changes))
    assert report_files(text) == ("a.py", "b.py", "e.py", "f.py")
    assert report_files("- **Status:** done\n- Files: `x.py`, `./y.py`\n") == ("x.py", "y.py")
    assert report_files("no list") == ()
    assert report_files("- **Files:** none") == ()


def test_a_long_discovered_item_is_cut_with_a_pointer_and_many_are_counted() -> None:
    path = "planning/tasks/1.1.1.todo.md"
    many = [f"thing {number}" for number in range(25)]
    assert discovered_items(["short", "x" * 500, "a\n" * 30], path) == (
        "short",
        "x" * 400 + f"… (cut; the whole is in `{path}`)",
        "\n".join("a" * 15) + f"… (cut; the whole is in `{path}`)",
    )
    assert discovered_items(many, path) == (*many[:20], f"5 more in `{path}`")
