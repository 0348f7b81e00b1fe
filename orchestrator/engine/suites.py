"""The full suites: run at the fork for the baseline, and at the integration head when a wave has ended."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.engine.run import Run
from orchestrator.engine.suite_runs import output_folder, run_suites
from orchestrator.formats.state_edits import set_baseline, set_state_key, set_wave
from orchestrator.markdown.document import Document
from orchestrator.model.baseline import (
    Comparison,
    SuiteResult,
    baseline_row,
    compare,
    confirmed,
    known_failures,
    shown,
    suite_words,
)
from orchestrator.model.settings import Suite
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.waves import effective_status
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
    results = run_suites(run, missing, run.state.fork)
    fresh = tuple(baseline_row(result, run.state.fork[:7]) for result in results)
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

    @property
    def words(self) -> str:
        """The Suites cell of the wave."""
        pairs = zip(self.results, self.found, strict=True)
        return "; ".join(suite_words(result, one) for result, one in pairs) or "no suites ran"


def held_against_baseline(run: Run, results: Sequence[SuiteResult]) -> tuple[Comparison, ...]:
    """The results seen against the baseline and the known failures as they stand in STATE."""
    names = [suite.name for suite in run.settings.suites]
    return compare(run.state.baseline, run.state.known_failures, results, names)


def check_suites(run: Run, suites: Sequence[Suite], commit: str) -> Checked:
    """Run suites at a commit; those with a new failure once more: what is green then is a flake."""
    results = run_suites(run, suites, commit)
    found = held_against_baseline(run, results)
    failing = frozenset(one.suite for one in found if one.is_new_failure)
    flakes: list[str] = []
    if failing:
        again = run_suites(run, [suite for suite in suites if suite.name in failing], commit)
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


def end_wave(run: Run, number: int) -> None:
    """Every task has ended: run the suites at the head, compare them with the baseline, write the wave's row."""
    head = run.head()
    # Suites that were added while the wave ran.
    take_baseline(run)
    run.session.planning.change_state(lambda document: set_wave(document, number, status=WaveStatus.CHECKING))
    checked = check_suites(run, run.settings.suites, head)
    notes = [flake_words(checked.flakes)] if checked.flakes else []
    for note in notes:
        run.degrade(note)
    for one in checked.red:
        names = f": {', '.join(one.new[:5])}" if one.new else ""
        run.degrade(f"wave {number}: {one.reason}{names}; its output is in {output_folder(run, one.suite) / 'stdout'}")
    close_wave(run, number, head, checked, notes)


def flake_words(flakes: Sequence[str]) -> str:
    """Flakes for a wave's note and for the log."""
    return f"flake: {shown(flakes, 5)}"


def close_wave(run: Run, number: int, head: str, checked: Checked, notes: list[str]) -> None:
    """Write what the wave came to: red with a new failure, open with a blocked task, else done."""
    blocked = [key for key in run.plan.wave(number).tasks if effective_status(run.orchestration, key) is Status.BLOCKED]
    status = WaveStatus.RED if checked.red else WaveStatus.OPEN if blocked else WaveStatus.DONE
    notes = [*notes, *(f"new failure: {one.words}" for one in checked.red)]
    if blocked:
        notes.append("blocked: " + ", ".join(str(key) for key in blocked))
    note = "; ".join(notes)
    others = (run.state.wave(wave.number) for wave in run.plan.waves if wave.number != number)
    is_last = status is WaveStatus.DONE and all(row is not None and row.status is WaveStatus.DONE for row in others)

    def write(document: Document) -> Document:
        document = set_wave(document, number, status=status, suites=checked.words, commit=head[:7], note=note)
        return set_state_key(document, "status", "done") if is_last else document

    run.session.planning.change_state(write)
    run.say(f"wave {number}: {status}" + (f" ({note})" if note else ""))
