"""A person's decisions about a task by command: skip it, block it, have it tried once more.

They record, under the write lock and also while next-wave runs; next-wave acts. A worker that is at work on the task
is ended: nothing may go on working in its tree. Must not decide anything itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from orchestrator.engine.by_command import begin, recorded
from orchestrator.engine.failing import account_change, counts_value, one_line
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.recorder import DocumentChange, Recorder
from orchestrator.engine.repositories import branch_of, repository_of
from orchestrator.engine.session import Session, run_layout
from orchestrator.engine.take_back import refuse_kept, take_back
from orchestrator.errors import UserError
from orchestrator.formats.task_file import read_task_file, set_findings
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import diagnosed
from orchestrator.model.log import FAILURES, LogEntry
from orchestrator.model.parking import before_parking, taken_up
from orchestrator.model.plan import Plan
from orchestrator.model.stage import FOREIGN, Stage, Standing, standing
from orchestrator.model.status import Status
from orchestrator.process.running import end

UNDO = "- undo each change that is named here as out of scope: your scope stays as it is, and this is the last try"
"""The first finding that a worker gets for a try that was bought after a block for its scope."""
_SHORT = 80
_DUE = {"begin": Status.PENDING, "plan": Status.PLANNING, "retry": Status.RUNNING}


def skip(session: Session, name: str, why: str, *, dependents: str = "", by: str = "session") -> Outcome:
    """Leave a task out. dependents: keep (those that need it go on without it), skip (they are left out too), or ""
    (they are held until somebody decides). Raises UserError for a task that has landed."""
    plan, recorder = begin(session, "skip")
    first = find_task(plan, name)
    keys = [first, *(_dependents(plan, first) if dependents == "skip" else ())]
    open_ones = [key for key in keys if key == first or not _has_ended(session, key)]
    for key in open_ones:
        reason = why if key == first else f"it needs {first}, which was skipped: {why}"
        _park(session, recorder, key, Status.SKIPPED, reason, by=by, dependents=dependents)
    others = f"; left out with it: {', '.join(map(str, open_ones[1:]))}" if len(open_ones) > 1 else ""
    held = [key for key in _dependents(plan, first) if not _has_ended(session, key)] if not dependents else []
    lines = [f"{first} skipped{others}"]
    if held:
        lines.append(
            f'held by it: {", ".join(map(str, held))}; to let them go on: orch skip {first} --why "…" --dependents keep'
        )
    return recorded(session, open_ones, "skipped", lines)


def block(session: Session, name: str, why: str, *, by: str = "session") -> Outcome:
    """Stop a task and hold what depends on it. Raises UserError for a task that has landed."""
    plan, recorder = begin(session, "block")
    key = find_task(plan, name)
    _park(session, recorder, key, Status.BLOCKED, why, by=by)
    back = session.with_number(f'orch retry {key} --because "…"')
    lines = [f"{key} blocked: {one_line(why, 160)}", f"to have it go on where it was: {back}"]
    return recorded(session, [key], "blocked", lines)


def retry(session: Session, name: str, because: str, *, landed: bool = False, by: str = "session") -> Outcome:
    """Give a blocked task one more try, bought by a written diagnosis; its worker gets the diagnosis to read.

    What failed is done again on the tree as it stands, within the same scope. A task that was parked by hand goes on
    with the step that was due then. landed: what has landed in a wave that isn't done is taken back first; without it
    such a task is refused, as a key that was typed wrong would cost a revert. Raises UserError where the task isn't
    blocked, or hasn't landed though `landed` says so.
    """
    plan, recorder = begin(session, "retry")
    key = find_task(plan, name)
    task = session.planning.task(key)
    now = standing(task.log)
    if now.stage is Stage.LANDED and not landed:
        refuse_kept(session, key)
        command = session.with_number(f"orch retry {key} --landed --because {_again(because)}")
        raise UserError(
            f"{key} isn't blocked: it has landed as {now.landing[:7]}, and a retry would revert that",
            hint=f"to have it taken back: {command}",
            code="not-blocked",
        )
    if landed:
        take_back(session, recorder, key, because, by=by)
        return recorded(session, [key], "taken-back", [f"{key}: {now.landing[:7]} is taken back, then it gets a retry"])
    log = before_parking(task.log)
    before = standing(log)
    if now.stage is Stage.DECIDED and (due := taken_up(before)):
        return _take_up(session, recorder, key, because, due, before, by=by)
    failed = _last_failure(key, before, log)
    turn = {"died": before.turn, FOREIGN: "begin"}.get(failed.get("kind"), "retry")
    entry = recorder.entry("decided", to="retry", next=turn, why=because, by=by)
    facts: dict[str, Value] = {"counts": counts_value(diagnosed(failed.get("kind"), task.counts))}
    if failed.get("kind") == "conflict":
        current = session.planning.load(with_tasks=())
        head = repository_of(session, current, key).resolve(f"refs/heads/{branch_of(session, current, key)}")
        facts["base"] = head or task.base

    def change(document: Document) -> Document:
        there = before_parking(_as_it_stands(document, key)[1])
        last = _last_failure(key, standing(there), there)
        return _to_undo(document, key) if last.get("kind") == "scope" else document

    status = _DUE.get(turn, Status.APPROVED)
    account = _account(session, recorder, key, entry)
    recorder.move(key, status, entry, facts=facts, change=change, in_state=account)
    if turn == "begin":
        return recorded(session, [key], "retried", [f"{key} begins anew, with a new plan"])
    undo = ", told to undo what is out of its scope" if failed.get("kind") == "scope" else ""
    return recorded(session, [key], "retried", [f"{key} gets one more {turn} turn with your diagnosis{undo}"])


def _take_up(
    session: Session,
    recorder: Recorder,
    key: TaskKey,
    because: str,
    due: tuple[str, Status],
    then: Standing,
    *,
    by: str,
) -> Outcome:
    """Let a task that was parked by hand go on with the step that was due, its plan and its approval as they stand."""
    following, status = due
    # Its worker was ended when it was parked.
    lost = "yes" if then.is_in_flight and then.stage is not Stage.REVIEWING else ""
    entry = recorder.entry("decided", to="retry", next=following, was=then.cause, why=because, lost=lost, by=by)

    def change(document: Document) -> Document:
        if _as_it_stands(document, key)[0].stage is not Stage.DECIDED:
            raise UserError(f"{key} isn't parked any more", hint=f"orch show {key}", code="not-blocked")
        return document

    account = _account(session, recorder, key, entry)
    recorder.move(key, status, entry, change=change, in_state=account)
    return recorded(session, [key], "taken-up", [f"{key} is taken up where it was: {status}"])


def _again(words: str) -> str:
    """What was said, to be typed again; a placeholder for what is long."""
    return shlex.quote(words) if len(words) <= _SHORT and "\n" not in words else '"…"'


def _to_undo(document: Document, key: TaskKey) -> Document:
    """The document whose findings, which name what was out of scope, say what is to be done about it."""
    found = read_task_file(document, key).value.findings
    return document if found.startswith(UNDO) else set_findings(document, f"{UNDO}\n{found}")


def _as_it_stands(document: Document, key: TaskKey) -> tuple[Standing, Sequence[LogEntry]]:
    log = read_task_file(document, key).value.log
    return standing(log), log


def _last_failure(key: TaskKey, now: Standing, log: Sequence[LogEntry]) -> LogEntry:
    """The failure that blocked a task. Raises UserError where it isn't blocked by one that can be tried again."""
    failures = [entry for entry in log if entry.event in FAILURES]
    if now.stage is Stage.DECIDED or (now.stage is Stage.BLOCKED and not failures):
        raise UserError(
            f"{key} was ended by hand, so there is no failure to try again",
            hint=f"set its cell to pending to begin it anew: orch show {key}",
            code="not-blocked",
        )
    if now.stage is not Stage.BLOCKED:
        raise UserError(f"{key} isn't blocked: {now.stage.words}", hint=f"orch show {key}", code="not-blocked")
    return failures[-1]


