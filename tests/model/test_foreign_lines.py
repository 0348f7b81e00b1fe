"""What counts as done to a log by others: new lines, lines that are gone or moved; an old copy and own lines don't."""

from __future__ import annotations

import pytest

from orchestrator.model.foreign_lines import foreign, missing
from orchestrator.model.log import LogEntry

KNOWN, MINE, RECEIPTS = "ABCD", "mno", "xyz"


def entries(letters: str) -> list[LogEntry]:
    return [LogEntry("2026-11-29T10:00:00Z", "degraded", {"what": letter}) for letter in letters]


@pytest.mark.parametrize("found", ["ABCD", "ABCDmno", "ABCDmxnoyz", "ABCDz", "AB", "", "ABo", "ABmoz"])
def test_own_lines_receipts_and_old_copies_are_no_fault(found: str) -> None:
    assert foreign(entries(KNOWN), entries(found), entries(MINE), entries(RECEIPTS)) is None


@pytest.mark.parametrize(
    ("found", "new", "gone", "words"),
    [
        ("ABCDF", "F", "mnoxyz", "1 line came into its log that orch didn't write"),
        ("ABCDmnoxyzFG", "FG", "", "2 lines came into its log that orch didn't write"),
        ("FABCDmnoxyz", "F", "", "1 line came into its log that orch didn't write"),
        ("ABCDmnoxyzA", "A", "", "1 line came into its log that orch didn't write"),
        ("ABCDmnmoxyz", "m", "", "1 line came into its log that orch didn't write"),
        ("ACDmnoxyz", "", "B", "1 line of its log is gone or changed"),
        ("ADmnoxyz", "", "BC", "2 lines of its log are gone or changed"),
        ("ABDCmnoxyz", "", "", "the lines of its log were put in another order"),
        ("ABCmDnoxyz", "", "", "the lines of its log were put in another order"),
        ("ABCDnmoxyz", "", "", "the lines of its log were put in another order"),
    ],
)
def test_new_lines_and_those_gone_or_moved_are_told(found: str, new: str, gone: str, words: str) -> None:
    told = foreign(entries(KNOWN), entries(found), entries(MINE), entries(RECEIPTS))
    assert told is not None
    assert (list(told.new), list(told.gone), told.words) == (entries(new), entries(gone), words)
    assert told.first == next(iter(told.new or told.gone), None)


def test_what_an_old_copy_lacks_may_come_back() -> None:
    lost = missing(entries(KNOWN), entries("ABo"), entries(MINE))
    assert list(lost) == entries("CDmn")
    for found in ("ABoCDmn", "ABCDmno", "ABoCm"):
        assert foreign(entries("ABo"), entries(found), lost, entries("o")) is None
