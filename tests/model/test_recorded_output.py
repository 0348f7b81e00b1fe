"""Counts and test ids from what real runs of test runners printed; the runs are recorded in tests/data/runners."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.model.counts import parse_counts
from orchestrator.model.run_counts import LONGEST, RunCounts, as_ids, same_test

RUNS = Path(__file__).resolve().parents[1] / "data" / "runners"

PYTEST = (
    "tests/test_a.py::test_text[a - b]",
    "tests/test_a.py::test_text[p/q[r]]",
    "tests/test_a.py::test_text[two words]",
    "tests/test_a.py::TestGroup::test_in",
    "tests/test_a.py::Old::test_doc",
    "tests/test_a.py::Old::test_err",
    "tests/test_a.py::Old::test_sub [part] (i=0)",
    "tests/test_a.py::Old::test_sub [part] (i=2)",
    "tests/test_b.py",
    "tests/test_a.py::test_broken",
    "tests/test_c.py::SetUp::test_never",
)
LINES_ALONE = (
    "tests/test_a.py::test_text[p/q[r]]",
    "tests/test_a.py::test_text[a - b]",
    "tests/test_a.py::test_text[two words]",
    "tests/test_a.py::test_broken",
    "tests/test_a.py::TestGroup::test_in",
    "tests/test_a.py::Old::test_err",
    "tests/test_a.py::Old::test_doc",
    "tests/test_c.py::SetUp::test_never",
)
UNITTEST = (
    "tests.test_u.Old.test_err",
    "tests.test_c.SetUp.setUpClass",
    "test_b",
    "tests.test_u.Old.test_doc",
    "tests.test_u.Old.test_sub [part] (i=0)",
    "tests.test_u.Old.test_sub [part] (i=2)",
)
CARGO = ("parse::dies", "parse::empty", "whole", "src/lib.rs - one (line 2)")
JEST = (
    "jest/a.test.js › of nothing",
    "jest/a.test.js › parse › empty: a › b",
    "jest/a.test.js › parse › adds 2",
    "jest/b.test.js",
)
VITEST = ("b.test.ts", "a.test.ts > of nothing", "a.test.ts > parse > empty: a > b", "a.test.ts > parse > adds 2")
GO = (
    "example.org/app/parse.TestParse/empty",
    "example.org/app/parse.TestAlone",
    "example.org/app/broken",
    "example.org/app/main",
)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("pytest_q.txt", RunCounts(4, 11, PYTEST)),
        ("pytest_v.txt", RunCounts(4, 11, PYTEST)),
        ("pytest_qq.txt", RunCounts(None, 11, PYTEST)),
        ("pytest_xdist_v.txt", RunCounts(4, 11, LINES_ALONE)),
        ("unittest.txt", RunCounts(1, 6, UNITTEST)),
        ("unittest_v.txt", RunCounts(1, 6, UNITTEST)),
        ("cargo.txt", RunCounts(2, 4, CARGO)),
        ("cargo_q.txt", RunCounts(2, 4, CARGO)),
        ("jest.txt", RunCounts(3, 4, JEST)),
        ("jest_verbose.txt", RunCounts(3, 4, JEST)),
        ("vitest.txt", RunCounts(3, 4, VITEST)),
        ("vitest_verbose.txt", RunCounts(3, 4, VITEST)),
        ("go.txt", RunCounts(None, 4, GO)),
        ("go_v.txt", RunCounts(3, 4, GO)),
        ("go_json.txt", RunCounts(3, 4, GO)),
    ],
)
def test_a_recorded_run_gives_its_counts_and_ids(name: str, counts: RunCounts) -> None:
    text = (RUNS / name).read_text("utf-8")
    assert parse_counts(text) == counts
    assert parse_counts(text.replace("\n", "\r\n")) == counts


def test_failures_without_a_name_are_told_from_a_whole_list() -> None:
    assert parse_counts((RUNS / "pytest_q.txt").read_text("utf-8")).is_named
    assert not parse_counts((RUNS / "pytest_xdist_v.txt").read_text("utf-8")).is_named
    assert not RunCounts(3, 0).is_named


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/test_a.py::TestGroup::test_in", "tests.test_a.TestGroup::test_in"),
        ("tests/test_a.py::test_text[p/q[r]]", "tests.test_a.test_text[p/q[r]]"),
        ("tests/test_b.py", "tests.test_b"),
        ("`a.test.ts > parse > adds 2`", "a.test.ts::parse › adds 2"),
    ],
)
def test_a_test_is_known_again_in_another_spelling(one: str, other: str) -> None:
    assert same_test(one) == same_test(other)


def test_other_parameters_are_another_test() -> None:
    assert same_test("t.py::a[x/y]") != same_test("t.py::a[x.y]")


def test_ids_are_one_line_of_bounded_length_each_once() -> None:
    assert as_ids(["a\nb", "a b", "", "c" * 1000]) == ("a b", "c" * LONGEST)


def test_a_part_that_fails_is_named_though_its_test_was_known_to_fail() -> None:
    text = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\n    --- FAIL: TestA/two (0.00s)\nFAIL\tp\t0.1s\n"
    assert parse_counts(text).failing == ("p.TestA/one", "p.TestA/two")
