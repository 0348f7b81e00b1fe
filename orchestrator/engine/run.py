"""What one call of next-wave works with: the set as last read, git, and the jobs orch itself has running.

Owns the round's view and the background jobs (setup, targeted tests). Must not decide what happens next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.disk_faults import refusal_of
from orchestrator.engine.confining import confine
from orchestrator.engine.elsewhere import Elsewhere
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.repositories import repo_of, repository_named, taking_part
from orchestrator.engine.session import Session, run_layout
from orchestrator.engine.site import Site
from orchestrator.engine.tallying import Reading
from orchestrator.errors import OrchError, OustedError, ToolError, UserError
from orchestrator.masking import MASK, mask
from orchestrator.model.actions import Action, Verb
from orchestrator.model.facts import Limits
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.ownership import Ruling, rule
from orchestrator.model.plan import Plan, Spec
from orchestrator.model.scope import claims
from orchestrator.model.settings import Settings, Worker
from orchestrator.model.stage import Standing, standing
from orchestrator.model.state import State
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import dataclass, field
from orchestrator.process.environment import worker_environment
from orchestrator.process.invocation import Invocation
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import Alive, Ended, end, look, start
from orchestrator.store.layout import Layout
from orchestrator.store.pointer import told_if_taken_away
from orchestrator.vcs.workspaces import Workspaces

if TYPE_CHECKING:
    from orchestrator.engine.beside import Picture
    from orchestrator.engine.work import Work


@dataclass(slots=True)
class Job:
    """A process of orch's own for a task, and what is done with its end."""

    folder: Path
    marker: str
    then: Callable[[Ended], None]
    slot: int | None = None
    """The verify workspace that it occupies."""


