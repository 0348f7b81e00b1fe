"""What a fresh session needs and nothing else: where we are, what is open, what the last workers warned of.

At most 400 tokens (o200k), flat in the number of tasks; the next command is printed below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.model.actions import Decision, Wait, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.state import ReportSection
from orchestrator.model.status import Status
from orchestrator.model.waves import effective_status
from orchestrator.patterns import regex
from orchestrator.views.called import called, named
from orchestrator.views.discovered import told_once
from orchestrator.views.folding import counted, grouped, keys_text, numbers_text, tasks_text
from orchestrator.views.printable import one_line
from orchestrator.views.questions import question_lines
from orchestrator.views.status import head_line, problem_lines, stop_lines

GOTCHAS = 4
DISCOVERED = 2
"""So many of the last discovered items are shown."""
QUESTIONS = 4
"""So many open questions are shown."""
_KEYS = 6
_GOTCHA = regex(r"^[-*] \*\*Gotchas:\*\*[ \t]*(.*(?:\n(?:> ?|[ \t]+).*)*)", re.MULTILINE)
_NOTHING = ("", "none", "none.", "-", "n/a", "nothing")


def resume_lines(orchestration: Orchestration, decision: Decision) -> tuple[str, ...]:
    """Where the orchestration stands, for a reader who knows nothing of it."""
    lines = [head_line(orchestration), *problem_lines(orchestration)]
    lines += stop_lines(orchestration, decision)
    lines += _wave_lines(orchestration, decision)
    lines += _open_lines(orchestration, decision)
    lines += question_lines(orchestration.state.questions, limit=QUESTIONS, width=80)
    names = called(orchestration.plan)
    lines += [f"{named(key, names)} gotcha: {text}" for key, text in gotchas(orchestration, decision)]
    discovered = told_once(orchestration.state.discovered)
    lines += [f"discovered: {one_line(text, 100)}" for text in discovered[-DISCOVERED:]]
    if len(discovered) > DISCOVERED:
        lines.append(
            f"{counted(len(discovered) - DISCOVERED, 'earlier discovered item')} in {orchestration.state.path}"
        )
    return tuple(lines)


def gotchas(orchestration: Orchestration, decision: Decision) -> tuple[tuple[TaskKey, str], ...]:
    """At most GOTCHAS warnings of past workers, those first that tasks of the current wave depend on."""
    needed = _needed(orchestration, decision)
    found = [(report.key, text) for report in orchestration.state.reports if (text := _gotcha(report))]
    found.sort(key=lambda item: item[0].order(), reverse=True)
    found.sort(key=lambda item: item[0] not in needed)
    # What several workers ran into is said once.
    once = {text: key for key, text in reversed(found)}
    chosen = [item for item in found if once[item[1]] == item[0]][:GOTCHAS]
    return tuple(sorted(chosen, key=lambda item: item[0].order()))


def _wave_lines(orchestration: Orchestration, decision: Decision) -> Iterator[str]:
    waves = orchestration.plan.waves
    done = [wave.number for wave in waves if orchestration.state.is_done(wave.number)]
    row = orchestration.state.wave(done[-1]) if done else None
    last = row.suites if row else ""
    suites = f"; suites {one_line(last, 60)}" if last else ""
    if decision.wave is not None:
        wave = orchestration.plan.wave(decision.wave)
        statuses = [effective_status(orchestration, key) for key in wave.tasks]
        skipped = statuses.count(Status.SKIPPED)
        ended = f"{statuses.count(Status.DONE)} of {len(statuses)} tasks done" + (
            f", {skipped} skipped" if skipped else ""
        )
        row = orchestration.state.wave(wave.number)
        word = str(row.status) if row and row.status else "open"
        theme = f" {one_line(wave.theme, 50)}" if wave.theme else ""
        yield f"at wave {wave.number} of {len(waves)}{theme}: {word}, {ended}"
    elif decision.is_finished:
        yield (
            f"{'the wave is' if len(waves) == 1 else f'all {len(waves)} waves'} done{suites}"
            if waves
            else "the plan has no waves yet"
        )
    if done and not decision.is_finished:
        yield f"waves done: {numbers_text(done)}{suites}"
    if decision.red:
        row = orchestration.state.wave(decision.red[0])
        failed = (row.note or row.suites) if row else ""
        yield f"red: wave {numbers_text(decision.red)}" + (f": {one_line(failed, 80)}" if failed else "")
    if decision.stuck:
        yield f"stuck on blocked tasks: wave {numbers_text(decision.stuck)}"


_SAID = (Why.GATE, Why.QUESTION, Why.STOP)
"""Waits for a person that have a line of their own."""
_OPEN: tuple[tuple[str, tuple[Why, ...]], ...] = (
    ("plans to judge", (Why.GATE,)),
    ("questions open", (Why.QUESTION,)),
    ("needs a person", tuple(why for why in Why if why.needs_person and why not in _SAID)),
    ("at work", (Why.WORKING, Why.TESTING, Why.PROBING)),
    ("blocked", (Why.BLOCKED,)),
    ("held", (Why.HELD,)),
    ("waiting for a slot", (Why.SLOT,)),
)
_REASONS = 2
"""So many different reasons of one kind have a line."""
_NAMED = frozenset((Why.ENDED, *(why for _, whys in _OPEN for why in whys)))


def _open_lines(orchestration: Orchestration, decision: Decision) -> Iterator[str]:
    names = called(orchestration.plan)
    due = [
        f"{verb} {keys_text([action.key for action in actions if action.key], limit=_KEYS, names=names)}"
        for verb, actions in grouped((action for action in decision.actions if action.key), lambda action: action.verb)
    ]
    due += [f"{action.verb} of wave {action.wave}" for action in decision.actions if action.key is None]
    if due:
        yield f"due: {', '.join(due)}"
    for name, whys in _OPEN:
        waits = [wait for wait in decision.waits if wait.why in whys]
        if waits and not (whys == (Why.QUESTION,) and all(orchestration.state.asked(wait.key) for wait in waits)):
            yield from _groups(orchestration, name, waits)
    to_come = sum(wait.why not in _NAMED for wait in decision.waits)
    if to_come:
        yield f"to come: {counted(to_come, 'task')}"


def _tasks(orchestration: Orchestration, waits: list[Wait]) -> str:
    keys = [wait.key for wait in waits]
    return tasks_text(keys, orchestration.plan.waves, limit=_KEYS, names=called(orchestration.plan))


def _groups(orchestration: Orchestration, name: str, waits: list[Wait]) -> Iterator[str]:
    """A line for tasks that wait alike; where the reason is worth a word, only for those of an equal one."""
    if name not in ("blocked", "needs a person", "held"):
        yield f"{name}: {_tasks(orchestration, waits)}"
        return
    groups = grouped(waits, lambda wait: wait.reason.removeprefix("blocked: "))
    for reason, same in groups[:_REASONS]:
        yield f"{name}: {_tasks(orchestration, same)}: {one_line(reason, 80)}"
    others = [wait for _, same in groups[_REASONS:] for wait in same]
    if others:
        yield f"{name} for other reasons: {_tasks(orchestration, others)}"


def _needed(orchestration: Orchestration, decision: Decision) -> frozenset[TaskKey]:
    """Tasks that tasks of the current wave, not yet ended, depend on."""
    if decision.wave is None:
        return frozenset()
    members = set(orchestration.plan.wave(decision.wave).tasks)
    ended = {wait.key for wait in decision.waits if wait.why is Why.ENDED}
    return frozenset(
        item.task
        for spec in orchestration.plan.specs
        if spec.key in members and spec.key not in ended
        for item in spec.depends_on
        if item.task is not None
    )


def _gotcha(report: ReportSection) -> str:
    match = _GOTCHA.search(report.text)
    if not match:
        return ""
    text = " ".join(line.lstrip("> \t") for line in match[1].split("\n"))
    return "" if text.strip().lower() in _NOTHING else one_line(text, 100)
