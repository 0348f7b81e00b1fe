"""Suites compared with the baseline."""

from __future__ import annotations

import pytest

from orchestrator.model.baseline import (
    Comparison,
    Confirmed,
    SuiteResult,
    baseline_row,
    compare,
    confirmed,
    known_failures,
    known_of,
    result_of,
    suite_words,
)
from orchestrator.model.run_counts import RunCounts
from orchestrator.model.state import BaselineRow


def row(result: str, passed: int | None = None, failed: int | None = None) -> BaselineRow:
    return BaselineRow(".", "unit", result, passed, failed, "1a2b3c4")


def run(result: str, passed: int | None = None, failed: int | None = None, *names: str) -> SuiteResult:
    return SuiteResult(".", "unit", result, RunCounts(passed, failed, names))


KNOWN = ("unit: `a`", "unit: b", "ui: `c`")
NOT_TOLD = "unit fails as at the baseline, without counts: new failures can't be told"
NOT_RUN = "unit couldn't be run to its end, at the baseline neither: not compared"


@pytest.mark.parametrize(
    ("before", "known", "now", "is_new", "reason", "warning", "words"),
    [
        (row("pass", 5, 0), (), run("pass", 6, 0), False, "", "", "unit 6 passed"),
        (row("pass"), (), run("pass"), False, "", "", "unit pass"),
        (
            row("pass", 5, 0), (), run("pass", 3, 0),
            False, "", "unit passed 3 tests, 2 fewer than at the baseline", "unit 3 passed",
        ),
        (None, (), run("pass", 3, 0), False, "", "", "unit 3 passed"),
        (None, (), run("fail", 3, 1, "x"), True, "unit fails and has no baseline", "", "unit 3 passed, 1 failed"),
        (
            row("pass", 5, 0), (), run("fail", 4, 1, "x"),
            True, "unit has 1 failed; it passed at the baseline", "", "unit 4 passed, 1 failed",
        ),
        (row("pass"), (), run("fail"), True, "unit fails; it passed at the baseline", "", "unit fail"),
        (
            row("pass"), (), run("error"),
            True, "unit couldn't be run to its end; it passed at the baseline", "", "unit couldn't be run",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail", 4, 2, "b", "a"),
            False, "2 known failures", "", "unit 4 passed, 2 known failures",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail", 5, 1, "a"),
            False, "1 known failure", "", "unit 5 passed, 1 known failure",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail", 5, 1, "c"),
            True, "unit has new failures: `c`", "", "unit 5 passed, 1 failed",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail", 1, 6, "a", "c", "d", "e", "f", "g"),
            True, "unit has new failures: `c`, `d`, `e` and 2 more", "", "unit 1 passed, 6 failed",
        ),
        (
            row("fail", 4, 2), (), run("fail", 4, 2, "x", "y"),
            False, "2 known failures", "", "unit 4 passed, 2 known failures",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail", 3, 3),
            True, "unit has 3 failed, 2 at the baseline", "", "unit 3 passed, 3 failed",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail"),
            True, "unit fails without a word of its tests; at the baseline it told 2 failed", "", "unit fail",
        ),
        (
            row("fail", 4, 2), KNOWN, run("fail", 1, 1, "a"),
            False, "1 known failure", "unit passed 1 tests, 3 fewer than at the baseline",
            "unit 1 passed, 1 known failure",
        ),
        (
            row("fail", 4, 2), (), run("fail", 1, 2),
            False, "2 known failures", "unit passed 1 tests, 3 fewer than at the baseline",
            "unit 1 passed, 2 known failures",
        ),
        (
            row("pass", 5, 0), (), run("pass"),
            False, "", "unit tells nothing of its tests; at the baseline 5 passed", "unit pass",
        ),
        (row("fail"), (), run("fail", 3, 3), False, "not compared", NOT_TOLD, "unit 3 passed, not compared"),
        (row("fail"), (), run("fail"), False, "not compared", NOT_TOLD, "unit fail, not compared"),
        (row("fail", 4, 2), KNOWN, run("pass", 6, 0), False, "", "", "unit 6 passed"),
        (
            row("fail", 4, 2), (), run("error"),
            True, "unit couldn't be run to its end; it could at the baseline", "", "unit couldn't be run",
        ),
        (row("error"), (), run("error"), False, "not compared", NOT_RUN, "unit couldn't be run, not compared"),
        (row("error"), (), run("fail", 1, 1), False, "not compared", NOT_TOLD, "unit 1 passed, not compared"),
        (row("error"), (), run("pass", 1, 0), False, "", "", "unit 1 passed"),
    ],
)  # fmt: skip
def test_a_suite_is_seen_against_its_baseline(
    before: BaselineRow | None,
    known: tuple[str, ...],
    now: SuiteResult,
    is_new: bool,
    reason: str,
    warning: str,
    words: str,
) -> None:
    (found,) = compare([before] if before else [], known, [now])
    assert (found.is_new_failure, found.reason, found.warning) == (is_new, reason, warning)
    assert suite_words(now, found) == words


