"""What nobody needs any more: tests of a killed call, workspaces of landed tasks, workers of tasks that left the plan.

Owns what is cleared away at a call's beginning, and when the plan changes under it. Must not touch a task at work.
"""

from __future__ import annotations

from orchestrator.engine.approving import UNAPPROVED
from orchestrator.engine.failing import counts_value
from orchestrator.engine.landing import give_back
from orchestrator.engine.line import leave
from orchestrator.engine.prepare import find_ready, forget, keep_attempt
from orchestrator.engine.run import Run
from orchestrator.engine.turns import turn_folder
from orchestrator.folders import names_in
from orchestrator.formats.task_file import append_log, set_facts, set_findings
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.stage import Stage, Standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts
from orchestrator.process.looking import recorded
from orchestrator.process.running import end
from orchestrator.store.sweeping import sweep

BEGUN_ANEW: dict[str, Value] = {
    "counts": counts_value(Counts()),
    **UNAPPROVED,
    "spec": "",
}
"""The facts of a task that is set back to its beginning."""


def clear_leftovers(run: Run) -> None:
    """What a call does before its first round."""
    _end_tests(run)
    _discard_reviews(run)
    _give_back_landed(run)
    end_removed(run)


def sweep_run_folder(run: Run) -> None:
    """Finish removals of workspaces that were killed or refused half-way."""
    for name in ("work", "verify", "review"):
        run.home.workspaces.sweep(run.layout.run / name)
    # A file that was being written there when a call was killed.
    sweep(run.layout.run / "work")


def _end_tests(run: Run) -> None:
    """End tests of a call that was killed: they would write into workspaces that are about to be laid anew."""
    sweep_run_folder(run)
    tests = run.layout.run / "tests"
    suites = run.layout.suites_dir()
    for parent in (tests, suites):
        for folder in (parent / name for name in names_in(parent)):
            marker = recorded(str(folder / "order"), b"marker")
            if marker:
                end(folder, marker)


def _discard_reviews(run: Run) -> None:
    """Throw away the copies of reviewers that are done, or that somebody else answered before."""
    folder = run.layout.run / "review"
    for name in names_in(folder):
        key = parse_key(name)
        if key is None or (key in run.plan.in_waves() and run.standing(key).stage is Stage.REVIEWING):
            continue
        for site in run.sites():
            there = site.workspaces.find(folder / name)
            if there is not None:
                site.workspaces.discard(there.path)


def _give_back_landed(run: Run) -> None:
    """Remove workspaces of landed tasks that a killed call left; one that is kept is named once, as its log tells."""
    work = run.layout.run / "work"
    for name in names_in(work):
        key = parse_key(name)
        if key is None or key not in run.plan.in_waves() or run.standing(key).stage is not Stage.LANDED:
            continue
        told = [entry.get("what") for entry in run.task(key).log if entry.event == "degraded"]
        if any(what.startswith(f"{key}: ") for what in told):
            continue
        with run.contained(key):
            before = len(run.degraded)
            give_back(run, key)
            for what in run.degraded[before:]:
                run.recorder.note(key, run.recorder.entry("degraded", what=what))


def end_removed(run: Run) -> None:
    """End what is at work for tasks that the plan no longer has, keep what they left, and name them.

    A task that is put back later begins anew.
    """
    there = frozenset(run.plan.in_waves())
    gone = [key for name in run.layout.todo_names() if (key := parse_key(name)) is not None and key not in there]
    for key in gone:
        if key.orchestration == run.plan.number:
            with run.contained(key):
                _end_one(run, key)
    run.trouble = {key: said for key, said in run.trouble.items() if key in there}


def end_work(run: Run, key: TaskKey, now: Standing) -> None:
    """End what is at work for a task that stands there: its worker or reviewer, its setup or its test, whose result
    nobody wants any more."""
    leave(run, key)
    job = run.jobs.pop(key, None)
    if job is not None:
        end(job.folder, job.marker)
    if now.is_in_flight:
        end(turn_folder(run, key, now), run.task(key).marker)


def _end_one(run: Run, key: TaskKey) -> None:
    now = run.standing(key)
    end_work(run, key, now)
    if not now.is_in_flight:
        return
    ready = find_ready(run, key)
    if ready is not None:
        keep_attempt(run, key, ready)
        forget(run, key)
    entry = run.recorder.entry("decided", to=str(Status.PENDING), by="person", why="taken out of the plan")

    def begun_anew(document: Document) -> Document:
        return append_log(set_findings(set_facts(document, BEGUN_ANEW), ""), entry)

    run.recorder.change(key, begun_anew)
    where = f"; its work is kept below {run.ref(key, '')}" if ready is not None else ""
    run.degrade(f"{key} isn't in the plan any more: its worker was ended{where}")
    run.say(f"{key}: not in the plan any more, its worker was ended")
