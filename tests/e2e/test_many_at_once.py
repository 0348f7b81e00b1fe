"""Twenty commands at once on one set, and two orchestrators at the same moment: each is done whole or refused aloud."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.test_edits_during_a_run import until
from tests.e2e.test_questions import asking
from tests.support.endings import git
from tests.support.orch import begin_orch, left_of, run_orch
from tests.support.planned import Task, planned, planning, working

BRANCH = "orch/1-things"


ANSWERS = (
    *((("approve", key),) * 2 for key in ("1.1.1", "1.1.2")),
    (("approve", "1.1.3"), ("revise", "1.1.3", "-m", "not so"), ("block", "1.1.3", "--why", "wait")),
    (("answer", "Q1", "yes"), ("answer", "Q1", "no"), ("approve", "1.1.4", "--answer", "1=perhaps")),
    (("skip", "1.1.5", "--why", "not wanted"), ("approve", "1.1.5"), ("block", "1.1.5", "--why", "later")),
    (("rescope", "1.1.6", "--create", "more.dat", "--why", "needed"), ("approve", "1.1.6")),
    tuple(("ask", "1.1.6", f"What of {number}?") for number in range(5)),
)
"""What is typed at once, by what it is about: twenty commands."""


def test_of_twenty_commands_at_once_each_is_done_or_refused_and_none_is_lost(tmp_path: Path) -> None:
    tasks = [Task(str(number), (f"{number}.dat",)) for number in range(1, 7)]
    tasks[3] = asking("4", "Keep it?")
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    words = [one for group in ANSWERS for one in group]
    assert len(words) == 20
    calls = [begin_orch(folder, *one) for one in words]
    left = {(*one, str(at)): left_of(call) for at, (one, call) in enumerate(zip(words, calls, strict=True))}

    done: dict[str, list[str]] = {}
    for said, how in left.items():
        assert how.code in (0, 1), (said, how)
        # Who is refused is told why, at least in a line.
        assert how.code == 0 or how.err.startswith("error: ") or " not " in how.out, (said, how)
        if how.code == 0:
            done.setdefault(said[1], []).append(said[0])
    logs = {task.key: (folder / "planning" / "tasks" / f"{task.key}.todo.md").read_text("utf-8") for task in tasks}
    state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    # The second one of two is told that what it asked for is so.
    twice = [how.out.count("is approved already") for said, how in left.items() if said[1] in ("1.1.1", "1.1.2")]
    assert sum(twice) == 2, left
    assert [logs[key].count(" approved by=") for key in ("1.1.1", "1.1.2")] == [1, 1]
    # Words of different meaning follow one upon the other, each as it found the task; every one that counted is there.
    events = {
        "approve": " approved by=",
        "revise": " revised by=",
        "block": " decided to=blocked",
        "skip": "to=skipped",
    }
    for key, verbs in done.items():
        for verb in set(verbs) & events.keys():
            assert logs[key].count(events[verb]) >= 1, (verb, logs[key])
    asked = re.findall(r"What of (\d)\?", state.partition("## Questions")[2])
    assert sorted(set(asked)) == [said[2][8] for said, how in sorted(left.items()) if said[0] == "ask" and not how.code]
    numbers = re.findall(r"^- \*\*(Q\d+)|^### (Q\d+)", state, re.MULTILINE)
    assert len(numbers) == len(set(numbers))
    # Of three different answers to one question one counts, in STATE as in the plan.
    given = [said[-2].removeprefix("1=") for said, how in left.items() if said[1] in ("Q1", "1.1.4") and how.code == 0]
    assert len(given) == 1, left
    assert f"Answer: {given[0]}" in logs["1.1.4"] + state
    assert run_orch(folder, "check").code == 0
    assert run_orch(folder, "next-wave").code in (0, 3, 4)
    assert {"feat: task 1", "feat: task 2"} <= set(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n"))


def test_of_two_orchestrators_at_the_same_moment_one_works_and_one_is_told(tmp_path: Path) -> None:
    slow = Task("1", ("a.dat",))
    tasks = [Task("1", ("a.dat",), turns=(planning(slow), working(slow, delay=2)))]
    folder = planned(tmp_path / "repo", tasks)
    calls = [begin_orch(folder, "next-wave", "--auto") for _ in range(3)]
    pids = {call.pid: left_of(call) for call in calls}
    assert sorted(left.code for left in pids.values()) == [0, 75, 75], pids
    worked = next(pid for pid, left in pids.items() if left.code == 0)
    for left in pids.values():
        assert left.code == 0 or f"process {worked} on " in left.err, left
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"


@pytest.mark.parametrize("step", [40, 75])
def test_one_that_begins_while_the_other_dies_is_told_or_goes_on_with_its_workers(tmp_path: Path, step: int) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))])
    first = begin_orch(folder, "next-wave", "--auto", effects={"stop": step})
    os.waitid(os.P_PID, first.pid, os.WSTOPPED | os.WNOWAIT)
    # It stands, and holds its lock: not dead yet.
    told = run_orch(folder, "next-wave", "--auto")
    assert (told.code, f"process {first.pid} on " in told.err) == (75, True), told
    second = begin_orch(folder, "next-wave", "--auto")
    time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    left = left_of(second)
    left_of(first)
    assert left.code in (0, 75), left
    if left.code == 75:
        left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n")) == ["feat: task 1", "feat: task 2"]
    assert run_orch(folder, "next-wave", "--auto").code == 6


def test_a_call_whose_lock_is_deleted_changes_nothing_more_once_another_has_taken_it(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    slow = [Task(one.id, one.creates, turns=(planning(one), working(one, delay=2))) for one in tasks]
    folder = planned(tmp_path / "repo", slow)
    first = begin_orch(folder, "next-wave", "--auto")
    for task in tasks:
        until(folder, task.key, "running")
        # From its closing line on nothing is written until a worker ends, which would put the lock back.
        while "board status=running" not in (folder / "planning" / "tasks" / f"{task.key}.todo.md").read_text("utf-8"):
            time.sleep(0.02)
    (folder / ".git" / "orch-run.lock").unlink()
    second = begin_orch(folder, "next-wave", "--auto")
    left, ousted = left_of(second), left_of(first)
    assert (left.code, ousted.code) == (0, 75), (left, ousted)
    assert f"another orchestrator took its place: process {second.pid} on " in ousted.err
    # Two that write in the same files would say everything twice, and count an attempt for each.
    for task in tasks:
        log = (folder / "planning" / "tasks" / f"{task.key}.todo.md").read_text("utf-8").split("\n## Log\n")[1]
        events = re.findall(r"^- \S+ (ended|verified|landed)\b", log, re.MULTILINE)
        assert events == ["ended", "ended", "verified", "landed"], log
    assert sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n")) == ["feat: task 1", "feat: task 2"]
    assert run_orch(folder, "next-wave", "--auto").code == 6
