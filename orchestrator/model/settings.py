"""ORCH.md: settings with a default for everything. Durations are seconds, sizes plain numbers."""

from __future__ import annotations

from orchestrator.errors import Location
from orchestrator.model.status import Status
from orchestrator.nouns import dataclass, field

MANUAL = "manual"
"""The driver without a process: whoever runs orch gives the turn to a worker of their own."""
TIERS = ("small", "mid", "frontier")
REVIEW = "review"
"""The worker that judges what others plan and do, and works at no task."""


@dataclass(frozen=True, slots=True)
class Price:
    """What the tokens of a worker cost, in dollars a million: those read, those of them read from a cache, and those
    written."""

    read: float
    cached: float
    written: float


_SWITCH = {"": True, "on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Worker:
    """How workers of one tier are run. `options` holds the driver's own keys as text, lists and mappings."""

    tier: str
    driver: str
    model: str = ""
    turns: int = 0
    timeout: float = 1800.0
    stall: float = 900.0
    start: float | None = None
    """How soon its program has to say something; None for what its driver takes."""
    env: tuple[str, ...] = ()
    price: Price | None = None
    """Counts instead of what its program says."""
    options: dict[str, object] = field(default_factory=dict)
    at: Location | None = field(default=None, compare=False)
    """Where the driver's name stands."""

    @property
    def guard(self) -> bool | None:
        """Whether its program is to be told what the guard refuses, which it is where nothing is said; None for a word
        that isn't known."""
        return _SWITCH.get(str(self.options.get("guard", "")).casefold())


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    run: str
    repo: str = "."
    timeout: float = 1800.0
    junit: str = ""


@dataclass(frozen=True, slots=True)
class Gate:
    """A suite that is run only if changed paths match. when: wave (at its end) or land (each task, before it lands)."""

    suite: Suite
    paths: tuple[str, ...]
    when: str = "wave"


@dataclass(frozen=True, slots=True)
class Surface:
    """Files that two tasks can't change at once, though no task names them both."""

    name: str
    patterns: tuple[str, ...]
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """`worktree:` — what a workspace gets besides its checkout, and where workspaces lie."""

    setup: str = ""
    inputs: tuple[str, ...] = ()
    """Files that the outcome of the setup depends on, besides lock files and manifests."""
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    check: str = ""
    """A command that must end well in a workspace before a worker begins there."""
    teardown: str = ""
    """A command that is run in a workspace before it is given back."""
    reuse: bool = True
    root: str = ""
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Repo:
    """Another repository that tasks may name. `path` leads from the top of this one, or from the root or `~`.

    What isn't given here is as in the repository the plan lies in, but for what workspaces get: that is its own.
    """

    name: str
    path: str
    base: str = ""
    branch: str = ""
    worktree: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may be used at most; None for no limit. `usd` in dollars, `time` in seconds with a worker at work."""

    usd: float | None = None
    tokens: int | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """`budget:` — beyond its limits no further turn is started. `tasks`: how many may be begun at all."""

    total: Bounds = field(default_factory=Bounds)
    per_task: Bounds = field(default_factory=Bounds)
    tasks: int | None = None

    @property
    def is_set(self) -> bool:
        return self.tasks is not None or self.total != Bounds() or self.per_task != Bounds()


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Whether what works for orch may change only its own workspace, and which folders besides."""

    is_on: bool = False
    write: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    exists: bool = False
    path: str = "planning/ORCH.md"
    base: str = ""
    branch: str = "orch/{n}-{slug}"
    gate: str = "stop"
    """stop | auto | review."""
    review_diff: str = ""
    """none | stop | review: who judges a verified change before it lands; "" where nothing is said: see judgement."""
    jobs: int = 4
    conventions: tuple[str, ...] = ()
    body: str = ""
    """The conventions in the body of ORCH.md, verbatim."""
    workers: tuple[Worker, ...] = ()
    suites: tuple[Suite, ...] = ()
    gates: tuple[Gate, ...] = ()
    on_regression: str = "revert"
    """revert | ask: what follows when a task broke a suite."""
    surfaces: tuple[Surface, ...] = ()
    repos: tuple[Repo, ...] = ()
    worktree: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    sandbox: Sandbox = field(default_factory=Sandbox)
    marks: dict[str, Status] = field(default_factory=dict)
    """What box marks besides a blank and an x mean on the board."""
    commit_state: str = "never"
    """never | wave: whether the planning set is committed at each wave's end."""
    test_timeout: float = 600.0
    budget: Budget = field(default_factory=Budget)

    def repo(self, name: str) -> Repo | None:
        """The other repository of that name."""
        return next((repo for repo in self.repos if repo.name == name), None)

    @property
    def reviewer(self) -> Worker | None:
        """The worker that judges, if one is set up."""
        return next((worker for worker in self.workers if worker.tier == REVIEW), None)

    def worker_for(self, tier: str) -> Worker | None:
        """The worker of a tier; else the nearest tier above, else below; None without any worker."""
        wanted = TIERS.index(tier or "small") if (tier or "small") in TIERS else 0
        by_tier = {worker.tier: worker for worker in self.workers}
        for index in (*range(wanted, len(TIERS)), *range(wanted - 1, -1, -1)):
            if TIERS[index] in by_tier:
                return by_tier[TIERS[index]]
        return None
