"""The log holds what SARIF 2.1.0 requires: its own rules are written down here, and every log is held against them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.errors import Location, Problem, Severity
from orchestrator.views.problem_codes import CODES, meaning
from orchestrator.views.sarif import sarif_log

PLAN = "planning/EXECUTION_PLAN_5.md"
PROBLEMS = (
    Problem(
        "unknown-dependency",
        'there is no task "5.1.7"',
        Location(PLAN, 12, 19, 5, "- **Depends on:** 5.1.7"),
        'did you mean "5.1.4"?',
        subject="5.2.1",
    ),
    Problem("no-workers", "no worker is set up", Location("planning/ORCH file.md"), severity=Severity.WARNING),
    Problem("unknown-dependency", "again", severity=Severity.NOTE),
)

# Object → property → (whether it is required, what it holds): a name is another object, [name] a list of them.
# From the specification, for the objects that orch writes: sections 3.13, 3.14, 3.18, 3.19, 3.11, 3.27 to 3.30, 3.49.
OBJECTS: Mapping[str, Mapping[str, tuple[bool, Any]]] = {
    "sarifLog": {"version": (True, ["2.1.0"]), "runs": (True, ("run",)), "$schema": (False, str)},
    "run": {
        "tool": (True, "tool"),
        "results": (False, ("result",)),
        "columnKind": (False, ["utf16CodeUnits", "unicodeCodePoints"]),
        "originalUriBaseIds": (False, {"artifactLocation"}),
    },
    "tool": {"driver": (True, "toolComponent")},
    "toolComponent": {"name": (True, str), "version": (False, str), "rules": (False, ("reportingDescriptor",))},
    "reportingDescriptor": {
        "id": (True, str),
        "name": (False, str),
        "shortDescription": (False, "multiformatMessageString"),
        "help": (False, "multiformatMessageString"),
    },
    "multiformatMessageString": {"text": (True, str)},
    "result": {
        "message": (True, "message"),
        "ruleId": (False, str),
        "ruleIndex": (False, int),
        "level": (False, ["none", "note", "warning", "error"]),
        "locations": (False, ("location",)),
        "properties": (False, dict),
    },
    "message": {"text": (True, str)},
    "location": {"physicalLocation": (False, "physicalLocation")},
    "physicalLocation": {
        "artifactLocation": (True, "artifactLocation"),
        "region": (False, "region"),
        "contextRegion": (False, "region"),
    },
    "artifactLocation": {"uri": (False, str), "uriBaseId": (False, str), "description": (False, "message")},
    "region": {
        "startLine": (True, int),
        "startColumn": (False, int),
        "endColumn": (False, int),
        "snippet": (False, "artifactContent"),
    },
    "artifactContent": {"text": (False, str)},
}


def faults(value: Any, kind: Any, where: str) -> list[str]:
    """Every way in which the value isn't of the kind."""
    if isinstance(kind, str):
        if not isinstance(value, dict):
            return [f"{where}: no {kind}"]
        properties = OBJECTS[kind]
        found = [f"{where}: {name} is unknown" for name in value.keys() - properties.keys()]
        found += [f"{where}: {name} is missing" for name, (must, _) in properties.items() if must and name not in value]
        return found + [
            fault
            for name, inner in value.items()
            if name in properties
            for fault in faults(inner, properties[name][1], f"{where}.{name}")
        ]
    if isinstance(kind, tuple):
        return [fault for index, one in enumerate(value) for fault in faults(one, kind[0], f"{where}[{index}]")]
    if isinstance(kind, set):
        return [fault for name, one in value.items() for fault in faults(one, next(iter(kind)), f"{where}.{name}")]
    if isinstance(kind, list):
        return [] if value in kind else [f"{where}: {value} is none of {kind}"]
    if not isinstance(value, kind) or value == "" or (kind is int and not where.endswith("Index") and value < 1):
        return [f"{where}: {value!r} is no {kind.__name__}"]
    return []


def log(problems: tuple[Problem, ...] = PROBLEMS) -> dict[str, Any]:
    written = json.loads(json.dumps(sarif_log(problems, version="1.2.3")))
    assert isinstance(written, dict)
    return written


@pytest.mark.parametrize("problems", [(), PROBLEMS, PROBLEMS[1:2]])
def test_a_log_is_of_the_form_that_the_specification_requires(problems: tuple[Problem, ...]) -> None:
    assert faults(log(problems), "sarifLog", "log") == []


def test_the_check_of_the_form_finds_faults() -> None:
    broken = log()
    run = broken["runs"][0]
    del run["tool"]["driver"]["name"]
    run["results"][0]["level"] = "fatal"
    run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    run["results"][1]["mesage"] = run["results"][1].pop("message")
    assert sorted(faults(broken, "sarifLog", "log")) == [
        "log.runs[0].results[0].level: fatal is none of ['none', 'note', 'warning', 'error']",
        "log.runs[0].results[0].locations[0].physicalLocation.region.startLine: 0 is no int",
        "log.runs[0].results[1]: mesage is unknown",
        "log.runs[0].results[1]: message is missing",
        "log.runs[0].tool.driver: name is missing",
    ]


def test_every_result_names_its_rule_and_its_place() -> None:
    run = log()["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["unknown-dependency", "no-workers"]
    assert [(rules[one["ruleIndex"]]["id"], one["level"]) for one in run["results"]] == [
        ("unknown-dependency", "error"),
        ("no-workers", "warning"),
        ("unknown-dependency", "note"),
    ]
    assert [one["ruleId"] for one in run["results"]] == [problem.code for problem in PROBLEMS]
    assert run["results"][0] == {
        "ruleId": "unknown-dependency",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": 'there is no task "5.1.7"\nhint: did you mean "5.1.4"?'},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": PLAN, "uriBaseId": "%SRCROOT%"},
                    "contextRegion": {"startLine": 12, "snippet": {"text": "- **Depends on:** 5.1.7"}},
                    "region": {"startLine": 12, "startColumn": 19, "endColumn": 24},
                }
            }
        ],
        "properties": {"task": "5.2.1"},
    }
    assert run["results"][1]["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "planning/ORCH%20file.md", "uriBaseId": "%SRCROOT%"}}}
    ]
    assert "locations" not in run["results"][2]


def test_every_code_has_one_short_sentence() -> None:
    for code, text in CODES.items():
        assert text[0].isupper() and text.endswith((".", "…")) and len(text) < 100, code
    assert meaning("unknown-dependency") == "A task depends on a task that isn't in the plan."
    assert meaning("not-listed") == "Not listed."
