"""The account of a wave: what it came to, a line a task, what is left to look at. At most a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.model.actions import Wait, Why
from orchestrator.model.costs import AT_LEAST
from orchestrator.model.events import is_begun
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import FAILURES
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Wave
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.task_file import TaskFile
from orchestrator.model.waves import effective_status
from orchestrator.views.called import called, named
from orchestrator.views.discovered import told_once
from orchestrator.views.folding import counted, grouped, keys_text
from orchestrator.views.printable import one_line
from orchestrator.views.status import RED_NOTE, plan_summary, wave_note

FOLLOW_UPS = 5
_OWN_WORDS = ("flake: ", "review_diff: ")
"""What stands in a task's log beside degradations; left out where the wave's note, shown above, says it."""
_ONCE = "review_diff: "
"""What is said by the call that begins with it, and not again at the wave's end."""


def closing_lines(
    orchestration: Orchestration,
    number: int,
    waits: Sequence[Wait] = (),
    *,
    degraded: Sequence[str] | None = None,
    by: str = "session",
) -> tuple[str, ...]:
    """The summary of wave `number`, from the files alone. Raises KeyError for a wave the plan doesn't have.

    waits: why tasks that haven't ended rest, where the account is given on the way. degraded: what this call had to
    do without; the account of a wave that has ended repeats what all its calls had to. by: who is told.
    """
    wave = orchestration.plan.wave(number)
    # An ended task with a remedy is one whose cell says otherwise.
    resting = {
        wait.key: wait
        for wait in waits
        if wait.why not in (Why.ENDED, Why.BLOCKED) or (wait.why is Why.ENDED and wait.remedy)
    }
    lines = [_head(orchestration, wave), *_task_lines(orchestration, wave, resting)]
    row = orchestration.state.wave(number)
    has_ended = row is not None and row.status in (WaveStatus.DONE, WaveStatus.RED)
    lines += _degraded_lines(
        _told(orchestration, wave) if has_ended or degraded is None else degraded, row.note if row else ""
    )
    lines += _follow_up_lines(orchestration, wave)
    if orchestration.state.is_done(number) and by == "session":
        lines.append("all of it is in the files: a good moment for /compact")
    return tuple(lines)


def _task_lines(orchestration: Orchestration, wave: Wave, resting: Mapping[TaskKey, Wait]) -> list[str]:
    """A line a task, but tasks that haven't begun and rest for the same reason share one."""

    def shared(key: TaskKey) -> object:
        return key if is_begun(orchestration, key) or key not in resting else resting[key].reason

    names = called(orchestration.plan)
    return [
        _task_line(orchestration, keys[0], resting.get(keys[0]), names)
        if len(keys) == 1
        else f"{keys_text(keys, names=names)} pending: {_rest(orchestration, resting[keys[0]])}"
        for _, keys in grouped(wave.tasks, shared)
    ]


def _rest(orchestration: Orchestration, wait: Wait) -> str:
    """Why a task rests and what a person can do. For a plan to judge the command that comes next says it."""
    if wait.why is Why.GATE:
        return plan_summary(orchestration, wait.key)
    if wait.why is Why.HOSTED:
        # Whole: its paths are what the session goes on with.
        return wait.reason
    if wait.why in (Why.WORKING, Why.QUESTION) or not wait.remedy:
        return one_line(wait.reason, 120)
    # A trouble of orch's own names a file by its whole path, and why only behind that.
    return f"{one_line(wait.reason, 300 if wait.why is Why.TROUBLE else 120)}; {one_line(wait.remedy, 160)}"


def _head(orchestration: Orchestration, wave: Wave) -> str:
    row = orchestration.state.wave(wave.number)
    theme = f" {one_line(wave.theme, 50)}" if wave.theme else ""
    word = str(row.status) if row and row.status else "open"
    parts = [f"wave {wave.number} of {len(orchestration.plan.waves)}{theme}: {word}"]
    if row and row.suites:
        parts.append(one_line(row.suites, 80))
    if row and row.commit:
        parts.append(f"at {one_line(row.commit, 60)}")
    note = wave_note(orchestration, row) if row else ""
    if note:
        parts.append(one_line(note, RED_NOTE if row and row.status is WaveStatus.RED else 160))
    return "; ".join(parts)


