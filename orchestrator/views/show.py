"""One task: a summary, or the parts of it that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.model.actions import Decision
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import FAILURES, LogEntry, format_entry
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import ScopePath, Spec
from orchestrator.model.stage import Stage, standing
from orchestrator.model.task_file import TaskFile
from orchestrator.views.called import place_of
from orchestrator.views.folding import counted
from orchestrator.views.gate import digest_lines, found_lines
from orchestrator.views.printable import one_line
from orchestrator.views.status import task_lines

PARTS = ("spec", "plan", "report", "log", "diff", "prompt")
"""What can be asked for, in the order in which it is shown. Diff and prompt come from outside the files."""


def show_lines(
    orchestration: Orchestration,
    decision: Decision,
    key: TaskKey,
    parts: Sequence[str] = (),
    *,
    texts: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The task's summary without `parts`, else those parts, headed where there are several.

    texts: the text of `diff` and of `prompt` where asked for. Raises KeyError for a key that the plan doesn't have.
    """
    spec = orchestration.plan.spec(key)
    if not parts:
        return tuple(summary_lines(orchestration, decision, spec))
    lines: list[str] = []
    for part in (part for part in PARTS if part in parts):
        body = part_text(orchestration, spec, part, texts or {})
        if len(parts) > 1:
            lines.append(f"== {part} of {key}")
        # A file's own endings are no text to show.
        lines += (
            body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            if body
            else [f"{key} has no {_NAMES.get(part, part)} yet"]
        )
    return tuple(lines)


_OUTPUT = 5
"""So many lines of a failed test's output are shown, from its end; rulers of marks alone aren't."""
_NAMES = {"plan": "micro-plan"}


def part_text(orchestration: Orchestration, spec: Spec, part: str, texts: Mapping[str, str]) -> str:
    """The text of one part without a final newline, empty if there is none."""
    task = orchestration.task(spec.key)
    if part == "spec":
        return f"### {spec.key} — {spec.title}\n\n{spec.text.strip()}"
    if part == "plan":
        return "\n".join(digest_lines(orchestration, task)) if task.micro_plan.steps else ""
    if part == "report":
        report = orchestration.state.report(spec.key)
        return report.text.strip() if report else ""
    if part == "log":
        return "\n".join(format_entry(entry) for entry in task.log)
    return texts.get(part, "").strip("\n")


def summary_lines(orchestration: Orchestration, decision: Decision, spec: Spec) -> list[str]:
    """Status with its reason and remedy, scope, progress, attempts, landings, and where the files are."""
    task = orchestration.task(spec.key)
    line = task_lines(orchestration, decision).get(spec.key)
    row = orchestration.state.row(spec.key)
    called = f" ({spec.local_id})" if spec.local_id else ""
    lines = [f"{spec.key}{called} {one_line(spec.title, 80)}"]
    if line:
        lines.append(f"{line.word}" + (f": {one_line(line.reason, 300)}" if line.reason else ""))
        if line.remedy:
            lines.append(f"to go on: {one_line(line.remedy, 200)}")
    now = standing(task.log)
    if now.stage is Stage.BLOCKED and now.failed == "accept" and spec.test:
        lines.append(f"if its test is at fault rather than its work: correct Test in {spec.at} before that")
    if row and row.note:
        lines.append(f"note: {one_line(row.note, 120)}")
    lines += _scope_lines(spec, place_of(orchestration, spec.key))
    micro = task.micro_plan
    if micro.steps:
        ticked = sum(step.is_ticked for step in micro.steps)
        done = f", {ticked} ticked" if ticked else ""
        lines.append(f"micro-plan: {counted(len(micro.steps), 'step')}{done}, {_approval(task)}")
    lines += [f"question {item.number}: {one_line(item.text, 160)}" for item in micro.questions if not item.answer]
    heads, output = found_lines(task)
    lines += [
        f"found {text.removeprefix('- ')}"
        for text in heads
        if not text.startswith("- ") or not _says(lines[1:2], text[2:])
    ]
    telling = [line for line in output if any(char.isalnum() for char in line)]
    lines += [f"   {one_line(line, 160)}" for line in telling[-_OUTPUT:]]
    if len(telling) > _OUTPUT:
        lines.append(f"   after {counted(len(telling) - _OUTPUT, 'other line')}, below Findings in its todo file")
    turns = [entry for entry in task.log if entry.event == "started"]
    if turns:
        lines.append(f"turns: {' '.join(entry.get('turn') for entry in turns)}{_worker(task)}")
    if task.landed:
        reverted = f", reverted {' '.join(text[:7] for text in task.reverted)}" if task.reverted else ""
        lines.append(f"landed: {' '.join(text[:7] for text in task.landed)}{reverted}")
    failure = one_line(_last_failure(task.log), 300)
    # What is said above as reason or finding isn't said again.
    if failure and not task.landed and not _says(lines[1:], failure):
        lines.append(f"last failure: {failure}")
    return [*lines, f"see: {_see(spec)}"]


def _says(lines: Sequence[str], text: str) -> bool:
    """Whether one of the lines says the text already, at least its beginning."""
    beginning = text.removeprefix("error: ").removeprefix("warning: ")[:60]
    return any(beginning in line for line in lines)


def _scope_lines(spec: Spec, place: str) -> list[str]:
    scopes = (("edit", spec.must_edit), ("create", spec.can_create), ("delete", spec.can_delete))
    return [f"{name}: {_paths(paths)}{place}" for name, paths in scopes if paths] + (
        [f"test: {spec.test}"] if spec.test else []
    )


def _paths(paths: Sequence[ScopePath]) -> str:
    return " ".join(path.pattern for path in paths)


def _approval(task: TaskFile) -> str:
    if not task.approved:
        return "not approved"
    why = f" ({one_line(task.approved_why, 80)})" if task.approved_why else ""
    return f"approved by {task.approved_by or 'unknown'}{why}"


def _worker(task: TaskFile) -> str:
    used = " ".join(part for part in (task.driver, task.model) if part)
    return f" by {used}" if used else ""


def _last_failure(log: Sequence[LogEntry]) -> str:
    for entry in reversed(log):
        if entry.event in FAILURES:
            return entry.get("why")
    return ""


def _see(spec: Spec) -> str:
    return f"{spec.at}, orch show {spec.key} --log"
