"""STATE_N.md: baseline, waves, board. Status words are kept raw beside their meaning."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey
from orchestrator.model.questions import Asked
from orchestrator.model.status import Status, WaveStatus
from orchestrator.nouns import dataclass, field


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of the wave board. `status` is None where orch doesn't know the word."""

    key: TaskKey
    title: str
    raw_status: str
    status: Status | None
    note: str = ""
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class WaveRow:
    number: int
    status: WaveStatus | None
    suites: str = ""
    commit: str = ""
    note: str = ""
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A suite's result before wave 1: pass, fail or error. A count that isn't known is None."""

    repo: str
    suite: str
    result: str
    passed: int | None
    failed: int | None
    commit: str


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A report as it stands in STATE_N.md: orch's own, its first item being `Status:`."""

    key: TaskKey
    title: str
    text: str
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Fork:
    """Where an orchestration stands in one repository: the branch it lands on, and where that began."""

    branch: str
    base: str
    fork: str


@dataclass(frozen=True, slots=True)
class State:
    """What STATE_N.md says. `exists` is False for a set that hasn't been started."""

    number: int
    path: str
    exists: bool = False
    branch: str = ""
    base: str = ""
    fork: str = ""
    status: str = "open"
    run: str = ""
    repos: Mapping[str, Fork] = field(default_factory=dict)
    """Name → the same for every other repository that takes part."""
    stop: str = ""
    """Why the run should stop at the next safe point (`stop:` or a STOP line); empty for go on."""
    baseline: tuple[BaselineRow, ...] = ()
    has_baseline: bool = False
    known_failures: tuple[str, ...] = ()
    waves: tuple[WaveRow, ...] = ()
    board: tuple[BoardRow, ...] = ()
    reports: tuple[ReportSection, ...] = ()
    questions: tuple[Asked, ...] = ()
    discovered: tuple[str, ...] = ()
    # Filled at the first look-up: searching in the tuples would make a decision over 1,000 tasks quadratic.
    _rows: dict[TaskKey, BoardRow] = field(default_factory=dict, init=False, repr=False, compare=False)
    _waves: dict[int, WaveRow] = field(default_factory=dict, init=False, repr=False, compare=False)

    _asked: dict[TaskKey, tuple[Asked, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, repo: str) -> Fork:
        """Branch, base and fork in a repository, `.` for the plan's own; all empty where they aren't known."""
        if repo == ".":
            return Fork(self.branch, self.base, self.fork)
        return self.repos.get(repo) or Fork("", "", "")

    def asked(self, key: TaskKey) -> tuple[Asked, ...]:
        """The questions, open or not, that a task waits or waited for."""
        if self.questions and not self._asked:
            for one in self.questions:
                for held in dict.fromkeys((*((one.task,) if one.task else ()), *one.unblocks)):
                    self._asked[held] = (*self._asked.get(held, ()), one)
        return self._asked.get(key, ())

    def row(self, key: TaskKey) -> BoardRow | None:
        """The row of a task, the first of several."""
        if not self._rows:
            self._rows.update({row.key: row for row in reversed(self.board)})
        return self._rows.get(key)

    def wave(self, number: int) -> WaveRow | None:
        """The row of a wave, the first of several."""
        if not self._waves:
            self._waves.update({row.number: row for row in reversed(self.waves)})
        return self._waves.get(number)

    def is_done(self, number: int) -> bool:
        """Whether the row of a wave says that it is done."""
        row = self.wave(number)
        return row is not None and row.status is WaveStatus.DONE

    def report(self, key: TaskKey) -> ReportSection | None:
        for report in self.reports:
            if report.key == key:
                return report
        return None
