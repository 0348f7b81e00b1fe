"""The review turn: a worker of the tier `review` reads what waits for a judgement and answers approve or revise.

It works in a copy of the tree that is thrown away afterwards, so that nothing it changes there comes to anything. The
turn is announced, spawned and taken in like any other; its death is nobody's fault but its own. Its answer counts only
for exactly what it was asked about. Must not know the form of the answer, which is model/review.py's.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.drivers.base import TurnOrder
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.approving import record_approval
from orchestrator.engine.copies import plain_text
from orchestrator.engine.failing import above, climb, one_line
from orchestrator.engine.hosted import ANSWER, hand_out, is_hosted, said
from orchestrator.engine.prompting import plan_text, turn_data
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.engine.turns import OvertakenError, attempt_of, end_strays, turn_folder
from orchestrator.errors import UserError
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import errors_held
from orchestrator.model.ladder import MOST_SEND_BACKS, Rung
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import plan_hash
from orchestrator.model.questions import open_ones
from orchestrator.model.review import Answer, read_answer
from orchestrator.model.settings import MANUAL, Worker
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts, TaskFile
from orchestrator.process.running import Alive, Ended, look, start, tail
from orchestrator.prompts.context import Paths
from orchestrator.prompts.messages import plan_review_prompt
from orchestrator.store.text_files import replace_text

_TAKEN_BACK: dict[str, Value] = {"plan": "", "approved": "", "approved_by": "", "approved_why": ""}


class _ChangedError(Exception):
    """What was judged isn't what stands there now."""


def start_review(run: Run, key: TaskKey) -> None:
    """Announce and spawn a review of the micro-plan at the gate."""
    end_strays(run, key)
    now = run.standing(key)
    if now.stage is not Stage.AT_GATE:
        # Answered by a person since this round's decision.
        return
    worker = _worker(run)
    number = now.turns + 1
    entry = run.recorder.entry(
        "started",
        turn="review",
        of="plan",
        number=number,
        tier=worker.tier,
        driver=worker.driver,
        model=worker.model,
        asked=plan_hash(run.task(key).micro_plan),
    )

    def still_due(document: Document) -> Document:
        if standing(read_task_file(document, key).value.log).stage is not now.stage:
            raise OvertakenError
        return document

    facts: dict[str, Value] = {"marker": run.session.random_name(32), "pid": "", "started": ""}
    try:
        run.recorder.note(key, entry, facts=facts, change=still_due)
    except OvertakenError:
        return
    respawn_review(run, key)


def respawn_review(run: Run, key: TaskKey) -> None:
    """Spawn the review that the log announces."""
    worker = _worker(run)
    order = _order(run, key, run.standing(key), worker)
    _lay(run, key)
    folder = turn_folder(run, key, run.standing(key))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ANSWER).unlink(missing_ok=True)
    if worker.driver == MANUAL:
        hand_out(run, key, folder, order.prompt)
    else:
        replace_text(Path(order.prompt_path), order.prompt)
        start(find_driver(worker.driver).invocation(order), folder, order.marker)
        seen = look(folder, order.marker)
        if isinstance(seen, Alive):
            run.recorder.note(key, facts={"pid": str(seen.pid), "started": run.session.now()})
    run.say(f"{key}: its plan is with the reviewer")


def collect_review(run: Run, key: TaskKey) -> None:
    """Take in a review that has ended."""
    now = run.standing(key)
    folder = turn_folder(run, key, now)
    printed = said(run, key, now)
    if not is_hosted(run, key):
        seen = look(folder, run.task(key).marker)
        if not isinstance(seen, Ended):
            return
        worker = run.settings.reviewer
        if worker is not None and worker.driver == now.driver:
            result = find_driver(worker.driver).result(_order(run, key, now, worker, is_sent=True), seen)
            if result.outcome != "finished":
                how = f" (exit {seen.exit_code})" if seen.exit_code else ""
                _lost(run, key, now, result.outcome, f"it ended as {result.outcome}{how}", result.message)
                return
        printed = tail(seen.stdout)
    text = plain_text(folder, folder / ANSWER)
    answer = read_answer(text if text.strip() else printed)
    try:
        _take_in(run, key, now, answer)
    except OvertakenError:
        run.say(f"{key}: somebody answered before its reviewer did")
    except _ChangedError:
        why = "the plan was changed after it was asked"
        run.recorder.note(key, _ended(run, answer="void", why=why))
        run.say(f"{key}: its reviewer's answer is void: {why}")
    discard(run, key)


def salvage_review(run: Run, key: TaskKey) -> None:
    """A reviewer is gone without an end: it is counted, and the next one is asked."""
    now = run.standing(key)
    _lost(run, key, now, "killed", "its process is gone without an exit code", "")


def discard(run: Run, key: TaskKey) -> None:
    """Throw away the copy that a reviewer worked in, with all that it changed there."""
    there = run.workspaces.find(run.layout.review_dir(key))
    if there is not None:
        run.workspaces.remove(there, force=True)


def _worker(run: Run) -> Worker:
    worker = run.settings.reviewer
    if worker is None:
        raise UserError(
            "no review worker is configured any more",
            hint="add review: to workers: in planning/ORCH.md, or answer with orch approve",
            code="no-worker",
        )
    return worker


def _lay(run: Run, key: TaskKey) -> None:
    """A copy of the tree that the plan was made for, without setup, links or anything of the worker's."""
    discard(run, key)
    base = run.task(key).base or run.head()
    run.workspaces.create(run.layout.review_dir(key), branch=None, commit=base)


