"""What `--json` prints, as values that json can write: the documented, versioned schema.

A field is added freely; one that changes its meaning or goes away raises the schema number. That, `outcome`, `next`
and `warnings` are added by the command line. Hashes are whole here, texts uncut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from orchestrator.errors import Problem
from orchestrator.model.actions import Action, Decision, Why
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import ScopePath, Wave
from orchestrator.model.questions import Asked
from orchestrator.model.stage import standing
from orchestrator.model.task_file import TaskFile
from orchestrator.views.gate import asked_about
from orchestrator.views.resume import gotchas
from orchestrator.views.show import part_text
from orchestrator.views.status import TaskLine, task_lines

if TYPE_CHECKING:
    from orchestrator.model.at_work import AtWork

Json = dict[str, object]


def problems_document(problems: Iterable[Problem]) -> list[Json]:
    """Problems as objects; `line` and `column` count from 1 and are null where there is no place.

    `end_column` is the one behind the last character that the caret stands under; `source` the whole line.
    """
    return [
        {
            "code": problem.code,
            "severity": str(problem.severity),
            "message": problem.message,
            "hint": problem.hint,
            "path": problem.at.path if problem.at else None,
            "line": problem.at.line or None if problem.at else None,
            "column": (problem.at.column or 1) if problem.at and problem.at.line else None,
            "end_column": (problem.at.column or 1) + problem.at.length if problem.at and problem.at.line else None,
            "source": problem.at.source if problem.at and problem.at.line else None,
            "task": problem.subject or None,
        }
        for problem in problems
    ]


def status_document(
    orchestration: Orchestration, decision: Decision, work: Mapping[TaskKey, AtWork] | None = None
) -> Json:
    """The board with a reason for every task, and what the workers at work are doing."""
    lines = task_lines(orchestration, decision)
    plan, state = orchestration.plan, orchestration.state
    return {
        "orchestration": plan.number,
        "title": plan.title,
        "status": state.status,
        "started": state.exists,
        "branch": state.branch or None,
        "base": state.base or None,
        "fork": state.fork or None,
        "repos": {
            name: {"branch": at.branch, "base": at.base or None, "fork": at.fork} for name, at in state.repos.items()
        },
        "wave": decision.wave,
        "finished": decision.is_finished,
        "red": list(decision.red),
        "stuck": list(decision.stuck),
        "waves": [_wave(orchestration, wave, lines) for wave in plan.waves],
        "work": _work(work) if work else {},
        "questions": questions_document(state.questions),
        "problems": problems_document(orchestration.problems),
    }


def _work(work: Mapping[TaskKey, AtWork]) -> Json:
    # Here and not above: mostly nobody is at work.
    from orchestrator.views.at_work import work_document

    return {str(key): work_document(one) for key, one in work.items()}


def resume_document(orchestration: Orchestration, decision: Decision) -> Json:
    """Where the orchestration stands: the tasks that are open by the reason they wait for, no finished ones."""
    plan, state = orchestration.plan, orchestration.state
    waits: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for wait in decision.waits:
        if wait.why is not Why.ENDED and wait.key.wave == decision.wave:
            waits.setdefault(str(wait.why), []).append(str(wait.key))
            reasons[str(wait.key)] = wait.reason
    return {
        "orchestration": plan.number,
        "title": plan.title,
        "branch": state.branch or None,
        "wave": decision.wave,
        "waves": len(plan.waves),
        "finished": decision.is_finished,
        "red": list(decision.red),
        "stuck": list(decision.stuck),
        "due": [_action(action) for action in decision.actions],
        "waits": waits,
        "reasons": reasons,
        "questions": questions_document(one for one in state.questions if one.is_open),
        "ids": {str(key): word for word, key in plan.local_ids.items() if str(key) in reasons},
        "gotchas": [{"task": str(key), "text": text} for key, text in gotchas(orchestration, decision)],
        "problems": len(orchestration.problems),
    }


def dry_run_document(orchestration: Orchestration, decision: Decision, *, is_checked: bool = True) -> Json:
    """What next-wave would do and leave. `facts` is false: processes and git weren't looked at.

    `checked` says whether the plan's specs were.
    """
    return {
        "orchestration": orchestration.plan.number,
        "wave": decision.wave,
        "facts": False,
        "checked": is_checked,
        "actions": [_action(action) for action in decision.actions],
        "waits": waits_document(decision),
        "problems": problems_document(orchestration.problems),
    }


def waits_document(decision: Decision) -> list[Json]:
    """Every task that isn't acted on, with the reason and what a person can do."""
    return [
        {"task": str(wait.key), "why": str(wait.why), "reason": wait.reason, "remedy": wait.remedy}
        for wait in decision.waits
    ]


def gate_document(orchestration: Orchestration, keys: Sequence[TaskKey]) -> Json:
    """The micro-plans that wait for a judgement, whole."""
    return {
        "orchestration": orchestration.plan.number,
        "plans": [plan_document(orchestration, key) for key in keys],
        "questions": questions_document(asked_about(orchestration, keys)),
    }


