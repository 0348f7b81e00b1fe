"""The full suites: run at the fork for the baseline, and at any commit held against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.engine.run import Run
from orchestrator.engine.suite_runs import run_suites
from orchestrator.formats.state_edits import set_baseline
from orchestrator.model.baseline import (
    PASS,
    Comparison,
    SuiteResult,
    baseline_row,
    compare,
    confirmed,
    known_failures,
    suite_words,
)
from orchestrator.model.settings import Suite
from orchestrator.nouns import dataclass, replace


def take_baseline(run: Run) -> None:
    """Run all suites at the fork and record them. Without suites say so once; waves still run targeted tests."""
    known = {row.suite for row in run.state.baseline}
    missing = tuple(suite for suite in run.settings.suites if suite.name not in known)
    if run.state.has_baseline and not missing:
        return
    if not run.settings.suites:
        run.degrade("no suites are configured: only targeted tests guard against regressions")
        run.session.planning.change_state(lambda document: set_baseline(document, (), ()))
        return
    run.say("baseline: running the suites at the fork")
    # A suite that was added later is measured at the fork too: what it failed there is no task's fault.
    _measure(run, missing)


def measure_red(run: Run, suites: Sequence[Suite], results: Sequence[SuiteResult]) -> None:
    """Measure suites at the fork that are red now and were never measured, as gates are: they run only where needed."""
    known = {row.suite for row in run.state.baseline}
    red = {result.suite for result in results if result.result != PASS}
    missing = [suite for suite in suites if suite.name in red - known]
    if missing:
        run.say(f"baseline: running {', '.join(suite.name for suite in missing)} at the fork")
        _measure(run, missing)


def _measure(run: Run, suites: Sequence[Suite]) -> None:
    forks = {site.name: site.fork for site in run.sites()}
    results = run_suites(run, suites, forks)
    fresh = tuple(baseline_row(result, forks[result.repo][:7]) for result in results)
    rows = (*run.state.baseline, *fresh)
    failures = known_failures(results)
    run.session.planning.change_state(lambda document: set_baseline(document, rows, failures))
    run.orchestration = replace(run.orchestration, state=run.session.planning.load(with_tasks=()).state)
    for result in results:
        if result.warning:
            run.degrade(result.warning)
    for row in fresh:
        if row.result != "pass":
            failed = f", {row.failed} failed" if row.failed is not None else ""
            run.degrade(f"baseline: {row.suite} is {row.result}{failed} at the fork")
        run.say(f"baseline: {row.suite} {row.result}" + (f", {row.passed} passed" if row.passed is not None else ""))


@dataclass(frozen=True, slots=True)
class Checked:
    """The suites at a commit: each with its result, held against the baseline, red only where it was red twice."""

    suites: tuple[Suite, ...]
    results: tuple[SuiteResult, ...]
    found: tuple[Comparison, ...]
    flakes: tuple[str, ...] = ()
    """The ids of tests, or names of suites, that were red once and green once."""

    @property
    def red(self) -> tuple[Comparison, ...]:
        return tuple(one for one in self.found if one.is_new_failure)

    def repo_of(self, suite: str) -> str:
        """The repository that a suite runs in."""
        return next(one.repo for one in self.suites if one.name == suite)

    @property
    def red_repos(self) -> tuple[str, ...]:
        """The repositories of the red suites."""
        return tuple(dict.fromkeys(self.repo_of(one.suite) for one in self.red))

    @property
    def words(self) -> str:
        """The Suites cell of the wave."""
        pairs = zip(self.results, self.found, strict=True)
        return "; ".join(suite_words(result, one) for result, one in pairs) or "no suites ran"


def held_against_baseline(run: Run, results: Sequence[SuiteResult]) -> tuple[Comparison, ...]:
    """The results seen against the baseline and the known failures as they stand in STATE."""
    names = [suite.name for suite in (*run.settings.suites, *(gate.suite for gate in run.settings.gates))]
    return compare(run.state.baseline, run.state.known_failures, results, names)


def check_suites(run: Run, suites: Sequence[Suite], commits: Mapping[str, str]) -> Checked:
    """Run suites at commits, one of each repository; those with a new failure again: what is green then is a flake."""
    results = run_suites(run, suites, commits)
    measure_red(run, suites, results)
    found = held_against_baseline(run, results)
    failing = frozenset(one.suite for one in found if one.is_new_failure)
    flakes: list[str] = []
    if failing:
        again = run_suites(run, [suite for suite in suites if suite.name in failing], commits)
        seconds = dict(zip([one.suite for one in again], held_against_baseline(run, again), strict=True))
        repeated = {result.suite: result for result in again}
        twice = {one.suite: confirmed(one, seconds[one.suite]) for one in found if one.is_new_failure}
        results = tuple(repeated.get(result.suite, result) for result in results)
        found = tuple(twice[one.suite].comparison if one.suite in twice else one for one in found)
        flakes = [name for one in twice.values() for name in one.flakes]
    for warning in (*(result.warning for result in results), *(one.warning for one in found)):
        if warning:
            run.degrade(warning)
    return Checked(tuple(suites), results, found, tuple(flakes))
