"""A wave whose suites go red, killed with SIGKILL at a numbered step and continued, ends as if nothing had happened.

By default a seeded sample of the steps after the landings runs; ORCH_CRASH_STEPS=all runs every step, before and after
it, and ORCH_CRASH_STEPS=40 that many.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
from pathlib import Path

import pytest

from tests.e2e.test_suites import state
from tests.support.endings import Ending, ending, git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned
from tests.support.suite import FILES, breaking, suite

pytestmark = pytest.mark.crash

MOST_CALLS = 8
WANTED = os.environ.get("ORCH_CRASH_STEPS", "2")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")


def prepared(folder: Path, *, on_branch: bool) -> Path:
    """A wave of three, two of which break the suite: one mends it in its retry, one is blocked in the end."""
    tasks = [breaking("1", "one"), Task("2", ("f2.dat",)), breaking("3", "two", "three", mends=False)]
    settings = suite(folder.with_suffix(".runs")) + "jobs: 1\n" + ("branch: current\n" if on_branch else "")
    made = planned(folder, tasks, settings=settings, files=FILES)
    if on_branch:
        git(made, "checkout", "-q", "-b", "work")
    return made


def to_the_end(folder: Path) -> None:
    """Call next-wave until a call changes nothing more: the wave rests on its blocked task."""
    before = ""
    for _ in range(MOST_CALLS):
        left = run_orch(folder, "next-wave", "--auto")
        assert left.code == 4, left
        if state(folder) == before:
            return
        before = state(folder)
    raise AssertionError("next-wave never came to its end")


def facts(folder: Path) -> tuple[Ending, list[str], list[str]]:
    """What it came to: the ending, which landings and reverts have refs, and what the todo files tell of them."""
    refs = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch").split("\n")
    names = sorted(name.split("/", 3)[3] for name in refs if "/landed-" in name or "/reverted-" in name)
    told = []
    for path in sorted((folder / "planning" / "tasks").iterdir()):
        text = path.read_text("utf-8")
        keys = [line for line in text.split("\n") if line.startswith(("counts:", "landed:", "reverted:"))]
        told.append(re.sub(r"\b[0-9a-f]{12}\b", "HASH", f"{path.name} {' '.join(keys)}"))
    return ending(folder), names, told


def undisturbed(folder: Path, *, on_branch: bool) -> tuple[tuple[Ending, list[str], list[str]], int]:
    """What it comes to when nobody kills it, and how many steps the first call has."""
    made = prepared(folder, on_branch=on_branch)
    log = folder.with_suffix(".effects")
    left = run_orch(made, "next-wave", "--auto", effects={"log": str(log)})
    assert left.code == 4, left
    count = max(json.loads(line)[0] for line in log.read_text("utf-8").splitlines())
    to_the_end(made)
    return facts(made), count


@pytest.mark.timeout(36000)
@pytest.mark.parametrize("on_branch", [False, True], ids=["branch elsewhere", "branch checked out"])
def test_a_wave_that_was_killed_while_landings_are_taken_back_ends_alike(tmp_path: Path, on_branch: bool) -> None:
    expected, count = undisturbed(tmp_path / "undisturbed", on_branch=on_branch)
    # The first third is preparing and planning, which the demo's kills go through.
    every = [(step, when) for step in range(count // 3, count + 1) for when in ("before", "after")]
    kills = every if WANTED == "all" else random.Random(SEED).sample(every, min(int(WANTED), len(every)))
    wrong: list[str] = []
    for step, when in kills:
        made = prepared(tmp_path / f"killed-{step}-{when}", on_branch=on_branch)
        left = run_orch(made, "next-wave", "--auto", effects={"kill": step, "when": when})
        try:
            assert left.code in (-signal.SIGKILL, 4), left
            to_the_end(made)
            assert facts(made) == expected
        except AssertionError as error:
            wrong.append(f"{when} step {step}: {error}")
    assert not wrong, "\n".join(wrong)
