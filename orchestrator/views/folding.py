"""Many keys in few words: runs of ids, groups of tasks that wait for the same.

Owns how a list of task keys is written. Output is paid for by the token, so a long list is cut, never wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Wave
from orchestrator.views.called import NOBODY, named

T = TypeVar("T")
K = TypeVar("K")

RUN = 4
"""From this many keys in a row on, only the first and the last are named."""


def keys_text(keys: Sequence[TaskKey], *, limit: int = 12, names: Mapping[TaskKey, str] = NOBODY) -> str:
    """`5.2.1 5.2.3`, `5.2.1 to 5.2.9 (9)`; after `limit` names `and 7 more`.

    names: what the plan calls its tasks, said behind the keys: `5.2.1 T2.1, 5.2.3 T2.3`.
    """
    words: list[str] = []
    shown = 0
    for run in _runs(keys):
        if len(words) >= limit:
            break
        if len(run) >= RUN:
            words.append(f"{named(run[0], names)} to {named(run[-1], names)} ({len(run)})")
            shown += len(run)
        else:
            for key in run[: limit - len(words)]:
                words.append(named(key, names))
                shown += 1
    rest = len(keys) - shown
    return (", " if names else " ").join(words) + (f" and {rest} more" if rest else "")


def tasks_text(
    keys: Sequence[TaskKey], waves: Iterable[Wave], *, limit: int = 12, names: Mapping[TaskKey, str] = NOBODY
) -> str:
    """Like keys_text, but waves whose tasks are all among the keys are named as such: `waves 3-12 (80 tasks)`."""
    among = set(keys)
    whole = [wave for wave in waves if len(wave.tasks) >= RUN and among.issuperset(wave.tasks)]
    if not whole:
        return keys_text(keys, limit=limit, names=names)
    inside = {key for wave in whole for key in wave.tasks}
    noun = "wave" if len(whole) == 1 else "waves"
    text = f"{noun} {numbers_text([wave.number for wave in whole])} ({counted(len(inside), 'task')})"
    others = [key for key in keys if key not in inside]
    return f"{text} {keys_text(others, limit=limit, names=names)}" if others else text


def numbers_text(numbers: Sequence[int], *, limit: int = 12) -> str:
    """`1, 3-5`: ascending numbers with runs folded; after `limit` runs `and 7 more`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:limit])
    rest = sum(len(run) for run in runs[limit:])
    return f"{text} and {rest} more" if rest else text


def grouped(items: Iterable[T], by: Callable[[T], K]) -> list[tuple[K, list[T]]]:
    """Items that share a value of `by`, in the order in which the values first come up."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(by(item), []).append(item)
    return list(groups.items())


def counted(count: int, noun: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _runs(keys: Sequence[TaskKey]) -> list[list[TaskKey]]:
    runs: list[list[TaskKey]] = []
    for key in keys:
        if runs and _follows(runs[-1][-1], key):
            runs[-1].append(key)
        else:
            runs.append([key])
    return runs


def _follows(before: TaskKey, after: TaskKey) -> bool:
    # Ids are compared as text elsewhere; only plain numbers without a leading zero can be said to be consecutive.
    return (
        (before.orchestration, before.wave) == (after.orchestration, after.wave)
        and before.id.isascii()
        and before.id.isdigit()
        and str(int(before.id) + 1) == after.id
    )