def test_each_suite_is_compared_with_its_own_row_in_order() -> None:
    rows = [row("pass", 1, 0), BaselineRow("ui", "unit", "fail", 1, 1, "x")]
    results = [SuiteResult("ui", "unit", "fail", RunCounts(1, 1)), run("pass", 1, 0)]
    assert compare(rows, (), results) == (
        Comparison("unit", is_new_failure=False, reason="1 known failure"),
        Comparison("unit", is_new_failure=False),
    )


def test_a_baseline_is_what_its_suites_gave() -> None:
    result = run("fail", 4, 2, "t::a", "t::b: c")
    assert baseline_row(result, "1a2b3c4") == row("fail", 4, 2)
    lines = known_failures([result, SuiteResult(".", "lint:all", "fail", RunCounts(0, 1, ("x",)))])
    assert lines == ("unit: `t::a`", "unit: `t::b: c`", "lint:all: `x`")
    assert known_of("unit", lines) == ("t::a", "t::b: c")
    assert known_of("lint:all", lines) == ("x",)
    assert known_of("lint", lines) == ()


def test_how_a_process_ended_is_a_result() -> None:
    ends = [(0, True), (1, True), (5, True), (126, True), (127, True), (-9, True), (None, True), (0, False)]
    assert [result_of(code, ended_by_itself=by_itself) for code, by_itself in ends] == [
        "pass",
        "fail",
        "fail",
        "error",
        "error",
        "error",
        "error",
        "error",
    ]


LATER = "unit has 5 failed, 3 of them known"


@pytest.mark.parametrize(
    ("before", "known", "now", "is_new", "reason", "words"),
    [
        # Known failures that a person wrote count, whatever the baseline was.
        (row("pass", 5, 0), ("unit: `t`",), run("fail", 4, 1, "t"), False, "1 known failure", ""),
        (None, ("unit: t",), run("fail", 4, 1, "t"), False, "1 known failure", ""),
        (row("pass", 5, 0), ("t.py::a - flaky since June",), run("fail", 4, 1, "t.py::a"), True, "", "unit `t.py::a`"),
        (row("pass", 5, 0), ("`t.py::a` flaky since June",), run("fail", 4, 1, "t.a"), False, "1 known failure", ""),
        (row("pass", 5, 0), ("lint: `t`",), run("fail", 4, 1, "t"), True, "", "unit `t`"),
        # Failures without a name are counted.
        (row("fail", 4, 2), KNOWN, run("fail", 1, 5, "a", "b"), True, LATER, LATER),
        (row("fail", 4, 3), KNOWN, run("fail", 4, 3, "a", "b"), False, "2 known failures", ""),
        # It fails, but not by its tests.
        (row("fail", 4, 2), KNOWN, run("fail", 6, 0), True, "unit fails, though no test of it does", ""),
        (row("fail", 4, 0), (), run("fail", 4, 0), False, "fails as at the baseline", ""),
        (row("pass", 4, 0), (), run("fail", 4, 0), True, "unit fails; it passed at the baseline", ""),
    ],
)  # fmt: skip
def test_tests_that_have_names_are_compared_by_them(
    before: BaselineRow | None, known: tuple[str, ...], now: SuiteResult, is_new: bool, reason: str, words: str
) -> None:
    (found,) = compare([before] if before else [], known, [now], ["unit", "lint"])
    assert found.is_new_failure is is_new
    if reason:
        assert found.reason == reason
    if words:
        assert found.words == words


def failing(*names: str, is_named: bool = True) -> Comparison:
    return Comparison("unit", is_new_failure=True, reason="unit fails", new=names, is_named=is_named)


GREEN = Comparison("unit", is_new_failure=False)


def test_red_is_what_fails_twice_and_a_flake_what_fails_once() -> None:
    assert confirmed(failing("a", "b"), GREEN) == Confirmed(GREEN, ("a", "b"))
    assert confirmed(failing(), GREEN) == Confirmed(GREEN, ("unit",))
    assert confirmed(failing("a"), failing("a")) == Confirmed(failing("a"))
    some = confirmed(failing("a", "b"), failing("a", "c"))
    assert (some.comparison.new, some.comparison.reason, some.flakes) == (("a",), "unit fails again in `a`", ("b", "c"))
    assert confirmed(failing("a"), failing("b")) == Confirmed(GREEN, ("a", "b"))
    # Where failures have no names, it can't be said that they are others.
    assert confirmed(failing("a"), failing(is_named=False)) == Confirmed(failing(is_named=False))
