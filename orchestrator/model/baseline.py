"""Suites at a wave's end held against the baseline: is there a new failure, and why.

Owns the comparison. Must not run suites, nor know how a baseline is written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.model.run_counts import RunCounts, same_test
from orchestrator.model.state import BaselineRow
from orchestrator.name_lists import some
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
    warning: str = ""
    """Why its results aren't known as well as was asked for."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A suite's result seen against its baseline. `new` holds the ids of new failures, where ids are known."""

    suite: str
    is_new_failure: bool
    reason: str = ""
    """Why it is a new failure, or why none: one line; empty for a suite that simply passes."""
    warning: str = ""
    new: tuple[str, ...] = ()
    is_named: bool = False
    """Whether `new` is all there is: no failure without an id."""

    @property
    def words(self) -> str:
        """The new failure for a note: the suite and the tests, else the reason."""
        return f"{self.suite} {shown(self.new)}" if self.new else self.reason


def shown(names: Sequence[str], most: int = 3) -> str:
    """Ids for a line of text, at most so many of them."""
    return some([f"`{name}`" for name in names], most)


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


def known_of(suite: str, lines: Iterable[str], suites: Iterable[str] = ()) -> tuple[str, ...]:
    """The ids that the lines of `### Known failures` give for a suite.

    suites: the names of all suites. A line that begins with none of them was written by hand, and counts for each.
    """
    names: list[str] = []
    others = [one for one in suites if one != suite]
    for line in lines:
        rest = _after_name(suite, line)
        if rest is None and not any(_after_name(one, line) is not None for one in others):
            rest = line if suites else None
        if rest is not None:
            names.append(_one_id(rest))
    return tuple(names)


def _after_name(suite: str, line: str) -> str | None:
    text = line.strip().lstrip("`*")
    for head in (f"{suite}: ", f"{suite}`: ", f"{suite}**: ", f"{suite}:** "):
        if text.startswith(head):
            return text[len(head) :]
    return None


def _one_id(text: str) -> str:
    """The id in backticks, whatever remark follows it, else the whole text."""
    text = text.strip()
    if text.startswith("`"):
        inside, closed, _ = text.lstrip("`").partition("`")
        return inside.strip() if closed else text.strip("`").strip()
    return text


def compare(
    rows: Sequence[BaselineRow], known: Sequence[str], results: Iterable[SuiteResult], suites: Iterable[str] = ()
) -> tuple[Comparison, ...]:
    """Each result against its row of the baseline; `known` are the lines of `### Known failures`.

    suites: the names of all suites there are, so that a line for another isn't taken for this one's.
    """
    by_suite = {(row.repo, row.suite): row for row in rows}
    results = tuple(results)
    names = {*suites, *(row.suite for row in rows), *(result.suite for result in results)}
    return tuple(
        _compare(by_suite.get((result.repo, result.suite)), known_of(result.suite, known, names), result)
        for result in results
    )


def _compare(row: BaselineRow | None, known: tuple[str, ...], result: SuiteResult) -> Comparison:
    suite, counts = result.suite, result.counts
    if result.result == PASS:
        return Comparison(suite, is_new_failure=False, warning=_fewer(row, result))
    before = row.result if row else ""
    if result.result == ERROR:
        if before == ERROR:
            warning = f"{suite} couldn't be run to its end, at the baseline neither: not compared"
            return Comparison(suite, is_new_failure=False, reason="not compared", warning=warning)
        was = {PASS: "; it passed at the baseline", FAIL: "; it could at the baseline"}.get(before, "")
        return Comparison(suite, is_new_failure=True, reason=f"{suite} couldn't be run to its end{was}")
    ids = {same_test(name) for name in known}
    new = tuple(name for name in counts.failing if same_test(name) not in ids)
    if counts.failing and not new:
        return _all_known(row, known, result)
    if before in ("", PASS):
        how = f"{suite} {_failed(counts)}; it passed at the baseline" if row else f"{suite} fails and has no baseline"
        return Comparison(suite, is_new_failure=True, reason=how, new=new, is_named=counts.is_named)
    if new and known:
        reason = f"{suite} has new failures: {shown(new)}"
        return Comparison(suite, is_new_failure=True, reason=reason, new=new, is_named=counts.is_named)
    return _by_count(row, result)


def _fewer(row: BaselineRow | None, result: SuiteResult) -> str:
    """A warning where fewer tests passed than at the baseline, or nobody knows how many; else nothing."""
    passed, before = result.counts.passed, row.passed if row else None
    if passed is None:
        return f"{result.suite} tells nothing of its tests; at the baseline {before} passed" if before else ""
    fewer = before - passed if before is not None else 0
    return f"{result.suite} passed {passed} tests, {fewer} fewer than at the baseline" if fewer > 0 else ""


def _failed(counts: RunCounts) -> str:
    return "fails" if not counts.failed else f"has {counts.failed} failed"


def _all_known(row: BaselineRow | None, known: tuple[str, ...], result: SuiteResult) -> Comparison:
    """Every failure that has an id is a known one; those without one mustn't be more than there were."""
    counts = result.counts
    allowed = max(len(known), (row.failed if row else 0) or 0)
    if counts.failed is None or counts.is_named or counts.failed <= allowed:
        reason, warning = _known(len(counts.failing)), _fewer(row, result)
        return Comparison(result.suite, is_new_failure=False, reason=reason, warning=warning)
    reason = f"{result.suite} has {counts.failed} failed, {allowed} of them known"
    return Comparison(result.suite, is_new_failure=True, reason=reason)


