"""Run facts of one task: the front matter, log and body of orch's own todo file."""

from __future__ import annotations

from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan
from orchestrator.nouns import dataclass, field


@dataclass(frozen=True, slots=True)
class Counts:
    """Attempts on the present tier, by the rows of the ladder."""

    plan: int = 0
    accept: int = 0
    report: int = 0
    scope: int = 0
    conflict: int = 0
    died: int = 0


@dataclass(frozen=True, slots=True)
class TaskFile:
    """What `tasks/N.W.id.todo.md` says. Empty strings stand for keys that aren't there."""

    key: TaskKey
    exists: bool = False
    id: str = ""
    """What the plan calls the task, where that isn't its key."""
    id_at: Location | None = field(default=None, compare=False)
    tier: str = ""
    driver: str = ""
    model: str = ""
    session: str = ""
    marker: str = ""
    pid: int = 0
    started: str = ""
    branch: str = ""
    base: str = ""
    counts: Counts = field(default_factory=Counts)
    approved: str = ""
    approved_by: str = ""
    approved_why: str = ""
    plan: str = ""
    """Hash of the approved micro-plan."""
    spec: str = ""
    """Hash of the spec that the micro-plan was made for."""
    landed: tuple[str, ...] = ()
    reverted: tuple[str, ...] = ()
    until: str = ""
    cost: dict[str, str] = field(default_factory=dict)
    micro_plan: MicroPlan = field(default_factory=MicroPlan)
    findings: str = ""
    """The text of `## Findings`: what the gate or the last verification held against the worker's work."""
    log: tuple[LogEntry, ...] = ()
