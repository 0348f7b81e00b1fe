"""Suites at a wave's end held against the baseline: is there a new failure, and why.

Owns the comparison. Must not run suites, nor know how a baseline is written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.model.counts import RunCounts
from orchestrator.model.state import BaselineRow
from orchestrator.nouns import dataclass

PASS, FAIL, ERROR = "pass", "fail", "error"
UNKNOWN = RunCounts()


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One run of one suite. result: pass (exit 0), fail (another exit), error (couldn't run, timed out, killed)."""

    repo: str
    suite: str
    result: str
    counts: RunCounts = UNKNOWN


@dataclass(frozen=True, slots=True)
class Comparison:
    """A suite's result seen against its baseline. `new` holds the names of new failures, where names are known."""

    suite: str
    is_new_failure: bool
    reason: str = ""
    """Why it is a new failure, or why none: one line; empty for a suite that simply passes."""
    warning: str = ""
    new: tuple[str, ...] = ()


def result_of(exit_code: int | None, *, ended_by_itself: bool) -> str:
    """pass, fail or error for the end of a suite's process. 126, 127 and a signal mean that it didn't run."""
    if not ended_by_itself or exit_code is None or exit_code < 0 or exit_code in (126, 127):
        return ERROR
    return PASS if exit_code == 0 else FAIL


def baseline_row(result: SuiteResult, commit: str) -> BaselineRow:
    """The baseline's row for a result at a commit."""
    return BaselineRow(result.repo, result.suite, result.result, result.counts.passed, result.counts.failed, commit)


def known_failures(results: Iterable[SuiteResult]) -> tuple[str, ...]:
    """The lines of `### Known failures` for the results of a baseline: ``suite: `name` ``."""
    return tuple(f"{result.suite}: `{name}`" for result in results for name in result.counts.failing)


def known_of(suite: str, lines: Iterable[str]) -> tuple[str, ...]:
    """The names that the lines of `### Known failures` give for a suite."""
    names: list[str] = []
    for line in lines:
        text = line.strip().lstrip("`*")
        for head in (f"{suite}: ", f"{suite}`: ", f"{suite}**: ", f"{suite}:** "):
            if text.startswith(head):
                names.append(text[len(head) :].strip().strip("`"))
                break
    return tuple(names)


def compare(
    rows: Sequence[BaselineRow], known: Sequence[str], results: Iterable[SuiteResult]
) -> tuple[Comparison, ...]:
    """Each result against its row of the baseline; `known` are the lines of `### Known failures`."""
    by_suite = {(row.repo, row.suite): row for row in rows}
    return tuple(
        _compare(by_suite.get((result.repo, result.suite)), known_of(result.suite, known), result) for result in results
    )


def _compare(row: BaselineRow | None, known: tuple[str, ...], result: SuiteResult) -> Comparison:
    suite, counts = result.suite, result.counts
    if result.result == PASS:
        fewer = row.passed - counts.passed if row and row.passed is not None and counts.passed is not None else 0
        warning = f"{suite} passed {counts.passed} tests, {fewer} fewer than at the baseline" if fewer > 0 else ""
        return Comparison(suite, is_new_failure=False, warning=warning)
    if row is None:
        return Comparison(suite, is_new_failure=True, reason=f"{suite} fails and has no baseline", new=counts.failing)
    if row.result == PASS:
        how = "couldn't be run to its end" if result.result == ERROR else _failed(counts)
        return Comparison(
            suite, is_new_failure=True, reason=f"{suite} {how}; it passed at the baseline", new=counts.failing
        )
    if result.result == ERROR:
        if row.result == ERROR:
            warning = f"{suite} couldn't be run to its end, at the baseline neither: not compared"
            return Comparison(suite, is_new_failure=False, reason="not compared", warning=warning)
        return Comparison(
            suite, is_new_failure=True, reason=f"{suite} couldn't be run to its end; it could at the baseline"
        )
    return _compare_failures(row, known, result)


def _failed(counts: RunCounts) -> str:
    return "fails" if counts.failed is None else f"has {counts.failed} failed"


def _compare_failures(row: BaselineRow, known: tuple[str, ...], result: SuiteResult) -> Comparison:
    """Both red: by name where both have names, else by count; without either it can't be told."""
    suite, counts = result.suite, result.counts
    if known and counts.failing:
        new = tuple(name for name in counts.failing if name not in known)
        if new:
            shown = ", ".join(f"`{name}`" for name in new[:3]) + (f" and {len(new) - 3} more" if len(new) > 3 else "")
            return Comparison(suite, is_new_failure=True, reason=f"{suite} has new failures: {shown}", new=new)
        return Comparison(suite, is_new_failure=False, reason=_known(len(counts.failing)))
    if row.failed is not None and counts.failed is not None:
        if counts.failed > row.failed:
            reason = f"{suite} has {counts.failed} failed, {row.failed} at the baseline"
            return Comparison(suite, is_new_failure=True, reason=reason)
        return Comparison(suite, is_new_failure=False, reason=_known(counts.failed))
    warning = f"{suite} fails as at the baseline, without counts: new failures can't be told"
    return Comparison(suite, is_new_failure=False, reason="not compared", warning=warning)


def _known(number: int) -> str:
    return f"{number} known failure{'' if number == 1 else 's'}"


def suite_words(result: SuiteResult, comparison: Comparison) -> str:
    """A suite in the Suites cell of a wave: `unit 826 passed, 1 known failure`."""
    if result.result == ERROR:
        words = "couldn't be run"
    elif result.counts.passed is not None:
        words = f"{result.counts.passed} passed"
        if comparison.is_new_failure and result.counts.failed is not None:
            words += f", {result.counts.failed} failed"
    else:
        words = "pass" if result.result == PASS else "fail"
    if comparison.reason and not comparison.is_new_failure:
        words += f", {comparison.reason}"
    return f"{result.suite} {words}"
