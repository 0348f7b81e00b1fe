"""Short ways to build the model's nouns in tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.errors import Location, Problem
from orchestrator.model.changes import Change, ChangeKind
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.micro_plan import MicroPlan, Question, Step
from orchestrator.model.plan import Dependency, Plan, ScopePath, Spec, Wave

PLAN = "planning/EXECUTION_PLAN_5.md"


def key(text: str) -> TaskKey:
    """`1.a` is task a of wave 1 of plan 5; a key of three parts is taken as it is."""
    parsed = parse_key(text if text.count(".") == 2 else f"5.{text}")
    assert parsed is not None, text
    return parsed


def place(line: int, column: int = 1) -> Location:
    return Location(PLAN, line, column)


def paths(*patterns: str, line: int = 0) -> tuple[ScopePath, ...]:
    """Scope paths; `line` is the place of the first, the next stand in the columns behind."""
    return tuple(
        ScopePath(pattern, Location(PLAN, line, column) if line else None) for column, pattern in enumerate(patterns, 1)
    )


def after(*names: str, line: int = 0) -> tuple[Dependency, ...]:
    """Dependencies: `1.a` a task, `2` a wave."""
    found = []
    for column, name in enumerate(names, 1):
        at = Location(PLAN, line, column) if line else None
        if name.isdigit():
            found.append(Dependency(f"wave {name}", wave=int(name), at=at))
        else:
            found.append(Dependency(name, task=key(name), at=at))
    return tuple(found)


def spec(name: str = "1.a", *, edit: str = "", create: str = "", line: int = 10, **fields: Any) -> Spec:
    """A spec without a fault: `edit` and `create` are patterns with blanks between; a scope of its own by default."""
    task = key(name)
    whole = Spec(
        key=task,
        title=fields.pop("title", f"Do {task.id}"),
        at=place(line),
        text="",
        must_edit=paths(*edit.split()),
        can_create=paths(*create.split()),
        acceptance=("it works",),
        test="true",
    )
    if not (edit or create or "can_delete" in fields or "must_edit" in fields or "can_create" in fields):
        whole = replace(whole, must_edit=paths(f"src/{task.wave}/{task.id}.py"))
    return replace(whole, **fields)


def plan(*specs: Spec, waves: tuple[Wave, ...] | None = None) -> Plan:
    """A plan of these specs, each in the wave of its key, which waits for what its tasks wait for."""
    if waves is None:
        numbers = sorted({each.key.wave for each in specs})
        waves = tuple(
            Wave(n, "", tuple(each.key for each in specs if each.key.wave == n), (), place(n)) for n in numbers
        )
    return Plan(5, "A plan", PLAN, waves=waves, specs=specs)


def wave(number: int, *tasks: str, after: tuple[int, ...] = ()) -> Wave:
    return Wave(number, "", tuple(key(task) for task in tasks), after, place(number))


def shown(problem: Problem) -> str:
    """A problem as one line: place, severity, code, message."""
    where = f"{problem.at.line}:{problem.at.column}" if problem.at else "-"
    return f"{where} {problem.severity} {problem.code}: {problem.message}"


def steps(*texts: str) -> tuple[Step, ...]:
    return tuple(Step(number, text, " ") for number, text in enumerate(texts, 1))


def micro(*texts: str, name: str = "1.a", questions: tuple[Question, ...] = (), **fields: Any) -> MicroPlan:
    """A micro-plan whose form is right, with these steps."""
    whole = MicroPlan(heading=f"{key(name)} — Do it", goal="It is done.", steps=steps(*texts), questions=questions)
    return replace(whole, **fields)


def change(text: str, **fields: Any) -> Change:
    """`A path`, `M path`, `D path`, `T path`, `R old new`."""
    kind, *rest = text.split(" ")
    if kind == "R":
        return Change(ChangeKind.RENAMED, rest[1], old_path=rest[0], **fields)
    return Change(ChangeKind(kind), rest[0], **fields)
