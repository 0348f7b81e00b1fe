"""`orch selftest`: whole orchestrations are killed at numbered steps, continued, and held against undisturbed ones.

Every call is a process of its own, as users make it. Owns what is killed and when, and the figure that is printed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from orchestrator.effects import VARIABLE, effect
from orchestrator.engine.demo import demo_environment
from orchestrator.engine.endings import Ending, ending
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.trials import TRIALS, Trial
from orchestrator.errors import Exit, OrchError, ToolError, UserError
from orchestrator.nouns import dataclass
from orchestrator.process.calling import Called, call
from orchestrator.process.carriers import carriers, send
from orchestrator.process.looking import recorded

EVERY = "every-step"
SAMPLE = 24
"""Kills that are tried where no number is asked for."""
_LONGEST = 300.0
"""Seconds after which a call counts as hung."""
_MOST_CALLS = 12
_KILL = 9

ORCH, ALL = "orch alone", "orch and its workers"


@dataclass(frozen=True, slots=True)
class _Case:
    """Where a trial is killed: call, and step before which."""

    trial: int
    call: int
    step: int

    def words(self, what: str) -> str:
        return f"{TRIALS[self.trial].name}, call {self.call + 1}, before step {self.step}, {what}"


@dataclass(frozen=True, slots=True)
class _Course:
    """A trial as it goes undisturbed: how each call leaves, its number of steps, and what it came to."""

    codes: tuple[int, ...]
    steps: tuple[int, ...]
    ending: Ending


class _Place:
    """A folder in which trials run one after another, always at the same paths, so that copies can be laid back."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.now = folder / "now"
        self.environ = {
            **demo_environment(environ),
            "HOME": str(self.now / "home"),
            "XDG_STATE_HOME": str(self.now / "state"),
            "XDG_CONFIG_HOME": str(self.now / "config"),
        }
        # Of the settings of whoever calls, git here knows none.
        self.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        for name in (VARIABLE, "ORCH_RUN_ID"):
            self.environ.pop(name, None)
        self.courses: dict[int, _Course] = {}

    def begin(self, trial: Trial) -> Path:
        _away(self.now)
        (self.now / "home").mkdir(parents=True)
        return trial.build(self.now)

    def keep(self, name: str) -> None:
        _copy(self.now, self.folder / name)

    def lay_back(self, name: str) -> Path:
        _away(self.now)
        _copy(self.folder / name, self.now)
        return self.now / "trial"

    def next_wave(self, root: Path, orders: Mapping[str, object] | None = None) -> Called:
        env = {**self.environ, VARIABLE: json.dumps(orders)} if orders else self.environ
        return call([sys.executable, "-m", "orchestrator", "next-wave", "--auto"], root, env, _LONGEST)

    def ending(self, trial: Trial) -> Ending:
        others = {name: self.now / name for name in trial.others}
        return ending(self.now / "trial", others, self.environ)


def _copy(folder: Path, to: Path) -> None:
    with effect("create", str(to)):
        shutil.copytree(folder, to, symlinks=True)


def _away(folder: Path) -> None:
    with effect("remove", str(folder)):
        shutil.rmtree(folder, ignore_errors=True)


def selftest(
    environ: Mapping[str, str],
    *,
    kill_at: str,
    only: Sequence[str] = (),
    jobs: int = 2,
    seed: int = 1,
    folder: Path,
    emit: Callable[[str], None],
) -> Outcome:
    """Try kills: `every-step`, or a number of them drawn with `seed`. Exit 4 if one ended otherwise than undisturbed.

    only: names of trials, all where none is given. folder: a new or empty one. Raises UserError for a folder that holds
    something, ToolError where a trial doesn't run undisturbed.
    """
    chosen = [index for index, trial in enumerate(TRIALS) if not only or trial.name in only]
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} isn't empty", hint="name a new folder", code="not-empty")
    places = [_Place(folder / str(number), environ) for number in range(max(1, jobs))]
    for index in chosen:
        emit(f"{TRIALS[index].name}: undisturbed")
        places[0].courses[index] = _undisturbed(places[0], index)
    cases = _cases(places[0].courses, kill_at, seed)
    emit(f"{len(cases)} steps to kill at")
    tried, wrong = _tried(places, cases, emit)
    same = tried - len(wrong)
    share = f"{100 * same / max(tried, 1):.1f} %"
    head = f"{tried} kills at {len(cases)} steps tried, {same} resumed identically ({share})"
    lines = [head, *(f"- {line}" for line in wrong)]
    if wrong:
        lines.append(f"what they left is in {folder}")
    else:
        _away(folder)
    return Outcome(
        outcome="failed" if wrong else "done",
        exit_code=Exit.FAILED if wrong else Exit.DONE,
        next="",
        lines=tuple(lines),
        data={"tried": tried, "identical": same, "wrong": wrong, "seed": seed},
    )


