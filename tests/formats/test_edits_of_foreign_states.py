"""Every edit of a state on every foreign one: only the expected lines change, it reads back, a second run does nothing.

The same over the states of the shared corpus that can be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from orchestrator.formats.new_state import taken_on
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
from orchestrator.model.state import BaselineRow, State
from orchestrator.model.status import Status, WaveStatus
from tests.formats.foreign_states import PLAN, STATES, WAVES, WRITTEN
from tests.formats.golden_states import READ
from tests.support.bare_plans import bare_plan
from tests.support.changed_lines import Changed, changed_lines
from tests.support.shared import shared_root

KEYS = {"branch": "orch/1-things", "base": "main", "fork": "1a2b3c4", "run": "k3f9"}
REPORT = ("- **Status:** done, abc1234", "- **Files:** `a.py`", "- **Deviations:** none", "- **Gotchas:** none")
CASES = [(f"{shape}, {written}", shape, written) for shape in STATES for written in WRITTEN]
CORPUS = sorted(READ) if shared_root() else []


@dataclass(frozen=True, slots=True)
class Set:
    """A state that orch has taken on, with its plan."""

    doc: Document
    plan: Plan

    @property
    def state(self) -> State:
        found = read_state(self.doc, self.plan, "s")
        assert [one for one in found.problems if one.is_error] == []
        return found.value


def foreign(name: str) -> Set:
    """One of the states by its name, as others wrote it."""
    root = shared_root()
    if name in READ and root is not None:
        text = (root / "corpus" / "state" / name).read_bytes().decode()
        return Set(Document.parse(text, "s"), bare_plan(READ[name].waves))
    shape, written = next((shape, written) for label, shape, written in CASES if label == name)
    return Set(Document.parse(WRITTEN[written](STATES[shape]), "s"), PLAN)


def ours(name: str) -> Set:
    there = foreign(name)
    return Set(taken_on(there.doc, there.plan, there.state, KEYS), there.plan)


def edited(there: Set, edit: Callable[[Document], Document]) -> tuple[Changed, State]:
    """What changed and how it reads; that a second run changes nothing is checked on the way."""
    new = edit(there.doc)
    assert edit(new).text == new.text
    assert edit(Document.parse(new.text, "s")).text == new.text
    return changed_lines(there.doc.text, new.text), Set(new, there.plan).state


every = pytest.mark.parametrize("name", [*(label for label, _, _ in CASES), *CORPUS])


@every
def test_taking_it_on_adds_keys_and_waves_and_changes_no_line(name: str) -> None:
    there = foreign(name)
    before = there.state
    changed, after = edited(there, lambda doc: taken_on(doc, there.plan, before, KEYS))
    assert (changed.removed, changed.places) == ((), 2)
    assert (after.run, after.branch, after.fork) == ("k3f9", "orch/1-things", "1a2b3c4")
    assert (after.board, [one.key for one in after.reports]) == (before.board, [one.key for one in before.reports])
    believed = {wave.number for wave in before.waves}
    assert [(wave.number, wave.status, wave.note) for wave in after.waves] == [
        (wave.number, WaveStatus.DONE, "not checked") if wave.number in believed else (wave.number, WaveStatus.OPEN, "")
        for wave in there.plan.waves
    ]


@every
@pytest.mark.parametrize("status", [Status.DONE, Status.PLAN_READY, Status.PENDING, Status.SKIPPED])
def test_a_status_changes_its_row_alone(name: str, status: Status) -> None:
    there = ours(name)
    for row in there.state.board:
        changed, after = edited(there, lambda doc, key=row.key: set_status(doc, key, status))  # type: ignore[misc]
        if row.status is status:
            assert changed == Changed((), (), 0)
            continue
        assert (len(changed.removed), len(changed.added), changed.places) == (1, 1, 1)
        assert ending(changed.removed[0]) == ending(changed.added[0])
        found = after.row(row.key)
        assert found is not None
        assert (found.status, found.title, found.note) == (status, row.title, row.note)
        assert [one for one in after.board if one.key != row.key] == [
            one for one in there.state.board if one.key != row.key
        ]


@every
def test_a_note_goes_into_an_empty_cell_alone(name: str) -> None:
    there = ours(name)
    for row in there.state.board:
        changed, after = edited(there, lambda doc, key=row.key: set_note_if_empty(doc, key, "a | b"))  # type: ignore[misc]
        found = after.row(row.key)
        assert found is not None
        if row.note or found.note == row.note:
            assert changed == Changed((), (), 0)
        else:
            assert (len(changed.removed), len(changed.added), found.note) == (1, 1, "a | b")


@every
def test_a_new_report_is_added_and_a_second_one_replaces_it(name: str) -> None:
    there = ours(name)
    for key in there.plan.in_waves():
        old = there.state.report(key)
        changed, after = edited(there, lambda doc, key=key: put_report(doc, key, "Title", REPORT))  # type: ignore[misc]
        report = after.report(key)
        assert report is not None and report.text.splitlines() == [*REPORT]
        assert changed.places <= 1
        assert len(after.reports) == len(there.state.reports) + (old is None)
        if old is None:
            assert changed.removed == ()
        else:
            assert set(map(str.strip, changed.removed)) <= {line.strip() for line in old.text.splitlines()}
        assert after.board == there.state.board


@every
def test_discovered_work_baseline_and_wave_rows_are_added_without_changing_a_line(name: str) -> None:
    there = ours(name)
    key = next(there.plan.in_waves())
    changed, after = edited(there, lambda doc: add_discovered(doc, key, ["one thing", "another `|` thing"]))
    assert (changed.removed, after.discovered) == ((), (f"{key}: one thing", f"{key}: another `|` thing"))
    row = BaselineRow(".", "unit", "pass", 12, 0, "1a2b3c4")
    changed, after = edited(there, lambda doc: set_baseline(doc, [row], ["unit: test_net"]))
    assert (changed.removed, after.baseline, after.known_failures) == ((), (row,), ("unit: test_net",))
    last = there.plan.waves[-1].number
    changed, after = edited(there, lambda doc: set_wave(doc, last, status=WaveStatus.CHECKING, commit="77aa012"))
    wave = after.wave(last)
    assert wave is not None and (wave.status, wave.commit) == (WaveStatus.CHECKING, "77aa012")
    assert (len(changed.removed), len(changed.added)) == (1, 1)
    changed, after = edited(there, lambda doc: set_state_key(doc, "stop", "lunch"))
    assert (changed.removed, len(changed.added), after.stop) == ((), 1, "lunch")


@every
def test_tasks_put_into_the_plan_get_rows_in_the_boards_form_and_rename_nothing(name: str) -> None:
    there = ours(name)
    waves = dict(READ[name].waves if name in READ else WAVES)
    is_local = "1.1.1" not in waves[1]
    early, late, last = ("T0.9-early", "T9.9-late", "T10.1-last") if is_local else ("1.1.7", "1.1.8", "1.9.1")
    pins = {spec.local_id: spec.key for spec in there.plan.specs if spec.local_id}
    waves |= {1: (early, *waves[1], late), 9: (last,)}
    plan = bare_plan(waves, pins=pins)
    changed, after = edited(Set(there.doc, plan), lambda doc: sync_rows(doc, plan))
    # The one line that changes is that of the pins, which grows.
    assert [line.startswith("ids: {") for line in changed.removed] == [True] * is_local
    assert all(line.rstrip("}\r\n") in "".join(changed.added) for line in changed.removed)
    new = {spec.key for spec in plan.specs} - {spec.key for spec in there.plan.specs}
    assert len(new) == 3
    assert [row for row in after.board if row.key not in new] == [*there.state.board]
    assert [row.key for row in after.board] == [*plan.in_waves()]
    assert {row.status for row in after.board if row.key in new} == {Status.PENDING}
    rows = [line.strip().replace("\t", " ") for line in changed.added if early in line and not line.startswith("ids:")]
    assert rows == [ROWS[name if name in READ else name.split(",")[0]]]


ROWS = {
    "boxes with words": "- [ ] `T0.9-early` (pending) — Title of T0.9-early",
    "boxes without words": "- [ ] **T0.9-early**: Title of T0.9-early",
    "boxes in one list": "* [ ] T0.9-early - Title of T0.9-early",
    "a table of local ids": "| T0.9-early | pending | |",
    "underlined headings": "| 1 | T0.9-early | Title of T0.9-early | pending | |",
    "AndrewBrown-USDA__pypkgtest__STATE_1.md": "| 1.1.7 | pending | |",
    "AndrewBrown-USDA__web-source-bundler__STATE_1.md": "- [ ] `T0.9-early` (pending) — Title of T0.9-early",
    "rocklambros__zerg__.gsd__STATE.md": "| T0.9-early | pending | | |",
}
"""The row of a task put in before all others, in the form that each board has."""


def ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
