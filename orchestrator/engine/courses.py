"""How a trial goes when nobody disturbs it: what each call comes to, its steps, and every state it passes through.

Owns the undisturbed run and the one that is only held at each step. Must not know what is made of its moments.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from orchestrator.engine.endings import Ending
from orchestrator.engine.trial_folder import TrialFolder
from orchestrator.engine.trials import Trial
from orchestrator.errors import ToolError
from orchestrator.nouns import dataclass
from orchestrator.process.calling import Called
from orchestrator.store.kept_trees import Tree, digest

MOST_CALLS = 12
LEAVES = (0, 3, 4, 6)
"""How a call may leave."""


@dataclass(frozen=True, slots=True)
class Course:
    """A trial undisturbed. Of each call: the files before it, exit code, number of steps and seconds; and the end."""

    starts: tuple[Tree, ...]
    codes: tuple[int, ...]
    steps: tuple[int, ...]
    seconds: tuple[float, ...]
    ending: Ending


@dataclass(frozen=True, slots=True)
class Moment:
    """A call held before or after a step. Equal states are one state, whichever moments they were found at."""

    call: int
    step: int
    when: str
    tree: Tree
    state: str
    """What all that lies in the folder comes to."""
    alone: str
    """The same for orch alone, whose workers live on: their names, and the files but theirs. Empty where none lives."""


def undisturbed(place: TrialFolder, trial: Trial, clock: Callable[[], float]) -> Course:
    """Run the trial to its end. Raises ToolError where it doesn't come to one on this machine."""
    starts: list[Tree] = []
    steps: list[int] = []
    seconds: list[float] = []

    def run(number: int) -> Called:
        starts.append(place.trees.keep())
        place.log.unlink(missing_ok=True)
        begun = clock()
        left = place.call({"log": str(place.log)}).left()
        seconds.append(clock() - begun)
        steps.append(max((step for step, _ in _logged(place, 0)), default=0))
        return left

    codes = _to_the_end(place, trial, run)
    return Course(tuple(starts), codes, tuple(steps), tuple(seconds), place.ending(trial))


def held(place: TrialFolder, trial: Trial, meet: Callable[[Moment], None]) -> Ending:
    """Run the trial once more, and hold it before and after each step: orch, what it has called, and its workers stand
    still, and `meet` gets the moment. Returns what it came to, which holding mustn't have changed."""

    def run(number: int) -> Called:
        place.log.unlink(missing_ok=True)
        call = place.call({"log": str(place.log), "stop": "every"})
        known = 0
        while call.halts():
            workers = place.hold_workers()
            tree = place.trees.keep()
            new = _logged(place, known)
            known += len(new)
            alone = place.fingerprint(tree, workers) if workers else ""
            # More than one where a second thread has come to a step before the first one's stop stopped it.
            for step, when in new:
                meet(Moment(number, step, when, tree, digest(tree), alone))
            place.release(workers)
            call.go_on()
        return call.left()

    _to_the_end(place, trial, run)
    return place.ending(trial)


def _to_the_end(place: TrialFolder, trial: Trial, run: Callable[[int], Called]) -> tuple[int, ...]:
    """Begin the trial and make its calls until one finds nothing to do any more; the exit codes of all of them."""
    place.begin(trial)
    codes: list[int] = []
    while len(codes) < MOST_CALLS:
        left = run(len(codes))
        if left.code not in LEAVES:
            raise ToolError(
                f"the trial {trial.name} doesn't run here: exit {left.code}",
                output=left.err or left.out,
                hint="orch doctor",
                code="trial",
            )
        codes.append(left.code)
        if len(codes) > 1 and codes[-1] and codes[-1] == codes[-2]:
            return tuple(codes)
    raise ToolError(f"the trial {trial.name} comes to no end", code="trial")


def _logged(place: TrialFolder, known: int) -> list[tuple[int, str]]:
    """Step and `before` or `after`, in the order they came, of the lines behind the first `known`."""
    lines = place.log.read_text("utf-8").splitlines() if place.log.exists() else []
    return [(int(step), str(when)) for step, when, *_ in map(json.loads, lines[known:])]
