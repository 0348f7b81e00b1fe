"""The text of a STATE_N.md that doesn't exist yet, and what one that others wrote is given when orch takes it on."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.formats.board import HEADER, TITLE
from orchestrator.formats.board_edits import board_rows, with_pins
from orchestrator.formats.pins import KEY as IDS
from orchestrator.formats.row_names import names_of
from orchestrator.formats.state_edits import add_waves
from orchestrator.formats.state_file import DISCOVERED
from orchestrator.formats.state_tables import WAVES, WAVES_HEADER
from orchestrator.formats.table_rows import table_head
from orchestrator.markdown.document import Document
from orchestrator.markdown.front_matter_edits import set_key
from orchestrator.markdown.values import write_value
from orchestrator.model.plan import Plan
from orchestrator.model.state import State, WaveRow
from orchestrator.model.status import WaveStatus


def new_state_text(plan: Plan, *, branch: str, base: str, fork: str, run: str) -> str:
    """The text of a new state: all waves open, all tasks pending, no baseline yet."""
    names = names_of(plan, Document.parse(""))
    ids = f"{IDS}: {write_value({name: str(key) for name, key in names.local.items()})}\n" if names.local else ""
    waves = "".join(_wave_line(wave.number, WaveStatus.OPEN) for wave in plan.waves)
    title = f" — {' '.join(plan.title.split())}" if plan.title else ""
    return f"""---
orchestration: {plan.number}
branch: {write_value(branch)}
base: {write_value(base)}
fork: {write_value(fork)}
status: open
run: {write_value(run)}
{ids}---
# State {plan.number}{title}

## Baseline

## {WAVES}

{table_head(WAVES_HEADER)}{waves}
## {TITLE}

{table_head(HEADER)}{board_rows(plan, names)}
## Questions

## {DISCOVERED}
"""


def taken_on(doc: Document, plan: Plan, state: State, keys: Mapping[str, str]) -> Document:
    """A state that others wrote with what orch needs: these keys, its local ids pinned, a row for every wave.

    Waves that `state`, read from it, says are done without having been checked are written down as such.
    """
    for key, value in keys.items():
        doc = set_key(doc, key, value)
    rows = (state.wave(wave.number) or WaveRow(wave.number, WaveStatus.OPEN) for wave in plan.waves)
    return add_waves(with_pins(doc, plan), [*rows])


def _wave_line(number: int, status: WaveStatus) -> str:
    return f"| {number} | {status} | | | |\n"
