"""What holds of every text that is read: no crash, no lost character, two readers that agree."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from orchestrator.drivers import registry
from orchestrator.drivers.base import traits_of
from orchestrator.drivers.streams import event_in
from orchestrator.drivers.weather import classify
from orchestrator.errors import Problem
from orchestrator.formats.junit import JUnitError, read_junit
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.plan_outline import read_outline
from orchestrator.formats.printed import plan_in, report_in
from orchestrator.formats.settings_file import read_settings
from orchestrator.formats.task_file import read_micro_plan
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.full_yaml import YamlFault, read_full
from orchestrator.markdown.plain_yaml import NotPlain, read_plain
from orchestrator.markdown.second_opinion import second_opinion
from orchestrator.markdown.source import Source, Span
from orchestrator.masking import mask
from orchestrator.model.counts import parse_counts
from orchestrator.model.log import LogEntry, format_entry, parse_entry
from orchestrator.model.paths_in_text import paths_in
from orchestrator.model.review import read_answer
from orchestrator.model.settings import Worker
from orchestrator.model.step_paths import mentions
from orchestrator.process.looking import Ended
from orchestrator.process.plain_output import plain_output
from orchestrator.views.printable import printable
from orchestrator.views.problems import problems_text
from tests.drivers.turns import new_order
from tests.formats.outlines import UNSEEN, seen
from tests.fuzz.inputs import texts
from tests.markdown.oracle import compare
from tests.markdown.test_scanner import known_difference


def document(data: bytes) -> None:
    (text,) = texts(data, 1)
    doc = Document.parse(text, "t")
    assert str(doc) == text
    assert "".join(block.span.of(text) for block in doc.blocks) == text
    for heading in doc.headings:
        assert heading.span.covers(heading.text_span)
    for item in doc.items:
        _check_item(item, text)
    for table in doc.tables:
        for row in (table.header, *table.rows):
            for index, cell in enumerate(row.cells):
                assert row.span.covers(cell.span) and row.cell(index) == cell
                assert cell.span.of(text).replace("\\|", "|") == cell.text
    _check_problems(doc.problems, text)
    second_opinion(doc)


def commonmark(data: bytes) -> None:
    (text,) = texts(data, 1)
    try:
        pairs = compare(text)
    except (IndexError, RecursionError):
        # The reference itself fails on some texts that end within an HTML block.
        return
    assert [pair for pair in pairs if not known_difference(text, *pair)] == []


def front_matter(data: bytes) -> None:
    (body,) = texts(data, 1)
    try:
        entries = read_plain(Source(body), 0, len(Source(body).bounds[0]))
    except NotPlain:
        return
    try:
        assert entries == read_full(body, 0)
    except YamlFault as fault:
        assert fault.is_long, fault.message


def plan(data: bytes) -> None:
    (text,) = texts(data, 1)
    read = read_plan(Document.parse(text, "p"), 5)
    _check_problems(read.problems, text)
    outline = read_outline(text, "p", 5)
    if outline is not None:
        assert seen(outline) == seen(read.value)
        assert {problem.code for problem in read.problems} <= UNSEEN


def settings(data: bytes) -> None:
    (text,) = texts(data, 1)
    _check_problems(read_settings(Document.parse(text, "o"), "o").problems, text)


def printed(data: bytes) -> None:
    (text,) = texts(data, 1)
    for part in (plan_in(text, ("5.1.1", "T1.1-parse")), report_in(text)):
        if part is not None:
            read_micro_plan(Document.parse(part))
    mentions(text)
    paths_in(text)
    read_answer(text)


def output(data: bytes) -> None:
    (text,) = texts(data, 1)
    parse_counts(text)
    classify(text)
    assert plain_output(plain_output(text)) == plain_output(text)
    assert printable(printable(text)) == printable(text)
    mask(text)
    with contextlib.suppress(JUnitError):
        read_junit(data)


def events(data: bytes) -> None:
    """The streams of all agent programs: a turn always has a result, what is told of it can be written down."""
    _stream().write_bytes(data)
    found = [event for line in data.split(b"\n") if (event := event_in(line)) is not None]
    for name in registry.TABLE:
        driver = registry.find(name)
        traits = traits_of(driver)
        if traits.tally is not None:
            tally = traits.tally()
            for event in found:
                tally.hear(event)
            assert all(0 <= value < 1e18 for value in tally.sums().values())
        if traits.teller is not None:
            tell = traits.teller()
            for event in found:
                tell(event).encode()
        order = new_order(_stream().parent, Worker("small", name), session="s")
        result = driver.result(order, Ended(1, None, "exit", 0.0, 1.0, _stream(), _stream()))
        "\n".join((result.text, result.message, result.session, result.model)).encode()
        assert all(0 <= value < 1e18 for value in result.usage.values())


def log(data: bytes) -> None:
    text, value = texts(data, 2)
    parse_entry(text)
    entry = LogEntry("2026-11-29T10:00:00Z", "ended", {"why": value})
    assert parse_entry(format_entry(entry)) == entry


def _check_item(item: Item, text: str, outer: Span | None = None) -> None:
    assert outer is None or outer.covers(item.span)
    assert item.span.covers(item.text_span)
    if item.box_span is not None:
        assert item.box_span.of(text) == item.box
    for child in item.children:
        _check_item(child, text, item.span)


def _check_problems(problems: tuple[Problem, ...], text: str) -> None:
    lines = len(Source(text).bounds[0])
    for problem in problems:
        assert problem.at is None or 0 <= problem.at.line <= max(lines, 1)
    problems_text(problems)


def _stream() -> Path:
    if not _FOLDER:
        _FOLDER.append(tempfile.TemporaryDirectory(prefix="orch-fuzz-"))
    return Path(_FOLDER[0].name) / "stream"


_FOLDER: list[tempfile.TemporaryDirectory[str]] = []

TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (document, commonmark, front_matter, plan, settings, printed, output, events, log)
}
