"""Random people at the board and at the branch, at random steps of one call, against a model of what has to come out.

The model: what they wrote is there once and as they left it; every task that nobody stopped has landed once, with its
own file alone; one that was stopped has landed before that was seen, or not at all.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.test_git_during_a_run import BRANCH, elsewhere
from tests.e2e.test_hand_edits import OWN, ROW, reordered, with_a_foreign_row, with_an_ending_of_windows
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned
from tests.support.steps import Step, stepped

STOPPED = "1.1.3"
BETTER = "better: "


@dataclass(slots=True)
class Person:
    """Somebody who acts on a repository, and remembers what has to be left of it."""

    folder: Path
    commits: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    has_section: bool = False
    has_stopped: bool = False
    did: list[str] = field(default_factory=list)

    @property
    def state(self) -> Path:
        return self.folder / "planning" / "STATE_1.md"

    def is_ready(self) -> bool:
        """Whether there is a board to write on and a branch to commit to."""
        there = self.state.exists() and len(ROW.findall(self.state.read_text("utf-8"))) >= 3
        return there and f"refs/heads/{BRANCH}" in git(self.folder, "for-each-ref", "--format=%(refname)")

    def save(self, text: str) -> None:
        self.state.write_bytes(text.encode())

    def read(self) -> str:
        return self.state.read_bytes().decode()

    def commit(self) -> None:
        name = f"theirs-{len(self.commits)}"
        elsewhere(self.folder, f"echo {name} > {name}; git add {name}; git commit -qm {name}")
        self.commits.append(name)

    def amend(self) -> None:
        if git(self.folder, "rev-list", f"main..{BRANCH}"):
            elsewhere(self.folder, f'git commit -q --amend -m "{BETTER}$(git log -1 --format=%s)"')

    def rebase(self) -> None:
        name = f"theirs-{len(self.commits)}"
        below = f"git checkout -q --detach main; echo {name} > {name}; git add {name}; git commit -qm {name}"
        elsewhere(
            self.folder,
            "top=$(git rev-parse HEAD)",
            below,
            "test $top = $(git rev-parse main) || git cherry-pick main..$top",
        )
        self.commits.append(name)

    def note(self) -> None:
        text, note = self.read(), f"note {len(self.did)} of **Ana**"
        fresh = re.sub(
            r"^(\| 1 \| 1\.1\.2 \|[^|\r\n]*\|[^|\r\n]*\|)[^|\r\n]*\|", rf"\1 {note} |", text, flags=re.MULTILINE
        )
        assert fresh != text, text
        self.save(fresh)
        self.notes["1.1.2"] = note

    def write_section(self) -> None:
        if not self.has_section:
            self.save(self.read() + OWN)
            self.has_section = True

    def reorder(self) -> None:
        if "\r" not in self.read():
            self.save(reordered(self.read()))

    def add_row(self) -> None:
        if "1.1.77" not in self.read() and "\r" not in self.read():
            self.save(with_a_foreign_row(self.read()))

    def convert(self) -> None:
        if "\r" not in self.read():
            self.save(with_an_ending_of_windows(self.read()))

    def stop(self) -> None:
        text = re.sub(r"^(\| 1 \| 1\.1\.3 \|[^|\r\n]*\|)[^|\r\n]*\|", r"\1 blocked |", self.read(), flags=re.MULTILINE)
        self.save(text)
        self.has_stopped = True


ACTS: list[Callable[[Person], None]] = [
    *(Person.commit, Person.amend, Person.rebase, Person.note, Person.note, Person.write_section),
    *(Person.reorder, Person.add_row, Person.convert, Person.stop),
]


@pytest.mark.parametrize("seed", range(5))
def test_what_random_people_do_at_random_steps_is_kept_and_every_task_lands_once(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tasks = [Task(str(number), (f"{number}.dat",)) for number in range(1, 4)]
    folder = planned(tmp_path / "repo", tasks, settings="jobs: 2\n")
    person = Person(folder)
    due = sorted(chance.sample(range(40, 330), 6))
    count = 0

    def visit(step: Step) -> None:
        nonlocal count
        count += 1
        if due and count >= due[0] and person.is_ready():
            due.pop(0)
            act = chance.choice(ACTS)
            act(person)
            person.did.append(f"{act.__name__} {step.when} {step.number} {step.kind} {step.detail[-40:]}")

    left = stepped(folder, "next-wave", "--auto", visit=visit)
    trace = (seed, person.did, left)
    assert not due, trace
    assert left.code in (0, 4), trace
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == (4 if left.code == 4 else 6), (trace, again)

    shown = git(folder, "log", "--format=+%s", "--name-only", f"main..{BRANCH}").split("\n")
    subjects = Counter(line.lstrip("+").replace(BETTER, "") for line in shown if line.startswith("+"))
    files = Counter(line for line in shown if line and not line.startswith("+"))
    has_landed = f"feat: task {STOPPED[-1]}" in subjects
    assert has_landed or person.has_stopped, trace
    landed = [task for task in tasks if task.key != STOPPED or has_landed]
    assert subjects == Counter([*(f"feat: task {task.id}" for task in landed), *person.commits]), trace
    assert files == Counter([*(task.creates[0] for task in landed), *person.commits]), trace

    text = person.read()
    assert text.replace("\r\n", "\n").count(OWN.strip("\n")) == person.has_section, (trace, text)
    rows = {match[1]: [cell.strip() for cell in match[0].split("|")[1:-1]] for match in ROW.finditer(text)}
    for key, note in person.notes.items():
        assert rows[key][-1] == note, (trace, text)
    for task in tasks:
        wanted = "blocked" if task.key == STOPPED and person.has_stopped else "done"
        assert rows[task.key][3] == wanted, (trace, text)
