"""Opening a task's gate: who approved, when, and the hash of exactly what was approved."""

from __future__ import annotations

from orchestrator.engine.recorder import DocumentChange, Recorder
from orchestrator.formats.task_file import read_micro_plan, set_facts
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import plan_hash
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile

ERROR_LINE = "- error: "


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
    """Record that the micro-plan in the main todo file may be carried out. `by`: person, session, checks, forced."""
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


def held_errors(task: TaskFile) -> tuple[str, ...]:
    """The mechanical errors that the gate holds against the plan in the todo file."""
    lines = task.findings.split("\n")
    return tuple(line.removeprefix(ERROR_LINE) for line in lines if line.startswith(ERROR_LINE))