def questions_document(questions: Iterable[Asked]) -> list[Json]:
    """Questions of the queue; `answer` and `withdrawn` are null while they aren't given."""
    return [
        {
            "id": one.id,
            "task": str(one.task) if one.task else None,
            "key": one.key or None,
            "for": str(one.audience),
            "date": one.date or None,
            "text": one.text,
            "options": list(one.options),
            "recommended": one.recommended or None,
            "unblocks": [str(key) for key in one.unblocks],
            "answer": one.answer or None,
            "withdrawn": one.withdrawn or None,
        }
        for one in questions
    ]


def plan_document(orchestration: Orchestration, key: TaskKey) -> Json:
    """One micro-plan with what was found and its questions."""
    task = orchestration.task(key)
    spec = orchestration.plan.spec(key)
    micro = task.micro_plan
    return {
        "task": str(key),
        "title": spec.title,
        "goal": micro.goal,
        "acceptance": list(spec.acceptance),
        "steps": [{"number": step.number, "text": step.text, "ticked": step.is_ticked} for step in micro.steps],
        "notes": micro.notes,
        "findings": [line.removeprefix("- ") for line in task.findings.split("\n") if line.strip()],
        "questions": [
            {"number": item.number, "text": item.text, "answer": item.answer or None} for item in micro.questions
        ],
        "sent_back": standing(task.log).sent_back,
    }


def closing_document(orchestration: Orchestration, number: int) -> Json:
    """The account of one wave. Raises KeyError for a wave the plan doesn't have."""
    wave = orchestration.plan.wave(number)
    row = orchestration.state.wave(number)
    return {
        "orchestration": orchestration.plan.number,
        "wave": number,
        "status": str(row.status) if row and row.status else "open",
        "suites": row.suites if row else "",
        "commit": row.commit or None if row else None,
        "note": row.note if row else "",
        "tasks": [_ended(orchestration, key) for key in wave.tasks],
    }


def show_document(
    orchestration: Orchestration,
    decision: Decision,
    key: TaskKey,
    parts: Sequence[str] = (),
    *,
    texts: Mapping[str, str] | None = None,
) -> Json:
    """One task with everything known of it; the parts asked for as text under `parts`."""
    spec = orchestration.plan.spec(key)
    task = orchestration.task(key)
    line = task_lines(orchestration, decision).get(key)
    return {
        **_task(key, line, spec.local_id),
        **_run_facts(task),
        "scope": {
            "edit": _patterns(spec.must_edit),
            "create": _patterns(spec.can_create),
            "delete": _patterns(spec.can_delete),
            "scratch": _patterns(spec.scratch),
        },
        "depends_on": [item.text for item in spec.depends_on],
        "acceptance": list(spec.acceptance),
        "test": spec.test,
        "commit_message": spec.commit or None,
        "plan": plan_document(orchestration, key),
        "log": [_entry(entry) for entry in task.log],
        "parts": {part: part_text(orchestration, spec, part, texts or {}) for part in parts},
    }


def _patterns(paths: Sequence[ScopePath]) -> list[str]:
    return [path.pattern for path in paths]


def _wave(orchestration: Orchestration, wave: Wave, lines: Mapping[TaskKey, TaskLine]) -> Json:
    row = orchestration.state.wave(wave.number)
    return {
        "wave": wave.number,
        "theme": wave.theme,
        "status": str(row.status) if row and row.status else "open",
        "suites": row.suites if row else "",
        "commit": row.commit or None if row else None,
        "note": row.note if row else "",
        "depends_on": list(wave.depends_on),
        "tasks": [_task(key, lines.get(key), orchestration.plan.local_id(key)) for key in wave.tasks],
    }


def _task(key: TaskKey, line: TaskLine | None, local_id: str) -> Json:
    return {
        "task": str(key),
        "id": local_id or None,
        "title": line.title if line else "",
        "status": line.word if line else "pending",
        "reason": line.reason if line else "",
        "remedy": line.remedy if line else "",
    }


def _run_facts(task: TaskFile) -> Json:
    return {
        "tier": task.tier or None,
        "driver": task.driver or None,
        "model": task.model or None,
        "branch": task.branch or None,
        "base": task.base or None,
        "approved": task.approved or None,
        "approved_by": task.approved_by or None,
        "approved_why": task.approved_why or None,
        "landed": list(task.landed),
        "reverted": list(task.reverted),
        "counts": {
            "plan": task.counts.plan,
            "accept": task.counts.accept,
            "report": task.counts.report,
            "scope": task.counts.scope,
            "conflict": task.counts.conflict,
            "died": task.counts.died,
        },
        "cost": dict(task.cost),
    }


def _ended(orchestration: Orchestration, key: TaskKey) -> Json:
    row = orchestration.state.row(key)
    task = orchestration.task(key)
    turns = [entry.get("turn") for entry in task.log if entry.event == "started"]
    return {
        "task": str(key),
        "status": str(row.status) if row and row.status else (row.raw_status if row else "pending"),
        "turns": turns,
        **_run_facts(task),
    }


def _entry(entry: LogEntry) -> Json:
    return {"time": entry.time, "event": entry.event, **entry.values}


def _action(action: Action) -> Json:
    return {
        "verb": str(action.verb),
        "task": str(action.key) if action.key else None,
        "wave": action.wave,
        "reason": action.reason,
    }
