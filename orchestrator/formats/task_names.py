"""Which task a word in the plan stands for: whole keys, W.id, local ids.

Owns the resolving of names against the keys a plan has, and the words of the refusal. Knows no file.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.formats.nearest import nearest
from orchestrator.model.ids import ID, TaskKey, is_task_id, parse_key
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_SHORT = regex(rf"([1-9][0-9]*)\.({ID})")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a word stands for no task."""

    code: str
    message: str
    hint: str = ""


class TaskNames:
    """The keys of one plan, in the order of its wave table."""

    def __init__(self, number: int, keys: Iterable[TaskKey]) -> None:
        self.number = number
        self.keys = tuple(dict.fromkeys(keys))
        self._known = frozenset(self.keys)
        self.by_text = {str(key): key for key in self.keys}
        """Every key by its written form."""
        self._by_id: dict[str, list[TaskKey]] = {}
        for key in self.keys:
            self._by_id.setdefault(key.id, []).append(key)

    def find(self, word: str) -> TaskKey | Fault:
        """The task that a word names, or why it names none. A local id comes before W.id."""
        key = parse_key(word)
        if key is not None:
            if key in self._known:
                return key
            if key.orchestration != self.number:
                return Fault("other-plan", f'"{word}" is a task of plan {key.orchestration}, not of this one')
            return self._unknown(word)
        local = self._by_id.get(word, [])
        if len(local) == 1:
            return local[0]
        if local:
            names = ", ".join(str(one) for one in local)
            return Fault("ambiguous-task", f'"{word}" could be {names}', "write the whole key")
        short = _SHORT.fullmatch(word)
        if short:
            key = TaskKey(self.number, int(short[1]), short[2])
            return key if key in self._known else self._unknown(word)
        if is_task_id(word):
            return self._unknown(word)
        return Fault("not-understood", f'"{word}" is neither a task nor a wave')

    def between(self, first: TaskKey, last: TaskKey) -> tuple[TaskKey, ...]:
        """The tasks from the first to the last in the order of the table; empty if they stand the other way round."""
        start, end = self.keys.index(first), self.keys.index(last)
        return self.keys[start : end + 1]

    def _unknown(self, word: str) -> Fault:
        found = nearest(word, (str(key) for key in self.keys), slips=1) or nearest(word, self._by_id)
        return Fault("unknown-task", f'there is no task "{word}"', f'did you mean "{found}"?' if found else "")


def read_key(word: str, *, number: int, wave: int) -> TaskKey | None:
    """The key that a word in the tasks cell of a wave's row stands for: N.W.id, W.id or an id. None if it is no key."""
    key = parse_key(word)
    if key is not None:
        return key
    short = _SHORT.fullmatch(word)
    if short:
        return TaskKey(number, int(short[1]), short[2])
    return TaskKey(number, wave, word) if is_task_id(word) else None
