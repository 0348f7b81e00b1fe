"""Orchestrations made of nouns, of any size, for tests of what is said about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from orchestrator.errors import Location
from orchestrator.model.actions import Decision
from orchestrator.model.facts import Limits
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan, Question, Step
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Dependency, Plan, ScopePath, Spec, Wave
from orchestrator.model.settings import Settings
from orchestrator.model.state import BoardRow, ReportSection, State, WaveRow
from orchestrator.model.status import WaveStatus, read_status
from orchestrator.model.task_file import TaskFile

PLAN = "planning/EXECUTION_PLAN_5.md"
TIME = "2026-11-29T10:00:00Z"

# How a task came to its status, as its log tells it.
_LOGS: Mapping[str, tuple[tuple[str, dict[str, str]], ...]] = {
    "pending": (),
    "planning": (("started", {"turn": "plan", "board": "planning"}),),
    "plan-ready": (("started", {"turn": "plan"}), ("planned", {"board": "plan-ready"})),
    "approved": (("started", {"turn": "plan"}), ("planned", {}), ("approved", {"board": "approved"})),
    "running": (
        ("started", {"turn": "plan"}),
        ("planned", {}),
        ("approved", {}),
        ("started", {"turn": "execute", "board": "running"}),
    ),
    "done": (("started", {"turn": "plan"}), ("started", {"turn": "execute"}), ("landed", {"commit": "abc1234"})),
    "blocked": (
        ("started", {"turn": "plan"}),
        ("started", {"turn": "execute"}),
        ("started", {"turn": "retry"}),
        (
            "failed",
            {"kind": "accept", "next": "blocked", "why": "pytest tests/test_a.py failed twice", "board": "blocked"},
        ),
    ),
    "skipped": (),
    "needs-input": (("decided", {"to": "needs-input", "board": "needs-input"}),),
}

TITLES = ("Parse trigger definitions", "Store triggers", "Show triggers in the list", "Delete a trigger")


def key(text: str) -> TaskKey:
    """The key that `text` is; the text must be one."""
    found = parse_key(text)
    assert found is not None, text
    return found


def orchestration(
    waves: Mapping[int, Sequence[str]],
    *,
    done_waves: Sequence[int] = (),
    themes: Mapping[int, str] | None = None,
    depends: Mapping[str, Sequence[str]] | None = None,
    reports: Sequence[ReportSection] = (),
) -> Orchestration:
    """Orchestration 5 with tasks 5.W.1, 5.W.2, … of the statuses listed for each wave."""
    specs, rows, tables, tasks, wave_rows = [], [], [], {}, []
    for number, statuses in waves.items():
        keys = tuple(TaskKey(5, number, str(index)) for index in range(1, len(statuses) + 1))
        earlier = tuple(other for other in waves if other < number)
        tables.append(Wave(number, (themes or {}).get(number, ""), keys, earlier))
        is_done = number in done_waves
        wave_rows.append(
            WaveRow(
                number,
                WaveStatus.DONE if is_done else WaveStatus.OPEN,
                suites="unit 826 passed, 1 known failure" if is_done else "",
                commit="77aa012" if is_done else "",
            )
        )
        for index, (task, status) in enumerate(zip(keys, statuses, strict=True)):
            needs = tuple(Dependency(text, task=key(text)) for text in (depends or {}).get(str(task), ()))
            specs.append(_spec(task, TITLES[index % len(TITLES)], needs))
            rows.append(BoardRow(task, specs[-1].title, status, read_status(status)))
            if not is_done and _LOGS.get(status):
                tasks[task] = _task(task, status)
    plan = Plan(5, "Event triggers", PLAN, waves=tuple(tables), specs=tuple(specs))
    state = State(
        5,
        "planning/STATE_5.md",
        exists=True,
        branch="orch/5-event-triggers",
        base="main",
        run="k3f9",
        waves=tuple(wave_rows),
        board=tuple(rows),
        reports=tuple(reports),
    )
    return Orchestration(plan, state, Settings(), tasks)


def with_task(whole: Orchestration, task: TaskFile) -> Orchestration:
    """The same with this task file in place of the one it has."""
    return replace(whole, tasks={**whole.tasks, task.key: task})


def decide(whole: Orchestration, *, jobs: int = 4) -> Decision:
    """What the files alone say is next."""
    return next_actions(whole, None, Limits(jobs=jobs))


def micro_plan(task: TaskKey, *, questions: Sequence[Question] = ()) -> MicroPlan:
    """Three steps and a goal."""
    texts = (
        "Create `pkg/trigger.py` with the parser",
        "Call it from `load`\n- only once",
        "Run `pytest tests/test_trigger.py`",
    )
    steps = tuple(Step(number, text, " ") for number, text in enumerate(texts, 1))
    return MicroPlan(f"{task} — A task", "Triggers are read from the definition.", steps, questions=tuple(questions))


def report(task: str, gotchas: str) -> ReportSection:
    """A report as orch writes it."""
    text = f"\n- **Status:** done, abc1234\n- **Files:** `pkg/a.py`\n- **Deviations:** none\n- **Gotchas:** {gotchas}\n"
    return ReportSection(key(task), "A task", text)


def _spec(task: TaskKey, title: str, needs: tuple[Dependency, ...]) -> Spec:
    return Spec(
        task,
        title,
        Location(PLAN, 20, 1),
        f"\n- **Must edit:** `pkg/load.py`\n- **Test:** `pytest tests/test_{task.id}.py`\n",
        depends_on=needs,
        must_edit=(ScopePath("pkg/load.py"),),
        can_create=(ScopePath("pkg/trigger.py"), ScopePath("tests/test_trigger.py")),
        acceptance=("every test in `tests/test_trigger.py` passes",),
        test="pytest tests/test_trigger.py",
    )


def _task(task: TaskKey, status: str) -> TaskFile:
    log = [LogEntry(TIME, event, dict(values)) for event, values in _LOGS[status]]
    log.append(LogEntry(TIME, "board", {"status": status}))
    return TaskFile(task, exists=True, driver="scripted", micro_plan=micro_plan(task), log=tuple(log))
