"""Keys for tasks that a plan calls by names of its own: N.W.k, k being the task's place in its wave.

Owns which word in a wave is a key, and the numbering of those that are none. Pairs pinned in STATE come first, so
that a task put in later renames nothing. Knows no section and no table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from orchestrator.errors import Problem
from orchestrator.formats.pins import Pins
from orchestrator.formats.task_names import own_key
from orchestrator.formats.wave_line import Named, WaveLine
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey, is_task_id, parse_key
from orchestrator.nouns import replace


class Numbering:
    """Gives the tasks of one plan their keys. `local` then holds those of local ids, `problems` what is wrong.

    `headed` are the whole keys that the plan's headings name.
    """

    def __init__(self, doc: Document, number: int, pins: Pins, headed: Collection[TaskKey] = ()) -> None:
        self.doc = doc
        self.number = number
        self.pins = pins
        self.headed = headed
        self.local: dict[str, TaskKey] = {}
        self.problems: list[Problem] = []

    def lines(self, lines: Sequence[WaveLine]) -> tuple[WaveLine, ...]:
        """The waves with a key for each of their tasks; a task of another plan is left out."""
        has_own = bool(self.headed) or self._has_own(lines)
        are_short = has_own or all(self._is_in_its_wave(named, line) for line in lines for named in line.tasks)
        keyed = [replace(line, tasks=self._with_own(line, has_own=has_own, are_short=are_short)) for line in lines]
        return tuple(replace(line, tasks=tuple(self._with_places(line))) for line in keyed)

    def _has_own(self, lines: Sequence[WaveLine]) -> bool:
        """Whether the plan names tasks by keys of its own number: one of another number is a slip then."""
        for line in lines:
            for named in line.tasks:
                key = named.key or parse_key(named.word)
                if key is not None and key.orchestration == self.number:
                    return True
        return False

    def _is_in_its_wave(self, named: Named, line: WaveLine) -> bool:
        """Whether a word W.id stands in wave W; where one doesn't, such words are names and no short keys."""
        key = named.key or own_key(named.word, number=self.number)
        return key is None or key.wave == line.number

    def _with_own(self, line: WaveLine, *, has_own: bool, are_short: bool) -> tuple[Named, ...]:
        if all(named.key is not None for named in line.tasks):
            return line.tasks
        found = []
        for named in line.tasks:
            key = named.key or (own_key(named.word, number=self.number) if are_short else None)
            other = parse_key(named.word) if key is None else None
            if other is not None and has_own:
                self._tell_other_plan(named, other)
                continue
            if key is None and is_task_id(named.word):
                whole = TaskKey(self.number, line.number, named.word)
                key = whole if whole in self.headed else None
            found.append(named.with_key(key))
        return tuple(found)

    def _with_places(self, line: WaveLine) -> Iterator[Named]:
        taken: set[str] | None = None
        for place, named in enumerate(line.tasks, 1):
            if named.key is None:
                key = self.local.get(named.word) or self.pins.get(named.word)
                if key is None:
                    if taken is None:
                        taken = self._taken(line)
                    while str(place) in taken:
                        place += 1
                    key = TaskKey(self.number, line.number, str(place))
                    taken.add(key.id)
                self.local[named.word] = key
                named = named.with_key(key)
            yield named

    def _taken(self, line: WaveLine) -> set[str]:
        """The ids of the wave that belong to a task already, also to one that isn't in the plan any more."""
        keys = (*(named.key for named in line.tasks), *self.pins.values(), *self.headed)
        return {key.id for key in keys if key is not None and key.wave == line.number}

    def _tell_other_plan(self, named: Named, key: TaskKey) -> None:
        self.problems.append(
            Problem(
                "other-plan",
                f"{key} is a task of plan {key.orchestration}, this is plan {self.number}",
                self.doc.source.location(named.at.start, max(len(named.at), 1)),
                f"did you mean {self.number}.{key.wave}.{key.id}?",
                subject=str(key),
            )
        )
