"""One orchestration in two repositories: it ends as planned, three times alike, and wherever it is killed.

By default a seeded sample of kills runs; ORCH_CRASH_STEPS=50 runs that many, ORCH_CRASH_STEPS=all every step.
"""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.two_repositories import CALLS, CODES, call, came_to, prepared

WANTED = os.environ.get("ORCH_CRASH_STEPS", "2")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")
BRANCH = "orch/1-things"


def landed(folder: Path) -> list[str]:
    return sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n"))


@pytest.mark.timeout(36000)
def test_it_ends_as_planned_three_times_alike(tmp_path: Path) -> None:
    endings = []
    for time in ("first", "second", "third"):
        made = prepared(tmp_path / time)
        for index in range(len(CALLS)):
            left = call(made, index)
            assert left.code == CODES[index], (CALLS[index], left)
        endings.append(came_to(made))
    api, ui = tmp_path / "first" / "api", tmp_path / "first" / "ui"

    assert landed(api) == [
        'Revert "feat: task 2"',
        "feat: task 1",
        "feat: task 2",
        "feat: task 2",
        "feat: task 2",
        "feat: task 3",
        "feat: task 4",
    ]
    assert landed(ui) == [
        'Revert "feat: task 1"',
        "feat: task 1",
        "feat: task 1",
        "feat: task 1",
        "feat: task 2",
        "feat: task 3",
        "theirs",
    ]
    assert git(ui, "show", f"{BRANCH}:shared.dat") == "theirs and mine"
    assert git(ui, "show", f"{BRANCH}:high.dat") == "right"
    assert (git(api, "branch", "--show-current"), git(ui, "branch", "--show-current")) == ("main", "main")
    assert git(ui, "status", "--porcelain") == ""
    state = (api / "planning" / "STATE_1.md").read_text("utf-8")
    head, there = (git(folder, "rev-parse", "--short=7", BRANCH) for folder in (api, ui))
    assert f"| 3 | done | unit 5 passed; web 5 passed | {head}, ui {there} | |" in state
    assert "reverted once: 1.2.1, 1.2.2" in state
    assert f"git merge {BRANCH} && git -C {ui} merge {BRANCH}" in call(api, len(CALLS) - 1).out
    assert endings[1:] == endings[:-1]


@pytest.mark.crash
@pytest.mark.timeout(36000)
@pytest.mark.parametrize("on_branch", [False, True], ids=["branch elsewhere", "branch checked out"])
def test_it_ends_alike_wherever_it_is_killed(tmp_path: Path, on_branch: bool) -> None:
    made = prepared(tmp_path / "undisturbed", on_branch=on_branch)
    places = []
    for index in range(len(CALLS) - 1):
        log = tmp_path / f"effects-{index}.log"
        assert call(made, index, {"log": str(log)}).code == CODES[index]
        count = max(json.loads(line)[0] for line in log.read_text("utf-8").splitlines())
        places += [(index, step, when) for step in range(1, count + 1) for when in ("before", "after")]
    expected = came_to(made)
    wrong: list[str] = []
    chosen = places if WANTED == "all" else random.Random(SEED).sample(places, min(int(WANTED), len(places)))
    for index, step, when in chosen:
        made = prepared(tmp_path / f"killed-{index}-{step}-{when}", on_branch=on_branch)
        for earlier in range(index):
            assert call(made, earlier).code == CODES[earlier]
        left = call(made, index, {"kill": step, "when": when})
        try:
            assert left.code in (-signal.SIGKILL, CODES[index]), left
            for later in range(index, len(CALLS)):
                left = call(made, later)
                # What a killed call had closed already is not closed again.
                assert left.code == CODES[later] or (left.code == 6 and CODES[later] == 0), left
            assert came_to(made) == expected
        except AssertionError as error:
            wrong.append(f"{' '.join(CALLS[index])}, {when} step {step}: {error}")
    assert not wrong, "\n".join(wrong)
