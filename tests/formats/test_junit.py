"""JUnit XML as reporters write it, as broken runs leave it, and as a hostile program would."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.formats.junit import JUnitError, merged, read_junit
from orchestrator.model.counts import parse_counts
from orchestrator.model.run_counts import RunCounts, same_test

RUNS = Path(__file__).resolve().parents[1] / "data" / "runners"
UNNAMED_IN_XML = " [part]"


def recorded(name: str) -> RunCounts:
    return read_junit((RUNS / name).read_bytes())


def test_what_real_reporters_write_is_read() -> None:
    assert recorded("jest.xml") == RunCounts(3, 3, ("of nothing", "parse empty: a › b", "parse adds 2"))
    assert recorded("vitest.xml") == RunCounts(
        3, 4, ("a.test.ts::of nothing", "a.test.ts::parse > empty: a > b", "a.test.ts::parse > adds 2", "b.test.ts")
    )
    assert recorded("pytest.xml")[:2] == (3, 10)
    assert recorded("pytest_xunit1.xml").failing[:2] == ("tests/test_b.py", "tests/test_a.py::test_text[p/q[r]]")


def test_the_forms_of_one_run_name_the_same_tests() -> None:
    printed = parse_counts((RUNS / "pytest_q.txt").read_text("utf-8")).failing
    names = {same_test(name.split(UNNAMED_IN_XML)[0]) for name in printed}
    assert {same_test(name) for name in recorded("pytest.xml").failing} == names
    assert {same_test(name) for name in recorded("pytest_xunit1.xml").failing} == names


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ('classname="a.B" name="t"', "a.B::t"),
        ('classname="a.B" name="t[1/2]" file="./a.py"', "a.py::B::t[1/2]"),
        ('classname="a" name="t" file="a.py"', "a.py::t"),
        ('classname="Parser" name="t" file="src\\p.test.js"', "src/p.test.js::Parser::t"),
        ('name="a.b" classname="" file="a/b.py"', "a/b.py"),
        ('classname="" name="a.b"', "a.b"),
        ('name="t"', "outer::inner::t"),
        ('classname="reads all" name="reads all"', "reads all"),
        ('classname="a" name="one&#10;two   three"', "a::one two three"),
    ],
)
def test_an_id_comes_from_file_class_or_suites(given: str, name: str) -> None:
    case = f"<testcase {given}><error/></testcase>"
    text = f'<testsuites><testsuite name="outer"><testsuite name="inner">{case}</testsuite></testsuite></testsuites>'
    assert read_junit(text.encode()).failing == (name,)


def test_failures_errors_and_skipped_ones_are_told_apart() -> None:
    text = (
        '<?xml version="1.0"?><j:testsuite xmlns:j="urn:x" name="s"><j:testcase name="ok"/>'
        '<j:testcase name="no"><j:failure/><j:system-out>out</j:system-out></j:testcase>'
        '<j:testcase name="bad"><j:error/></j:testcase><j:testcase name="later"><j:skipped/></j:testcase>'
        '<j:testcase name="no"><j:error/></j:testcase>'
        '<j:testcase name="again"><j:flakyFailure/><j:rerunFailure/></j:testcase></j:testsuite>'
    )
    assert read_junit(text.encode()) == RunCounts(2, 2, ("s::no", "s::bad"))


@pytest.mark.parametrize(
    "data",
    [
        b'<testsuite><testcase name="a"><failure>\x1b[31m red \xff</failure></testcase></testsuite>',
        b'<testsuite><testcase name="a"><failure>&#27;[31m &#x0; red</failure></testcase></testsuite>',
        b'<?xml version="1.0" encoding="klingon"?><testsuite><testcase name="a"><failure/></testcase></testsuite>',
        '<testsuite><testcase name="a"><failure>é</failure></testcase></testsuite>'.encode("utf-16"),
        b'<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuite><testcase name="a"><error/></testcase></testsuite>',
    ],
)
def test_what_tests_print_breaks_nothing(data: bytes) -> None:
    assert read_junit(data) == RunCounts(0, 1, ("a",))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "isn't whole XML: no element found in line 1"),
        (b"no xml", "isn't whole XML: syntax error in line 1"),
        (b'<testsuite>\n<testcase name="a">', "isn't whole XML: no element found in line 2"),
        (b"<assemblies/>", "begins with <assemblies>, not with <testsuites> or <testsuite>"),
        (b'<!DOCTYPE t [<!ENTITY a "b">]><testsuite/>', "declares entities, which no test report needs"),
        (
            b'<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite>&a;</testsuite>',
            "declares entities, which no test report needs",
        ),
    ],
)
def test_what_is_no_report_says_why(data: bytes, words: str) -> None:
    with pytest.raises(JUnitError) as caught:
        read_junit(data)
    assert str(caught.value) == words


def test_entities_are_refused_before_they_grow() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<!DOCTYPE t [<!ENTITY l0 "ha">{laughs}]><testsuite><testcase name="&l9;"/></testsuite>'
    with pytest.raises(JUnitError):
        read_junit(text.encode())


def test_deep_and_large_reports_cost_what_their_length_costs() -> None:
    deep = b'<testsuite name="s">' * 50_000 + b'<testcase name="x"/>' + b"</testsuite>" * 50_000
    assert read_junit(deep) == RunCounts(1, 0)
    large = b'<testsuite><testcase classname="a.b" name="x"><failure/></testcase>' + b"<p/>" * 50_000 + b"</testsuite>"
    assert read_junit(large) == RunCounts(0, 1, ("a.b::x",))


def test_several_files_are_one_run() -> None:
    assert merged([RunCounts(2, 1, ("a",)), RunCounts(1, 2, ("a", "b"))]) == RunCounts(3, 2, ("a", "b"))
