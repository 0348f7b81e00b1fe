"""pytest and unittest: counts and test ids from what they print."""

from __future__ import annotations

import re
from itertools import pairwise

from orchestrator.model.run_counts import RunCounts, named, sum_of
from orchestrator.patterns import regex

_SUMMARY = regex(r"(?:=+ )?((?:\d+ [a-z]+(?: passed| failed)?(?:, )?)+|no tests ran) in [\d.:]+ ?s(?:econds)?\b.*")
_HEADING = regex(r"=+ short test summary info =+")
# A parameter in brackets may hold ` - ` too, which else starts the message.
_NODE = r"([^\s\[]+(?:\[.*?\](?= - |$))?)"
_LISTED = regex(rf"(?:FAILED|ERROR) {_NODE}(?: - .*)?$")
_LISTED_PART = regex(rf"SUBFAIL(?:ED)?(\S.*?)? {_NODE}(?: - .*)?$")
_DISTRIBUTED = regex(r"\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (.+)$")


def pytest_counts(lines: list[str]) -> RunCounts | None:
    """What a run of pytest says; of several summaries the last."""
    summaries = [match[1] for line in lines if (match := _SUMMARY.fullmatch(line.strip()))]
    listed = _listed(lines)
    if not summaries:
        # Twice quiet it leaves out the last line.
        return RunCounts(None, len(listed), listed) if listed else None
    last = summaries[-1]
    failed = sum_of(last, ("failed", "error", "errors"))
    names = (listed or _verbose(lines) or named(lines, _DISTRIBUTED)) if failed else ()
    return RunCounts(sum_of(last, ("passed", "xpassed")), failed, names)


def _listed(lines: list[str]) -> tuple[str, ...]:
    """The names below `short test summary info`, those of subtests with the words that tell them apart."""
    headings = [index for index, line in enumerate(lines) if _HEADING.fullmatch(line.strip())]
    if not headings:
        return ()
    names: list[str] = []
    for line in lines[headings[-1] + 1 :]:
        if match := _LISTED.match(line):
            names.append(match[1])
        elif match := _LISTED_PART.match(line):
            names.append(f"{match[2]} {match[1] or ''}".strip())
    return tuple(names)


def _verbose(lines: list[str]) -> tuple[str, ...]:
    """The names on the lines of `-v`: `path::test FAILED    [ 12%]`."""
    names = []
    for line in lines:
        before, bracket, _ = line.rpartition("[") if line.rstrip().endswith("%]") else ("", "", "")
        name, blank, word = before.rstrip().rpartition(" ")
        if bracket and blank and word in ("FAILED", "ERROR") and "::" in name:
            names.append(name)
    return tuple(names)


_RAN = regex(r"Ran (\d{1,9}) tests? in ")
_END = regex(r"(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?")
_HEAD = regex(r"(?:FAIL|ERROR): (.+?)(?: \(([\w.<>]+)\))?((?: \[.*\])?(?: \(.*\))?)$")
_UNLOADED = "unittest.loader._FailedTest"
_FIXTURES = ("setUpClass", "tearDownClass", "setUpModule", "tearDownModule")


def unittest_counts(lines: list[str]) -> RunCounts | None:
    """What a run of unittest, or of a runner that prints as it does, says."""
    ran = next((int(match[1]) for line in reversed(lines) if (match := _RAN.match(line))), None)
    end = next((match for line in reversed(lines) if (match := _END.fullmatch(line.strip()))), None)
    if ran is None or end is None:
        return None
    parts = {name.strip(): int(number) for name, number in re.findall(r"([a-z ]+)=(\d{1,9})(?!\d)", end[2] or "")}
    failed = sum(parts.get(name, 0) for name in ("failures", "errors", "unexpected successes"))
    skipped = parts.get("skipped", 0) + parts.get("expected failures", 0)
    if not failed:
        return RunCounts(max(0, ran - skipped), 0)
    heads = [match for above, line in pairwise(lines) if _is_rule(above) and (match := _HEAD.match(line))]
    found = [_unittest_name(match[1], match[2] or "", match[3]) for match in heads]
    names = tuple(name + part for name, part in found)
    # A test with several failing parts ran once; a fixture that failed is no test that ran.
    tests = {name for name, _ in found if not name.endswith(_FIXTURES)}
    bad = len(tests) if len(set(names)) >= failed else failed
    return RunCounts(max(0, ran - bad - skipped), failed, names)


def _is_rule(line: str) -> bool:
    return len(line) >= 40 and not line.strip("=")


def _unittest_name(name: str, dotted: str, part: str) -> tuple[str, str]:
    """The dotted id of a test, and what tells one of its parts from the others."""
    if dotted.startswith(_UNLOADED):
        return name, part
    if not dotted or dotted == name or dotted.endswith(f".{name}"):
        return dotted or name, part
    return f"{dotted}.{name}", part
