"""A disk that really refuses, from a step of a call to its end: full, read-only, without the right to write, immutable.

At the step the call is stopped, the disk changed, and it goes on. No fault of orch's own, every file whole, and once
the disk takes writes again the same calls bring the same end. By default one step of each kind, drawn by a seed;
ORCH_REFUSE_STEPS=all takes every step, ORCH_REFUSE_STEPS=40 that many.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.support.courses import COURSES, Place

pytestmark = pytest.mark.crash

WANTED = os.environ.get("ORCH_REFUSE_STEPS", "1")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")
GATED = next(course for course in COURSES if course.name == "gated")
# Without the administrator's leave to pass over modes, which only a program begun anew has lost.
AS_ANYBODY = """
import ctypes, os, sys
for capability in (1, 2):
    if ctypes.CDLL(None).prctl(24, capability, 0, 0, 0):
        sys.exit("capabilities can't be dropped")
os.execv(sys.executable, [sys.executable, "-m", "orchestrator", *sys.argv[1:]])
"""

Trouble = tuple[Callable[[], object], Callable[[], object]]
"""What brings the trouble, and what ends it."""


def run(*words: str) -> bool:
    """Whether the command can be run here and does its work."""
    if shutil.which(words[0]) is None:
        return False
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@contextmanager
def full(place: Place) -> Iterator[Trouble]:
    """A disk of its own for the repository, which is filled to the last byte; workers write elsewhere."""
    place.now.mkdir()
    if not run("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(place.now)):
        pytest.skip("needs the right to mount a small file system")
    place.keep_state_apart()
    ballast = place.now / "ballast"

    def fill() -> None:
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"0" * 4096):
                    pass
            except OSError:
                return

    try:
        yield fill, lambda: ballast.unlink(missing_ok=True)
    finally:
        run("umount", "-l", str(place.now))


@contextmanager
def read_only(place: Place) -> Iterator[Trouble]:
    """The repository and all beside it, seen through a mount that lets nobody write; workers write elsewhere."""
    place.keep_state_apart()
    here = str(place.now)
    probe = place.folder / "probe"
    probe.mkdir()
    if not run("mount", "--bind", str(probe), str(probe)):
        pytest.skip("needs the right to mount")
    run("umount", "-l", str(probe))

    def forbid() -> None:
        assert run("mount", "--bind", here, here)
        assert run("mount", "-o", "remount,bind,ro", here)

    try:
        yield forbid, lambda: run("umount", "-l", here)
    finally:
        run("umount", "-l", here)


@contextmanager
def rights_lost(place: Place) -> Iterator[Trouble]:
    """The folders of the planning set may only be read."""
    if os.geteuid() == 0:
        place.program = ("-c", AS_ANYBODY)
        if sys.platform != "linux":
            pytest.skip("as the administrator modes forbid nothing here")
    planning = place.repository / "planning"
    folders = (planning, planning / "tasks", place.now / "kept")

    def change(mode: int) -> Callable[[], None]:
        def changed() -> None:
            for folder in folders:
                if folder.is_dir():
                    folder.chmod(mode)

        return changed

    yield change(0o555), change(0o755)


@contextmanager
def read_only_files(place: Place) -> Iterator[Trouble]:
    """Whatever files of the set are there are marked read-only."""

    def mark() -> None:
        for path in (place.repository / "planning").rglob("*.md"):
            modes.setdefault(path, path.stat().st_mode & 0o777)
            path.chmod(0o444)

    def unmark() -> None:
        for path, mode in modes.items():
            path.chmod(mode)
        modes.clear()

    modes: dict[Path, int] = {}
    yield mark, unmark


@contextmanager
def immutable(place: Place) -> Iterator[Trouble]:
    """The state can be neither written nor exchanged, by nobody."""
    probe = place.folder / "probe"
    probe.touch()
    if not run("chattr", "+i", str(probe)):
        pytest.skip("needs a file system with immutable files, and the right to make them")
    run("chattr", "-i", str(probe))
    state = place.repository / "planning" / "STATE_1.md"

    def free() -> None:
        if state.exists():
            assert run("chattr", "-i", os.path.realpath(state))

    try:
        yield lambda: state.exists() and run("chattr", "+i", os.path.realpath(state)), free
    finally:
        free()


KINDS: tuple[Callable[[Place], AbstractContextManager[Trouble]], ...] = (
    full,
    read_only,
    rights_lost,
    read_only_files,
    immutable,
)


@pytest.mark.timeout(360000)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.replace("_", " "))
def test_it_is_told_loses_nothing_and_is_made_good(
    tmp_path: Path, kind: Callable[[Place], AbstractContextManager[Trouble]]
) -> None:
    place = Place(tmp_path)
    wrong: list[str] = []
    with kind(place) as (begin, end):
        steps = place.steps(GATED)
        expected = place.facts()
        chosen = steps if WANTED == "all" else random.Random(SEED).sample(steps, min(int(WANTED), len(steps)))
        for number, (index, step) in enumerate(chosen, start=1):
            call = GATED.calls[index]
            place.lay_back(f"before-{index}")
            try:
                left = place.stopped(call, step, begin)
                end()
                assert left is not None, "there is no such step"
                assert left.code in (0, 1, 3, 4, 6), left
                assert "Traceback" not in left.err, left
                assert not list(tmp_path.rglob("crash-*"))
                assert left.code == call.code or _is_told(left.out + left.err), left
                place.go_on(GATED, index, left.code)
                assert place.facts() == expected
            except Exception as error:  # the next step is to be tried all the same
                end()
                wrong.append(f"{' '.join(call.words)}, step {step}: {error!r}")
                (tmp_path / "wrong").write_text("\n".join(wrong), "utf-8")
            (tmp_path / "tried").write_text(f"{number} of {len(steps)} tried, {len(wrong)} wrong\n", "utf-8")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong)


def _is_told(said: str) -> bool:
    causes = ("No space left", "disk is full", "ead-only", "ermission denied", "not permitted")
    remedies = ("make room", "mount it for writing", "give yourself write permission", "chmod u+w")
    return any(one in said for one in causes) and any(one in said for one in remedies)
