"""`orch selftest`: whole orchestrations are killed on the way, continued, and held against undisturbed ones.

Every call is a process of its own, as users make it. Owns which kills are tried, and the figures that are printed.

`every-step` holds an undisturbed run before and after each of its steps and keeps its files there: they are what a
SIGKILL of orch and all its workers at that moment leaves, so each state is laid back once and continued. Where workers
live on, the run is made again up to the step, and orch alone is killed there. Draws of steps and times are always run
up to the kill, and so is one moment in thirty whose state was another's: they are the proof that equal states end
equally.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock

from orchestrator.effects import effect
from orchestrator.engine.courses import Course, Moment, held, undisturbed
from orchestrator.engine.kills import ALL, ORCH, Kill, attempt
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.trial_folder import TrialFolder
from orchestrator.engine.trials import TRIALS, Trial
from orchestrator.errors import Exit, UserError
from orchestrator.nouns import dataclass, field, replace

EVERY = "every-step"
TIMES = "times:"
SAMPLE = 24
"""Kills that are tried where no number is asked for."""
_STRETCH = 50
"""So many steps in a row are one place's, where several share a call."""
_AGAIN = 30


@dataclass(slots=True)
class _Figures:
    """What was tried, in all places."""

    steps: int = 0
    moments: int = 0
    states: int = 0
    alone: int = 0
    kills: int = 0
    wrong: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True)
class _Site:
    """One of the places that work at once, and which it is of how many."""

    place: TrialFolder
    number: int
    of: int
    figures: _Figures
    over: Event
    emit: Callable[[str], None]

    def tries(self, trial: Trial, course: Course, kill: Kill) -> bool:
        """Try it and note what came of it. Whether a worker was alive at the kill."""
        tried = attempt(self.place, trial, course, kill)
        figures = self.figures
        if self.over.is_set():
            # Who broke it off killed the call.
            return False
        with figures.lock:
            figures.kills += 1
            kills = figures.kills
            if tried.differences:
                self.differs(trial, kill.words, tried.differences)
        if kills % 20 == 0:
            self.emit(f"{kills} kills tried, {len(figures.wrong)} differ")
        return tried.had_workers

    def differs(self, trial: Trial, words: str, differences: Sequence[str]) -> None:
        """Note that it ended otherwise, and keep what it left."""
        wrong = self.figures.wrong
        wrong.append(f"{trial.name}, {words}: {'; '.join(differences)}")
        self.emit(wrong[-1])
        to = self.place.folder / f"wrong-{len(wrong)}"
        with effect("create", str(to)):
            shutil.copytree(self.place.now, to, symlinks=True)


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
    """Try kills: `every-step`, a number of steps drawn with `seed`, or `times:N`, moments drawn by time. Exit 4 if one
    ended otherwise than undisturbed.

    only: names of trials, all where none is given. folder: a new or empty one. Raises UserError for a folder that holds
    something, ToolError where a trial doesn't run undisturbed.
    """
    chosen = [trial for trial in TRIALS if not only or trial.name in only]
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} isn't empty", hint="name a new folder", code="not-empty")
    figures, over = _Figures(), Event()
    sites = [
        _Site(TrialFolder(folder / str(number), environ), number, jobs, figures, over, emit) for number in range(jobs)
    ]
    work = _every_step if kill_at == EVERY else _drawn
    with _cleared(folder, figures), ThreadPoolExecutor(jobs) as pool:
        try:
            for each in [pool.submit(work, site, chosen, kill_at, seed) for site in sites]:
                each.result()
        except BaseException:
            over.set()
            raise
        finally:
            for site in sites:
                site.place.abandon() if over.is_set() else site.place.close()
    return _outcome(figures, folder, seed)


@contextmanager
def _cleared(folder: Path, figures: _Figures) -> Iterator[None]:
    """Remove the folder in the end, however it comes, unless there is something to look at."""
    try:
        yield
    finally:
        if not figures.wrong:
            with effect("remove", str(folder)):
                shutil.rmtree(folder, ignore_errors=True)