def _by_count(row: BaselineRow | None, result: SuiteResult) -> Comparison:
    """Both red, and ids on one side at most: by count, and without counts it can't be told."""
    suite, failed = result.suite, result.counts.failed
    before = row.failed if row else None
    if failed is None and before is not None:
        reason = f"{suite} fails without a word of its tests; at the baseline it told {before} failed"
        return Comparison(suite, is_new_failure=True, reason=reason)
    if before is None or failed is None:
        warning = f"{suite} fails as at the baseline, without counts: new failures can't be told"
        return Comparison(suite, is_new_failure=False, reason="not compared", warning=warning)
    if failed > before:
        reason = f"{suite} has {failed} failed, {before} at the baseline"
        return Comparison(suite, is_new_failure=True, reason=reason)
    if failed == 0 and before > 0:
        # It isn't the known failures that make it fail.
        return Comparison(suite, is_new_failure=True, reason=f"{suite} fails, though no test of it does")
    reason = _known(failed) if failed else "fails as at the baseline"
    return Comparison(suite, is_new_failure=False, reason=reason, warning=_fewer(row, result))


def _known(number: int) -> str:
    return f"{number} known failure{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What two runs of a suite at one commit say together: what fails in both, and what only once."""

    comparison: Comparison
    flakes: tuple[str, ...] = ()


def confirmed(first: Comparison, second: Comparison) -> Confirmed:
    """A new failure seen again: red is what failed both times; what was green once is a flake and holds nothing."""
    if not second.is_new_failure:
        return Confirmed(second, first.new or (first.suite,))
    if not (first.is_named and second.is_named):
        return Confirmed(second)
    again = {same_test(name) for name in second.new}
    once = {same_test(name) for name in first.new}
    flakes = tuple(name for name in first.new if same_test(name) not in again)
    flakes += tuple(name for name in second.new if same_test(name) not in once)
    both = tuple(name for name in second.new if same_test(name) in once)
    if not both:
        return Confirmed(Comparison(second.suite, is_new_failure=False), flakes)
    reason = second.reason if not flakes else f"{second.suite} fails again in {shown(both)}"
    return Confirmed(Comparison(second.suite, is_new_failure=True, reason=reason, new=both, is_named=True), flakes)


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
