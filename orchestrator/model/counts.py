"""Passed and failed counts, and the names of what failed, from the output of known test runners.

Owns one small parser a runner. The counts only inform; an exit code decides. Must not run anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from orchestrator.patterns import regex


class RunCounts(NamedTuple):
    """What a test run says of itself. A count that isn't known is None; errors count as failed."""

    passed: int | None = None
    failed: int | None = None
    failing: tuple[str, ...] = ()


_ANSI = regex(r"\x1b\[[0-9;:?]*[A-Za-z]")
_LINE = regex(r"\r\n?|\n")


def parse_counts(output: str) -> RunCounts:
    """The counts that the output of a known runner holds; all unknown where no runner is recognised.

    Known: pytest, unittest, go test, cargo test, jest, vitest, mocha, node's own runner (and TAP), rspec, phpunit,
    ctest, maven, dotnet. Of several summaries of a runner the last counts, but cargo, go and dotnet print one a part.
    """
    lines = _LINE.split(_ANSI.sub("", output))
    for parse in _PARSERS:
        found = parse(lines)
        if found is not None:
            return RunCounts(found.passed, found.failed, tuple(dict.fromkeys(found.failing)))
    return RunCounts()


def _named(lines: list[str], pattern: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(match[1].strip() for line in lines if (match := pattern.match(line)))


def _words(line: str, words: tuple[str, ...]) -> int:
    """The sum of the numbers that stand before these words: `2 failed, 1 error`."""
    return sum(int(match[1]) for match in re.finditer(r"(\d+) ([a-z]+)", line) if match[2] in words)


_PYTEST = regex(r"(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.:]+ ?s(?:econds)?\b.*")
# A parameter in brackets may hold ` - ` too, which else starts the message.
_PYTEST_NAME = regex(r"(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\](?= - |$))?)(?: - .*)?$")


def _pytest(lines: list[str]) -> RunCounts | None:
    summaries = [match[1] for line in lines if (match := _PYTEST.fullmatch(line.strip()))]
    if not summaries:
        return None
    last = summaries[-1]
    failed = _words(last, ("failed", "error", "errors"))
    return RunCounts(_words(last, ("passed", "xpassed")), failed, _named(lines, _PYTEST_NAME) if failed else ())


_UNITTEST = regex(r"Ran (\d+) tests? in ")
_UNITTEST_END = regex(r"(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?")
_UNITTEST_NAME = regex(r"(?:FAIL|ERROR): (\w+(?: \([\w.]+\))?)")


def _unittest(lines: list[str]) -> RunCounts | None:
    ran = next((int(match[1]) for line in reversed(lines) if (match := _UNITTEST.match(line))), None)
    end = next((match for line in reversed(lines) if (match := _UNITTEST_END.fullmatch(line.strip()))), None)
    if ran is None or end is None:
        return None
    parts = {name: int(number) for name, number in re.findall(r"([a-z ]+)=(\d+)", end[2] or "")}
    parts = {name.strip(): number for name, number in parts.items()}
    failed = sum(parts.get(name, 0) for name in ("failures", "errors", "unexpected successes"))
    skipped = parts.get("skipped", 0) + parts.get("expected failures", 0)
    return RunCounts(max(0, ran - failed - skipped), failed, _named(lines, _UNITTEST_NAME) if failed else ())


_GO_PACKAGE = regex(r"(?:ok  \t|FAIL\t|\?   \t)(\S+)")
_GO_PASS = regex(r"--- PASS: (\S+)")
_GO_FAIL = regex(r"\s*--- FAIL: (\S+)")


def _go(lines: list[str]) -> RunCounts | None:
    packages = _named(lines, _GO_PACKAGE)
    tops = [name for line in lines if line.startswith("--- FAIL: ") for name in _named([line], _GO_FAIL)]
    passed = len(_named(lines, _GO_PASS))
    if not packages and not tops and not passed:
        return None
    is_verbose = any(line.startswith("=== RUN") for line in lines)
    if not tops and any(line.startswith("FAIL\t") for line in lines):
        # A package that doesn't build fails without a test's name.
        broken = tuple(match[1] for line in lines if (match := re.match(r"FAIL\t(\S+)", line)))
        return RunCounts(passed if is_verbose else None, len(broken), broken)
    return RunCounts(passed if is_verbose else None, len(tops), tuple(tops))


_CARGO = regex(r"test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed;")
_CARGO_NAME = regex(r"test (.+) \.\.\. FAILED$")


def _cargo(lines: list[str]) -> RunCounts | None:
    parts = [(int(match[1]), int(match[2])) for line in lines if (match := _CARGO.match(line.strip()))]
    if not parts:
        return None
    return RunCounts(sum(p for p, _ in parts), sum(f for _, f in parts), _named(lines, _CARGO_NAME))


_JEST = regex(r"Tests:\s+(.*\btotal)$")
_JEST_NAME = regex(r"\s*● (.+ › .+)$")


def _jest(lines: list[str]) -> RunCounts | None:
    summary = next((match[1] for line in reversed(lines) if (match := _JEST.match(line.strip()))), None)
    if summary is None:
        return None
    return RunCounts(_words(summary, ("passed",)), _words(summary, ("failed",)), _named(lines, _JEST_NAME))


_VITEST = regex(r"\s*Tests\s+((?:\d+ [a-z]+(?: \| )?)+) \(\d+\)\s*$")
_VITEST_NAME = regex(r"\s*FAIL\s+(\S+ > .+)$")


def _vitest(lines: list[str]) -> RunCounts | None:
    summary = next((match[1] for line in reversed(lines) if (match := _VITEST.match(line))), None)
    if summary is None:
        return None
    return RunCounts(_words(summary, ("passed",)), _words(summary, ("failed",)), _named(lines, _VITEST_NAME))


_MOCHA = regex(r"\s*(\d+) (passing|failing)\b")


def _mocha(lines: list[str]) -> RunCounts | None:
    found = {match[2]: int(match[1]) for line in lines if (match := _MOCHA.match(line))}
    if "passing" not in found:
        return None
    return RunCounts(found["passing"], found.get("failing", 0))


_TAP = regex(r"[#ℹ] (tests|pass|fail) (\d+)$")
_TAP_NAME = regex(r"\s*not ok \d+ -? ?(.+?)(?: # .*)?$")
_NODE_NAME = regex(r"\s*✖ (.+?)(?: \([\d.]+ms\))?$")


def _tap(lines: list[str]) -> RunCounts | None:
    found = {match[1]: int(match[2]) for line in lines if (match := _TAP.match(line.strip()))}
    if "pass" not in found:
        return None
    failed = found.get("fail", 0)
    names = _named(lines, _TAP_NAME) or tuple(
        name for name in _named(lines, _NODE_NAME) if not name.startswith("failing tests")
    )
    return RunCounts(found["pass"], failed, names if failed else ())


_TOTALS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[int, int]]], ...] = (
    # rspec
    (
        regex(r"(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?"),
        lambda m: (int(m[1]) - int(m[2]) - int(m[3] or 0), int(m[2])),
    ),
    # phpunit
    (regex(r"OK \((\d+) tests?, \d+ assertions?\)"), lambda m: (int(m[1]), 0)),
    (
        regex(r"Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?"),
        lambda m: (int(m[1]) - int(m[2] or 0) - int(m[3] or 0), int(m[2] or 0) + int(m[3] or 0)),
    ),
    # ctest
    (regex(r"\d+% tests passed, (\d+) tests? failed out of (\d+)"), lambda m: (int(m[2]) - int(m[1]), int(m[1]))),
    # maven
    (
        regex(r"(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$"),
        lambda m: (int(m[1]) - int(m[2]) - int(m[3]) - int(m[4]), int(m[2]) + int(m[3])),
    ),
)
_DOTNET = regex(r"(?:Passed|Failed)!\s+-\s+Failed:\s+(\d+), Passed:\s+(\d+),")


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
    _pytest,
    _cargo,
    _jest,
    _vitest,
    _tap,
    _unittest,
    _mocha,
    _totals,
    _go,
)