def _park(
    session: Session, recorder: Recorder, key: TaskKey, status: Status, why: str, *, by: str, dependents: str = ""
) -> None:
    now = standing(session.planning.task(key).log)
    _refuse_landed(key, now)

    def change(document: Document) -> Document:
        _refuse_landed(key, _as_it_stands(document, key)[0])
        return document

    entry = recorder.entry("decided", to=str(status), by=by, why=why, dependents=dependents)
    row = session.planning.load(with_tasks=()).state.row(key)
    account = _account(session, recorder, key, entry)
    # The cell is what the person wants it to be from here on, whatever stands there now.
    recorder.move(key, status, entry, change=change, in_state=account, follows=row.status if row else None)
    if now.is_in_flight:
        layout = run_layout(session.layout, session.planning.load(with_tasks=()).state.run)
        end(layout.turn_dir(key, now.turns, now.turn), session.planning.task(key).marker)


def _account(session: Session, recorder: Recorder, key: TaskKey, entry: LogEntry) -> DocumentChange | None:
    """The change of STATE's account of the task that goes with a decision about it."""
    log = (*session.planning.task(key).log, entry)
    return account_change(session.layout, session.planning.load(with_tasks=()).state, recorder.plan.spec(key), log)


def _refuse_landed(key: TaskKey, now: Standing) -> None:
    if now.stage is Stage.LANDED:
        raise UserError(
            f"{key} has landed as {now.landing[:7]}",
            hint=f"take it back with git revert {now.landing[:7]} on the integration branch",
            code="landed",
        )


def _has_ended(session: Session, key: TaskKey) -> bool:
    return standing(session.planning.task(key).log).is_over


def _dependents(plan: Plan, key: TaskKey) -> tuple[TaskKey, ...]:
    """Every task that needs it, however far down, in the order of the plan."""
    found = {key}
    grew = True
    while grew:
        more = {spec.key for spec in plan.specs if any(item.task in found for item in spec.depends_on)} - found
        found |= more
        grew = bool(more)
    return tuple(spec.key for spec in plan.specs if spec.key in found and spec.key != key)
