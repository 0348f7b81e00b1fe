"""Edits of STATE_N.md: each changes its own span and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.errors import DocumentError
from orchestrator.formats.new_state import new_state_text
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.state_edits import (
    add_discovered,
    put_report,
    set_baseline,
    set_note_if_empty,
    set_state_key,
    set_status,
    set_wave,
    sync_rows,
)
from orchestrator.formats.state_file import read_state
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.state import BaselineRow
from orchestrator.model.status import Status, WaveStatus
from tests.support.diffs import diff
from tests.support.planning import canonical, canonical_document, canonical_plan, key

STATE = canonical("STATE_5.md")
DOC = canonical_document("STATE_5.md")


def changed(new: Document, old: str = STATE) -> str:
    return diff(old, new.text)


def test_a_status_changes_one_cell() -> None:
    new = set_status(DOC, key("5.1.2"), Status.APPROVED)
    assert (
        changed(new)
        == """\
-| 1 | 5.1.2 | Store triggers | plan-ready | waiting for Ana |
+| 1 | 5.1.2 | Store triggers | approved | waiting for Ana |
"""
    )
    assert set_status(new, key("5.1.2"), Status.APPROVED).text == new.text


def test_a_status_without_a_row_is_refused() -> None:
    with pytest.raises(LookupError, match=r"the board has no row for 5\.9\.9"):
        set_status(DOC, key("5.9.9"), Status.DONE)


def test_a_note_goes_only_into_an_empty_cell() -> None:
    assert (
        changed(set_note_if_empty(DOC, key("5.1.1"), "a | b\nc"))
        == """\
-| 1 | 5.1.1 | Parse trigger definitions | done | |
+| 1 | 5.1.1 | Parse trigger definitions | done | a \\| b c |
"""
    )
    assert set_note_if_empty(DOC, key("5.1.2"), "mine").text == STATE


def test_foreign_boards_keep_their_columns_and_alignment() -> None:
    text = (
        "# State\r\n\r\n## Board\r\n\r\n| Status   | Who | Task    |\r\n|:---------|-----|--------:|\r\n"
        "| `todo`   | Ana | `5.1.1` |\r\n|todo|Ben|5.1.2|\r\n\r\nMy notes.\r\n"
    )
    doc = Document.parse(text)
    assert diff(text, set_status(doc, key("5.1.1"), Status.DONE).text) == (
        "-| `todo`   | Ana | `5.1.1` |␍\n+| done   | Ana | `5.1.1` |␍\n"
    )
    assert diff(text, set_status(doc, key("5.1.2"), Status.DONE).text) == "-|todo|Ben|5.1.2|␍\n+|done|Ben|5.1.2|␍\n"
    assert diff(text, sync_rows(doc, canonical_plan()).text) == "+| pending | | 5.2.1 |␍\n"


def test_missing_rows_come_in_at_their_place() -> None:
    without = STATE.replace("| 1 | 5.1.1 | Parse trigger definitions | done | |\n", "").replace(
        "| 2 | 5.2.1 | List triggers | pending | |\n", "| | 5.9.9 | gone | done | |\n"
    )
    new = sync_rows(Document.parse(without), canonical_plan())
    assert diff(without, new.text) == (
        "+| 1 | 5.1.1 | Parse trigger definitions | pending | |\n+| 2 | 5.2.1 | List triggers | pending | |\n"
    )
    board = new.text.partition("## Wave board")[2].partition("## Questions")[0]
    assert [line.split(" | ")[1] for line in board.split("\n")[4:8]] == ["5.1.1", "5.1.2", "5.2.1", "5.9.9"]
    assert sync_rows(new, canonical_plan()).text == new.text


def test_rows_come_in_at_the_end_of_a_file_without_final_newline() -> None:
    text = "# S\n\n## Wave board\n\n| Task | Status |\n| --- | --- |"
    new = sync_rows(Document.parse(text), canonical_plan())
    assert new.text == text + "\n| 5.1.1 | pending |\n| 5.1.2 | pending |\n| 5.2.1 | pending |"


def test_a_title_is_refreshed_only_while_nobody_has_edited_it() -> None:
    plan = canonical_plan()
    specs = tuple(replace(spec, title=f"New {spec.title}") for spec in plan.specs)
    titles = {spec.key: spec.title for spec in plan.specs}
    edited = STATE.replace("| Store triggers |", "| Store them |")
    new = sync_rows(Document.parse(edited), replace(plan, specs=specs), titles)
    assert (
        diff(edited, new.text)
        == """\
