"""A service that failed is asked one small question before the next true turn: once, bounded, and booked."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.process.carriers import carriers
from tests.e2e.test_agent_workers import ID, PLAN, TASK, WORK, fact, take_out_until, todo
from tests.e2e.test_edits_during_a_run import running
from tests.process.runs import until
from tests.support.endings import git
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, planned
from tests.support.recordings import Recorded
from tests.support.stub_agent import Stub, failed, said, stub_agent, worker_line

QUOTA = failed("429", "Try again in 2h.")
DOWN = failed("storm", "Try again in 2h.")
ANSWER = said("OK", session="", usd=0.125)
WANTED = os.environ.get("ORCH_CRASH_STEPS", "4")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")


def made(
    tmp_path: Path, turns: Sequence[Recorded], probes: Sequence[Recorded], *, settings: str = "", **more: object
) -> tuple[Path, Stub]:
    """One whose first turn has met a quota that is over by now."""
    stub = stub_agent(tmp_path / "stub", turns, probes=probes)
    folder = planned(tmp_path / "repo", [TASK], settings=settings, worker=worker_line(stub, **more))
    assert run_orch(folder, "next-wave", "--auto").code == 5
    take_out_until(folder)
    return folder, stub


def go_on(folder: Path, **more: dict[str, object]) -> Left:
    return run_orch(folder, "next-wave", "--auto", **more)  # type: ignore[arg-type]


def told(folder: Path, event: str) -> list[str]:
    """What the lines of that event say, without what differs from run to run."""
    lines = re.findall(rf"Z {event} (.*)\n", todo(folder))
    return [re.sub(r"\d{4}-\d\d-\d\dT\S+Z|[0-9a-z]{32}", "…", line) for line in lines]


def test_a_service_that_answers_lets_the_turn_go_on_and_the_question_is_booked(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [QUOTA, PLAN, WORK], [ANSWER])
    assert "orch will ask its worker's service whether it works, claude failed the last time" in status(folder)
    left = go_on(folder)

    assert left.code == 0, left
    assert (stub.probes, stub.calls) == (["Answer with the one word OK."], 3)
    assert told(folder, "probing") == ["driver=claude tier=small model=model-1 marker=…"]
    assert told(folder, "probed") == ["driver=claude outcome=finished usd=0.1250 in=1000 out=20 cached=100"]
    assert fact(folder, "cost") == "{input: 3000, output: 60, usd: 0.8750}"
    assert "1 probe" not in left.out and "$0.8750" in left.out
    words = (stub.folder / "probe1.argv").read_text("utf-8").splitlines()
    assert words[words.index("--permission-mode") + 1] == "plan"
    assert words[words.index("--model") + 1] == "model-1"
    assert words[words.index("--session-id") + 1] != ID == stub.words(2)[stub.words(2).index("--resume") + 1]
    assert git(folder, "show", "orch/1-things:a.dat") == "right"


def status(folder: Path) -> str:
    return run_orch(folder, "status").out


def probed(folder: Path) -> list[str]:
    """What came of the question that next-wave asks; the call is killed before the pause after it is over."""
    with running(folder):
        until(lambda: told(folder, "probed"), 60)
        return told(folder, "probed")


def test_a_service_that_still_fails_is_left_alone_for_longer_and_nobody_is_blamed(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [QUOTA, PLAN, WORK], [DOWN, DOWN, DOWN, DOWN, DOWN])
    for number in range(1, 6):
        left = go_on(folder)
        assert (left.code, stub.calls, len(stub.probes)) == (5, 1, number), left
        until = fact(folder, "until")
        assert f"claude rests until {until}: api-error: API Error: 529" in left.out
        assert f"claude rests until {until}: api-error: API Error: 529" in status(folder)
        assert go_on(folder).code == 5
        take_out_until(folder)
    left = go_on(folder)

    assert left.code == 0, left
    assert " failed " not in todo(folder)
    outcomes = [line.split(" ")[1] for line in told(folder, "probed")]
    assert outcomes == [*["outcome=api-error"] * 5, "outcome=finished"]
    assert (stub.calls, len(stub.probes)) == (3, 6)


def test_a_service_that_never_answers_is_given_up_after_its_time(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [QUOTA, PLAN, WORK], [Recorded(then="sleep 300")], timeout="8s")
    (line,) = probed(folder)
    assert stub.calls == 1
    assert line.startswith('driver=claude outcome=limit until=… why="limit: not over after 8s (`timeout`)" usd=unknown')
    assert fact(folder, "cost") == "{input: at least 0, output: at least 0, usd: at least 0.0000}"


def test_one_question_serves_all_that_wait_for_the_account(tmp_path: Path) -> None:
    others = [Task(str(number), (f"{number}.dat",)) for number in (2, 3)]
    stub = stub_agent(tmp_path / "stub", [QUOTA, QUOTA, QUOTA], probes=[DOWN])
    folder = planned(tmp_path / "repo", [TASK, *others], worker=worker_line(stub))
    assert run_orch(folder, "next-wave", "--auto").code == 5
    begun = stub.calls
    for path in (folder / "planning" / "tasks").iterdir():
        path.write_text(re.sub(r"^until: .*\n", "", path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")

    shown = status(folder)
    assert "1.1.1 planning Task 1: orch will ask its worker's service" in shown
    assert shown.count("waits until claude was asked whether it works (at 1.1.1)") == 2, shown
    left = go_on(folder)
    assert (left.code, stub.calls, len(stub.probes)) == (5, begun, 1), left
    assert status(folder).count("claude rests until") == 3


def test_a_worker_that_died_of_its_service_is_asked_about_before_its_relaunch(tmp_path: Path) -> None:
    storm = failed("storm", "Try again in 1s.")
    stub = stub_agent(tmp_path / "stub", [storm] * 4 + [PLAN, WORK])
    folder = planned(tmp_path / "repo", [TASK], worker=worker_line(stub))
    left = go_on(folder)

    assert left.code == 0, left
    # After each of the three that were weather, and after the fourth, which counted as a death.
    assert (stub.calls, len(stub.probes), todo(folder).count(" failed kind=died")) == (6, 4, 1)


def test_an_answer_that_is_no_fault_of_the_service_lets_the_turn_say_what_is_wrong(tmp_path: Path) -> None:
    bad = failed("400")
    folder, stub = made(tmp_path, [QUOTA, PLAN, WORK], [bad])
    left = go_on(folder)
    assert (left.code, stub.calls) == (0, 3), left
    assert told(folder, "probed")[0].startswith("driver=claude outcome=failed ")


def test_a_question_that_is_lost_with_the_machine_is_asked_again(tmp_path: Path) -> None:
    lost = Recorded(then="kill -9 $PPID; kill -9 $$")
    folder, stub = made(tmp_path, [QUOTA, PLAN, WORK], [lost])
    assert len(probed(folder)) == 1
    take_out_until(folder)
    assert go_on(folder).code == 0
    outcomes = [line.split(" ")[1] for line in told(folder, "probed")]
    assert (outcomes, stub.calls) == (["outcome=killed", "outcome=finished"], 3)


def test_a_question_at_work_is_waited_for_by_whoever_comes_after_an_orch_that_was_killed(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [QUOTA, PLAN, WORK], [replace(ANSWER, then="sleep 4")])
    with running(folder):
        until((stub.folder / "probe1.prompt").exists, 60)
    # orch was killed.
    assert "1.1.1 planning Task 1: claude is being asked whether it works" in status(folder)
    assert run_orch(folder, "wait", "--timeout", "60").code == 0
    left = go_on(folder)
    assert (left.code, len(stub.probes), len(told(folder, "probed"))) == (0, 1, 1), left


@pytest.mark.crash
@pytest.mark.timeout(36000)
def test_it_is_asked_and_booked_once_wherever_orch_is_killed(tmp_path: Path) -> None:
    folder, _ = made(tmp_path / "undisturbed", [QUOTA, PLAN, WORK], [ANSWER])
    log = tmp_path / "effects.log"
    assert go_on(folder, effects={"log": str(log)}).code == 0
    steps = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    about = [number for number, _, _, detail in steps if "probe" in detail]
    written = [number for number, _, _, detail in steps if detail.endswith("1.1.1.todo.md") and number > about[-1]]
    expected = (fact(folder, "cost"), git(folder, "rev-parse", "orch/1-things^{tree}"))
    every = [(step, when) for step in range(about[0] - 3, written[0] + 1) for when in ("before", "after")]
    chosen = every if WANTED == "all" else random.Random(SEED).sample(every, min(int(WANTED), len(every)))
    wrong = []
    for step, when in chosen:
        folder, stub = made(tmp_path / f"{step}-{when}", [QUOTA, PLAN, WORK], [ANSWER])
        assert go_on(folder, effects={"kill": step, "when": when}).code == -signal.SIGKILL
        assert go_on(folder).code == 0
        found = (fact(folder, "cost"), git(folder, "rev-parse", "orch/1-things^{tree}"))
        marks = re.findall(r"marker[=:] ?(\w+)", todo(folder))
        counts = (len(stub.probes), len(told(folder, "probing")), len(told(folder, "probed")))
        if (found, counts) != (expected, (1, 1, 1)) or any(carriers(mark) for mark in marks):
            wrong.append(f"{step} {when}: {found} {counts}")
    assert wrong == []
