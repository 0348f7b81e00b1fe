"""A worker's micro-plan and report, as read from its todo file or its last message."""

from __future__ import annotations

from orchestrator.digests import sha256
from orchestrator.errors import Location
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex


@dataclass(frozen=True, slots=True)
class Step:
    """One top-level box under TODO items. `text` holds nested lines too, without the box and a leading number."""

    number: int
    text: str
    mark: str
    at: Location | None = None

    @property
    def is_ticked(self) -> bool:
        return self.mark in ("x", "X")

    @property
    def is_open(self) -> bool:
        return self.mark == " "


@dataclass(frozen=True, slots=True)
class Question:
    number: int
    text: str
    answer: str = ""
    """Empty while the question is open."""


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What the worker says it did. `missing` names the required labels that aren't there."""

    status: str = ""
    files: tuple[str, ...] = ()
    tests: str = ""
    deviations: str = ""
    gotchas: str = ""
    missing: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class MicroPlan:
    """The body of a todo file. A part that isn't there is empty; `report` is None without a Report section."""

    heading: str = ""
    """The text of the first heading, key and title."""
    goal: str = ""
    steps: tuple[Step, ...] = ()
    notes: str = ""
    questions: tuple[Question, ...] = ()
    discovered: tuple[str, ...] = ()
    report: WorkerReport | None = None
    at: Location | None = None


_SPACE = regex(r"\s+")


def plan_hash(plan: MicroPlan) -> str:
    """`sha256:…` of goal and steps, blind to ticks and white space: what an approval binds to."""
    parts = [_SPACE.sub(" ", plan.goal).strip()]
    parts += [_SPACE.sub(" ", step.text).strip() for step in plan.steps]
    return "sha256:" + sha256("\0".join(parts).encode()).hexdigest()
