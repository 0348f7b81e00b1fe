"""One numbered planning set on disk: read as an Orchestration, changed by small edits under the write lock.

Owns which files are read for a question, and that a change is made on the file as it stands at that moment. Must
not decide what to change. Problems in the files come back as values; only a missing plan is refused. What only the
whole reading of a plan or a change needs is loaded only then: commands that look are to be quick.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

from orchestrator.errors import DocumentError, Location, Problem, Read, Severity, UserError
from orchestrator.formats.pins import Pins, pins_in
from orchestrator.formats.plan_outline import read_outline
from orchestrator.formats.settings_file import read_settings
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.formats.task_reading import name_problems, read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan
from orchestrator.model.settings import Settings
from orchestrator.model.state import State
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import dataclass, field, replace
from orchestrator.store.layout import Layout
from orchestrator.store.read_cache import ReadCache
from orchestrator.store.text_files import create, read, update

Which = Literal["all", "in-flight"] | Collection[TaskKey]
"""The tasks whose todo files are read: all, those in flight, or these."""

_AT_REST = (Status.PENDING, Status.DONE, Status.SKIPPED)

DocumentChange = Callable[[Document], Document]


def load_settings(path: Path, root: Path) -> Read[Settings]:
    """The settings in ORCH.md at `path`, with a default for everything where there is no such file."""
    shown = path.relative_to(root).as_posix()
    try:
        text = read(path, shown=shown)
    except DocumentError as error:
        defaults = replace(read_settings(None, shown).value, exists=True)
        return Read(defaults, error.problems)
    return read_settings(None if text is None else Document.parse(text, shown), shown)


def load(layout: Layout, number: int, *, with_tasks: Which = "all") -> Orchestration:
    """Everything the files of orchestration `number` say. Raises UserError if its execution plan is missing."""
    return PlanningSet(layout, number).load(with_tasks=with_tasks)


def _state_is_gone(path: str) -> Problem:
    hint = "get it back from a branch or a copy of your own; orch next-wave names the branch that has it, if one does"
    return Problem("no-state", f"{path} isn't there, though its tasks have begun", Location(path), hint, Severity.FILE)


@dataclass(slots=True)
class PlanningSet:
    """The files of one orchestration. Every read looks at the disk; a file that hasn't changed isn't parsed again."""

    layout: Layout
    number: int
    _cache: ReadCache = field(default_factory=ReadCache)
    _documents: dict[Path, Document] = field(default_factory=dict)
    """The last text of each file, with what was found in it: the same text isn't taken apart again."""
    _tasks: dict[TaskKey, tuple[Document | None, Read[TaskFile]]] = field(default_factory=dict)
    _outlines: ReadCache = field(default_factory=ReadCache)
    _texts: ReadCache = field(default_factory=ReadCache)
    _pins: Pins = field(default_factory=dict)
    """The last ones read: the plan read with them is kept while they are the same."""

    @property
    def orchestration(self) -> Orchestration:
        """The whole set as it stands on disk now, all todo files included."""
        return self.load(with_tasks="all")

    def load(self, *, with_tasks: Which = "all", outline: bool = False) -> Orchestration:
        """The set as it stands on disk now. Raises UserError if its execution plan is missing.

        outline: of the specs only keys, titles, texts and dependencies, and no places in the state, where the files
        are plain enough to tell them quickly; a problem in another field of a spec isn't found then.
        """
        settings = self._cache.read(self.layout.settings_path, lambda path: load_settings(path, self.layout.root))
        # Where several repositories take part, which one a task works in is told too: a field of its spec.
        plan = self.outline() if outline and not settings.value.repos else self.plan()
        state = self._state(plan.value, settings.value.marks, outline=outline)
        keys = self._wanted(with_tasks, plan.value, state.value)
        problems = (*settings.problems, *plan.problems, *state.problems)
        found = self.with_tasks(Orchestration(plan.value, state.value, settings.value, {}, problems), keys)
        if with_tasks != "all":
            return found
        return replace(found, problems=(*found.problems, *self._strays(keys, _local_ids(plan.value))))

    def with_tasks(self, orchestration: Orchestration, keys: Iterable[TaskKey]) -> Orchestration:
        """The same with the todo files of these tasks read too, as they stand on disk now."""
        tasks = {key: self._task(key) for key in keys if key not in orchestration.tasks}
        there = {key: task.value for key, task in tasks.items() if task.value.exists}
        problems = [problem for task in tasks.values() for problem in task.problems]
        local = _local_ids(orchestration.plan) if there else {}
        for task in there.values():
            problems += name_problems(task, local)
        state = orchestration.state
        if not state.exists and any(task.log for task in there.values()):
            told = [*orchestration.problems, *problems]
            problems += [] if any(one.code == "no-state" for one in told) else [_state_is_gone(state.path)]
        return replace(
            orchestration,
            tasks={**orchestration.tasks, **there},
            problems=(*orchestration.problems, *problems),
        )

    def with_logs(self, orchestration: Orchestration, keys: Iterable[TaskKey]) -> Orchestration:
        """The same with the logs of these tasks, of those whose todo files weren't read: nothing else of them."""
        tasks = {key: self._log_alone(key) for key in keys if key not in orchestration.tasks}
        there = {key: task for key, task in tasks.items() if task.exists}
        return replace(orchestration, tasks={**orchestration.tasks, **there})

    def _log_alone(self, key: TaskKey) -> TaskFile:
        # Here and not above: only sums over many files need it.
        from orchestrator.formats.log_outline import read_log_outline

        try:
            text = read(self.layout.task_path(key))
        except DocumentError:
            text = None
        log = read_log_outline(text) if text is not None else None
        return self.task(key) if log is None else TaskFile(key, exists=True, log=log)

    def plan(self) -> Read[Plan]:
        """The execution plan alone. Raises UserError if it is missing."""
        return self._cache.read(self.layout.plan_path(self.number), self._read_plan, depends_on=self.pins())

    def outline(self) -> Read[Plan]:
        """The plan without the fields of its specs but dependencies; the whole plan where that can't be told quickly.

        Raises UserError if it is missing.
        """
        return self._outlines.read(self.layout.plan_path(self.number), self._read_outline, depends_on=self.pins())

    def pins(self) -> Pins:
        """The keys that STATE has given to tasks which the plan calls by ids of its own, by those ids."""
        found = self._find_pins()
        if found != self._pins:
            self._pins = found
        return self._pins

    def task(self, key: TaskKey) -> TaskFile:
        """The todo file of a task as it stands on disk now; a fresh one where there is none."""
        return self._task(key).value

    def task_document(self, key: TaskKey) -> Document | None:
        """The text of a task's todo file, or None. Raises DocumentError where it isn't UTF-8."""
        return self._document(self.layout.task_path(key))

    def state_document(self) -> Document | None:
        """The text of STATE, or None. Raises DocumentError where it isn't UTF-8."""
        return self._document(self.layout.state_path(self.number))

    def create_state(self, text: str) -> None:
        """Make STATE. Raises UserError if there is one."""
        path = self.layout.state_path(self.number)
        with self.locked():
            create(path, text, shown=self.layout.shown(path))

    def change_state(self, change: DocumentChange) -> None:
        """Change STATE as it stands. Raises UserError if there is none, DocumentError if it can't be read."""
        self._change(self.layout.state_path(self.number), change)

    def change_plan(self, change: DocumentChange) -> None:
        """Change the execution plan as it stands, as change_state does."""
        self._change(self.layout.plan_path(self.number), change)

    def change_task(self, key: TaskKey, change: DocumentChange, *, new: Callable[[], str] | None = None) -> None:
        """Change a task's todo file as it stands; where there is none the change is made on what `new` returns.

        Raises UserError if it is missing and `new` isn't given, DocumentError if it can't be read.
        """
        path = self.layout.task_path(key)
        with self.locked():
            if new is not None and not path.exists():
                shown = self.layout.shown(path)
                create(path, change(Document.parse(new(), shown)).text, shown=shown)
            else:
                self._change(path, change)

    def sweep(self) -> tuple[str, ...]:
        """Clear away what a killed process left beside the files; returns sentences for the person."""
        from orchestrator.store.sweeping import sweep

        with self.locked():
            return sweep(self.layout.planning, self.layout.tasks)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the write lock: over one change, or over several that belong together with the look before them."""
        from orchestrator.store.locks import write_lock

        return write_lock(self.layout.common_dir)

    def _change(self, path: Path, change: DocumentChange) -> None:
        shown = self.layout.shown(path)

        def in_text(text: str) -> str:
            document = self._parsed(path, text, shown)
            faults = [problem for problem in document.problems if problem.severity is Severity.FILE]
            if faults:
                # Nothing is written to a file whose structure can't be trusted.
                raise DocumentError(faults)
            return change(document).text

        with self.locked():
            update(path, in_text, shown=shown)

    def _document(self, path: Path) -> Document | None:
        shown = self.layout.shown(path)
        text = read(path, shown=shown)
        return None if text is None else self._parsed(path, text, shown)

    def _parsed(self, path: Path, text: str, shown: str) -> Document:
        kept = self._documents.get(path)
        if kept is None or kept.text != text:
            kept = self._documents[path] = Document.parse(text, shown)
        return kept

    def _read_plan(self, path: Path) -> Read[Plan]:
        from orchestrator.formats.plan_file import read_plan

        shown = self.layout.shown(path)
        try:
            document = self._document(path)
        except DocumentError as error:
            return Read(Plan(self.number, "", shown), error.problems)
        if document is None:
            raise UserError(f"{shown} isn't there", at=Location(shown), hint="run: orch new TITLE", code="no-plan")
        return read_plan(document, self.number, self._pins)

    def _read_outline(self, path: Path) -> Read[Plan]:
        shown = self.layout.shown(path)
        try:
            text = read(path, shown=shown)
        except DocumentError:
            text = None
        plan = None if text is None else read_outline(text, shown, self.number)
        return self.plan() if plan is None else Read(plan)

    def _state_text(self) -> str | None:
        """The text of STATE. Raises DocumentError where it isn't UTF-8."""
        path = self.layout.state_path(self.number)
        return self._texts.read(path, lambda path: read(path, shown=self.layout.shown(path)))

    def _find_pins(self) -> Pins:
        try:
            text = self._state_text() or ""
        except DocumentError:
            # The reading of STATE tells it.
            return {}
        return pins_in(text, self.number)

    def _state(self, plan: Plan, marks: Mapping[str, Status], *, outline: bool = False) -> Read[State]:
        def read_it(path: Path) -> Read[State]:
            shown = self.layout.shown(path)
            try:
                text = self._state_text()
            except DocumentError as error:
                return Read(State(self.number, shown, exists=True), error.problems)
            quick = read_state_outline(text, plan, shown, marks) if outline and text is not None else None
            if quick is not None:
                return Read(quick)
            return read_state(None if text is None else Document.parse(text, shown), plan, shown, marks)

        return self._cache.read(self.layout.state_path(self.number), read_it, depends_on=(plan, marks))

    def _task(self, key: TaskKey) -> Read[TaskFile]:
        def read_it(path: Path) -> Read[TaskFile]:
            try:
                document = self._document(path)
            except DocumentError as error:
                problems = tuple(replace(problem, subject=str(key)) for problem in error.problems)
                return Read(TaskFile(key, exists=True), problems)
            kept = self._tasks.get(key)
            if kept is None or kept[0] is not document:
                kept = self._tasks[key] = (document, read_task_file(document, key))
            return kept[1]

        return self._cache.read(self.layout.task_path(key), read_it)

    def _wanted(self, which: Which, plan: Plan, state: State) -> tuple[TaskKey, ...]:
        if which == "all":
            return tuple(spec.key for spec in plan.specs)
        if which == "in-flight":
            return tuple(row.key for row in state.board if row.status not in _AT_REST)
        return tuple(key for key in which if isinstance(key, TaskKey))

    def _strays(self, keys: Iterable[TaskKey], local: Mapping[str, TaskKey]) -> list[Problem]:
        known = {str(key) for key in keys}
        problems = []
        for name in self.layout.todo_names():
            key = parse_key(name)
            if name in known or (key is not None and key.orchestration != self.number):
                continue
            if name in local:
                message = f'"{name}" is a local id; the todo file of that task is {local[name]}.todo.md'
                hint = f"rename the file to {local[name]}.todo.md, or move it away"
            else:
                message = f'"{name}" is no task of EXECUTION_PLAN_{self.number}.md'
                hint = "rename the file to its task's key, or move it away"
            at = Location(self.layout.shown(self.layout.tasks / f"{name}.todo.md"))
            problems.append(Problem("stray-todo-file", message, at, hint, Severity.WARNING))
        return problems


def _local_ids(plan: Plan) -> dict[str, TaskKey]:
    """The plan's own ids of its specs, each with the key of its spec."""
    return {spec.local_id: spec.key for spec in plan.specs if spec.local_id}
