"""Everything that ends a command but an answer: one printer, one table of exit codes, one crash report.

Turns an exception into a message (or one JSON document) and an exit code. Nothing below cli prints or exits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from orchestrator.cli.crash_report import write_crash_report
from orchestrator.cli.interrupts import HungUp, Terminated
from orchestrator.cli.output import abandon, columns, print_document, print_message
from orchestrator.disk_faults import refusal_of
from orchestrator.errors import DocumentError, Exit, LockedError, OrchError, Problem, Severity, ToolError
from orchestrator.masking import mask, secret_values
from orchestrator.views.documents import problems_document
from orchestrator.views.printable import one_line
from orchestrator.views.problems import problem_text, problems_text

_COMMANDS = ("orch ", "cd ")
"""How a note begins that is a command."""
OUTPUT_LINES = 8
"""So much of a failed program's output is shown, from its end."""


def answer(error: BaseException, arguments: Sequence[str]) -> int:
    """Print what went wrong with this command line and return the exit code to leave with."""
    match error:
        case click.UsageError():
            return _refused(Exit.USAGE, (_usage_problem(error),), _usage_command(error), arguments)
        case DocumentError():
            return _refused(error.exit_code, error.problems, "orch check", arguments, message=error.message)
        case OrchError():
            following = "orch status" if isinstance(error, LockedError) else ""
            return _refused(error.exit_code, (_problem(error),), following, arguments)
        case KeyboardInterrupt() | click.Abort():
            return _interrupted(Exit.INTERRUPTED, "interrupted", arguments, error)
        case HungUp():
            return _interrupted(Exit.HUNG_UP, "hung up", arguments, error)
        case Terminated():
            return _interrupted(Exit.TERMINATED, "terminated", arguments, error)
        case BrokenPipeError() if _nobody_reads():
            abandon()
            return Exit.DONE
        case OSError() if refused := refusal_of(error):
            return _refused(refused.exit_code, (_problem(refused),), "", arguments)
        case _:
            return _fault(error, arguments)


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether this command line asks for JSON; it may have failed before its options were read."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before


def _refused(
    code: Exit, problems: Sequence[Problem], following: str, arguments: Sequence[str], *, message: str = ""
) -> int:
    if wants_json(arguments):
        document = {"outcome": "refused", "next": following, "problems": problems_document(problems)}
        return print_document(document, code)
    width = columns()
    text = (
        problems_text(problems, width=width)
        if len(problems) > 1
        else "".join(problem_text(problem, width=width) for problem in problems)
    )
    print_message(text)
    if message and message not in {problem.message for problem in problems}:
        print_message(f"error: {message}")
    if following == "orch check":
        print_message(f"next: {following}")
    return code


def _interrupted(code: Exit, word: str, arguments: Sequence[str], error: BaseException) -> int:
    # Imported here: only an interrupt pays for it.
    from shlex import join

    # A verb that isn't continued by the same command line has noted the one that does; others say what goes on.
    notes: list[str] = getattr(error, "__notes__", [])
    told = [note for note in notes if not note.startswith(_COMMANDS)]
    following = next((note for note in notes if note.startswith(_COMMANDS)), join(["orch", *arguments]))
    if wants_json(arguments):
        document = {"outcome": word, "next": following, "problems": []}
        return print_document({**document, "warnings": told} if told else document, code)
    print_message("\n".join([f"{word}; state is saved", *told, f"next: {following}"]))
    return code


def _fault(error: BaseException, arguments: Sequence[str]) -> int:
    path = write_crash_report(error, arguments, os.environ)
    said = one_line(mask(f"{type(error).__name__}: {error}", secret_values(os.environ)), 200)
    hint = f"the report is in {path}" if path else "no report could be written; the traceback is above"
    problem = Problem("fault", f"a fault in orch: {said}", hint=hint, severity=Severity.FILE)
    if wants_json(arguments):
        document = {"outcome": "fault", "next": "orch status", "problems": problems_document([problem])}
        return print_document({**document, "report": path}, Exit.FAULT)
    print_message(problem_text(problem))
    return Exit.FAULT


def _problem(error: OrchError) -> Problem:
    message = error.message
    if isinstance(error, ToolError) and error.output.strip():
        ending = mask(error.output, secret_values(os.environ)).strip().split("\n")[-OUTPUT_LINES:]
        message = "\n".join([message, *(f"    {one_line(line, 160)}" for line in ending)])
    return Problem(error.code, message, error.at, error.hint)


def _usage_problem(error: click.UsageError) -> Problem:
    text = error.format_message().strip().removesuffix(".")
    message = text[:1].lower() + text[1:]
    return Problem("usage", message, hint=_usage_command(error), severity=Severity.FILE)


def _usage_command(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx is not None else "orch"
    return f"{path} --help"


def _nobody_reads() -> bool:
    """Whether standard output's reader is gone; any other broken pipe is a fault of ours."""
    if sys.stdout is None:
        return True
    try:
        sys.stdout.flush()
        # Imported here: only a broken pipe pays for it.
        import select

        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except BrokenPipeError:
        return True
    except (OSError, ValueError):
        return False
