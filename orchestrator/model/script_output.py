"""jest and vitest: counts and test ids from what they print."""

from __future__ import annotations

from orchestrator.model.run_counts import RunCounts, sum_of
from orchestrator.patterns import regex

_JEST = regex(r"Tests:\s+(.*\btotal)$")
_JEST_FILE = regex(r"(?:FAIL|PASS)\s.*?(\S+?)(?: \([\d.]+ m?s\))?$")
_JEST_TEST = regex(r" {2}● (.+)$")
_UNRUN = "Test suite failed to run"
_NO_TESTS = ("Console", "Cannot log after tests are done. Did you forget to wait for something async in your test?")


def jest_counts(lines: list[str]) -> RunCounts | None:
    """What jest says. An id is `file › describe › test`; a file that couldn't be run is named by itself."""
    summary = next((match[1] for line in reversed(lines) if (match := _JEST.match(line.strip()))), None)
    if summary is None:
        return None
    names: dict[str, None] = {}
    unrun: set[str] = set()
    file = ""
    for line in lines:
        if match := _JEST_FILE.match(line):
            file = match[1] if line.startswith("FAIL") else ""
        elif (match := _JEST_TEST.match(line)) and match[1].strip() not in _NO_TESTS:
            if match[1].strip() == _UNRUN:
                unrun.add(file)
                names[file] = None
            else:
                names[f"{file} › {match[1].strip()}" if file else match[1].strip()] = None
    failed = sum_of(summary, ("failed",)) + len(unrun)
    return RunCounts(sum_of(summary, ("passed",)), failed, tuple(names) if failed else ())


_VITEST = regex(r"\s*Tests\s+((?:\d+ [a-z]+(?: \| )?)+|no tests)(?: \(\d+\))?\s*$")
_VITEST_ERRORS = regex(r"\s*Errors\s+(\d{1,9}) errors?\s*$")
_VITEST_TEST = regex(r"\s*FAIL\s+((?:\|.+?\| )?\S+(?: > .+)?)$")
_VITEST_FILE = regex(r"\s*FAIL\s+((?:\|.+?\| )?\S+) \[ .+ \]$")


def vitest_counts(lines: list[str]) -> RunCounts | None:
    """What vitest says. An id is `file > describe > test`; a file that couldn't be loaded is named by itself."""
    summary = next((match[1] for line in reversed(lines) if (match := _VITEST.match(line))), None)
    if summary is None:
        return None
    tests = [match[1].strip() for line in lines if (match := _VITEST_TEST.match(line))]
    files = {match[1].strip() for line in lines if (match := _VITEST_FILE.match(line))}
    errors = sum(int(match[1]) for line in lines if (match := _VITEST_ERRORS.match(line)))
    failed = sum_of(summary, ("failed",)) + len(files) + errors
    names = (*sorted(files), *tests) if failed else ()
    return RunCounts(sum_of(summary, ("passed",)), failed, names)