def _outcome(figures: _Figures, folder: Path, seed: int) -> Outcome:
    wrong = figures.wrong
    same = figures.kills - len(wrong)
    share = f"{100 * same / max(figures.kills, 1):.1f} %"
    lines = [f"{figures.kills} kills tried, {same} resumed identically ({share})"]
    if figures.moments:
        where = f"before and after each of {figures.steps} steps: {figures.moments} moments"
        lines.append(f"{where}, {figures.states} different states, {figures.alone} with workers that live on")
    lines += [f"- {line}" for line in wrong]
    if wrong:
        lines.append(f"what they left is in {folder}")
    data = {"tried": figures.kills, "identical": same, "wrong": wrong, "seed": seed}
    if figures.moments:
        data |= {name: getattr(figures, name) for name in ("steps", "moments", "states", "alone")}
    return Outcome(
        outcome="failed" if wrong else "done",
        exit_code=Exit.FAILED if wrong else Exit.DONE,
        next="",
        lines=tuple(lines),
        data=data,
    )


def _drawn(site: _Site, trials: Sequence[Trial], kill_at: str, seed: int) -> None:
    """Try this place's part of the steps, or times, that are drawn; each twice where workers were alive."""
    courses = [undisturbed(site.place, trial, time.monotonic) for trial in trials]
    chance = random.Random(seed * 1000 + site.number)
    by_time = kill_at.startswith(TIMES)
    number = int(kill_at.removeprefix(TIMES))
    mine = range(site.number, number, site.of)
    drawn = _by_time(courses, len(mine), chance) if by_time else _by_step(courses, len(mine), chance)
    for index, kill in drawn:
        trial, course = trials[index], courses[index]
        for what in (ALL, ORCH):
            if site.over.is_set():
                return
            # Where no worker was alive both ways are the same.
            if not site.tries(trial, course, replace(kill, what=what)):
                break


def _by_step(courses: Sequence[Course], number: int, chance: random.Random) -> list[tuple[int, Kill]]:
    every = [
        (index, Kill(call, ALL, step, when))
        for index, course in enumerate(courses)
        for call, steps in enumerate(course.steps)
        for step in range(1, steps + 1)
        for when in ("before", "after")
    ]
    return chance.sample(every, min(number, len(every)))


def _by_time(courses: Sequence[Course], number: int, chance: random.Random) -> Iterator[tuple[int, Kill]]:
    calls = [
        (index, call, seconds) for index, course in enumerate(courses) for call, seconds in enumerate(course.seconds)
    ]
    for index, call, seconds in chance.choices(calls, [seconds for *_, seconds in calls], k=number):
        yield index, Kill(call, ALL, seconds=chance.uniform(0, seconds))


def _every_step(site: _Site, trials: Sequence[Trial], kill_at: str, seed: int) -> None:
    """Try every state of this place's stretches of every call, and orch alone wherever a worker lives."""
    for trial in trials:
        course = undisturbed(site.place, trial, time.monotonic)
        choice = _Choice(site, random.Random(seed))
        ending = held(site.place, trial, choice.meet)
        differences = course.ending.differences(ending)
        if differences:
            with site.figures.lock:
                site.differs(trial, "held at every step and never killed", differences)
        site.emit(f"{trial.name}: {len(choice.kills)} kills")
        # One that is broken off has tried some of everything.
        choice.chance.shuffle(choice.kills)
        for kill in choice.kills:
            if site.over.is_set():
                return
            site.tries(trial, course, kill)


@dataclass(slots=True)
class _Choice:
    """Which kills the moments of a held run ask for, one after another."""

    site: _Site
    chance: random.Random
    kills: list[Kill] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def meet(self, moment: Moment) -> None:
        """Take in the next moment."""
        is_new = moment.state not in self._seen
        is_new_alone = bool(moment.alone) and moment.alone not in self._seen
        self._seen |= {moment.state, moment.alone}
        if moment.step // _STRETCH % self.site.of != self.site.number:
            return
        figures = self.site.figures
        with figures.lock:
            figures.moments += 1
            figures.steps += moment.when == "before"
            figures.states += is_new
            figures.alone += is_new_alone
        kill = Kill(moment.call, ALL, moment.step, moment.when)
        if is_new:
            self.kills.append(replace(kill, tree=moment.tree))
        elif self.chance.randrange(_AGAIN) == 0:
            self.kills.append(kill)
        if is_new_alone:
            self.kills.append(replace(kill, what=ORCH))
