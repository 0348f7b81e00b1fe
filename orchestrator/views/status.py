"""The board for a reader: what each task is and what it waits for, one line a task, equal lines folded.

Flat in the number of tasks: finished waves take one line, waves to come take a few, a crowd takes one a status.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from orchestrator.model.actions import Action, Decision, Wait, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Wave
from orchestrator.model.state import WaveRow
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.wave_note import only_blocked
from orchestrator.model.waves import effective_status
from orchestrator.nouns import dataclass
from orchestrator.views.called import called, place_of
from orchestrator.views.folding import counted, grouped, keys_text, numbers_text
from orchestrator.views.printable import one_line
from orchestrator.views.problems import count_line
from orchestrator.views.questions import question_lines

if TYPE_CHECKING:
    from orchestrator.model.at_work import AtWork

OWN_LINES = 36
"""So many lines go to waves at work; beyond that their tasks are folded by status."""
COMING = 4
"""So many waves to come have a line of their own."""
RED_NOTE = 600
"""So much of a red wave's note is shown: what fails and who is to blame is what is needed of it."""
QUESTIONS = 6
"""So many open questions are shown whole."""
_CROWD = (Why.ENDED, Why.SLOT, Why.WAVE, Why.HELD, Why.UNTIL, Why.NOT_ASKED, Why.STOP, Why.RED, Why.BUDGET)


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task as the board line shows it."""

    key: TaskKey
    title: str
    word: str
    """The status word, quoted if orch doesn't know it."""
    reason: str
    remedy: str
    is_crowd: bool
    """Whether it may share its line with tasks that wait for the same."""
    fix: str = ""
    """What to do with a cell that isn't followed."""
    work: str = ""
    """What its worker is doing, where one is at work."""


def status_lines(
    orchestration: Orchestration, decision: Decision, work: Mapping[TaskKey, AtWork] | None = None
) -> tuple[str, ...]:
    """The whole orchestration, at most about 60 lines whatever its size. work: what the workers at work are doing."""
    tasks = task_lines(orchestration, decision, work)
    lines = [head_line(orchestration), *problem_lines(orchestration), *stop_lines(orchestration, decision)]
    finished, coming, others = [], [], []
    for wave in orchestration.plan.waves:
        if orchestration.state.is_done(wave.number):
            finished.append(wave)
        elif wave.number != decision.wave and _is_untouched(orchestration, wave, tasks):
            coming.append(wave)
        else:
            others.append(wave)
    if finished:
        lines.append(_finished_line(orchestration, finished))
    room = OWN_LINES
    while others and room > 0:
        shown = wave_lines(orchestration, decision, others.pop(0), tasks=tasks, room=room)
        room -= len(shown)
        lines += shown
    if others:
        lines.append(_crowd_line(others, tasks))
    lines += _coming_lines(coming, tasks)
    lines += question_lines(orchestration.state.questions, limit=QUESTIONS, width=100)
    return tuple(lines)


def head_line(orchestration: Orchestration) -> str:
    """Number, title, how far it is and where it lands."""
    plan, state = orchestration.plan, orchestration.state
    keys = list(plan.in_waves())
    done = sum(effective_status(orchestration, key) is Status.DONE for key in keys)
    where = f", branch {state.branch}" if state.branch else ""
    others = [name if at.branch == state.branch else f"{at.branch} in {name}" for name, at in state.repos.items()]
    where += f", also in {', '.join(others)}" if others else ""
    is_gone = any(problem.code == "no-state" for problem in orchestration.problems)
    started = "" if state.exists else f", {state.path} is gone" if is_gone else ", not started"
    skipped = sum(effective_status(orchestration, key) is Status.SKIPPED for key in keys)
    is_finished = state.status == "done" and done + skipped == len(keys)
    ended = "finished, " if is_finished else "" if state.status in ("open", "done") else f"{state.status}, "
    left_out = f", {skipped} skipped" if skipped else ""
    title = one_line(plan.title, 60)
    name = f"orchestration {plan.number} {title}".rstrip()
    return f"{name}: {ended}{done} of {len(keys)} tasks done{left_out}{started}{where}"


