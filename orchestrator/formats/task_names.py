"""Which task a word stands for: local ids, whole keys, W.id, the beginning of a local id.

Owns the resolving of names against the tasks a plan has, and the words of the refusal. Knows no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.formats.nearest import nearest
from orchestrator.model.ids import ID, TaskKey, is_task_id, parse_key
from orchestrator.model.plan import Plan
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_SHORT = regex(rf"([1-9][0-9]{{0,8}})\.({ID})")
_LOCAL = regex(r"[^\W_](?:[\w.-]*\w)?")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a word stands for no task."""

    code: str
    message: str
    hint: str = ""


class TaskNames:
    """The names of one plan's tasks, in the order of its waves.

    `local` holds the tasks that the plan calls by an id of its own, which is compared whole: 1.10 isn't 1.1.
    """

    def __init__(self, number: int, keys: Iterable[TaskKey], local: Mapping[str, TaskKey] | None = None) -> None:
        self.number = number
        self.keys = tuple(dict.fromkeys(keys))
        self.local: Mapping[str, TaskKey] = local or {}
        self._known = frozenset(self.keys)
        self.by_text = {str(key): key for key in self.keys}
        """Every key by its written form."""
        self._by_id: dict[str, list[TaskKey]] = {}
        self._by_start: dict[str, list[str]] = {}
        # A number that was only given to a task is no name for it.
        given = set(self.local.values())
        for key in self.keys:
            if key not in given:
                self._by_id.setdefault(key.id, []).append(key)
        for name in self.local:
            for at, letter in enumerate(name):
                if letter == "-":
                    self._by_start.setdefault(name[:at], []).append(name)

    def find(self, word: str) -> TaskKey | Fault:
        """The task that a word names, or why it names none.

        In this order: exactly a local id, a whole key, the id in a key that no other task has, W.id, the beginning of
        a local id that ends before a hyphen. Two tasks in one of these are a fault.
        """
        if word in self.local:
            return self.local[word]
        key = parse_key(word)
        if key is not None and key in self._known:
            return key
        with_id = self._by_id.get(word, [])
        if len(with_id) == 1:
            return with_id[0]
        if with_id:
            return self._ambiguous(word, (str(one) for one in with_id), "write the whole key")
        short = _SHORT.fullmatch(word)
        if short and (inside := TaskKey(self.number, int(short[1]), short[2])) in self._known:
            return inside
        begun = self._by_start.get(word, [])
        if len(begun) == 1:
            return self.local[begun[0]]
        if begun:
            return self._ambiguous(word, begun, "write the whole id")
        if key is not None and key.orchestration != self.number:
            return Fault(
                "other-plan",
                f'"{word}" is a task of plan {key.orchestration}, not of this one',
                "name a task of this plan",
            )
        if key is not None or short or is_task_id(word) or (self.local and is_local_id(word)):
            return self._unknown(word)
        return Fault("not-understood", f'"{word}" is neither a task nor a wave')

    def between(self, first: TaskKey, last: TaskKey) -> tuple[TaskKey, ...]:
        """The tasks from the first to the last in the order of the table; empty if they stand the other way round."""
        start, end = self.keys.index(first), self.keys.index(last)
        return self.keys[start : end + 1]

    def _ambiguous(self, word: str, names: Iterable[str], hint: str) -> Fault:
        return Fault("ambiguous-task", f'"{word}" could be {", ".join(names)}', hint)

    def _unknown(self, word: str) -> Fault:
        key = parse_key(word)
        beside = [str(one) for one in self.keys if key is not None and one.wave == key.wave]
        if key is not None and key.id.isdigit() and beside and not self.local:
            # Every number is near every other: what there is says more than a guess.
            shown = ", ".join(beside[:8]) + (", …" if len(beside) > 8 else "")
            return Fault("unknown-task", f'there is no task "{word}"', f"wave {key.wave} has {shown}")
        whole = (*self.local, *(str(key) for key in self.keys))
        found = nearest(word, whole, slips=1) or nearest(word, (*self._by_start, *self._by_id))
        return Fault("unknown-task", f'there is no task "{word}"', f'did you mean "{found}"?' if found else "")


def names_of(plan: Plan) -> TaskNames:
    """The names of all tasks that stand in the plan's waves or have a section."""
    local = {**plan.local_ids, **{spec.local_id: spec.key for spec in plan.specs if spec.local_id}}
    return TaskNames(plan.number, (*plan.in_waves(), *(spec.key for spec in plan.specs)), local)


def names_for(plan: Plan, key: TaskKey) -> tuple[str, ...]:
    """What a task may be called where it is named by itself: its key, its local id, `W.id`, beginnings of the local id.

    Those that could be another task's are left out.
    """
    names = names_of(plan)
    own = next((name for name, one in names.local.items() if one == key), "")
    begun = [own[:at] for at, letter in enumerate(own) if letter == "-"]
    words = dict.fromkeys(word for word in (str(key), own, f"{key.wave}.{key.id}", *reversed(begun)) if word)
    return tuple(word for word in words if names.find(word) == key)


def is_local_id(word: str) -> bool:
    """Whether a word may be a plan's own name for a task: letters, digits, `_`, and `.` and `-` inside."""
    return _LOCAL.fullmatch(word) is not None


def own_key(word: str, *, number: int) -> TaskKey | None:
    """The key that a word of plan `number` is by itself: N.W.id or W.id. None for any other word."""
    key = parse_key(word)
    if key is not None:
        return key if key.orchestration == number else None
    short = _SHORT.fullmatch(word)
    return TaskKey(number, int(short[1]), short[2]) if short else None


def read_key(word: str, *, number: int, wave: int) -> TaskKey | None:
    """The key that a word in the tasks cell of a wave's row stands for: N.W.id, W.id or an id. None if it is no key."""
    key = parse_key(word)
    if key is not None:
        return key
    short = _SHORT.fullmatch(word)
    if short:
        return TaskKey(number, int(short[1]), short[2])
    return TaskKey(number, wave, word) if is_task_id(word) else None
