"""A worker's memory: which session a turn begins or goes on with, and what that session has used so far.

The id stands in the todo file's `session` before anything is spawned, and the log's `started` says whether it was new
then; so a turn that is spawned again by a later orch is the same turn. Must not know how a program is told of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.drivers.base import Turn, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.run import Run
from orchestrator.model.costs import number_in
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass

NEW, RESUMED = "new", "resumed"
COUNTED = ("in", "cached", "out", "usd")


@dataclass(frozen=True, slots=True)
class Memory:
    """What a turn is started with. word: for the log's `started`; empty for workers that remember nothing."""

    session: str = ""
    word: str = ""


def memory_for(run: Run, key: TaskKey, turn: Turn, worker: Worker, *, is_clean: bool) -> Memory:
    """The session of a turn that is about to be announced. is_clean: it begins in a tree without earlier work.

    A session goes on as long as the same kind of worker is at the same spec; what it was told first would mislead it
    otherwise.
    """
    kind = traits_of(find_driver(worker.driver)).sessions
    if kind == "none":
        return Memory()
    task = run.task(key)
    if task.session and not is_clean and task.driver == worker.driver and task.spec == run.spec(key).hash:
        return Memory(task.session, RESUMED)
    return Memory(run.session.random_uuid() if kind == "chosen" else "", NEW)


def is_resumed(log: Sequence[LogEntry]) -> bool:
    """Whether the last turn that was started, reviews apart, goes on with a session."""
    for entry in reversed(log):
        if entry.event == "started" and entry.get("turn") != "review":
            return entry.get("session") == RESUMED
    return False


def spent(log: Sequence[LogEntry]) -> dict[str, float]:
    """What the turns of the present session used, as far as it is known."""
    total = dict.fromkeys(COUNTED, 0.0)
    for entry in log:
        if entry.get("turn") == "review":
            continue
        if entry.event == "started" and entry.get("session") != RESUMED:
            total = dict.fromkeys(COUNTED, 0.0)
        elif entry.event == "ended":
            for name in COUNTED:
                total[name] += number_in(entry.get(name)) or 0.0
    return total