def stop_lines(orchestration: Orchestration, decision: Decision) -> list[str]:
    """That a stop is set, and how it is taken out; [] where none is, or nothing is left that it could hold."""
    if not decision.stop:
        return []
    return [f"stopped: {one_line(decision.stop, 80)}; to go on, take it out of {orchestration.state.path}"]


def orch_lines(orchestration: Orchestration, who: str) -> list[str]:
    """That an orch is at work, and that it measures the suites before any turn. who: what it says of itself, or ""."""
    if not who:
        return []
    lines = [f"orch is at work: {who}"]
    state = orchestration.state
    measured = {row.suite for row in state.baseline}
    missing = [suite.name for suite in orchestration.settings.suites if suite.name not in measured]
    if missing and state.exists and not state.stop and state.status == "open":
        lines.append(f"baseline: {', '.join(missing)} at the fork first; no turn is started before that is over")
    return lines


def problem_lines(orchestration: Orchestration) -> tuple[str, ...]:
    """A line that counts the problems in the files, if there are any."""
    if not orchestration.problems:
        return ()
    # What only a whole reading finds isn't among them.
    return (f"in the files: at least {count_line(orchestration.problems)}; orch check shows all",)


def task_lines(
    orchestration: Orchestration, decision: Decision, work: Mapping[TaskKey, AtWork] | None = None
) -> dict[TaskKey, TaskLine]:
    """A line for every task in a wave, by key."""
    said: dict[TaskKey, Action | Wait] = {wait.key: wait for wait in decision.waits}
    said.update({action.key: action for action in decision.actions if action.key is not None})
    titles = {spec.key: spec.title for spec in orchestration.plan.specs}
    rows = {row.key: row for row in orchestration.state.board}
    lines = {}
    for key in orchestration.plan.in_waves():
        row = rows.get(key)
        status = row.status if row else Status.PENDING
        word = str(status) if status else f'"{one_line(row.raw_status, 20) if row else ""}"'
        said_of = said.get(key)
        reason, remedy, fix = "", "", ""
        is_crowd = True
        if isinstance(said_of, Action):
            reason = f"orch will {said_of.verb.words}, {said_of.reason}"
        elif said_of is not None:
            reason = _reason(orchestration, said_of)
            remedy = said_of.remedy if said_of.why.needs_person or said_of.why is Why.BLOCKED else ""
            if said_of.why is Why.CELL:
                fix = said_of.remedy.removeprefix(f"{orchestration.state.path}, {key}: ")
            is_crowd = said_of.why in _CROWD
            if said_of.why is Why.ENDED and said_of.reason == word:
                reason = ""
        told = ""
        if work and key in work:
            # Here and not above: mostly nobody is at work.
            from orchestrator.views.at_work import work_text

            told = work_text(work[key])
        lines[key] = TaskLine(key, titles.get(key, ""), word, reason, remedy, is_crowd, fix, told)
    return lines


def wave_lines(
    orchestration: Orchestration,
    decision: Decision,
    wave: Wave,
    *,
    tasks: dict[TaskKey, TaskLine] | None = None,
    room: int = OWN_LINES,
) -> list[str]:
    """One wave: a head line, then its tasks; at most `room` tasks have a line of their own."""
    by_key = tasks if tasks is not None else task_lines(orchestration, decision)
    members = [by_key[key] for key in wave.tasks if key in by_key]
    groups = grouped(members, _fold)
    if len(groups) > room:
        groups = grouped(members, lambda task: (task.word, "", None))
    lines = [_wave_head(orchestration, wave)]
    names = called(orchestration.plan)
    for (word, reason, _), group in groups:
        keys = keys_text([task.key for task in group], names=names)
        title = f" {one_line(group[0].title, 40)}" if len(group) == 1 and len(groups) <= OWN_LINES // 2 else ""
        title += place_of(orchestration, group[0].key) if len(group) == 1 else ""
        told = group[0].work if len(group) == 1 and group[0].work else one_line(reason, 80)
        fix = f"; {one_line(group[0].fix, 80)}" if group[0].fix and told else ""
        lines.append(f"{keys} {word}{title}" + (f": {told}{fix}" if told else ""))
    return lines


def _fold(task: TaskLine) -> tuple[str, str, TaskKey | None]:
    """Tasks with an equal value share a line."""
    return (task.word, task.reason, None if task.is_crowd else task.key)


