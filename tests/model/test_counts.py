"""Counts and names from what test runners print."""

from __future__ import annotations

import pytest

from orchestrator.model.counts import parse_counts

PYTEST = """\
============================= test session starts ==============================
collected 5 items

tests/test_a.py .F.E.                                                    [100%]

=========================== short test summary info ============================
FAILED tests/test_a.py::test_one - assert 1 == 2
FAILED tests/test_a.py::test_two[a - b] - ValueError: x
ERROR tests/test_a.py::test_three
============== 2 failed, 3 passed, 1 skipped, 1 error in 0.12s ===============
"""
UNITTEST = """\
.FE.s
======================================================================
FAIL: test_two (tests.test_a.TestA)
----------------------------------------------------------------------
Traceback (most recent call last):
AssertionError
======================================================================
ERROR: test_three (tests.test_a.TestA)
----------------------------------------------------------------------
Ran 5 tests in 0.001s

FAILED (failures=1, errors=1, skipped=1)
"""
GO = """\
--- FAIL: TestParse (0.00s)
    --- FAIL: TestParse/empty (0.00s)
        a_test.go:9: no
FAIL
FAIL\texample.org/a\t0.003s
ok  \texample.org/b\t0.002s
FAIL
"""
GO_VERBOSE = """\
=== RUN   TestParse
--- PASS: TestParse (0.00s)
=== RUN   TestOther
    --- PASS: TestOther/sub (0.00s)
--- PASS: TestOther (0.00s)
PASS
ok  \texample.org/a\t0.003s
"""
GO_BROKEN = """\
# example.org/a
./a.go:3:1: syntax error
FAIL\texample.org/a [build failed]
ok  \texample.org/b\t0.002s
FAIL
"""
CARGO = """\
running 2 tests
test parse::empty ... FAILED
test parse::full ... ok

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/it.rs
running 3 tests
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
JEST = """\
FAIL src/a.test.js
  ● parse › of nothing

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 2 skipped, 3 passed, 6 total
Snapshots:   0 total
"""
VITEST = """\
 FAIL  src/a.test.ts > parse > of nothing
AssertionError: expected 1 to be 2

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 3 passed (4)
"""
MOCHA = """\
  parse
    ✓ of all

  3 passing (8ms)
  1 failing

  1) parse
       of nothing:
"""
NODE = """\
TAP version 13
not ok 1 - of nothing
  ---
ok 2 - of all # SKIP
1..2
# tests 3
# pass 1
# fail 1
"""
NODE_SPEC = """\
✔ of all (0.5ms)
✖ of nothing (0.8ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

✖ of nothing (0.8ms)
"""


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        (
            PYTEST,
            (3, 3, ("tests/test_a.py::test_one", "tests/test_a.py::test_two[a - b]", "tests/test_a.py::test_three")),
        ),
        ("..\n2 passed in 0.01s\n", (2, 0, ())),
        ("\x1b[32m\x1b[1m14 passed\x1b[0m\x1b[32m in 0.02s\x1b[0m\r\n", (14, 0, ())),
        ("3 passed, 1 xfailed, 2 warnings in 61.02s (0:01:01)\n", (3, 0, ())),
        ("no tests ran in 0.00s\n", (0, 0, ())),
        ("1 failed in 0.1s\n4 passed in 0.2s\n", (4, 0, ())),
        (UNITTEST, (2, 2, ("tests.test_a.TestA.test_two", "tests.test_a.TestA.test_three"))),
        ("Ran 2 tests in 0.1s\n\nOK\n", (2, 0, ())),
        ("Ran 3 tests in 0.1s\n\nOK (skipped=1, expected failures=1)\n", (1, 0, ())),
        (GO, (None, 1, ("example.org/a.TestParse/empty",))),
        (GO_VERBOSE, (2, 0, ())),
        (GO_BROKEN, (None, 1, ("example.org/a",))),
        ("ok  \texample.org/a\t(cached)\n", (None, 0, ())),
        (CARGO, (4, 1, ("parse::empty",))),
        (JEST, (3, 1, ("src/a.test.js › parse › of nothing",))),
        (VITEST, (3, 1, ("src/a.test.ts > parse > of nothing",))),
        ("      Tests  4 passed (4)\n", (4, 0, ())),
        (MOCHA, (3, 1, ())),
        (NODE, (1, 1, ("of nothing",))),
        (NODE_SPEC, (1, 1, ("of nothing",))),
        ("5 examples, 1 failure, 1 pending\n", (3, 1, ())),
        ("OK (3 tests, 5 assertions)\n", (3, 0, ())),
        ("Tests: 5, Assertions: 9, Errors: 1, Failures: 1.\n", (3, 2, ())),
        ("75% tests passed, 1 tests failed out of 4\n", (3, 1, ())),
        ("[ERROR] Tests run: 9, Failures: 1, Errors: 1, Skipped: 2\n", (5, 2, ())),
        ("Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4\n", (3, 1, ())),
        ("", (None, None, ())),
        ("all good\n", (None, None, ())),
        ("FAIL something\nOK\n", (None, None, ())),
    ],
)
def test_each_known_runner_is_understood(output: str, counts: tuple[int | None, int | None, tuple[str, ...]]) -> None:
    assert parse_counts(output) == counts


def test_counts_have_names() -> None:
    counts = parse_counts("2 passed in 0.01s")
    assert (counts.passed, counts.failed, counts.failing) == (2, 0, ())


def test_a_hostile_output_costs_no_more_than_its_length() -> None:
    for text in ("1 passed, " * 20_000, "=" * 100_000, "\x1b[" * 50_000, "FAILED " + "a::" * 20_000, "1 a | " * 20_000):
        parse_counts(text)