-| 1 | 5.1.1 | Parse trigger definitions | done | |
+| 1 | 5.1.1 | New Parse trigger definitions | done | |
-| 2 | 5.2.1 | List triggers | pending | |
+| 2 | 5.2.1 | New List triggers | pending | |
"""
    )
    assert sync_rows(DOC, replace(plan, specs=specs)).text == STATE


def test_a_waves_row_is_changed_and_a_missing_one_added_in_order() -> None:
    assert (
        changed(set_wave(DOC, 1, status=WaveStatus.DONE, suites="unit 826 passed", commit="77aa012"))
        == """\
-| 1 | open | | | flake: `test_clock` |
+| 1 | done | unit 826 passed | 77aa012 | flake: `test_clock` |
"""
    )
    assert changed(set_wave(DOC, 2, note="not checked")) == "-| 2 | open | | | |\n+| 2 | open | | | not checked |\n"
    assert changed(set_wave(DOC, 3, status=WaveStatus.CHECKING)) == "+| 3 | checking | | | |\n"
    assert set_wave(DOC, 2).text == STATE


def test_a_waves_note_of_a_persons_stays_and_one_of_orchs_gives_way() -> None:
    assert changed(set_wave(DOC, 1, note="blocked: 5.1.2")) == (
        "-| 1 | open | | | flake: `test_clock` |\n+| 1 | open | | | blocked: 5.1.2 |\n"
    )
    assert changed(set_wave(DOC, 1, note="")) == "-| 1 | open | | | flake: `test_clock` |\n+| 1 | open | | |  |\n"
    by_hand = Document.parse(STATE.replace("flake: `test_clock`", "Ana looks at it"))
    assert set_wave(by_hand, 1, note="blocked: 5.1.2").text == by_hand.text


def test_a_status_that_a_person_wrote_in_other_words_stays() -> None:
    by_hand = Document.parse(STATE.replace("| plan-ready |", "| **Plan ready** |"))
    assert set_status(by_hand, key("5.1.2"), Status.PLAN_READY).text == by_hand.text


def test_the_baseline_replaces_its_rows_and_adds_failures_that_are_new() -> None:
    rows = [BaselineRow(".", "unit", "fail", 800, 2, "9f8e7d6"), BaselineRow("ui", "e2e", "error", None, None, "")]
    new = set_baseline(DOC, rows, ["unit: `tests/test_net.py::test_timeout`", "unit: `test_b`"])
    assert (
        changed(new)
        == """\
