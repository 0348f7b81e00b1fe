"""The full suites: run at the fork for the baseline, and at the integration head when a wave has ended."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.engine.prepare import fill
from orchestrator.engine.run import Run
from orchestrator.errors import ToolError
from orchestrator.formats.state_edits import set_baseline, set_state_key, set_wave
from orchestrator.markdown.document import Document
from orchestrator.model.baseline import (
    SuiteResult,
    baseline_row,
    compare,
    known_failures,
    result_of,
    suite_words,
)
from orchestrator.model.counts import parse_counts
from orchestrator.model.settings import Suite
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.waves import effective_status
from orchestrator.nouns import replace
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import run as run_process
from orchestrator.process.running import tail


def take_baseline(run: Run) -> None:
    """Run all suites at the fork and record them. Without suites say so once; waves still run targeted tests."""
    known = {row.suite for row in run.state.baseline}
    missing = frozenset(suite.name for suite in run.settings.suites if suite.name not in known)
    if run.state.has_baseline and not missing:
        return
    if not run.settings.suites:
        run.degrade("no suites are configured: only targeted tests guard against regressions")
        run.session.planning.change_state(lambda document: set_baseline(document, (), ()))
        return
    run.say("baseline: running the suites at the fork")
    # A suite that was added later is measured at the fork too: what it failed there is no task's fault.
    results = run_suites(run, run.state.fork, only=missing)
    fresh = tuple(baseline_row(result, run.state.fork[:7]) for result in results)
    rows = (*run.state.baseline, *fresh)
    failures = known_failures(results)
    run.session.planning.change_state(lambda document: set_baseline(document, rows, failures))
    run.orchestration = replace(run.orchestration, state=run.session.planning.load(with_tasks=()).state)
    for row in fresh:
        if row.result != "pass":
            failed = f", {row.failed} failed" if row.failed is not None else ""
            run.degrade(f"baseline: {row.suite} is {row.result}{failed} at the fork")
        run.say(f"baseline: {row.suite} {row.result}" + (f", {row.passed} passed" if row.passed is not None else ""))


def end_wave(run: Run, number: int) -> None:
    """Every task has ended: run the suites at the head, compare them with the baseline, write the wave's row."""
    head = run.head()
    # Suites that were added while the wave ran.
    take_baseline(run)
    change = run.session.planning.change_state
    change(lambda document: set_wave(document, number, status=WaveStatus.CHECKING))
    results = run_suites(run, head) if run.settings.suites else ()
    found = compare(run.state.baseline, run.state.known_failures, results)
    failing = [one.suite for one in found if one.is_new_failure]
    flakes: list[str] = []
    if failing:
        # Once more: what is green the second time is a flake, which is recorded and holds nothing.
        again = run_suites(run, head, only=frozenset(failing))
        second = {one.suite: one for one in compare(run.state.baseline, run.state.known_failures, again)}
        flakes = [name for name in failing if not second[name].is_new_failure]
        repeated = {result.suite: result for result in again}
        results = tuple(repeated.get(result.suite, result) for result in results)
        found = tuple(second.get(one.suite, one) for one in found)
    for one in found:
        if one.warning:
            run.degrade(one.warning)
    blocked = [key for key in run.plan.wave(number).tasks if effective_status(run.orchestration, key) is Status.BLOCKED]
    notes = [f"flake: {name}" for name in flakes]
    red = [one.reason for one in found if one.is_new_failure]
    for one in found:
        if one.is_new_failure:
            names = f": {', '.join(one.new[:5])}" if one.new else ""
            output = output_folder(run, one.suite) / "stdout"
            run.degrade(f"wave {number}: {one.reason}{names}; its output is in {output}")
    status = WaveStatus.RED if red else WaveStatus.OPEN if blocked else WaveStatus.DONE
    notes += [f"new failure: {reason}" for reason in red]
    if blocked:
        notes.append("blocked: " + ", ".join(str(key) for key in blocked))
    words = "; ".join(suite_words(result, one) for result, one in zip(results, found, strict=True))
    note = "; ".join(notes)
    others = (run.state.wave(wave.number) for wave in run.plan.waves if wave.number != number)
    is_last = status is WaveStatus.DONE and all(row is not None and row.status is WaveStatus.DONE for row in others)

    def write(document: Document) -> Document:
        document = set_wave(
            document, number, status=status, suites=words or "no suites ran", commit=head[:7], note=note
        )
        return set_state_key(document, "status", "done") if is_last else document

    change(write)
    run.say(f"wave {number}: {status}" + (f" ({note})" if note else ""))


def run_suites(run: Run, commit: str, *, only: frozenset[str] | None = None) -> tuple[SuiteResult, ...]:
    """The results of the suites on a checkout of a commit, one after another."""
    path = checkout_for_suites(run, commit)
    chosen = [suite for suite in run.settings.suites if only is None or suite.name in only]
    return tuple(_run_suite(run, suite, path) for suite in chosen)


def checkout_for_suites(run: Run, commit: str) -> Path:
    """A workspace of orch's own with the commit checked out and setup done. Raises ToolError if setup fails."""
    path = run.layout.verify_dir(run.free_slot())
    workspace = run.workspaces.find(path) or run.workspaces.create(path, branch=None, commit=commit)
    run.workspaces.checkout_tree(workspace, run.repository.tree_of(commit))
    fill(run, path)
    setup = run.settings.worktree.setup
    if setup:
        ended = run_process(
            run.shell(setup, path, timeout=run.settings.test_timeout),
            run.layout.suites_dir() / "setup",
            run.session.random_name(16),
        )
        if ended.reason != "exit" or ended.exit_code != 0:
            raise ToolError(
                f"the setup for the suites failed: {setup}",
                status=ended.exit_code,
                output=tail(ended.stderr, 2000),
                hint="mend worktree: setup in planning/ORCH.md",
                code="setup",
            )
    return path


def output_folder(run: Run, suite: str) -> Path:
    """Where a suite's output lies; a name that is no plain word can't lead anywhere else."""
    return run.layout.suites_dir() / re.sub(r"[^A-Za-z0-9_-]+", "-", suite)


def _run_suite(run: Run, suite: Suite, path: Path) -> SuiteResult:
    ended = run_process(
        run.shell(suite.run, path, timeout=suite.timeout),
        output_folder(run, suite.name),
        run.session.random_name(16),
    )
    output = plain_output(tail(ended.stdout) + "\n" + tail(ended.stderr))
    return SuiteResult(
        repo=suite.repo,
        suite=suite.name,
        result=result_of(ended.exit_code, ended_by_itself=ended.reason == "exit"),
        counts=parse_counts(output),
    )