def _order(run: Run, key: TaskKey, now: Standing, worker: Worker, *, is_sent: bool = False) -> TurnOrder:
    folder = turn_folder(run, key, now)
    paths = Paths(
        todo=str(folder / ANSWER),
        worktree=str(run.layout.review_dir(key)),
        prompt=str(folder / "prompt.md"),
    )
    return TurnOrder(
        key=str(key),
        title=run.spec(key).title,
        turn="review",
        attempt=attempt_of(run, key, "review"),
        prompt="" if is_sent else _prompt(run, key, now, paths),
        prompt_path=paths.prompt,
        worktree=paths.worktree,
        todo_path=paths.todo,
        repo=str(run.layout.root),
        model=worker.model,
        marker=run.task(key).marker,
        worker=worker,
        environ=run.session.environ,
    )


def _prompt(run: Run, key: TaskKey, now: Standing, paths: Paths) -> str:
    found = [line for line in run.task(key).findings.split("\n") if line.strip()]
    return plan_review_prompt(
        turn_data(run, key, "review", now, paths),
        plan_text=plan_text(run, key),
        findings=found,
        folder=run.layout.planning,
    )


def _take_in(run: Run, key: TaskKey, now: Standing, answer: Answer | str) -> None:
    """Record the answer and what follows from it. Raises OvertakenError where somebody else has answered meanwhile,
    _ChangedError where what stands there now isn't what was asked about."""

    def as_asked(document: Document) -> Document:
        task = read_task_file(document, key).value
        if standing(task.log).stage is not Stage.REVIEWING:
            raise OvertakenError
        if plan_hash(task.micro_plan) != now.asked or errors_held(task.findings) or _is_asked(task):
            raise _ChangedError
        if open_ones(run.session.planning.load(with_tasks=()).state.asked(key), key):
            # Asked meanwhile by somebody else: what is decided belongs to what a reviewer reads.
            raise _ChangedError
        return document

    by = reviewer_name(run, key)
    if isinstance(answer, str):
        why = f"its reviewer gave no answer: {answer}"
        run.recorder.note(key, _ended(run, answer="none", why=why), change=as_asked)
        run.say(f"{key}: plan at the gate: {why}")
        return
    reasons = answer.text
    if run.limits.gate != "review":
        # It was asked under another setting; whoever changed that wants to judge by themselves.
        why = f"its reviewer {'approves' if answer.approves else 'sends it back'}"
        why += f": {reasons}" if reasons else ""
        run.recorder.note(key, _ended(run, answer="kept", why=why), change=as_asked)
        run.say(f"{key}: plan at the gate: {one_line(why, 160)}")
        return
    if answer.approves:
        record_approval(run.recorder, key, by=by, why=reasons, before=(_ended(run, answer="approve"),), change=as_asked)
        run.say(f"{key}: plan approved by its reviewer")
        return
    _send_back(run, key, now, by, reasons, as_asked)


def _send_back(run: Run, key: TaskKey, now: Standing, by: str, why: str, as_asked: DocumentChange) -> None:
    """The ladder's row: twice to its worker, then to the orchestrator, unattended to the next tier."""
    if now.sent_back < MOST_SEND_BACKS:
        entry = run.recorder.entry("revised", by=by, why=why)
        before = _ended(run, answer="revise")
        run.recorder.move(key, Status.PLANNING, before, entry, facts=_TAKEN_BACK, change=as_asked)
        run.say(f"{key}: plan sent back by its reviewer: {one_line(why, 160)}")
        return
    tier = above(run, key)
    said_so = f"its reviewer would send it back again, after {MOST_SEND_BACKS} times: {why}"
    ended = _ended(run, answer="revise", why=said_so)
    if tier and not run.limits.is_attended:
        failed = run.recorder.entry("failed", kind="plan", next="tier", why=one_line(said_so))
        climb(run, key, Rung(Counts(), "plan", tier), ended, failed, facts={}, change=as_asked)
        return
    run.recorder.note(key, ended, change=as_asked)
    run.say(f"{key}: plan at the gate: {one_line(said_so, 160)}")


def _is_asked(task: TaskFile) -> bool:
    return any(not question.answer for question in task.micro_plan.questions)


def reviewer_name(run: Run, key: TaskKey) -> str:
    """`review` and who that is: the model of the last review turn, else its driver."""
    started = [entry for entry in run.task(key).log if entry.event == "started" and entry.get("turn") == "review"]
    return f"review {started[-1].get('model') or started[-1].get('driver')}"


def _ended(run: Run, **values: str) -> LogEntry:
    return run.recorder.entry("ended", turn="review", outcome="finished", **values)


def _lost(run: Run, key: TaskKey, now: Standing, outcome: str, how: str, message: str) -> None:
    """A review that came to nothing. The task's own counts stay as they are."""
    last = message.strip().split("\n")[-1][:200]
    why = one_line(f"{how}: {last}" if last else how)

    def still(document: Document) -> Document:
        if standing(read_task_file(document, key).value.log).turns != now.turns:
            raise OvertakenError
        return document

    try:
        run.recorder.note(key, run.recorder.entry("ended", turn="review", outcome=outcome, why=why), change=still)
    except OvertakenError:
        return
    discard(run, key)
    run.say(f"{key}: its reviewer died: {why}")
