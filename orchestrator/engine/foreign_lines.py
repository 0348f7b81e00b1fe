"""Lines in logs that came while workers were alive and that no orch wrote: their tasks are blocked, and it is said.

Owns what a call knows of the logs: each as it was at the last look, and what this and other orch commands wrote since.
Must not take a line out of a file.
"""

from __future__ import annotations

from orchestrator.engine.failing import fail, one_line
from orchestrator.engine.leftovers import BEGUN_ANEW, end_work
from orchestrator.engine.run import Run
from orchestrator.model.foreign_lines import Foreign, foreign, missing
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry, format_entry, parse_entry
from orchestrator.model.stage import FOREIGN, Stage, Standing, standing
from orchestrator.nouns import dataclass, field
from orchestrator.store.receipts import receipts_of

_QUOTED = 80


@dataclass(slots=True)
class KnownLogs:
    """What a call knows of the logs of its tasks."""

    _there: frozenset[str]
    """The tasks that had a todo file when the call began."""
    _logs: dict[TaskKey, tuple[LogEntry, ...]]
    """Each as it was when it was last looked at."""
    _taken: dict[TaskKey, int] = field(default_factory=dict)
    """So many receipts of each were taken in."""
    _lost: dict[TaskKey, tuple[LogEntry, ...]] = field(default_factory=dict)
    """What logs lacked when they were last looked at, and may get back."""
    _doubted: set[TaskKey] = field(default_factory=set)
    """Those that weren't looked at since a worker was alive."""

    @classmethod
    def at_first(cls, run: Run) -> KnownLogs:
        """What stands in the files is taken for a person's and orch's own."""
        run.recorder.written.clear()
        logs = {key: task.log for key, task in run.orchestration.tasks.items()}
        return cls(frozenset(run.layout.todo_names()), logs)

    def look(self, run: Run) -> bool:
        """Look at the logs that were read. True if something was written down about one of them, so that its file has
        to be read again."""
        tasks = run.orchestration.tasks
        if run.had_workers:
            self._doubted.update(key for key in self._logs if key not in tasks)
        told = [self._look_at(run, key) for key, task in tasks.items() if self._logs.get(key) is not task.log]
        return any(told)

    def _look_at(self, run: Run, key: TaskKey) -> bool:
        log = run.orchestration.tasks[key].log
        known = self._logs.get(key, log if str(key) in self._there else ())
        may_be = run.had_workers or key in self._doubted or (key not in self._logs and run.ever_had_workers)
        mine, lost = run.recorder.written.pop(key, []), self._lost.pop(key, ())
        beside: list[LogEntry] = []
        found = foreign(known, log, mine, lost)
        if found is not None:
            # Under the lock no command is between its receipt and its lines.
            with run.session.planning.locked():
                log = run.task(key).log
                left = [entry for line in self._receipts(run, key) if (entry := parse_entry(line))]
            beside = left[self._taken.get(key, 0) :]
            self._taken[key] = len(left)
            found = foreign(known, log, mine, lost, beside)
        self._logs[key] = log
        if len(log) < len(known) + len(mine) + len(lost) + len(beside):
            self._lost[key] = missing(known, log, mine, lost, beside)
        self._doubted.discard(key)
        if found is None or not may_be:
            return False
        _tell(run, key, standing((*known, *mine)), found)
        return True

    def _receipts(self, run: Run, key: TaskKey) -> list[str]:
        return receipts_of(run.session.layout.receipts_dir(), str(key)).splitlines()


def _tell(run: Run, key: TaskKey, before: Standing, found: Foreign) -> None:
    """Block a task, or say of a landed one what was done to its log. before: where it stands by what orch wrote."""
    quote = f': "{run.foreign(one_line(format_entry(found.first), _QUOTED))}"' if found.first else ""
    why = f"{found.words} while a worker was alive{quote}"
    if before.stage is Stage.LANDED:
        text = f"{key} has landed, and {why}; look at orch show {key} --log"
        run.say(text)
        run.degrade(text)
        return
    with run.contained(key):
        end_work(run, key, before)
        fail(run, key, FOREIGN, why, turn=before.turn, facts=BEGUN_ANEW, follows=before.opened)
