"""Which lines of a task's log came there by nobody's known hand: compared with the log as it was, entry by entry.

Owns what counts as such. Must not know who may have written, nor what follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.model.log import LogEntry
from orchestrator.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Foreign:
    """What was done to a log. Neither new nor gone: its lines were put in another order."""

    new: tuple[LogEntry, ...] = ()
    gone: tuple[LogEntry, ...] = ()

    @property
    def first(self) -> LogEntry | None:
        """The first line to show of them."""
        return next(iter(self.new or self.gone), None)

    @property
    def words(self) -> str:
        """What was done, as a sentence about the task whose log it is."""
        new, gone = len(self.new), len(self.gone)
        if new:
            return f"{'1 line' if new == 1 else f'{new} lines'} came into its log that orch didn't write"
        if gone:
            return f"{'1 line of its log is' if gone == 1 else f'{gone} lines of its log are'} gone or changed"
        return "the lines of its log were put in another order"


def foreign(known: Sequence[LogEntry], found: Sequence[LogEntry], *written: Sequence[LogEntry]) -> Foreign | None:
    """What was done to the log `known` besides what each of `written` added, in its order; None for nothing.

    A log that lacks its end, and perhaps what was written last, is an old copy that an editor saved, and no fault:
    nothing is opened by what isn't there.
    """
    same = 0
    for one, other in zip(known, found, strict=False):
        if one != other:
            break
        same += 1
    tail, missed = found[same:], known[same:]
    if all(_placed(tail, written)):
        return None
    expected = [*missed, *(entry for lines in written for entry in lines)]
    return Foreign(_without(tail, expected), _without(expected, tail))


def missing(known: Sequence[LogEntry], found: Sequence[LogEntry], *written: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """What a log lacks of all that was in it: an editor that saved an old copy may bring it back."""
    return _without([*known, *(entry for lines in written for entry in lines)], found)


def _placed(tail: Iterable[LogEntry], written: Iterable[Sequence[LogEntry]]) -> Iterable[bool]:
    """Of each entry whether one of the writers wrote it, after those of its own before."""
    left = [list(lines) for lines in written]
    for entry in tail:
        lines = next((lines for lines in left if entry in lines), None)
        if lines is not None:
            del lines[: lines.index(entry) + 1]
        yield lines is not None


def _without(entries: Iterable[LogEntry], others: Iterable[LogEntry]) -> tuple[LogEntry, ...]:
    """The entries, without one for each of the others."""
    left = list(others)
    kept = []
    for entry in entries:
        if entry in left:
            left.remove(entry)
        else:
            kept.append(entry)
    return tuple(kept)
