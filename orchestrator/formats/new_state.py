"""The text of a STATE_N.md that doesn't exist yet."""

from __future__ import annotations

from orchestrator.formats.board import HEADER, TITLE
from orchestrator.formats.state_file import DISCOVERED
from orchestrator.formats.state_tables import WAVES, WAVES_HEADER
from orchestrator.formats.table_rows import row_text, table_head
from orchestrator.markdown.values import write_value
from orchestrator.model.plan import Plan
from orchestrator.model.status import Status, WaveStatus


def new_state_text(plan: Plan, *, branch: str, base: str, fork: str, run: str) -> str:
    """The text of a new state: all waves open, all tasks pending, no baseline yet."""
    waves = "".join(f"| {wave.number} | {WaveStatus.OPEN} | | | |\n" for wave in plan.waves)
    titles = {spec.key: spec.title for spec in plan.specs}
    columns = {name.casefold(): index for index, name in enumerate(HEADER)}
    rows = ""
    for key in plan.in_waves():
        values = {"wave": str(key.wave), "task": str(key), "title": titles.get(key, ""), "status": Status.PENDING}
        rows += row_text(values, columns, len(HEADER)) + "\n"
    title = f" — {' '.join(plan.title.split())}" if plan.title else ""
    return f"""---
orchestration: {plan.number}
branch: {write_value(branch)}
base: {write_value(base)}
fork: {write_value(fork)}
status: open
run: {write_value(run)}
---
# State {plan.number}{title}

## Baseline

## {WAVES}

{table_head(WAVES_HEADER)}{waves}
## {TITLE}

{table_head(HEADER)}{rows}
## Questions

## {DISCOVERED}
"""
