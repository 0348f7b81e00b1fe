"""Problems as a SARIF 2.1.0 log, which editors and code scanning read.

Owns that form; the rules are the problem codes. Knows no file kind; takes Problems and gives values that json can
write.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from orchestrator.errors import Location, Problem, Severity
from orchestrator.views.documents import Json
from orchestrator.views.problem_codes import meaning

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.WARNING: "warning", Severity.NOTE: "note"}


def sarif_log(problems: Sequence[Problem], *, version: str) -> Json:
    """The log of one run; paths count from the repository's top folder, columns in code points from 1."""
    rules = list(dict.fromkeys(problem.code for problem in problems))
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "orch", "version": version, "rules": [_rule(code) for code in rules]}},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    "%SRCROOT%": {"description": {"text": "The top folder of the repository."}},
                },
                "results": [_result(problem, rules.index(problem.code)) for problem in problems],
            }
        ],
    }


def _rule(code: str) -> Json:
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in code.split("-")),
        "shortDescription": {"text": meaning(code)},
        "help": {"text": f"docs/problems.md has an example under `{code}`."},
    }


def _result(problem: Problem, rule: int) -> Json:
    text = f"{problem.message}\nhint: {problem.hint}" if problem.hint else problem.message
    result: Json = {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": _LEVELS.get(problem.severity, "error"),
        "message": {"text": text},
    }
    if problem.at is not None:
        result["locations"] = [{"physicalLocation": _place(problem.at)}]
    if problem.subject:
        result["properties"] = {"task": problem.subject}
    return result


def _place(at: Location) -> Json:
    place: Json = {"artifactLocation": {"uri": quote(at.path), "uriBaseId": "%SRCROOT%"}}
    if at.line:
        column = at.column or 1
        region: Json = {"startLine": at.line, "startColumn": column, "endColumn": column + at.length}
        if at.source:
            place["contextRegion"] = {"startLine": at.line, "snippet": {"text": at.source}}
        place["region"] = region
    return place
