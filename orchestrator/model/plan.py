"""An execution plan: waves and one spec a task, as written; every noun knows its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.digests import sha256
from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, field


@dataclass(frozen=True, slots=True)
class ScopePath:
    """One path or pattern of a scope as written, without backticks."""

    pattern: str
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Dependency:
    """A task or a wave that must be done first, as written in `text`. One of task, wave is set once resolved."""

    text: str
    task: TaskKey | None = None
    wave: int | None = None
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reference:
    """An anchor or reference: prose, and the path it names if it names one in backticks."""

    text: str
    path: str = ""
    at: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Spec:
    """One task's section. `text` is the section's exact text, heading excluded."""

    key: TaskKey
    title: str
    at: Location
    text: str
    repo: str = "."
    depends_on: tuple[Dependency, ...] = ()
    must_edit: tuple[ScopePath, ...] = ()
    can_create: tuple[ScopePath, ...] = ()
    can_delete: tuple[ScopePath, ...] = ()
    scratch: tuple[ScopePath, ...] = ()
    anchors: tuple[Reference, ...] = ()
    references: tuple[Reference, ...] = ()
    acceptance: tuple[str, ...] = ()
    test: str = ""
    tier: str = ""
    commit: str = ""
    theme: str = ""
    plan_section: str = ""
    source: str = ""
    priority: str = ""
    size: str = ""
    resources: tuple[str, ...] = ()
    constraints: str = ""
    local_id: str = ""
    """What the plan calls the task where that is neither its key nor a short form of it, e.g. `T1.2-parse`."""
    fields: dict[str, Location] = field(default_factory=dict, compare=False)
    """Where each label that is present stands (canonical label in lower case → place)."""
    values: dict[str, Location] = field(default_factory=dict, compare=False)
    """Where the values of some of them stand: of labels that take one word, or one line."""

    @property
    def hash(self) -> str:
        """`sha256:…` of title and text: a micro-plan is for exactly this spec."""
        return "sha256:" + sha256(f"{self.title}\0{self.text.strip()}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Wave:
    """A row of the wave table. `depends_on` are wave numbers, those of its tasks' dependencies included."""

    number: int
    theme: str
    tasks: tuple[TaskKey, ...]
    depends_on: tuple[int, ...]
    at: Location | None = field(default=None, compare=False)
    waits_at: Location | None = field(default=None, compare=False)
    """Where it says what it depends on."""
    places: dict[TaskKey, Location] = field(default_factory=dict, compare=False)
    """Where each of its tasks is named, the last place of one that is named twice."""


@dataclass(frozen=True, slots=True)
class Plan:
    """EXECUTION_PLAN_N.md. Waves ascend by number; specs stand in the order of the file."""

    number: int
    title: str
    path: str
    goal: str = ""
    slug: str = ""
    waves: tuple[Wave, ...] = ()
    specs: tuple[Spec, ...] = ()
    acceptance: tuple[str, ...] = ()
    local_ids: Mapping[str, TaskKey] = field(default_factory=dict)
    """The tasks that the waves call by ids of the plan's own, by those ids, in the order of the waves."""
    # Filled at the first look-up: searching in the tuples would make a decision over 1,000 tasks quadratic.
    _specs: dict[TaskKey, Spec] = field(default_factory=dict, init=False, repr=False, compare=False)
    _waves: dict[int, Wave] = field(default_factory=dict, init=False, repr=False, compare=False)
    _ids: dict[TaskKey, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def spec(self, key: TaskKey) -> Spec:
        """The spec of a task, the first of several. Raises KeyError."""
        if not self._specs:
            self._specs.update({spec.key: spec for spec in reversed(self.specs)})
        return self._specs[key]

    def wave(self, number: int) -> Wave:
        """The wave with that number, the first of several. Raises KeyError."""
        if not self._waves:
            self._waves.update({wave.number: wave for wave in reversed(self.waves)})
        return self._waves[number]

    def name(self, key: TaskKey) -> str:
        """What the plan calls a task: its local id, else its key."""
        return self.local_id(key) or str(key)

    def local_id(self, key: TaskKey) -> str:
        """The plan's own id of a task; empty for one that the waves call by its key."""
        if self.local_ids and not self._ids:
            self._ids.update({one: word for word, one in reversed(tuple(self.local_ids.items()))})
        return self._ids.get(key, "")

    def in_waves(self) -> Iterator[TaskKey]:
        """All task keys, wave by wave, in table order."""
        for wave in self.waves:
            yield from wave.tasks
