"""Problems as workflow commands of GitHub Actions, which show them at their lines in a change.

Owns the escaping of that form. Knows no file kind; takes Problems and gives text.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.errors import Problem, Severity

_COMMANDS = {Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github_lines(problems: Iterable[Problem]) -> tuple[str, ...]:
    """One workflow command a problem, in the order given; its message ends with the hint on a line of its own."""
    return tuple(_command(problem) for problem in problems)


def _command(problem: Problem) -> str:
    properties = {}
    at = problem.at
    if at is not None:
        properties["file"] = at.path
        if at.line:
            column = at.column or 1
            properties |= {"line": str(at.line), "endLine": str(at.line)}
            properties |= {"col": str(column), "endColumn": str(column + at.length)}
    properties["title"] = problem.code
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = f"{problem.message}\nhint: {problem.hint}" if problem.hint else problem.message
    return f"::{_COMMANDS.get(problem.severity, 'error')} {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