-| . | unit | pass | 812 | 0 | 1a2b3c4 |
+| . | unit | fail | 800 | 2 | 9f8e7d6 |
+| ui | e2e | error | | | |
+- unit: `test_b`
"""
    )
    assert read_state(new, canonical_plan(), "").value.baseline == tuple(rows)


def test_a_baseline_without_suites_is_recorded_as_an_empty_table() -> None:
    plan = canonical_plan()
    fresh = Document.parse(new_state_text(plan, branch="b", base="m", fork="f", run="r"))
    new = set_baseline(fresh, [], [])
    assert diff(fresh.text, new.text) == (
        "+\n+| Repo | Suite | Result | Passed | Failed | Commit |\n+| --- | --- | --- | --- | --- | --- |\n"
    )
    assert read_state(new, plan, "").value.has_baseline


def test_everything_that_is_missing_is_added_to_a_foreign_file() -> None:
    plan = canonical_plan()
    doc = Document.parse("# My state\r\n\r\nNotes first.\r\n\r\n## Task Reports\r\n\r\n## Ideas\r\n\r\nLater.")
    doc = sync_rows(doc, plan)
    doc = set_wave(doc, 1, status=WaveStatus.OPEN)
    doc = set_baseline(doc, [BaselineRow(".", "unit", "pass", 1, 0, "abc")], ["unit: x"])
    doc = add_discovered(doc, key("5.1.1"), ["an idea"])
    doc = put_report(doc, key("5.1.1"), "T", ["- **Status:** done"])
    doc = set_state_key(doc, "run", "k3f9")
    assert (
        doc.text.replace("\r\n", "\n")
        == """\
---
run: k3f9
---
# My state

Notes first.

## Baseline

| Repo | Suite | Result | Passed | Failed | Commit |
| --- | --- | --- | --- | --- | --- |
| . | unit | pass | 1 | 0 | abc |

### Known failures

- unit: x

## Waves

| Wave | Status | Suites | Commit | Note |
| --- | --- | --- | --- | --- |
| 1 | open | | | |

## Wave board

| Wave | Task | Title | Status | Note |
| --- | --- | --- | --- | --- |
| 1 | 5.1.1 | Parse trigger definitions | pending | |
| 1 | 5.1.2 | Store triggers | pending | |
| 2 | 5.2.1 | List triggers | pending | |

## Task Reports

### 5.1.1 — T

- **Status:** done

## Ideas

Later.

## Discovered

- 5.1.1: an idea
"""
    )
    assert "\n" not in doc.text.replace("\r\n", "")


def test_discovered_work_is_listed_once() -> None:
    new = add_discovered(
        DOC, key("5.1.1"), ["`validate()` ignores empty cron strings", "a\n# b\n```", " one ", "one", ""]
    )
    assert changed(new) == "+- 5.1.1:\n+  > a\n+  > # b\n+  > ```\n+- 5.1.1: one\n"
    assert read_state(new, canonical_plan(), "").value.discovered == (
        "5.1.1: `validate()` ignores empty cron strings",
        "5.1.1: a\n# b\n```",
        "5.1.1: one",
    )
    assert add_discovered(new, key("5.1.1"), ["one", "a\n# b\n```"]).text == new.text


def test_nothing_is_written_into_a_file_whose_end_is_hidden() -> None:
    doc = Document.parse(STATE.replace("## Questions", "```\n## Questions"))
    plan: Plan = canonical_plan()
    for edit in (
        lambda: set_status(doc, key("5.1.1"), Status.DONE),
        lambda: sync_rows(doc, plan),
        lambda: set_wave(doc, 1, status=WaveStatus.DONE),
        lambda: set_baseline(doc, [], []),
        lambda: put_report(doc, key("5.1.1"), "T", ["- **Status:** done"]),
        lambda: add_discovered(doc, key("5.1.1"), ["x"]),
    ):
        with pytest.raises(DocumentError, match="this code fence never ends"):
            edit()


def test_edits_of_a_plan_of_many_tasks_keep_their_order() -> None:
    keys = [f"5.{wave}.{index}" for wave in range(1, 6) for index in range(1, 9)]
    rows = "".join(f"| {wave} | {', '.join(f'5.{wave}.{i}' for i in range(1, 9))} |\n" for wave in range(1, 6))
    plan = read_plan(Document.parse(f"## Waves\n\n| Wave | Tasks |\n| --- | --- |\n{rows}"), 5).value
    doc = Document.parse("# S\n\n## Board\n\n| Task | Status |\n| --- | --- |\n| 5.1.2 | done |\n| 5.3.4 | done |\n")
    state = read_state(sync_rows(doc, plan), plan, "").value
    assert [str(row.key) for row in state.board] == keys
