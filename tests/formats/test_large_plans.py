"""Large plans in every shape: nothing in the readers grows faster than the text."""

from __future__ import annotations

import gc
import time

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document

FIELDS = (
    "- **Must edit:** `src/a.py`\n- **Acceptance:** works\n- **Test:** `make`\n- **Depends on:** {}\n\n"
    "Prose: with a colon.\n\nMore prose, a line\nand another.\n\n"
)
HEAD = "# Execution plan 5 — X\n\n## Waves\n\n"


def row_a_wave(waves: int) -> str:
    rows = "".join(f"| {w} | {', '.join(f'`T{w}.{k}-slug`' for k in range(8))} | — |\n" for w in range(1, waves + 1))
    return f"{HEAD}| Wave | Tasks | Depends on |\n| --- | --- | --- |\n{rows}\n## Tasks\n\n" + sections(waves)


def row_a_task(waves: int) -> str:
    rows = "".join(f"| {w} | T{w}.{k}-slug | T1.1 |\n" for w in range(1, waves + 1) for k in range(8))
    return f"{HEAD}| Wave | Task | Depends on |\n| --- | --- | --- |\n{rows}\n## Tasks\n\n" + sections(waves)


def headings(waves: int) -> str:
    return "# X\n\n" + "".join(f"## Wave {w}\n\n" + sections(w, first=w) for w in range(1, waves + 1))


def boxes(waves: int) -> str:
    fields = "".join(f"  {line}\n" for line in FIELDS.split("\n")[:3])
    return "# X\n\n" + "".join(
        f"## Wave {w}\n\n" + "".join(f"- [ ] `T{w}.{k}-slug` — T\n{fields}" for k in range(8)) + "\n"
        for w in range(1, waves + 1)
    )


def sections(last: int, *, first: int = 1) -> str:
    return "".join(
        f"#### T{w}.{k}-slug — T\n\n" + FIELDS.format(f"T{w - 1}.{k}" if w > 1 else "none")
        for w in range(first, last + 1)
        for k in range(8)
    )


def seconds(text: str, tasks: int) -> float:
    best = float("inf")
    for _ in range(3):
        gc.collect()
        start = time.process_time()
        found = read_plan(Document.parse(text, "plan.md"), 5)
        best = min(best, time.process_time() - start)
        assert (len(found.value.specs), found.problems) == (tasks, ())
    return best


@pytest.mark.parametrize("shape", [row_a_wave, row_a_task, headings, boxes])
def test_four_times_the_plan_takes_less_than_eight_times_as_long(shape: object) -> None:
    assert callable(shape)
    assert seconds(shape(80), 640) < 8 * seconds(shape(20), 160)
