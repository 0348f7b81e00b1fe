"""What turns at work have used so far, by what their programs have printed: each stream is read on from where the last
look ended.

Owns how far each has been read in this call. Must not decide what follows from it.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.drivers.base import Tally, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.drivers.streams import event_in
from orchestrator.model.costs import with_price
from orchestrator.model.facts import Used
from orchestrator.model.settings import Worker

AT_ONCE = 4 * 2**20
"""Bytes of one stream that are read in one look at most: a round is to be short, and the next one goes on."""


class Reading:
    """One turn's stream, as far as it has been read."""

    def __init__(self, number: int, path: Path, tally: Tally) -> None:
        self.number = number
        """The number of the turn: the task's next one has another stream."""
        self._path = path
        self._tally = tally
        self._at = 0

    def sums(self) -> dict[str, float]:
        """What is known by now, as a driver's tally says it."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                data = file.read(AT_ONCE)
        except OSError:
            return self._tally.sums()
        # The last line may still be being written; one that is longer than a whole look is no event that counts.
        whole = data.rfind(b"\n") + 1 or (len(data) if len(data) == AT_ONCE else 0)
        self._at += whole
        for line in data[:whole].split(b"\n"):
            event = event_in(line)
            if event is not None:
                self._tally.hear(event)
        return self._tally.sums()


def reading_of(worker: Worker, number: int, path: Path) -> Reading | None:
    """A reading of a turn's stream from its beginning; None where its program tells nothing before the end."""
    tally = traits_of(find_driver(worker.driver)).tally
    return Reading(number, path, tally()) if tally is not None else None


def used_so_far(reading: Reading, worker: Worker) -> Used | None:
    """What the turn has used by now; None as long as nothing is known."""
    usage = with_price(reading.sums(), worker.price)
    if not usage:
        return None
    counted = "in" in usage and "out" in usage
    return Used(usage.get("usd"), int(usage["in"] + usage["out"]) if counted else None)
