"""The demo's orchestration, killed with SIGKILL at a numbered step and continued, ends as if nothing had happened.

By default a seeded sample of the steps runs; ORCH_CRASH_STEPS=all runs every step, before and after it, and
ORCH_CRASH_STEPS=40 that many. `first`, `second` name the call of next-wave that is killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import pytest

from orchestrator.engine.demo import build, demo_environment
from tests.support.endings import Ending, ending, git
from tests.support.orch import run_orch

pytestmark = pytest.mark.crash

MOST_CALLS = 12

# Read when the module is loaded: the tests themselves run in a clean environment.
WANTED = os.environ.get("ORCH_CRASH_STEPS", "2")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")


# What it makes is ignored by git, and the tests need it.
SETUP = "worktree: {setup: mkdir -p textkit/__pycache__ && cp README.md textkit/__pycache__/made, inputs: [README.md]}"


def prepared(folder: Path, *, on_branch: bool = False, has_setup: bool = False) -> Path:
    """The demo's repository, its workers without delays; the integration branch checked out if asked for."""
    made = build(folder)
    script = made / "planning" / "demo_workers.yaml"
    script.write_text(script.read_text("utf-8").replace("delay: 0.1", "delay: 0"), "utf-8")
    if on_branch:
        git(made, "checkout", "-q", "-b", "work")
        settings = made / "planning" / "ORCH.md"
        settings.write_text(settings.read_text("utf-8").replace("gate: auto", "gate: auto\nbranch: current"), "utf-8")
    if has_setup:
        settings = made / "planning" / "ORCH.md"
        settings.write_text(settings.read_text("utf-8").replace("gate: auto", f"gate: auto\n{SETUP}"), "utf-8")
        plan = made / "planning" / "EXECUTION_PLAN_1.md"
        tests = plan.read_text("utf-8").replace("`python3 -m", "`test -e textkit/__pycache__/made && python3 -m")
        plan.write_text(tests, "utf-8")
    return made


def to_the_end(folder: Path, env: dict[str, str]) -> None:
    """Call next-wave --auto until nothing is left, as a loop in a shell would."""
    for _ in range(MOST_CALLS):
        left = run_orch(folder, "next-wave", "--auto", env=env)
        assert left.code in (0, 6), left
        if left.code == 6:
            return
    raise AssertionError("next-wave never came to its end")


def undisturbed(folder: Path, *, on_branch: bool, has_setup: bool) -> tuple[Ending, list[int]]:
    """What the demo comes to when nobody kills it, and how many steps each call had."""
    made = prepared(folder, on_branch=on_branch, has_setup=has_setup)
    env = demo_environment(os.environ)
    counts = []
    for call in range(MOST_CALLS):
        log = folder.parent / f"effects-{call}.log"
        left = run_orch(made, "next-wave", "--auto", env=env, effects={"log": str(log)})
        counts.append(max(json.loads(line)[0] for line in log.read_text("utf-8").splitlines()))
        if left.code == 6:
            return ending(made), counts
        assert left.code == 0, left
    raise AssertionError("the demo never came to its end")


def chosen(counts: list[int]) -> list[tuple[int, int, str]]:
    """(call, step, before or after) of the kills of this run."""
    every = [
        (call, step, when)
        for call, count in enumerate(counts[:-1])
        for step in range(1, count + 1)
        for when in ("before", "after")
    ]
    if WANTED == "all":
        return every
    return random.Random(SEED).sample(every, min(int(WANTED), len(every)))


@pytest.mark.timeout(36000)
@pytest.mark.parametrize(
    ("on_branch", "has_setup"),
    [(False, False), (True, False), (False, True)],
    ids=["branch elsewhere", "branch checked out", "with a setup"],
)
def test_a_run_that_was_killed_ends_like_one_that_was_not(tmp_path: Path, on_branch: bool, has_setup: bool) -> None:
    expected, counts = undisturbed(tmp_path / "undisturbed", on_branch=on_branch, has_setup=has_setup)
    env = demo_environment(os.environ)
    wrong: list[str] = []
    for call, step, when in chosen(counts):
        made = prepared(tmp_path / f"killed-{call}-{step}-{when}", on_branch=on_branch, has_setup=has_setup)
        for _ in range(call):
            assert run_orch(made, "next-wave", "--auto", env=env).code == 0
        left = run_orch(made, "next-wave", "--auto", env=env, effects={"kill": step, "when": when})
        try:
            assert left.code in (-signal.SIGKILL, 0), left
            to_the_end(made, env)
            assert ending(made) == expected
        except AssertionError as error:
            wrong.append(f"call {call}, {when} step {step}: {error}")
    assert not wrong, "\n".join(wrong)


def test_once_state_says_that_all_is_done_nothing_is_left_for_a_call_to_do(tmp_path: Path) -> None:
    made, env, log = prepared(tmp_path / "demo"), demo_environment(os.environ), tmp_path / "effects.log"
    for _ in range(2):
        log.unlink(missing_ok=True)
        assert run_orch(made, "next-wave", "--auto", env=env, effects={"log": str(log)}).code == 0
    steps = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    written = [at for at, (_, _, kind, name) in enumerate(steps) if kind == "replace" and name.endswith("STATE_1.md")]
    assert {kind for _, _, kind, _ in steps[written[-1] + 1 :]} <= {"git"}
    assert run_orch(made, "next-wave", "--auto", env=env).code == 6
