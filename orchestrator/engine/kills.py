"""One kill: where it falls, how it is made, and how the trial ends that goes on behind it.

Owns the kinds of kills. Must not know which of them are tried.
"""

from __future__ import annotations

import time

from orchestrator.engine.courses import LEAVES, MOST_CALLS, Course
from orchestrator.engine.trial_folder import TrialFolder
from orchestrator.engine.trials import Trial
from orchestrator.errors import OrchError
from orchestrator.nouns import dataclass
from orchestrator.store.kept_trees import Tree

ORCH, ALL = "orch alone", "orch and its workers"
_KILLED = -9


@dataclass(frozen=True, slots=True)
class Kill:
    """Of a call, at a step or after some seconds.

    tree: the files of that moment, where they were kept: then they are laid back, instead of going there again.
    """

    call: int
    what: str
    step: int = 0
    when: str = "before"
    seconds: float = 0.0
    tree: Tree | None = None

    @property
    def words(self) -> str:
        at = f"{self.when} step {self.step}" if self.step else f"after {self.seconds:.3f} s"
        return f"call {self.call + 1}, {at}, {self.what}"


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a kill: in what the end is another one, and whether a worker was alive. `is_late` where the call
    was over before."""

    differences: tuple[str, ...] = ()
    had_workers: bool = False
    is_late: bool = False


def attempt(place: TrialFolder, trial: Trial, course: Course, kill: Kill) -> Tried:
    """Kill there, call next-wave until it ends as the undisturbed one did, and hold the end against that one's."""
    had_workers = is_late = False
    if kill.tree is not None:
        place.lay_back(kill.tree)
    else:
        place.lay_back(course.starts[kill.call])
        call = place.call({"stop": kill.step, "when": kill.when} if kill.step else None)
        if not kill.step:
            time.sleep(kill.seconds)
            call.interrupt()
        is_late = not call.halts()
        had_workers = bool(place.at_work()) if not is_late else False
        if kill.what == ALL and had_workers:
            place.hold_workers()
        call.kill()
        if kill.what == ALL:
            place.end_workers()
        left = call.left()
        if left.code not in (_KILLED, course.codes[kill.call]):
            return Tried((f"the killed call left with {left.code}: {left.err.strip()[-200:]}",), is_late=is_late)
    return Tried(_go_on(place, trial, course, kill.what), had_workers, is_late)


def _go_on(place: TrialFolder, trial: Trial, course: Course, what: str) -> tuple[str, ...]:
    """Make the calls to the end; in what it differs."""
    last: int | None = None
    found: tuple[str, ...] = ()
    for _ in range(MOST_CALLS):
        left = place.next_wave()
        if left.code not in LEAVES:
            return (f"a later call left with {left.code}: {left.err.strip()[-200:]}",)
        if left.code == course.codes[-1]:
            found = _differences(place, trial, course, what)
            # Where the end is another one, a call more has to find nothing to do before that counts.
            if not found or (left.code and left.code == last):
                return found
        last = left.code
    return found or (f"it comes to no end: the last call left with {last}",)


def _differences(place: TrialFolder, trial: Trial, course: Course, what: str) -> tuple[str, ...]:
    try:
        expected, found = course.ending, place.ending(trial)
    except OrchError as error:
        return (f"its end can't be read: {error.message}",)
    if what == ALL:
        expected, found = expected.without_deaths(), found.without_deaths()
    return expected.differences(found)