def _reason(orchestration: Orchestration, wait: Wait) -> str:
    if wait.why is Why.GATE:
        return plan_summary(orchestration, wait.key)
    # The status word says that it is at work, or blocked.
    return "" if wait.why is Why.WORKING else wait.reason.removeprefix("blocked: ")


def plan_summary(orchestration: Orchestration, key: TaskKey) -> str:
    """`plan of 4 steps, 1 finding, 1 open question`: what a judgement would look at."""
    task = orchestration.task(key)
    parts = [f"plan of {counted(len(task.micro_plan.steps), 'step')}"]
    findings = sum(line.startswith("- ") for line in task.findings.split("\n"))
    if task.findings.strip():
        parts.append(counted(findings or 1, "finding"))
    questions = sum(not question.answer for question in task.micro_plan.questions)
    if questions:
        parts.append(counted(questions, "open question"))
    return ", ".join(parts)


def _wave_head(orchestration: Orchestration, wave: Wave) -> str:
    row = orchestration.state.wave(wave.number)
    word = str(row.status) if row and row.status else "open"
    note_width = RED_NOTE if row and row.status is WaveStatus.RED else 60
    extras = [(row.suites, 60), (wave_note(orchestration, row), note_width)] if row else []
    theme = f" {one_line(wave.theme, 50)}" if wave.theme else ""
    told = "".join(f"; {one_line(part, width)}" for part, width in extras if part)
    return f"wave {wave.number}{theme}: {word}{told}"


def wave_note(orchestration: Orchestration, row: WaveRow) -> str:
    """The note of a wave's row, without the tasks in it that aren't blocked any more."""
    blocked = {str(key) for key in orchestration.blocked_in(row.number)}
    return only_blocked(row.note, blocked.__contains__)


def _is_untouched(orchestration: Orchestration, wave: Wave, tasks: dict[TaskKey, TaskLine]) -> bool:
    row = orchestration.state.wave(wave.number)
    if row is not None and row.status is not WaveStatus.OPEN:
        return False
    return all(tasks[key].word == Status.PENDING and tasks[key].is_crowd for key in wave.tasks if key in tasks)


def _finished_line(orchestration: Orchestration, waves: Sequence[Wave]) -> str:
    noun = "wave" if len(waves) == 1 else "waves"
    row = orchestration.state.wave(waves[-1].number)
    suites = f"; {one_line(row.suites, 60)}" if row and row.suites else ""
    theme = f" {one_line(waves[0].theme, 50)}" if len(waves) == 1 and waves[0].theme else ""
    count = counted(sum(len(wave.tasks) for wave in waves), "task")
    return f"{noun} {numbers_text([wave.number for wave in waves])}{theme}: done, {count}{suites}"


def _crowd_line(waves: Sequence[Wave], tasks: dict[TaskKey, TaskLine]) -> str:
    words = grouped((tasks[key].word for wave in waves for key in wave.tasks if key in tasks), lambda word: word)
    counts = ", ".join(f"{len(same)} {word}" for word, same in words[:12])
    noun = "wave" if len(waves) == 1 else "waves"
    return f"{noun} {numbers_text([wave.number for wave in waves])}: {counts}; orch show TASK says why"


def _coming_lines(waves: Sequence[Wave], tasks: dict[TaskKey, TaskLine]) -> list[str]:
    lines: list[str] = []
    shown: dict[str, int] = {}
    for wave in waves[:COMING]:
        theme = f" {one_line(wave.theme, 50)}" if wave.theme else ""
        reasons = [reason for reason, _ in grouped(wave.tasks, lambda key: tasks[key].reason if key in tasks else "")]
        first = reasons[0] if reasons else ""
        why = f", as wave {shown[first]}" if first in shown else f", {one_line(first, 80)}" if first else ""
        if len(first) > 30:
            shown.setdefault(first, wave.number)
        more = f" and {counted(len(reasons) - 1, 'other reason')}" if len(reasons) > 1 else ""
        lines.append(f"wave {wave.number}{theme}: {len(wave.tasks)} pending{why}{more}")
    rest = waves[COMING:]
    if rest:
        noun = "wave" if len(rest) == 1 else "waves"
        count = sum(len(wave.tasks) for wave in rest)
        lines.append(f"{noun} {numbers_text([wave.number for wave in rest])}: {count} pending, after those")
    return lines
