"""A realistic task, and the data that its templates are rendered with."""

from __future__ import annotations

from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey
from orchestrator.model.micro_plan import Question
from orchestrator.model.plan import Dependency, Plan, Reference, ScopePath, Spec, Wave
from orchestrator.model.state import ReportSection
from orchestrator.prompts.context import Conventions, Data, Paths, worker_data

SPEC_TEXT = """
- **Repo:** .
- **Depends on:** 5.1.1
- **Must edit:** `pkg/store/store.go`
- **Can create:** `pkg/store/trigger.go`, `pkg/store/trigger_test.go`
- **Scratch:** `.development/`
- **Anchors:** `func (s *Store) Save` in `pkg/store/store.go` (~210)
- **Reference:** port the pattern in `pkg/store/schedule.go`
- **Acceptance:** every test in `pkg/store/trigger_test.go` passes
- **Test:** `go test ./pkg/store -run Trigger`

Keep the triggers of a job beside its schedule. A job without triggers writes nothing, so that old files stay as
they are. The key in the file is `{{ job }}/triggers`; the braces are part of it.

#### What is out

Reading triggers from the environment.
"""

PLAN_TEXT = """# 5.2.1 — Store triggers

## Goal

Triggers are saved and loaded with their job.

## TODO items

- [ ] 1. Create `pkg/store/trigger.go` with `saveTriggers` and `loadTriggers`
- [ ] 2. Call both from `pkg/store/store.go`
- [ ] 3. Create `pkg/store/trigger_test.go`: none, one, many (A1)
- [ ] 4. Run `go test ./pkg/store -run Trigger`

## Notes

- The file looks like this:

  ```json
  {"triggers": []}
  ```

## Questions

1. Is an empty list written?

## Discovered

## Report
"""

REPORT_TEXT = """- **Status:** done, abc1234
- **Files:** `pkg/jobdef/trigger.go` (new)
- **Tests:** `go test ./pkg/jobdef -run Trigger`: 14 passed, 0 failed
- **Deviations:** none
- **Gotchas:** `ParseDefinition` is called twice at start-up
"""

PATHS = Paths(
    todo="/state/orch/shop-1f2e/5.2.1/planning/tasks/5.2.1.todo.md",
    worktree="/state/orch/shop-1f2e/5.2.1",
    prompt="/state/orch/shop-1f2e/turns/5.2.1/1/prompt.md",
)


def store_triggers() -> tuple[Plan, Spec]:
    """The second task of a plan of two waves, and the plan."""
    first, second = TaskKey(5, 1, "1"), TaskKey(5, 2, "1")
    spec = Spec(
        key=second,
        title="Store triggers",
        at=Location("planning/EXECUTION_PLAN_5.md", 30),
        text=SPEC_TEXT,
        depends_on=(Dependency("5.1.1", task=first),),
        must_edit=(ScopePath("pkg/store/store.go"),),
        can_create=(ScopePath("pkg/store/trigger.go"), ScopePath("pkg/store/trigger_test.go")),
        scratch=(ScopePath(".development/"),),
        anchors=(Reference("`func (s *Store) Save` in `pkg/store/store.go` (~210)", "pkg/store/store.go"),),
        references=(Reference("port the pattern in `pkg/store/schedule.go`", "pkg/store/schedule.go"),),
        acceptance=("every test in `pkg/store/trigger_test.go` passes",),
        test="go test ./pkg/store -run Trigger",
        tier="small",
        commit="feat(store): store triggers",
    )
    plan = Plan(
        number=5,
        title="Event triggers",
        path="planning/EXECUTION_PLAN_5.md",
        goal="Jobs start on events, not only on a schedule.",
        waves=(Wave(1, "API layer", (first,), ()), Wave(2, "Storage", (second,), (1,))),
        specs=(spec,),
    )
    return plan, spec


def task_data(turn: str = "plan") -> Data:
    """Everything filled: conventions, a dependency's report, something learned, one answer."""
    plan, spec = store_triggers()
    return worker_data(
        plan=plan,
        spec=spec,
        turn=turn,
        paths=PATHS,
        conventions=Conventions("Errors are wrapped with `fmt.Errorf` and `%w`.\n", ("AGENTS.md", "docs/style.md")),
        dependencies=(ReportSection(TaskKey(5, 1, "1"), "Parse trigger definitions", REPORT_TEXT),),
        learnings=("`go vet` runs in the targeted test too",),
        answers=(
            Question(1, "Is an empty list written?", "No.\nA job without triggers keeps its file as it is."),
            Question(2, "Is this one still open?"),
        ),
    )


def bare_data(turn: str = "plan") -> Data:
    """Nothing but the task: no conventions, dependencies, learnings or answers."""
    plan, spec = store_triggers()
    return worker_data(plan=plan, spec=spec, turn=turn, paths=PATHS, conventions=Conventions())
