"""Passed and failed counts, and the ids of what failed, from the output of known test runners.

Owns which runners are asked in which order, and those that give counts alone. An exit code decides whether a run is
green; counts and ids say what of it is new. Must not run anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from orchestrator.model.compiled_output import cargo_counts, go_counts, go_json_counts
from orchestrator.model.python_output import pytest_counts, unittest_counts
from orchestrator.model.run_counts import RunCounts, as_ids, named
from orchestrator.model.script_output import jest_counts, vitest_counts
from orchestrator.patterns import regex

_ANSI = regex(r"\x1b\[[0-9;:?]*[A-Za-z]")
_LINE = regex(r"\r\n?|\n")
LONGEST_LINE = 1000
"""Characters of a line that are looked at: no runner's own lines are longer, but what tests print may be."""


def parse_counts(output: str) -> RunCounts:
    """The counts that the output of a known runner holds; all unknown where no runner is recognised.

    Known: pytest, unittest, go test, cargo test, jest, vitest, mocha, node's own runner (and TAP), rspec, phpunit,
    ctest, maven, dotnet. Of several summaries of a runner the last counts, but cargo, go and dotnet print one a part.
    """
    lines = [line[:LONGEST_LINE] for line in _LINE.split(_ANSI.sub("", output))]
    for parse in _PARSERS:
        found = parse(lines)
        if found is not None:
            return RunCounts(found.passed, found.failed, as_ids(found.failing))
    return RunCounts()


_MOCHA = regex(r"\s*(\d{1,9}) (passing|failing)\b")


def _mocha(lines: list[str]) -> RunCounts | None:
    found = {match[2]: int(match[1]) for line in lines if (match := _MOCHA.match(line))}
    if "passing" not in found:
        return None
    return RunCounts(found["passing"], found.get("failing", 0))


_TAP = regex(r"[#ℹ] (tests|pass|fail) (\d{1,9})$")
_TAP_NAME = regex(r"\s*not ok \d+ -? ?(.+?)(?: # .*)?$")
_NODE_NAME = regex(r"\s*✖ (.+?)(?: \([\d.]+ms\))?$")


def _tap(lines: list[str]) -> RunCounts | None:
    found = {match[1]: int(match[2]) for line in lines if (match := _TAP.match(line.strip()))}
    if "pass" not in found:
        return None
    failed = found.get("fail", 0)
    names = named(lines, _TAP_NAME) or tuple(
        name for name in named(lines, _NODE_NAME) if not name.startswith("failing tests")
    )
    return RunCounts(found["pass"], failed, names if failed else ())


_TOTALS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[int, int]]], ...] = (
    # rspec
    (
        regex(r"(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?"),
        lambda m: (int(m[1]) - int(m[2]) - int(m[3] or 0), int(m[2])),
    ),
    # phpunit
    (regex(r"OK \((\d{1,9}) tests?, \d+ assertions?\)"), lambda m: (int(m[1]), 0)),
    (
        regex(r"Tests: (\d{1,9}), Assertions: \d+(?:, Errors: (\d{1,9}))?(?:, Failures: (\d{1,9}))?"),
        lambda m: (int(m[1]) - int(m[2] or 0) - int(m[3] or 0), int(m[2] or 0) + int(m[3] or 0)),
    ),
    # ctest
    (
        regex(r"\d+% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})"),
        lambda m: (int(m[2]) - int(m[1]), int(m[1])),
    ),
    # maven
    (
        regex(r"(?:\[\w+\] )?Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})$"),
        lambda m: (int(m[1]) - int(m[2]) - int(m[3]) - int(m[4]), int(m[2]) + int(m[3])),
    ),
)
_DOTNET = regex(r"(?:Passed|Failed)!\s+-\s+Failed:\s+(\d{1,9}), Passed:\s+(\d{1,9}),")


def _totals(lines: list[str]) -> RunCounts | None:
    for line in reversed(lines):
        for pattern, counts in _TOTALS:
            match = pattern.match(line.strip())
            if match:
                passed, failed = counts(match)
                return RunCounts(max(0, passed), failed)
    parts = [match for line in lines if (match := _DOTNET.match(line.strip()))]
    if parts:
        return RunCounts(sum(int(match[2]) for match in parts), sum(int(match[1]) for match in parts))
    return None


_PARSERS: tuple[Callable[[list[str]], RunCounts | None], ...] = (
    go_json_counts,
    pytest_counts,
    cargo_counts,
    jest_counts,
    vitest_counts,
    _tap,
    unittest_counts,
    _mocha,
    _totals,
    go_counts,
)
