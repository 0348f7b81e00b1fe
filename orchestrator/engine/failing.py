"""Writing down that a turn or a verification failed, and what the ladder says comes next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from orchestrator.engine.approving import UNAPPROVED
from orchestrator.engine.line import leave
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.formats.state_edits import put_report
from orchestrator.formats.task_file import set_findings
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.account import blocked_lines, freed_lines, is_of_blocked
from orchestrator.model.gate import Finding
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import Rung, after_failure, tier_above
from orchestrator.model.log import LogEntry
from orchestrator.model.plan import Spec
from orchestrator.model.stage import Stage, standing
from orchestrator.model.state import State
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts
from orchestrator.store.layout import Layout

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
    event: str = "failed",
    values: Mapping[str, str] | None = None,
    in_state: DocumentChange | None = None,
    follows: Status | None = None,
) -> None:
    """Record a failure of a kind of the ladder, and with it the retry that is due or the block.

    findings: the whole text that is fed back to the worker and shown to people. event: `failed`, or `reverted` with
    the values that belong to it. in_state: a further change of STATE. follows: what may stand in the cell, besides what
    the log says.
    """
    leave(run, key)
    rung = after_failure(kind, run.task(key).counts, turn=turn, above=above(run, key))

    def edit(document: Document) -> Document:
        return set_findings(change(document) if change else document, findings.rstrip() or f"- {one_line(why)}")

    word = "tier" if rung.tier else rung.next
    entry = run.recorder.entry(event, kind=kind, next=word, why=one_line(why), **(values or {}))
    all_facts: dict[str, Value] = {"counts": counts_value(rung.counts), **(facts or {})}
    if rung.tier:
        climb(run, key, rung, *before, entry, facts=all_facts, change=edit, in_state=in_state)
        return
    status = _BOARD.get(rung.next, Status.RUNNING)
    if rung.next == "blocked":
        in_state = _both(in_state, _account(run, key, why, entry))
    run.recorder.move(key, status, *before, entry, facts=all_facts, change=edit, in_state=in_state, follows=follows)
    what = "blocked" if rung.next == "blocked" else "goes back once"
    run.say(f"{key}: {what}: {one_line(why, 160)}")


def _both(first: DocumentChange | None, second: DocumentChange) -> DocumentChange:
    return second if first is None else lambda document: second(first(document))


def _account(run: Run, key: TaskKey, why: str, last: LogEntry) -> DocumentChange:
    """The change of STATE that says how a task came to be blocked."""
    todo_path = run.layout.shown(run.layout.task_path(key))
    lines = blocked_lines(key, why, (*run.task(key).log, last), todo_path)
    title = run.spec(key).title
    return lambda document: put_report(document, key, title, lines)


def account_change(layout: Layout, state: State, spec: Spec, log: Sequence[LogEntry]) -> DocumentChange | None:
    """The change of STATE that brings a task's account up to its log: that it is blocked, or that it isn't any more."""
    now = standing(log)
    there = state.report(spec.key)
    todo_path = layout.shown(layout.task_path(spec.key))
    if now.stage is Stage.BLOCKED:
        lines = blocked_lines(spec.key, now.cause, log, todo_path)
    elif there is not None and is_of_blocked(there.text) and now.stage is not Stage.LANDED:
        lines = freed_lines(log, todo_path)
    else:
        return None
    return lambda document: put_report(document, spec.key, spec.title, lines)


def above(run: Run, key: TaskKey) -> str:
    """The tier that takes a task over when its own fails; "" on the top one."""
    return tier_above(run.settings.workers, run.worker(key).tier)


def climb(
    run: Run,
    key: TaskKey,
    rung: Rung,
    *entries: LogEntry,
    facts: dict[str, Value],
    change: DocumentChange | None = None,
    in_state: DocumentChange | None = None,
) -> None:
    """Give the task to the next tier: with a new plan on the present head, or to go on from the tree as it stands."""
    below = run.worker(key).tier
    # A new worker has no session to go on with.
    facts = {**facts, "tier": rung.tier, "session": ""}
    status = Status.RUNNING
    if rung.next == "plan":
        facts |= {**UNAPPROVED, "spec": ""}
        status = Status.PENDING
    entry = run.recorder.entry("escalated", **{"from": below}, to=rung.tier, next=rung.next)
    run.recorder.move(key, status, *entries, entry, facts=facts, change=change, in_state=in_state)
    run.say(f"{key}: goes up from {below} to {rung.tier}")
