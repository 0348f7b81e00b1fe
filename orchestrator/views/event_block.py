"""The block that tells others of an event: for an issue, a chat, whoever doesn't read the files.

It holds numbers, ids, titles of the plan, status words, commits and commands. Never what a worker or a person wrote on
the way (notes, reasons, questions, answers), output or diffs: it leaves the machine. Equal files make an equal block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.model.actions import Wait, Why
from orchestrator.model.events import Event, Kind
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.questions import Audience
from orchestrator.model.status import Status
from orchestrator.views.called import called, named
from orchestrator.views.folding import counted, grouped, keys_text, numbers_text
from orchestrator.views.gate import asked_about
from orchestrator.views.printable import one_line

_TASKS = 8
"""So many tasks of a wave have a line of their own."""
_WAITS = {
    Why.GATE: "plans to judge",
    Why.DIFF: "changes to judge",
    Why.QUESTION: "waiting for answers",
    Why.NEEDS_INPUT: "set to needs-input",
    Why.BLOCKED: "blocked",
    Why.RED: "held by a red wave",
    Why.CELL: "a word on the board that isn't followed",
    Why.FILE: "an error in a file",
    Why.CHECKOUT: "local files in the way",
    Why.STOP: "stopped by a person",
    Why.TROUBLE: "a step that failed",
    Why.BUDGET: "over the budget",
}


def event_block(orchestration: Orchestration, event: Event, following: str) -> str:
    """The block as Markdown, its first line for machines. following: the command that comes next."""
    plan = orchestration.plan
    about = f" wave={event.wave}" if event.wave is not None else ""
    lines = [
        f"<!-- orch event={event.kind} orchestration={plan.number}{about} -->",
        f"**{_name(orchestration)}: {event.kind}**",
        "",
        *(f"- {line}" for line in _lines(orchestration, event)),
    ]
    if following:
        lines.append(f"- next: `{following}`")
    return "\n".join(lines)


def _name(orchestration: Orchestration) -> str:
    return f"orchestration {orchestration.plan.number} {one_line(orchestration.plan.title, 60)}".rstrip()


def _lines(orchestration: Orchestration, event: Event) -> Iterator[str]:
    yield _where(orchestration, event)
    if event.wave is not None and event.kind in (Kind.PLANNED, Kind.CLOSED):
        yield from _task_lines(orchestration, orchestration.plan.wave(event.wave).tasks, event.kind)
    names = called(orchestration.plan)
    for why, waits in grouped(event.waits, lambda wait: wait.why):
        yield f"{_WAITS.get(why, str(why))}: {keys_text([wait.key for wait in waits], names=names)}"
    if event.kind is Kind.DECISION:
        yield from _questions(orchestration, event.waits)
    keys = list(orchestration.plan.in_waves())
    done = sum(orchestration.effective_status(key) is Status.DONE for key in keys)
    at = f" on {orchestration.state.branch}" if orchestration.state.branch else ""
    yield f"in all {done} of {counted(len(keys), 'task')} done{at}"


def _where(orchestration: Orchestration, event: Event) -> str:
    waves = orchestration.plan.waves
    if event.wave is None:
        done = [one.number for one in waves]
        return f"every wave is done: {numbers_text(done)}" if event.kind is Kind.CLOSED else "no wave can go on"
    row = orchestration.state.wave(event.wave)
    theme = orchestration.plan.wave(event.wave).theme
    word = f": {row.status}" if row and row.status else ": open"
    suites = f", {one_line(row.suites, 80)}" if row and row.suites else ""
    commit = f", at {row.commit[:7]}" if row and row.commit else ""
    return f"wave {event.wave} of {len(waves)}{' ' + one_line(theme, 50) if theme else ''}{word}{suites}{commit}"


def _task_lines(orchestration: Orchestration, keys: Sequence[TaskKey], kind: Kind) -> Iterator[str]:
    names = called(orchestration.plan)
    titles = {spec.key: spec.title for spec in orchestration.plan.specs}
    for key in keys[:_TASKS]:
        status = orchestration.effective_status(key) or "an unknown status"
        landed = orchestration.task(key).landed
        commit = f" {landed[-1][:7]}" if landed and status is Status.DONE else ""
        told = "" if kind is Kind.PLANNED and status is Status.PENDING else f": {status}{commit}"
        yield f"{named(key, names)} {one_line(titles.get(key, ''), 50)}".rstrip() + told
    if len(keys) > _TASKS:
        yield f"and {counted(len(keys) - _TASKS, 'more task')}"


def _questions(orchestration: Orchestration, waits: Sequence[Wait]) -> Iterator[str]:
    """Which questions are open and who may answer them; what they ask stands in STATE."""
    still = asked_about(orchestration, [wait.key for wait in waits])
    for audience, same in grouped(still, lambda one: one.audience):
        who = "a person" if audience is Audience.PERSON else "whoever runs orch"
        yield f"questions for {who}: {', '.join(one.id for one in same)} in {orchestration.state.path}"
