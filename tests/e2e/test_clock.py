"""The clock is set by a day or an hour, between calls and while one works: nothing is decided by it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.test_git_during_a_run import BRANCH, cell
from tests.support.endings import git
from tests.support.planned import Task, planned
from tests.support.steps import Step, stepped

DAY = 86400
WORDS = ("planning", "running", "verifying", "verified", "done")


@pytest.mark.parametrize(
    "shifts",
    [
        (DAY, 2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY),
        (-DAY, -2 * DAY, -3 * DAY, -4 * DAY, -5 * DAY),
        (DAY, -DAY, 0, -DAY, DAY),
    ],
    ids=["forward again and again", "back again and again", "to and fro"],
)
def test_a_clock_that_is_set_at_every_status_decides_nothing(tmp_path: Path, shifts: tuple[int, ...]) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    settings = "jobs: 1\nbudget: {time: 1h}\nsuites: {unit: 'true'}\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=settings)
    left = dict(zip(WORDS, shifts, strict=True))

    def visit(step: Step) -> None:
        word = next(iter(left), "")
        if word and cell(word)(folder, step):
            clock.write_text(str(left.pop(word)))

    done = stepped(folder, "next-wave", "--auto", visit=visit, clock=clock)
    assert not left
    assert done.code == 0, done
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}").count("feat") == 2
    # The times in the log are the clock's; how long a turn was at work is not.
    log = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
    took = [int(seconds) for seconds in re.findall(r" ended .*took=(\d+)", log)]
    assert took
    assert max(took) < 600, log
