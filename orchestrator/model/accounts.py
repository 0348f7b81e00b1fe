"""Accounts that can't be used for a while: a quota of one task's worker holds every turn of the same kind of worker.

Pure; part of next_actions. The time stands in the todo file of the task that met it. Once it is over, the account is
asked before the next turn, where its driver can do that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.model.actions import Wait, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import standing
from orchestrator.model.task_file import TaskFile

Pauses = Mapping[str, tuple[str, TaskKey]]
"""By driver: until when its account rests, and the task that met the end of it."""


def account_pauses(orchestration: Orchestration, now: str) -> Pauses:
    """The accounts that rest. now: this moment as the files write it; empty for not known: then all rests are on."""
    found: dict[str, tuple[str, TaskKey]] = {}
    for task in orchestration.tasks.values():
        if task.until and (not now or (task.until > now and not _was_set_back(task, now))):
            # The last turn's: a reviewer may be of another kind than the task's worker.
            last = standing(task.log)
            driver = last.service.rests or last.driver or task.driver
            found[driver] = max(found.get(driver, ("", task.key)), (task.until, task.key))
    return found


def _was_set_back(task: TaskFile, now: str) -> bool:
    """Whether the clock has been set back since the pause was written down: how long it has lasted can't be told then,
    and to try the account costs no attempt."""
    return any(entry.get("until") == task.until and entry.time > now for entry in task.log)


def account_wait(orchestration: Orchestration, pauses: Pauses, key: TaskKey, *, of_review: bool = False) -> Wait | None:
    """The wait of a task whose worker's account rests, or whose reviewer's does."""
    if not pauses:
        return None
    worker = orchestration.worker(key, of_review=of_review)
    if worker is None or worker.driver not in pauses:
        return None
    until, cause = pauses[worker.driver]
    now = standing(orchestration.task(cause).log)
    why = now.service.why or now.weather or "paused"
    whose = "" if cause == key else f" (seen at {cause})"
    remedy = f"wait; or take `until` out of the todo file of {cause} to try at once; then run orch next-wave"
    return Wait(key, Why.PAUSED, f"{worker.driver} rests until {until}: {why}{whose}", remedy, until)


def accounts_in_doubt(orchestration: Orchestration, wave: Iterable[TaskKey]) -> dict[str, TaskKey | None]:
    """The drivers whose account has failed a turn and hasn't been seen to work since, each with the task of the wave
    at which it is being asked."""
    doubted: dict[str, str] = {}
    proven: dict[str, str] = {}
    for task in orchestration.tasks.values():
        service = standing(task.log).service
        for found, at in ((doubted, service.doubted), (proven, service.proven)):
            if at:
                found[at[0]] = max(found.get(at[0], ""), at[1])
    if not doubted:
        return {}
    probes = {key: standing(orchestration.task(key).log).service.probe for key in wave}
    asked = {probe.driver: key for key, probe in probes.items() if probe}
    return {driver: asked.get(driver) for driver, time in doubted.items() if time > proven.get(driver, "")}
