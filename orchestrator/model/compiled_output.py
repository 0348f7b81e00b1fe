"""go test and cargo test: counts and test ids from what they print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.model.run_counts import RunCounts, named
from orchestrator.patterns import regex

_RESULT = regex(r"\s*--- (PASS|FAIL|SKIP): (\S+)")
_PACKAGE = regex(r"(ok  |FAIL|\?   )\t(\S+)")

_Results = dict[tuple[str, str], str]
"""(package, test) → pass, fail or skip; a package by itself has the test ``."""


def go_counts(lines: list[str]) -> RunCounts | None:
    """What `go test` says, with or without -v. An id is `package.Test/part`; a package that didn't come as far as its
    tests is named by itself."""
    results: _Results = {}
    pending: dict[str, str] = {}
    is_go = False
    for line in lines:
        if match := _RESULT.match(line):
            is_go = True
            pending[match[2]] = match[1].lower()
        elif match := _PACKAGE.match(line):
            is_go = True
            results |= {(match[2], test): result for test, result in pending.items()}
            pending = {}
            results[match[2], ""] = "fail" if match[1] == "FAIL" else "pass"
    results |= {("", test): result for test, result in pending.items()}
    if not is_go:
        return None
    is_verbose = any(line.startswith("=== RUN") for line in lines) or "pass" in {
        result for (_, test), result in results.items() if test
    }
    return _from_results(results, knows_passed=is_verbose)


def go_json_counts(lines: list[str]) -> RunCounts | None:
    """What `go test -json` says; other lines among its own are passed over."""
    results: _Results = {}
    for event in _events(lines):
        action, package = event.get("Action"), event.get("Package")
        if action in ("pass", "fail", "skip") and isinstance(package, str):
            results[package, str(event.get("Test") or "")] = str(action)
    return _from_results(results, knows_passed=True) if results else None


def _events(lines: list[str]) -> Iterable[Mapping[str, object]]:
    if not any(line.startswith('{"') and '"Action":"' in line for line in lines):
        return
    # Here and not above: only this form of output needs it.
    import json

    for line in lines:
        if line.startswith('{"') and '"Action":"' in line:
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                yield event


def _from_results(results: _Results, *, knows_passed: bool) -> RunCounts:
    """Parts count, not the tests they belong to; a package counts that failed without a failing test."""
    above: set[tuple[str, str]] = set()
    for package, test in results:
        parts = test.split("/")
        above.update((package, "/".join(parts[:length])) for length in range(1, len(parts)))
    ends = {key: result for key, result in results.items() if key[1] and key not in above}
    failing = [_go_id(*key) for key, result in ends.items() if result == "fail"]
    with_failure = {package for (package, _), result in ends.items() if result == "fail"}
    for (package, test), result in results.items():
        if result == "fail" and not test and package not in with_failure:
            failing.append(package)
    passed = sum(result == "pass" for result in ends.values())
    return RunCounts(passed if knows_passed else None, len(failing), tuple(failing))


def _go_id(package: str, test: str) -> str:
    return f"{package}.{test}" if package else test


_CARGO = regex(r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed;")
_CARGO_LINE = regex(r"test (.+?)(?: - should panic)? \.\.\. FAILED$")
_CARGO_ITEM = regex(r" {4}(\S.*)$")


def cargo_counts(lines: list[str]) -> RunCounts | None:
    """What `cargo test` says, summed over its parts. The names come from the list that ends each part."""
    parts = [(int(match[1]), int(match[2])) for line in lines if (match := _CARGO.match(line.strip()))]
    if not parts:
        return None
    names: list[str] = []
    run: list[str] = []
    is_list = False
    for line in lines:
        if line.strip() == "failures:":
            is_list, run = True, []
        elif _CARGO.match(line):
            names += run
            is_list, run = False, []
        elif is_list and line and not (item := named([line], _CARGO_ITEM)):
            # The first list of that name holds the output of the tests.
            is_list = False
        elif is_list and line:
            run += item
    names += named(lines, _CARGO_LINE)
    return RunCounts(sum(p for p, _ in parts), sum(f for _, f in parts), tuple(names))
