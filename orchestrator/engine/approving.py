"""Opening a task's gate: who approved, when, and the hash of exactly what was approved."""

from __future__ import annotations

from orchestrator.engine.recorder import DocumentChange, Recorder
from orchestrator.engine.session import Session, run_layout
from orchestrator.formats.task_file import read_micro_plan, set_facts
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import errors_held
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import plan_hash
from orchestrator.model.stage import Stage, standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.process.running import end

UNAPPROVED: dict[str, Value] = {"plan": "", "approved": "", "approved_by": "", "approved_why": ""}
"""The facts of a task whose plan isn't approved, or not any more."""


def record_approval(
    recorder: Recorder,
    key: TaskKey,
    *,
    by: str,
    why: str = "",
    before: tuple[LogEntry, ...] = (),
    facts: dict[str, Value] | None = None,
    change: DocumentChange | None = None,
    follows: Status | None = None,
    is_takeover: bool = False,
) -> None:
    """Record that the micro-plan in the main todo file may be carried out. `by`: person, session, checks, forced,
    or `review` and who that was."""
    now = recorder.now()

    def edit(document: Document) -> Document:
        document = change(document) if change else document
        approved: dict[str, Value] = {"approved": now, "approved_by": by}
        if why:
            approved["approved_why"] = why
        approved["plan"] = plan_hash(read_micro_plan(document).value)
        return set_facts(document, approved)

    entry = recorder.entry("approved", by=by, why=why, takeover="yes" if is_takeover else "")
    recorder.move(key, Status.APPROVED, *before, entry, facts=facts, change=edit, follows=follows)


def end_review(session: Session, key: TaskKey, before: TaskFile) -> None:
    """End the reviewer of a plan that somebody else has answered; `before` is the task as it stood then."""
    now = standing(before.log)
    if now.stage is Stage.REVIEWING:
        layout = run_layout(session.layout, session.planning.load(with_tasks=()).state.run)
        end(layout.turn_dir(key, now.turns, now.turn), before.marker)


def held_errors(task: TaskFile) -> tuple[str, ...]:
    """The mechanical errors that the gate holds against the plan in the todo file."""
    return errors_held(task.findings)
