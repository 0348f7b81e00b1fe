"""Which task a word on the board, in a report's heading or in a todo file's title stands for.

Owns the order in which a name is tried: exact local id, whole key, W.id, an id beside a wave's number, the beginning
of a local id up to a `-`. Knows no table and no list.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from orchestrator.formats.pins import pins_of
from orchestrator.formats.task_names import read_key
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan
from orchestrator.nouns import dataclass, field


@dataclass(frozen=True, slots=True)
class RowNames:
    """The names that tasks of one plan go by. `known` is empty where the plan isn't at hand: then any key counts."""

    number: int
    known: Collection[TaskKey] = ()
    local: Mapping[str, TaskKey] = field(default_factory=dict)
    # Filled at the first look-up: searching the ids for each row would be quadratic.
    _begun: dict[str, tuple[TaskKey, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _written: dict[TaskKey, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def find(self, word: str, wave: int | None = None) -> TaskKey | None:
        """The task that a word names in a row of `wave`; None where it names none, or could be several."""
        if self.local and word in self.local:
            return self.local[word]
        whole = parse_key(word)
        if whole is not None:
            return whole
        key = read_key(word, number=self.number, wave=wave or 1)
        if key is not None and (wave is not None or "." in word) and (not self.local or key in self.known):
            return key
        meant = self.beginning(word) if self.local else ()
        if len(meant) == 1:
            return meant[0]
        return None if meant or key is None or (wave is None and "." not in word) else key

    def beginning(self, word: str) -> tuple[TaskKey, ...]:
        """The tasks whose local id begins with the word and a `-`."""
        if not self._begun:
            for name, key in self.local.items():
                for at, letter in enumerate(name):
                    if letter == "-":
                        there = self._begun.get(name[:at], ())
                        self._begun[name[:at]] = there if key in there else (*there, key)
        return self._begun.get(word, ())

    def is_ours(self, key: TaskKey | None) -> bool:
        """Whether a key is one of the plan's; where the plan isn't at hand, whether it has the plan's number."""
        return key is not None and (key in self.known if self.known else key.orchestration == self.number)

    def written(self, key: TaskKey) -> str:
        """What people call the task: its local id, where it has one, else its key."""
        if not self._written:
            for name, other in self.local.items():
                self._written.setdefault(other, name)
        return self._written.get(key) or str(key)


def names_of(plan: Plan, doc: Document) -> RowNames:
    """The names of the plan's tasks: those of the plan, and those that the document's front matter pins."""
    known = dict.fromkeys((*plan.in_waves(), *(spec.key for spec in plan.specs)))
    local = _pinned(doc, plan.number)
    local.update({spec.local_id: spec.key for spec in plan.specs if spec.local_id})
    return RowNames(plan.number, known, local)


def pinned_names(doc: Document, key: TaskKey) -> RowNames:
    """The names that can be told from the document alone, for whoever looks for one task."""
    return RowNames(key.orchestration, (key,), _pinned(doc, key.orchestration))


def _pinned(doc: Document, number: int) -> dict[str, TaskKey]:
    return pins_of(doc.front_matter, number) if doc.front_matter else {}
