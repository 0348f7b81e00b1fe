"""Random people at the board against a small model: what is allowed is followed, all else is left as it stands.

The model knows nothing of logs and crashes: for each task where it stands and what its cell says.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.test_hand_edits import OWN, board, reordered, with_a_foreign_row
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned

WORDS = (
    *("pending", "approved", "blocked", "skipped", "needs-input", "done"),
    *("running", "verified", "plan-ready", "planning", "banana", "✅ Done", "To Do", "n/a"),
)
MEANS = {"✅ Done": "done", "To Do": "pending", "n/a": "skipped"}
PARKS = ("blocked", "skipped", "needs-input", "done")
KEYS = ("1.1.1", "1.1.2", "1.1.3")
REST = "1.1.4"
"""A task that nobody touches: it keeps the wave open."""
STATUS = 3


@dataclass(slots=True)
class Person:
    """What one task should come to. `word` is orch's last one; `cell` what stands there."""

    stage: str = "fresh"
    word: str = "pending"
    cell: str = "pending"
    was: set[str] = field(default_factory=set)
    """The words that only orch writes and that it has written here."""
    log: list[str] = field(default_factory=list)

    def edit(self, word: str) -> None:
        self.cell = word
        self.log.append(f"edit {word}")

    def call(self) -> None:
        """What next-wave makes of it, with `gate: stop`."""
        self.log.append("call")
        wanted = MEANS.get(self.cell, self.cell)
        if wanted != self.word and not self._follow(wanted):
            return
        if self.stage == "fresh":
            self._become("plan-ready", "plan-ready")
            self.was |= {"planning", "plan-ready"}
        elif self.stage == "approved":
            self._become("landed", "done")
            self.was |= {"running", "verifying", "verified"}

    def _follow(self, wanted: str) -> bool:
        if wanted in self.was:
            # An old copy of the board was saved, not a wish.
            self.cell = self.word
            return False
        if self.stage == "landed":
            if wanted == "approved":
                # It is past its gate: an old copy of the board was saved, not a wish.
                self.cell = self.word
            return False
        if wanted == "approved" and self.stage == "plan-ready":
            self._become("approved", "approved")
        elif wanted == "pending":
            self._become("fresh", "pending")
        elif wanted in PARKS:
            # A cell that says it in other words is the person's own, and stays.
            self.stage, self.word = "parked", wanted
        else:
            return False
        return True

    def _become(self, stage: str, word: str) -> None:
        self.stage = stage
        self.word = self.cell = word


def set_cell(text: str, key: str, index: int, word: str) -> str:
    """The text with a cell of the task's row changed, counted from 0; -1 is the last one."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        cells = line.removesuffix("|").split(" | ")
        if len(cells) > STATUS and cells[1] == key:
            cells[index] = word
            lines[number] = " | ".join(cells).rstrip() + " |"
    return "\n".join(lines)


SHAPES: list[Callable[[str], str]] = [
    reordered,
    lambda text: text if OWN in text else text + OWN,
    lambda text: text if "1.1.77" in text else with_a_foreign_row(text),
    lambda text: (
        text.replace("\n## Wave board", "\n\nA remark above the board.\n\n## Wave board", 1)
        if "A remark" not in text
        else text
    ),
]


@pytest.mark.parametrize("seed", range(6))
def test_random_people_are_followed_or_refused_as_the_table_says(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tasks = [Task(str(number), (f"{number}.dat",)) for number in range(1, 5)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\n")
    state = folder / "planning" / "STATE_1.md"
    people = {key: Person() for key in (*KEYS, REST)}
    notes = dict.fromkeys(people, "")

    def call() -> None:
        left = run_orch(folder, "next-wave")
        for one in people.values():
            one.call()
        trace = {key: one.log for key, one in people.items()}
        assert left.code in (3, 4), (left, trace)
        now = board(state.read_text("utf-8"))
        assert {key: now[key][STATUS] for key in people} == {key: one.cell for key, one in people.items()}, (
            left.out,
            trace,
        )
        assert {key: now[key][-1].rstrip(" |") for key in people} == notes, (left.out, trace)
        landed = git(folder, "log", "--format=%s", "main..orch/1-things").split()
        assert sorted(word for word in landed if word.isdigit()) == sorted(
            key[-1] for key, one in people.items() if one.stage == "landed"
        ), trace

    call()
    for _ in range(7):
        text = state.read_text("utf-8")
        for key in chance.sample(KEYS, chance.randint(1, 2)):
            # Half of the time what moves a task on, else anything.
            word = chance.choice(("approved", "pending")) if chance.random() < 0.5 else chance.choice(WORDS)
            text = set_cell(text, key, STATUS, word)
            people[key].edit(word)
        if chance.random() < 0.4:
            text = chance.choice(SHAPES)(text)
        if chance.random() < 0.4:
            key = chance.choice(KEYS)
            notes[key] = f"note {chance.randint(1, 99)} `a` \\| b"
            text = set_cell(text, key, -1, notes[key])
        state.write_text(text, "utf-8")
        call()
        assert (OWN in text) == (OWN in state.read_text("utf-8"))
        before = state.read_bytes()
        assert run_orch(folder, "next-wave").code in (3, 4)
        assert state.read_bytes() == before, "a second call has nothing to change"
