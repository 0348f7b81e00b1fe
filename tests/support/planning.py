"""The canonical planning set of tests/data/planning, and how problems are written down in tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from orchestrator.errors import Problem
from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan

FOLDER = Path(__file__).resolve().parents[1] / "data" / "planning"


def canonical(name: str) -> str:
    """The text of a file of the canonical set, by its path below planning/."""
    return (FOLDER / name).read_bytes().decode()


def canonical_document(name: str) -> Document:
    return Document.parse(canonical(name), f"planning/{name}")


def canonical_plan() -> Plan:
    return read_plan(canonical_document("EXECUTION_PLAN_5.md"), 5).value


def key(text: str) -> TaskKey:
    found = parse_key(text)
    assert found is not None
    return found


def told(problems: Iterable[Problem]) -> str:
    """Problems a line each: place, text the caret stands under, severity, code, message; a hint on the next line."""
    return "".join(_told(problem) for problem in problems)


def _told(problem: Problem) -> str:
    at = problem.at
    where = f"{at.line}:{at.column}" if at and at.line else "-"
    marked = f" <{at.source[at.column - 1 : at.column - 1 + at.length]}>" if at and at.line else ""
    hint = f"    {problem.hint}\n" if problem.hint else ""
    return f"{where}{marked} {problem.severity} {problem.code}: {problem.message}\n{hint}"
