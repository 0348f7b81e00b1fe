"""Workers that don't go when they should, and files that change between two looks: what lands was looked at once."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.test_life_of_a_task import BRANCH, landed, todo
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Scene, Task, planned, planning, report_text, working
from tests.support.steps import Step, stepped

GOOD = Task("1", ("good.dat",))
BAD = Task("2", ("bad.dat",))


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="who works in a folder is seen in /proc alone")
def test_a_worker_that_kills_its_guard_and_leaves_a_process_is_named_and_nobody_works_beside_it(tmp_path: Path) -> None:
    once, pid = tmp_path / "once", tmp_path / "pid"
    # The shell's parent plays the recording, and the parent of that one stands guard over it.
    kills = "kill -9 $(ps -o ppid= -p $PPID)"
    stays = f"env -i setsid sh -c 'echo $$ > {pid}; while :; do date > bad.dat; sleep 0.05; done'"
    hostile = f"test -e {once} || {{ touch {once}; ({stays} &) ; sleep 0.2; {kills}; sleep 30; }}"
    bad = Task("2", BAD.creates, turns=(planning(BAD), working(BAD, run=hostile)))
    folder = planned(tmp_path / "repo", [GOOD, bad])
    try:
        left = run_orch(folder, "next-wave", "--auto")
        assert left.code == 1, left
        assert landed(folder) == ["feat: task 1"]
        # What it runs at the moment is there too, or not.
        said = rf"its worker is gone without an end, but process.* {pid.read_text().strip()}\b.* still in "
        assert re.search(said, left.out + left.err), left
        assert "next: orch next-wave" in left.out
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 0, again
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]
    assert git(folder, "show", f"{BRANCH}:bad.dat") == "bad.dat"


def test_a_worker_that_hears_nothing_is_ended_at_its_time_and_its_sibling_lands(tmp_path: Path) -> None:
    deaf: Scene = {"turn": "plan", "run": "trap '' TERM INT HUP; while :; do sleep 1; done"}
    worker = (
        "small: {driver: scripted, script: planning/workers.yaml, timeout: 60s}\n"
        "  mid: {driver: scripted, script: planning/workers.yaml, timeout: 1s}"
    )
    bad = Task("2", BAD.creates, turns=(deaf,), extra="- **Tier:** mid")
    folder = planned(tmp_path / "repo", [GOOD, bad], worker=worker)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert landed(folder) == ["feat: task 1"]
    assert "the plan turn ended as limit" in todo(folder, BAD.key)


def test_a_report_that_claims_green_tests_stands_for_nothing(tmp_path: Path) -> None:
    claims = report_text(["bad.dat"]).replace("**Tests:** ran", "**Tests:** `false` passed, 12 of 12")
    bad = Task("2", BAD.creates, test="false")
    turns = (planning(bad), *(working(bad, turn, report=claims) for turn in ("execute", "retry")))
    folder = planned(tmp_path / "repo", [GOOD, Task("2", BAD.creates, test="false", turns=turns)])
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert landed(folder) == ["feat: task 1"]
    assert "the targeted test failed (exit 1): false" in todo(folder, BAD.key)


def swapped(folder: Path, moment: tuple[str, str], swap: Callable[[Path], None]) -> tuple[int, str]:
    """Run next-wave and stop it at each effect; at the first `moment`, before or after that command of git, at which
    the work is there, do `swap` with its workspace. Returns its exit code and the step it was done at."""
    state = folder.parent / "state"
    done: list[str] = []

    def visit(step: Step) -> None:
        work = list(state.rglob("work/*/sub/a.dat"))
        if not done and work and step.kind == "git" and (step.when, step.detail) == moment:
            swap(work[0].parents[1])
            done.append(f"{step.when} {step.detail}")

    left = stepped(folder, "next-wave", "--auto", visit=visit, env={"XDG_STATE_HOME": str(state)})
    return left.code, "".join(done)


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("moment", [("before", "update-index"), ("after", "update-index"), ("before", "update-ref")])
def test_what_is_swapped_for_a_link_between_two_looks_never_lands_as_what_it_points_to(
    tmp_path: Path, moment: tuple[str, str], what: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.dat").write_text("a secret of its user\n")
    task = Task("1", ("sub/a.dat",))
    folder = planned(tmp_path / "repo", [Task("1", task.creates, turns=(planning(task), working(task)))])

    def swap(workspace: Path) -> None:
        for path in (workspace / "sub" / "a.dat", workspace / "sub")[: 1 if what == "file" else 2]:
            path.unlink() if path.is_file() else path.rmdir()
        path.symlink_to(outside / path.relative_to(workspace / "sub"))

    code, done = swapped(folder, moment, swap)
    assert done == " ".join(moment)
    objects = git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").split("\n")
    blobs = [line.split(" ")[0] for line in objects if line.endswith(" blob")]
    assert not [one for one in blobs if "secret" in git(folder, "cat-file", "blob", one)]
    if moment[1] == "update-ref" or moment[0] == "after":
        assert code == 0
        assert git(folder, "ls-tree", "-r", BRANCH, "sub").startswith("100644 blob ")
        assert git(folder, "show", f"{BRANCH}:sub/a.dat") == "sub/a.dat"
