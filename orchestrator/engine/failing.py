"""Writing down that a turn or a verification failed, and what the ladder says comes next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from orchestrator.engine.line import leave
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.formats.task_file import set_findings
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.gate import Finding
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import after_failure
from orchestrator.model.log import LogEntry
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts

_BOARD = {"blocked": Status.BLOCKED, "plan": Status.PLANNING}


def one_line(text: str, limit: int = 300) -> str:
    """The text folded to one line of at most `limit` characters."""
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def findings_text(findings: Iterable[Finding]) -> str:
    """What goes into `## Findings`: a line a finding, notes left out."""
    return "\n".join(
        f"- {'error' if finding.is_error else 'warning'}: {one_line(finding.message)}"
        for finding in findings
        if not finding.is_note
    )


def counts_value(counts: Counts) -> Value:
    """The counts as the front matter holds them."""
    return {name: str(value) for name, value in asdict(counts).items()}


def fail(
    run: Run,
    key: TaskKey,
    kind: str,
    why: str,
    *,
    turn: str,
    findings: str = "",
    before: tuple[LogEntry, ...] = (),
    change: DocumentChange | None = None,
    facts: dict[str, Value] | None = None,
) -> None:
    """Record a failure of a kind of the ladder, and with it the retry that is due or the block.

    findings: the whole text that is fed back to the worker and shown to people.
    """
    leave(run, key)
    rung = after_failure(kind, run.task(key).counts, turn=turn)

    def edit(document: Document) -> Document:
        return set_findings(change(document) if change else document, findings or f"- {one_line(why)}")

    entry = run.recorder.entry("failed", kind=kind, next=rung.next, why=one_line(why))
    all_facts: dict[str, Value] = {"counts": counts_value(rung.counts), **(facts or {})}
    status = _BOARD.get(rung.next, Status.RUNNING)
    run.recorder.move(key, status, *before, entry, facts=all_facts, change=edit)
    what = "blocked" if rung.next == "blocked" else "goes back once"
    run.say(f"{key}: {what}: {one_line(why, 160)}")
