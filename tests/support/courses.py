"""Whole orchestrations as lists of calls, each of which can be begun again from where it stood, and what they come to.

Between them the calls are every verb that writes. Files of the planning set are links and have modes of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.engine.endings import Ending
from orchestrator.engine.endings import ending as ending_of
from tests.support.orch import ROOT, Left, run_orch
from tests.support.planned import Task, make_repository, plan_text, planned, planning, report_text, working
from tests.support.refusing import VARIABLE
from tests.support.steps import stands

PROGRAM = Path(__file__).with_name("refusing.py")
SETTINGS = "gate: stop\njobs: 1\nsuites: {all: git ls-files}\n"
TIERS = (
    "small: {driver: scripted, script: planning/workers.yaml, timeout: 60s}\n"
    "  mid: {driver: scripted, script: planning/workers.yaml, timeout: 60s}"
)


@dataclass(frozen=True, slots=True)
class Call:
    """A command line and how it leaves; `before` is what a person does before it."""

    words: tuple[str, ...]
    code: int
    before: Callable[[Path], None] | None = None


@dataclass(frozen=True, slots=True)
class Course:
    name: str
    build: Callable[[Path], object]
    calls: tuple[Call, ...]


def _gated(folder: Path) -> None:
    first = Task("1", ("a.dat",))
    asked = plan_text(first).replace("## Questions\n", "## Questions\n1. Keep it?\n")
    test = "grep -q right b.dat"
    second = Task("2", ("b.dat",), test=test)
    wrong, right = ({"files": {"b.dat": text}} for text in ("wrong\n", "right\n"))
    tasks = [
        Task("1", ("a.dat",), turns=({"turn": "plan", "plan": asked}, working(first))),
        Task(
            "2",
            ("b.dat",),
            test=test,
            turns=(
                planning(second),
                planning(second),
                {**working(second), **wrong},
                {**working(second, "retry"), **right},
            ),
        ),
    ]
    planned(folder, tasks, settings=SETTINGS)


def shaped(folder: Path) -> None:
    """The state becomes a link to a file elsewhere, the todo files a link and a file with other rights."""
    planning_folder, kept = folder / "planning", folder.with_name("kept")
    kept.mkdir()
    links = (("STATE_1.md", 0o640), ("tasks/1.1.1.todo.md", 0o755))
    for name, mode in links:
        path, real = planning_folder / name, kept / Path(name).name
        path.rename(real)
        real.chmod(mode)
        path.symlink_to(real)
    (planning_folder / "tasks" / "1.1.2.todo.md").chmod(0o600)


def _decided(folder: Path) -> None:
    wide = {"files": {"c.dat": "c\n", "d.dat": "d\n"}, "tick": "all", "report": report_text(["c.dat", "d.dat"])}
    narrow, whole = Task("3", ("c.dat",)), Task("3", ("c.dat", "d.dat"))
    strays = (
        planning(narrow),
        *({"turn": turn, **wide} for turn in ("execute", "retry")),
        planning(whole),
        {"turn": "execute", **wide},
    )
    first = Task("1", ("a.dat",))
    taken = (planning(first), working(first, "takeover"))
    wrong = {"turn": "retry", "files": {"e.dat": "wrong\n"}, "tick": "all", "report": report_text(["e.dat"])}
    fails = Task("4", ("e.dat",), test="grep -q right e.dat")
    four = [planning(fails), {**wrong, "turn": "execute"}, wrong]
    tasks = [
        Task("1", ("a.dat",), turns=taken),
        Task("2", ("b.dat",)),
        Task("3", ("c.dat",), turns=strays),
        Task("4", fails.creates, fails.test, turns=(*four, *four, {**wrong, "files": {"e.dat": "right\n"}})),
        Task("5", ("f.dat",)),
    ]
    planned(folder, tasks, settings=SETTINGS, worker=TIERS)
    (folder.parent / "own.md").write_text(plan_text(first), "utf-8")


def _hosted(folder: Path) -> None:
    planned(folder, [Task("1", ("a.dat",))], settings=SETTINGS, worker="small: {driver: manual}")
    (folder.parent / "plan.md").write_text(plan_text(Task("1", ("a.dat",))), "utf-8")


def _does(folder: Path) -> None:
    (worktree,) = (path for path in (folder.parent / "state").rglob("work/1") if path.is_dir())
    (worktree / "a.dat").write_text("a\n", "utf-8")
    ticked = plan_text(Task("1", ("a.dat",))).replace("- [ ]", "- [x]")
    (folder.parent / "done.md").write_text(ticked + "## Report\n" + report_text(["a.dat"]), "utf-8")


COURSES = (
    Course(
        "gated",
        _gated,
        (
            Call(("next-wave",), 3),
            Call(("revise", "1.1.2", "-m", "say more"), 0, shaped),
            Call(("next-wave",), 3),
            Call(("ask", "1.1.2", "Which name?", "--for", "orchestrator"), 0),
            Call(("answer", "Q1", "yes", "Q2", "this"), 0),
            Call(("approve", "1.1.1", "1.1.2"), 0),
            Call(("next-wave",), 0),
            Call(("next-wave",), 6),
            Call(("clean",), 0),
        ),
    ),
    Course(
        "decided",
        _decided,
        (
            Call(("next-wave",), 3),
            Call(("takeover", "1.1.1", "--file", "../own.md"), 0),
            Call(("skip", "1.1.2", "--why", "not now"), 0),
            Call(("block", "1.1.5", "--why", "it waits"), 0),
            Call(("approve", "1.1.3", "1.1.4"), 0),
            Call(("next-wave", "--auto"), 4),
            Call(("rescope", "1.1.3", "--create", "d.dat", "--why", "it is needed"), 0),
            Call(("retry", "1.1.4", "--because", "it must say right"), 0),
            Call(("skip", "1.1.5", "--why", "not wanted"), 0),
            Call(("next-wave", "--auto"), 0),
            Call(("next-wave",), 6),
            Call(("clean",), 0),
        ),
    ),
    Course(
        "hosted",
        _hosted,
        (
            Call(("next-wave",), 3),
            Call(("report", "1.1.1", "--file", "../plan.md"), 0),
            Call(("next-wave",), 3),
            Call(("approve", "1.1.1"), 0),
            Call(("next-wave",), 3),
            Call(("report", "1.1.1", "--file", "../done.md"), 0, _does),
            Call(("verify", "1.1.1"), 0),
            Call(("approve", "1.1.1"), 0),
            Call(("land", "1.1.1"), 0),
            Call(("next-wave",), 0),
            Call(("next-wave",), 6),
            Call(("clean",), 0),
        ),
    ),
    Course(
        "begun",
        make_repository,
        (
            Call(("init",), 0),
            Call(("new", "A second thing"), 0),
        ),
    ),
)


class Place:
    """A folder in which courses are run, always at the same paths, so that they can be begun again at each call."""

    def __init__(self, folder: Path, program: tuple[str, ...] = ("-m", "orchestrator")) -> None:
        self.folder = folder
        self.now = folder / "now"
        self.repository = self.now / "repo"
        self.state = self.now / "state"
        self.environ = {"XDG_STATE_HOME": str(self.state)}
        self.program = program
        """What Python is to run as `orch`."""

    def keep_state_apart(self) -> None:
        """Run folders lie outside the folder in which all else happens."""
        self.state = self.folder / "state"
        self.environ["XDG_STATE_HOME"] = str(self.state)

    def begin(self, course: Course) -> None:
        """The course's repository as it is before the first call."""
        self._clear()
        self.now.mkdir(parents=True, exist_ok=True)
        course.build(self.repository)

    def _prepare(self, call: Call) -> None:
        if call.before:
            call.before(self.repository)

    def keep(self, name: str) -> None:
        """Remember how everything stands."""
        shutil.copytree(self.now, self.folder / name, symlinks=True)
        if self.state.parent == self.folder and self.state.exists():
            shutil.copytree(self.state, self.folder / f"{name}-state", symlinks=True)

    def lay_back(self, name: str) -> None:
        """Everything as it stood then."""
        self._clear()
        shutil.copytree(self.folder / name, self.now, symlinks=True, dirs_exist_ok=True)
        if (apart := self.folder / f"{name}-state").exists():
            shutil.copytree(apart, self.state, symlinks=True)

    def _clear(self) -> None:
        for folder in (self.now, self.state):
            shutil.rmtree(folder, ignore_errors=True)

    def call(
        self, call: Call, *, effects: Mapping[str, object] | None = None, refuse: Mapping[str, object] | None = None
    ) -> Left:
        """Make a call, and no more of it than that. refuse: orders for refusing.py, which then runs it."""
        if refuse is None:
            return run_orch(self.repository, *call.words, effects=effects, env=self.environ, program=self.program)
        env = {**self.environ, VARIABLE: json.dumps(refuse)}
        return run_orch(self.repository, *call.words, env=env, program=(str(PROGRAM),))

    def stopped(self, call: Call, step: int, meanwhile: Callable[[], object]) -> Left | None:
        """Make a call, which is stopped before the step until something else is done; None if it has no such step."""
        process = subprocess.Popen(
            [sys.executable, *self.program, *call.words],
            cwd=self.repository,
            env={**os.environ, **self.environ, "PYTHONPATH": str(ROOT), "ORCH_EFFECTS": json.dumps({"stop": step})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            is_stopped = stands(process)
            if is_stopped:
                meanwhile()
                process.send_signal(signal.SIGCONT)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
        return Left(process.returncode, out, err) if is_stopped else None

    def steps(self, course: Course) -> list[tuple[int, int]]:
        """Go through the course undisturbed: which call has which steps. How all stands before each is kept."""
        found = []
        for index, call in self.undisturbed(course, "before"):
            log = self.folder / f"effects-{index}.log"
            left = self.call(call, effects={"log": str(log)})
            assert left.code == call.code, (call.words, left)
            lines = log.read_text("utf-8").splitlines() if log.exists() else []
            found += [(index, step) for step in range(1, max((json.loads(line)[0] for line in lines), default=0) + 1)]
        return found

    def undisturbed(self, course: Course, keep: str) -> Iterator[tuple[int, Call]]:
        """Begin the course; before each of its calls, which is then to be made, how it stands is kept as KEEP-INDEX."""
        self.begin(course)
        for index, call in enumerate(course.calls):
            self._prepare(call)
            self.keep(f"{keep}-{index}")
            yield index, call

    def go_on(self, course: Course, index: int, code: int) -> None:
        """Make the calls behind that of `index`, which left with `code`: it is made again first where that is another
        code than it has undisturbed, and always where it is one that goes on with whatever is left to do."""
        disturbed = course.calls[index]
        if code != disturbed.code or disturbed.words[0] == "next-wave":
            left = self.call(disturbed)
            # A decision that stands in the files already can't be made once more.
            assert left.code in (disturbed.code, 6, 1), (disturbed.words, left)
        for call in course.calls[index + 1 :]:
            self._prepare(call)
            left = self.call(call)
            assert left.code == call.code, (call.words, left)

    def facts(self) -> tuple[Ending | str, list[tuple[str, str, str]]]:
        """What the course came to, and the files of its planning set: name, mode, and where its link leads. Of a set
        that was only made the text is what it came to."""
        folder = self.repository / "planning"
        files = [
            (
                path.relative_to(folder).as_posix(),
                oct(path.stat().st_mode & 0o777),
                os.readlink(path) if path.is_symlink() else "",  # noqa: PTH115 - as text
            )
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        ]
        if not (folder / "STATE_1.md").exists():
            return "".join((folder / name).read_text("utf-8") for name, _, _ in files), files
        return ending_of(self.repository, {}, {**os.environ, **self.environ}), files
