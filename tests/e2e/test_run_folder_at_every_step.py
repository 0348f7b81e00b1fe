"""The run folder, with all that orch keeps outside the repository, deleted at any step: the end is the same.

The call is killed with SIGKILL before the step, and its workers with it, as when a machine stops; or it is stopped
there, the folder taken away under it, and it goes on. What may differ is what no file and no ref holds: a turn that
was under way, or whose end nobody had written down yet, is taken again, and the killed one stands in the log; of an
attempt that is begun anew the turns are kept, but not the workspace as it lay there. By
default a seeded sample of the steps; ORCH_CRASH_STEPS=all takes every one, ORCH_CRASH_STEPS=40 that many of each.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from orchestrator.engine.endings import Ending
from orchestrator.nouns import replace
from orchestrator.process.carriers import carriers, send
from orchestrator.process.looking import recorded
from tests.support.courses import COURSES, Course, Place
from tests.support.orch import Left

pytestmark = pytest.mark.crash

WANTED = os.environ.get("ORCH_CRASH_STEPS", "2")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")
# What a worker of a person's own has written and not handed in lies in the run folder alone, so that course isn't here.
KEPT = [course for course in COURSES if course.name in ("gated", "decided")]


def take_away(place: Place) -> None:
    """Delete the run folder and whatever lies beside it; a worker that still writes there can't keep it alive."""
    for _ in range(50):
        shutil.rmtree(place.state, ignore_errors=True)
        if not place.state.exists():
            return
    raise AssertionError("the run folder can't be deleted")


def end_workers(place: Place) -> None:
    """Kill everything that orch has started, as a machine that stops does."""
    for order in place.state.rglob("order"):
        marker = recorded(str(order), b"marker")
        for process in carriers(marker) if marker else ():
            send(process, signal.SIGKILL)


def killed(place: Place, course: Course, index: int, step: int) -> Left:
    left = place.call(course.calls[index], effects={"kill": step})
    end_workers(place)
    take_away(place)
    return left


def stopped(place: Place, course: Course, index: int, step: int) -> Left:
    left = place.stopped(course.calls[index], step, lambda: take_away(place))
    assert left is not None, "nothing was taken away"
    return left


def comparable(ending: Ending) -> Ending:
    """The same but for what a killed turn and a lost workspace leave, or don't."""
    ending = ending.without_deaths()
    return replace(ending, lying=frozenset(one for one in ending.lying if "/attempt-" not in one))


@pytest.mark.timeout(360000)
@pytest.mark.parametrize("how", [killed, stopped], ids=["killed", "taken away under it"])
@pytest.mark.parametrize("course", KEPT, ids=lambda course: course.name)
def test_the_run_goes_on_from_markdown_and_git(tmp_path: Path, course: Course, how: object) -> None:
    place = Place(tmp_path)
    steps = place.steps(course)
    expected, files = place.facts()
    assert isinstance(expected, Ending)
    wrong: list[str] = []
    chosen = steps if WANTED == "all" else random.Random(SEED).sample(steps, min(int(WANTED), len(steps)))
    for number, (index, step) in enumerate(chosen, start=1):
        place.lay_back(f"before-{index}")
        try:
            left = how(place, course, index, step)  # type: ignore[operator]
            codes = (-signal.SIGKILL, course.calls[index].code) if how is killed else (0, 1, 3, 4, 5, 6)
            assert left.code in codes, left
            assert "Traceback" not in left.err, left
            place.go_on(course, index, left.code)
            ending, found = place.facts()
            assert isinstance(ending, Ending)
            differ = comparable(expected).differences(comparable(ending))
            assert not differ, differ
            assert found == files
        except Exception as error:  # the next step is to be tried all the same
            wrong.append(f"{' '.join(course.calls[index].words)}, step {step}: {error!r}")
            (tmp_path / "wrong").write_text("\n".join(wrong), "utf-8")
        (tmp_path / "tried").write_text(f"{number} of {len(steps)} tried, {len(wrong)} wrong\n", "utf-8")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong)