@dataclass(slots=True)
class Run:
    session: Session
    orchestration: Orchestration
    limits: Limits
    recorder: Recorder
    elsewhere: Elsewhere | None = None
    """The other repositories that this call holds; None where it works in none of them."""
    jobs: dict[TaskKey, Job] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    """What was seen before the first round and stops nothing."""
    degraded: list[str] = field(default_factory=list)
    """Named degradations and warnings of this run, for the closing summary."""
    only: tuple[TaskKey, frozenset[Verb]] | None = None
    """The one task of this call, and what may be done for it; None where the whole wave is advanced."""
    said_at: float = field(default_factory=time.monotonic)
    """When the last line of progress was said, or the call began, by the clock that only goes on."""
    works: dict[TaskKey, tuple[int, Work]] = field(default_factory=dict)
    """What each task's last turn left, as read: number of the turn, work."""
    trouble: dict[TaskKey, tuple[str, str]] = field(default_factory=dict)
    """Tasks for which a step of orch's own failed in this call: message and remedy. Their siblings go on."""
    readings: dict[TaskKey, Reading] = field(default_factory=dict)
    """How far the streams of turns at work have been read, where there are limits."""
    resting: set[str] = field(default_factory=set)
    """Drivers whose account was seen to be used up since the files were last read."""
    in_the_way: dict[TaskKey, tuple[str, str]] = field(default_factory=dict)
    """Verified tasks that can't land in this call: why, and the remedy."""
    had_workers: bool = False
    """Whether a turn, or a test of some work, was at work between the last two looks at the files."""
    ever_had_workers: bool = False
    """The same for all of the call so far."""
    beside: dict[str, Picture] = field(default_factory=dict)
    """The checkouts of the repositories as they stood when the call began, by name."""
    had_jobs: bool = False
    """Whether a process of orch's own was at work since the last look at the files."""
    _layout: tuple[str, Layout] | None = field(default=None, repr=False, compare=False)
    _sites: dict[str, Site] = field(default_factory=dict, repr=False, compare=False)
    _taking_part: tuple[Orchestration, tuple[str, ...]] | None = None
    """The repositories that take part, with the files that they were worked out from."""
    _masked_paths: tuple[Plan, dict[str, str]] | None = field(default=None, repr=False, compare=False)

    @property
    def plan(self) -> Plan:
        return self.orchestration.plan

    @property
    def layout(self) -> Layout:
        run = self.state.run
        if self._layout is None or self._layout[0] != run:
            self._layout = run, run_layout(self.session.layout, run)
        return self._layout[1]

    @property
    def state(self) -> State:
        return self.orchestration.state

    @property
    def settings(self) -> Settings:
        return self.orchestration.settings

    def spec(self, key: TaskKey) -> Spec:
        return self.plan.spec(key)

    def task(self, key: TaskKey) -> TaskFile:
        """The todo file of a task as it stands on disk now."""
        return self.session.planning.task(key)

    def standing(self, key: TaskKey) -> Standing:
        return standing(self.task(key).log)

    def worker(self, key: TaskKey) -> Worker:
        """The worker that serves the task's tier. Raises UserError if there is none."""
        worker = self.settings.worker_for(self.task(key).tier or self.spec(key).tier)
        if worker is None:
            raise UserError("no worker is configured", hint="add workers: to planning/ORCH.md", code="no-worker")
        return worker

    def reviewer(self) -> Worker:
        """The worker that judges. Raises UserError if there is none any more."""
        worker = self.settings.reviewer
        if worker is None:
            raise UserError(
                "no review worker is configured any more",
                hint="add review: to workers: in planning/ORCH.md, or answer with orch approve",
                code="no-worker",
            )
        return worker

    def allowed(self, actions: tuple[Action, ...]) -> tuple[Action, ...]:
        """Those of the actions that this call may carry out."""
        if self.only is None:
            return actions
        key, verbs = self.only
        return tuple(action for action in actions if action.key == key and action.verb in verbs)

    def mask(self, text: str) -> str:
        """The text as it may be written down, shown or sent: without secrets. A path that a scope names stays: a file
        with such a name couldn't be worked on, and everybody sees it in the repository."""
        masked = mask(text, self.session.secrets)
        if MASK in masked:
            for hidden, path in self._paths_masked().items():
                masked = masked.replace(hidden, path)
        return masked

    def _paths_masked(self) -> dict[str, str]:
        """What masking makes of paths of the scopes → those paths; only of those that it changes, not wholly."""
        held = self._masked_paths
        if held is None or held[0] is not self.plan:
            paths = {one.pattern for spec in self.plan.specs for one in (*claims(spec), *spec.scratch)}
            forms = {mask(path, self.session.secrets): path for path in sorted(paths)}
            forms = {hidden: path for hidden, path in forms.items() if hidden not in (path, MASK)}
            held = self._masked_paths = self.plan, forms
        return held[1]

    def foreign(self, text: str) -> str:
        """What a program printed as it may be written down: without control characters and secrets."""
        return self.mask(plain_output(text))

    def say(self, text: str) -> None:
        """One line of progress."""
        self.session.emit(text)
        self.said_at = time.monotonic()

    def degrade(self, text: str) -> None:
        """Note a degradation once."""
        if text not in self.degraded:
            self.degraded.append(text)

    def ref(self, key: TaskKey, name: str) -> str:
        """`refs/orch/RUN/KEY/name`; with an empty name the prefix of all the task's refs."""
        return f"refs/orch/{self.state.run}/{key}/{name}"

    def site(self, key: TaskKey) -> Site:
        """The repository that a task works in."""
        return self.site_named(repo_of(self.session, self.orchestration, key))

    def site_named(self, name: str) -> Site:
        """The repository of that name, `.` for the one the plan lies in. Raises UserError for one that isn't there."""
        if name not in self._sites:
            repository = repository_named(self.session, self.settings, name)
            self._sites[name] = Site(self, name, repository, Workspaces(repository))
        return self._sites[name]

    @property
    def home(self) -> Site:
        """The repository the plan lies in."""
        return self.site_named(HOME)

    def sites(self) -> tuple[Site, ...]:
        """Every repository of the orchestration, the plan's own first."""
        held = self._taking_part
        if held is None or held[0] is not self.orchestration:
            held = (self.orchestration, taking_part(self.session, self.orchestration))
            self._taking_part = held
        return tuple(self.site_named(name) for name in held[1])

    def heads(self) -> dict[str, str]:
        """Repository → commit of its integration branch. Raises UserError if one is gone."""
        return {site.name: site.head() for site in self.sites()}

    def shell(self, command: str, cwd: Path, *, timeout: float, more: dict[str, str] | None = None) -> Invocation:
        """A command line of the settings or of a spec, run as workers are: `sh -c`, the allow-list, no input."""
        invocation = Invocation(
            argv=("sh", "-c", command),
            stdin="",
            env=worker_environment(self.session.environ, ()) | (more or {}),
            cwd=str(cwd),
            timeout=timeout,
            silence=timeout,
        )
        return confine(self, invocation, cwd)

    def note_workers(self) -> None:
        """Remember, before the files are looked at again, who may have written in them since they were last."""
        tasks = self.orchestration.tasks.values()
        has_begun = any(entry.event == "started" for lines in self.recorder.written.values() for entry in lines)
        self.had_workers = self.had_jobs or has_begun or any(standing(task.log).is_in_flight for task in tasks)
        self.ever_had_workers = self.ever_had_workers or self.had_workers
        self.had_jobs = bool(self.jobs)

    def start_job(self, key: TaskKey, invocation: Invocation, folder: Path, then: Callable[[Ended], None]) -> Job:
        """Start a process of orch's own for a task; `then` is called with its end, in a later round."""
        job = Job(folder, self.session.random_name(16), then)
        self.jobs[key] = job
        self.had_jobs = True
        start(invocation, folder, job.marker)
        return job

    def finish_jobs(self) -> bool:
        """Call what follows on every job that has ended. True if there was one. A job whose watcher is gone, or its
        folder, will never be told to have ended: it is ended here, and its task is in trouble."""
        looked = [(key, job, look(job.folder, job.marker)) for key, job in list(self.jobs.items())]
        over = [one for one in looked if not isinstance(one[2], Alive) or not one[2].guarded]
        for key, job, seen in over:
            del self.jobs[key]
            with self.contained(key):
                if not isinstance(seen, Ended):
                    end(job.folder, job.marker)
                    raise ToolError(
                        f"what ran for {key} in {job.folder} was lost: its end is on no record",
                        hint="run orch next-wave: it is run again",
                        code="lost-job",
                    )
                if self.is_ours(key):
                    job.then(seen)
        return bool(over)

    def is_ours(self, key: TaskKey) -> bool:
        """Whether the task's cell holds orch's own word now; if a person has written there, results have to wait."""
        state = self.session.planning.load(with_tasks=()).state
        row = state.row(key)
        if row is None:
            return True
        verdict = rule(cell=row.status, raw=row.raw_status, standing=self.standing(key), worker_alive=False)
        return verdict.ruling in (Ruling.NOTHING, Ruling.CLOSE, Ruling.REPAIR)

    def hold_landing(self, key: TaskKey, why: str, remedy: str) -> None:
        """A verified task can't land in this call. Written down, so that status knows it too."""
        self.in_the_way[key] = (f"landing waits: {why}", remedy)
        self.pause(key, *self.in_the_way[key])

    def pause(self, key: TaskKey, why: str, remedy: str) -> None:
        """Write down why a task's next step couldn't be made, unless the last line of its log says so already."""
        if self.standing(key).paused != (why, remedy):
            self.recorder.note(key, self.recorder.entry("paused", why=why, fix=remedy))

    @contextmanager
    def contained(self, key: TaskKey) -> Iterator[None]:
        """A failure inside holds this task for the rest of the call, and nothing else. OustedError passes: the call
        is over."""
        try:
            with told_if_taken_away(self.session.layout):
                yield
        except OustedError:
            raise
        except (OrchError, OSError) as met:
            error = refusal_of(met) if isinstance(met, OSError) else met
            if error is None:
                raise
            text = error.message
            if isinstance(error, ToolError) and error.output.strip():
                text += ": " + " ".join(error.output.split())[-300:]
            text = self.mask(text)
            self.trouble[key] = (text, error.hint or f"orch show {key}")
            self.say(f"{key}: {text}")

    @property
    def may_test(self) -> bool:
        """Whether one more test may run now: as many as workers."""
        return self.free_slot() < self.limits.jobs

    def free_slot(self) -> int:
        """The lowest verify workspace that no job occupies."""
        taken = {job.slot for job in self.jobs.values()}
        slot = 0
        while slot in taken:
            slot += 1
        return slot
