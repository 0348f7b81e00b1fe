import errno
import json
import stat
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from orchestrator.cli.failures import answer, wants_json
from orchestrator.cli.interrupts import HungUp, Terminated
from orchestrator.errors import (
    ConflictError,
    DocumentError,
    Exit,
    Location,
    LockedError,
    OrchError,
    Problem,
    Severity,
    ToolError,
    UserError,
)

PLACE = Location("planning/STATE_5.md", 12, 23, 3, "| 1 | 5.1.1 | Parse | don |")


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def _reports(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "state").rglob("crash-*"))


def test_a_refusal_shows_place_line_caret_and_hint(capsys: pytest.CaptureFixture[str]) -> None:
    code = answer(UserError('"don" is no status', at=PLACE, hint='did you mean "done"?'), ["status"])
    assert code == 1
    assert capsys.readouterr() == (
        "",
        'planning/STATE_5.md:12:23: error: "don" is no status\n'
        "   12 | | 1 | 5.1.1 | Parse | don |\n"
        "      |                       ^^^\n"
        'hint: did you mean "done"?\n',
    )


def test_several_problems_are_listed_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    problems = (
        Problem("a", "no such task", PLACE),
        Problem("b", "no such wave", Location("planning/EXECUTION_PLAN_5.md", 3, 1)),
        Problem("c", "a gap", severity=Severity.WARNING),
    )
    assert answer(DocumentError(problems, message="nothing was started"), ["next-wave"]) == 1
    assert capsys.readouterr().err.split("\n")[3:] == [
        "planning/EXECUTION_PLAN_5.md:3:1: error: no such wave",
        "warning: a gap",
        "2 errors, 1 warning",
        "error: nothing was started",
        "next: orch check",
        "",
    ]


def test_a_failed_program_shows_the_end_of_its_output(capsys: pytest.CaptureFixture[str]) -> None:
    output = "\n".join(f"line {number}" for number in range(20)) + "\n"
    error = ToolError("git fetch failed", argv=("git", "fetch"), status=128, output=output, hint="look at the remote")
    assert answer(error, ["next-wave"]) == 1
    lines = capsys.readouterr().err.split("\n")
    assert lines[0] == "error: git fetch failed"
    assert lines[1:-2] == [f"    line {number}" for number in range(12, 20)]
    assert lines[-2] == "hint: look at the remote"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UserError("x"), 1),
        (ConflictError("x"), 1),
        (DocumentError(()), 1),
        (LockedError("x"), 75),
        (click.UsageError("x"), 2),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (Terminated(), 143),
        (HungUp(), 129),
        (RuntimeError("x"), 70),
        (BrokenPipeError(32, "Broken pipe"), 70),
        (MemoryError(), 70),
    ],
)
def test_every_ending_has_its_exit_code_in_text_and_in_json(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answer(error, ["status"]) == code
    assert answer(error, ["status", "--json"]) == code
    out, err = capsys.readouterr()
    assert json.loads(out)["schema"] == 1
    assert "Traceback" not in out + err


def test_under_json_a_refusal_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    problems = (Problem("no-task", "no such task", PLACE, "look", Severity.ITEM, "5.1.1"),)
    assert answer(DocumentError(problems), ["next-wave", "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {
        "schema": 1,
        "outcome": "refused",
        "next": "orch check",
        "problems": [
            {
                "code": "no-task",
                "severity": "item",
                "message": "no such task",
                "hint": "look",
                "path": "planning/STATE_5.md",
                "line": 12,
                "column": 23,
                "end_column": 26,
                "source": PLACE.source,
                "task": "5.1.1",
            }
        ],
    }


def test_a_fault_leaves_a_report_that_only_its_owner_reads(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    try:
        raise ZeroDivisionError("by zero \x1b[31m")
    except ZeroDivisionError as error:
        assert answer(error, ["approve", "5.1.1"]) == 70
    (report,) = _reports(tmp_path)
    assert capsys.readouterr().err == (
        f"error: a fault in orch: ZeroDivisionError: by zero \\x1b[31m\nhint: the report is in {report}\n"
    )
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    text = report.read_text()
    assert "command: ['orch', 'approve', '5.1.1']" in text
    assert "raise ZeroDivisionError" in text


def test_a_fault_under_json_names_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert answer(ValueError("odd"), ["status", "--json"]) == 70
    document = json.loads(capsys.readouterr().out)
    (report,) = _reports(tmp_path)
    assert document["outcome"] == "fault"
    assert document["report"] == str(report)
    assert document["problems"][0]["message"] == "a fault in orch: ValueError: odd"


def test_an_interrupt_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(KeyboardInterrupt(), ["next-wave", "--auto", "-n", "5"]) == 130
    assert capsys.readouterr().err == "interrupted; state is saved\nnext: orch next-wave --auto -n 5\n"


def test_what_goes_on_after_an_interrupt_is_said_beside_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    error = KeyboardInterrupt()
    error.add_note("1 worker goes on (5.1.1)")
    error.add_note("cd demo && orch next-wave")
    assert answer(error, ["demo"]) == 130
    following = "cd demo && orch next-wave"
    said = f"interrupted; state is saved\n1 worker goes on (5.1.1)\nnext: {following}\n"
    assert capsys.readouterr().err == said
    assert answer(error, ["demo", "--json"]) == 130
    assert json.loads(capsys.readouterr().out) == {
        "schema": 1,
        "outcome": "interrupted",
        "next": following,
        "problems": [],
        "warnings": ["1 worker goes on (5.1.1)"],
    }


def test_a_usage_error_points_at_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    context = click.Context(click.Command("approve"), info_name="orch approve")
    assert answer(click.UsageError("No such option '--frobnicate'.", context), ["approve"]) == Exit.USAGE
    assert capsys.readouterr().err == "error: no such option '--frobnicate'\nhint: orch approve --help\n"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [(["status", "--json"], True), (["status"], False), (["revise", "5.1.1", "--", "--json"], False)],
)
def test_json_is_asked_for_before_a_double_dash(arguments: list[str], wanted: bool) -> None:
    assert wants_json(arguments) is wanted


def test_errors_of_every_kind_are_covered() -> None:
    # A new kind has to be thought about here: its exit code, and what comes next.
    def kinds(kind: type[OrchError]) -> Iterator[type[OrchError]]:
        for child in kind.__subclasses__():
            if child.__module__.startswith("orchestrator."):
                yield child
                yield from kinds(child)

    assert {kind.__name__ for kind in kinds(OrchError)} >= {
        "UserError",
        "DocumentError",
        "ConflictError",
        "LockedError",
        "ToolError",
    }


def test_a_disk_that_refuses_is_no_fault_of_orch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", "/run/1.side/rules")
    assert answer(error, ["next-wave"]) == 1
    assert capsys.readouterr().err == (
        "/run/1.side/rules: error: can't change /run/1.side/rules: the disk is full\n"
        "hint: make room, then run the command again\n"
    )
    assert _reports(tmp_path) == []
