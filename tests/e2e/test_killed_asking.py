"""Questions asked and answered in calls that are killed with SIGKILL at a numbered step: it ends as undisturbed.

By default a seeded sample of the steps runs; ORCH_CRASH_STEPS=all runs every step, before and after it, and
ORCH_CRASH_STEPS=40 that many.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
from pathlib import Path

import pytest

from tests.e2e.test_questions import asking, queue
from tests.support.endings import Ending, ending
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, planned

pytestmark = pytest.mark.crash

WANTED = os.environ.get("ORCH_CRASH_STEPS", "2")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")
CALLS: tuple[tuple[str, ...], ...] = (
    ("next-wave",),
    ("approve", "1.1.2"),
    ("ask", "1.1.2", "Which name?", "--for", "orchestrator"),
    ("answer", "Q1", "yes,\nalways", "Q3", "this"),
    ("approve", "1.1.1", "--answer", "2=no"),
    ("next-wave",),
)
"""What is called, in this order; each call again until it leaves as it does undisturbed."""
CODES = (3, 0, 0, 0, 0, 0)


def prepared(folder: Path) -> Path:
    tasks = [asking("1", "Keep it?", "In UTC?"), Task("2", ("g.txt",))]
    return planned(folder, tasks, settings="gate: stop\njobs: 1\n")


def call(made: Path, index: int, effects: dict[str, object] | None = None) -> Left:
    return run_orch(made, *CALLS[index], effects=effects)


def again(made: Path, index: int) -> None:
    """The call once more, as whoever saw it die would make it: what is done already is no failure."""
    left = call(made, index)
    assert left.code == CODES[index] or (left.code == 6 and index == len(CALLS) - 1), left


def facts(made: Path) -> tuple[Ending, str, list[str]]:
    told = []
    for path in sorted((made / "planning" / "tasks").iterdir()):
        text = path.read_text("utf-8")
        told.append(text.partition("## Questions")[2].partition("\n## ")[0])
        told += sorted(re.findall(r" ((?:asked|answered) q=Q\d+ \S.*|answered q=Q\d+)$", text, re.MULTILINE))
    return ending(made), queue(made), told


@pytest.mark.timeout(36000)
def test_questions_end_alike_wherever_a_call_is_killed(tmp_path: Path) -> None:
    made = prepared(tmp_path / "undisturbed")
    places = []
    for index in range(len(CALLS)):
        log = tmp_path / f"effects-{index}.log"
        left = call(made, index, {"log": str(log)})
        assert left.code == CODES[index], left
        count = max(json.loads(line)[0] for line in log.read_text("utf-8").splitlines())
        # Of what no question takes part in the other scenarios tell enough.
        first = max(1, count - 30) if index == 0 else 1
        places += [(index, step, when) for step in range(first, min(count, 40) + 1) for when in ("before", "after")]
    expected = facts(made)
    wrong: list[str] = []
    chosen = places if WANTED == "all" else random.Random(SEED).sample(places, min(int(WANTED), len(places)))
    for index, step, when in chosen:
        made = prepared(tmp_path / f"killed-{index}-{step}-{when}")
        for earlier in range(index):
            assert call(made, earlier).code == CODES[earlier]
        left = call(made, index, {"kill": step, "when": when})
        try:
            assert left.code in (-signal.SIGKILL, CODES[index]), left
            again(made, index)
            for later in range(index + 1, len(CALLS)):
                again(made, later)
            assert facts(made) == expected
        except AssertionError as error:
            wrong.append(f"{' '.join(CALLS[index])}, {when} step {step}: {error}")
    assert not wrong, "\n".join(wrong)