def _undisturbed(place: _Place, index: int) -> _Course:
    """Run a trial to its end, and keep what it was before each of its calls."""
    trial = TRIALS[index]
    root = place.begin(trial)
    codes: list[int] = []
    steps: list[int] = []
    while len(codes) < _MOST_CALLS:
        place.keep(f"{index}-{len(codes)}")
        log = place.folder / "effects.log"
        log.unlink(missing_ok=True)
        left = place.next_wave(root, {"log": str(log)})
        if left.code not in (0, 3, 4, 6):
            raise ToolError(
                f"the trial {trial.name} doesn't run here: exit {left.code}",
                output=left.err or left.out,
                hint="orch doctor",
                code="trial",
            )
        codes.append(left.code)
        steps.append(max((json.loads(line)[0] for line in log.read_text("utf-8").splitlines()), default=0))
        if len(codes) > 1 and codes[-1] != 0 and codes[-1] == codes[-2]:
            # Nothing changes any more.
            return _Course(tuple(codes[:-1]), tuple(steps[:-1]), place.ending(trial))
    raise ToolError(f"the trial {trial.name} comes to no end", code="trial")


def _cases(courses: Mapping[int, _Course], kill_at: str, seed: int) -> list[_Case]:
    every = [
        _Case(trial, number, step)
        for trial, course in courses.items()
        for number, steps in enumerate(course.steps)
        for step in range(1, steps + 1)
    ]
    if kill_at == EVERY:
        return every
    return random.Random(seed).sample(every, min(int(kill_at), len(every)))


def _tried(places: Sequence[_Place], cases: Sequence[_Case], emit: Callable[[str], None]) -> tuple[int, list[str]]:
    """Try the cases, those of each place in turn. How many kills, and a line for each that ended otherwise."""
    wrong: list[str] = []
    kills = 0
    lock = Lock()
    waiting = iter(cases)
    done = 0

    def work(place: _Place) -> None:
        nonlocal done, kills
        while True:
            with lock:
                case = next(waiting, None)
            if case is None:
                return
            if case.trial not in place.courses:
                place.courses[case.trial] = _undisturbed(place, case.trial)
            # Where no worker was alive both ways are the same.
            for what in (ALL, ORCH):
                found, had_workers = _try(place, case, what)
                with lock:
                    kills += 1
                    if found:
                        wrong.append(f"{case.words(what)}: {'; '.join(found)}")
                        emit(wrong[-1])
                        place.keep(f"wrong-{len(wrong)}")
                if not had_workers:
                    break
            with lock:
                done += 1
                if done % 20 == 0:
                    emit(f"{done} of {len(cases)} tried, {len(wrong)} differ")

    with ThreadPoolExecutor(len(places)) as pool:
        for each in [pool.submit(work, place) for place in places]:
            each.result()
    return kills, wrong


def _try(place: _Place, case: _Case, what: str) -> tuple[tuple[str, ...], bool]:
    """Kill at the step and go on to the end: what is different then, and whether a worker was alive at the kill."""
    course = place.courses[case.trial]
    root = place.lay_back(f"{case.trial}-{case.call}")
    left = place.next_wave(root, {"kill": case.step, "when": "before"})
    if left.code not in (-_KILL, course.codes[case.call]):
        return (f"the killed call left with {left.code}: {left.err.strip()[-200:]}",), False
    had_workers = left.code == -_KILL and _alive(place, kill=what == ALL)
    return _go_on(place, case, what), had_workers


def _go_on(place: _Place, case: _Case, what: str) -> tuple[str, ...]:
    course = place.courses[case.trial]
    root = place.now / "trial"
    last = -1
    for _ in range(_MOST_CALLS):
        left = place.next_wave(root)
        if left.code not in (0, 3, 4, 6):
            return (f"a later call left with {left.code}: {left.err.strip()[-200:]}",)
        if left.code != 0 and left.code == last == course.codes[-1]:
            break
        last = left.code
    else:
        return (f"it comes to no end: the last call left with {last}",)
    try:
        expected, found = course.ending, place.ending(TRIALS[case.trial])
    except OrchError as error:
        return (f"its end can't be read: {error.message}",)
    if what == ALL:
        expected, found = expected.without_deaths(), found.without_deaths()
    return expected.differences(found)


def _alive(place: _Place, *, kill: bool) -> bool:
    """Whether something that orch had started is still at work; killed at once where asked for, as a machine that
    stops does."""
    found = [process for marker in _markers(place.now / "state") for process in carriers(marker)]
    for process in found if kill else ():
        send(process, _KILL)
    return bool(found)


def _markers(state: Path) -> Iterator[str]:
    for order in state.rglob("order"):
        marker = recorded(str(order), b"marker")
        if marker:
            yield marker