def _task_line(orchestration: Orchestration, key: TaskKey, wait: Wait | None, names: Mapping[TaskKey, str]) -> str:
    task = orchestration.task(key)
    row = orchestration.state.row(key)
    status = effective_status(orchestration, key)
    word = str(status) if status else f'"{row.raw_status if row else ""}"'
    commit = f" {task.landed[-1][:7]}" if task.landed and status is Status.DONE else ""
    details = [*_attempts(task), *_judgement(task), *([_rest(orchestration, wait)] if wait else [])]
    line = f"{named(key, names)} {word}{commit} {one_line(_title(orchestration, key), 50)}"
    if details:
        line += f": {', '.join(details)}"
    if status is Status.BLOCKED:
        note = f"its note: {row.note}" if row and row.note else ""
        line += f"; {one_line(_cause(task) or note, 120)}"
    return line


def _attempts(task: TaskFile) -> list[str]:
    turns = [entry.get("turn") for entry in task.log if entry.event == "started" and entry.get("turn") != "review"]
    plans, works = turns.count("plan"), len(turns) - turns.count("plan")
    parts = []
    if plans > 1:
        parts.append(f"{plans} plans")
    if works > 1:
        parts.append(f"{works} attempts")
    model = task.model or ""
    return [*parts, *([model] if model else []), *_cost(task)]


def _cost(task: TaskFile) -> list[str]:
    usd = task.cost.get("usd", "")
    if usd == "unknown":
        read, written = task.cost.get("input", "0"), task.cost.get("output", "0")
        if "unknown" in (read, written):
            return ["cost unknown"]
        return [f"price unknown ({read} tokens in, {written} out)"]
    least = AT_LEAST if usd.startswith(AT_LEAST) else ""
    return [f"{least}${usd.removeprefix(AT_LEAST)}"] if usd else []


def _judgement(task: TaskFile) -> list[str]:
    """Only what was somebody's call: a plan that passed on checks alone or was forced."""
    if task.approved_by == "checks":
        return ["plan passed on checks"]
    if task.approved_by.startswith("review"):
        return [f"plan approved by {task.approved_by}"]
    if task.approved_by == "forced" or task.approved_why:
        return [f"forced: {one_line(task.approved_why, 80)}"]
    return []


def _cause(task: TaskFile) -> str:
    for entry in reversed(task.log):
        is_of_wave = entry.get("to") == WaveStatus.CHECKING
        if entry.event in (*FAILURES, "decided") and entry.get("why") and not is_of_wave:
            return entry.get("why")
    return ""


def _told(orchestration: Orchestration, wave: Wave) -> list[str]:
    """What the calls of the wave had to do without, as the logs of its tasks have it."""
    logs = (orchestration.task(key).log for key in wave.tasks)
    told = [entry.get("why") or entry.get("what") for log in logs for entry in log if entry.event == "degraded"]
    return [text for text in told if not text.startswith(_ONCE)]


def _degraded_lines(told: Sequence[str], note: str) -> list[str]:
    texts = (text for text, _ in grouped(told, lambda text: text) if text and text not in note)
    return [
        one_line(text, 300) if text.startswith(_OWN_WORDS) else f"degraded: {one_line(text, 300)}" for text in texts
    ]


def _follow_up_lines(orchestration: Orchestration, wave: Wave) -> list[str]:
    items = told_once(_found_by(orchestration.state.discovered, wave))
    lines = [f"discovered: {one_line(item, 120)}" for item in items[:FOLLOW_UPS]]
    if len(items) > FOLLOW_UPS:
        lines.append(f"{counted(len(items) - FOLLOW_UPS, 'more discovered item')} in {orchestration.state.path}")
    return lines


def _found_by(discovered: Sequence[str], wave: Wave) -> list[str]:
    names = tuple(f"{key}:" for key in wave.tasks)
    return [item for item in discovered if item.startswith(names)]


def _title(orchestration: Orchestration, key: TaskKey) -> str:
    try:
        return orchestration.plan.spec(key).title
    except KeyError:
        return ""
