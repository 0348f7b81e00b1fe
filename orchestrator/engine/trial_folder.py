"""Where trials run, one after another and always at the same paths: begun, looked at, held, laid back, called.

Owns the folder and the environment of what runs in it. Must not know what is killed, nor when.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from orchestrator.effects import VARIABLE, effect
from orchestrator.engine.demo import demo_environment
from orchestrator.engine.endings import Ending, ending
from orchestrator.engine.trials import Trial
from orchestrator.process.calling import Called
from orchestrator.process.carriers import bearing, send
from orchestrator.process.environment import MARKER
from orchestrator.process.halting import Halting, Loaded
from orchestrator.process.looking import recorded
from orchestrator.process.shim import Process
from orchestrator.store.kept_trees import KeptTrees, Tree, digest

_LONGEST = 300.0
"""Seconds after which a call counts as hung."""
_LONGEST_HELD = 7200.0
"""The same for one that is held thousands of times on its way."""
# What every call loads on its way, and what it runs.
_LOADING = """\
import os
os.environ["GIT_PYTHON_REFRESH"] = "quiet"
import git.cmd, jinja2
import orchestrator.cli.main, orchestrator.cli.commands.next_wave, orchestrator.engine.suites
from orchestrator.masking import mask
mask("what may hold a secret is asked about: " + "a1" * 10 + "Z")
"""
_RUNNING = "orchestrator.cli.main.main()\n"
_STOP, _GO, _KILL = 19, 18, 9


class Abandoned(Exception):
    """No call is made any more: whoever asked for them is gone."""


class TrialFolder:
    """A folder of one's own for trials. `now` below it holds the one at work: its repositories, state and home."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.now = folder / "now"
        self.log = folder / "effects.log"
        self.trees = KeptTrees(self.now)
        self._orch: Loaded | None = None
        self._call: Halting | None = None
        self._is_over = False
        self._beginning = Lock()
        self.environ = {
            **demo_environment(environ),
            "HOME": str(self.now / "home"),
            "XDG_STATE_HOME": str(self.now / "state"),
            "XDG_CONFIG_HOME": str(self.now / "config"),
        }
        # Of the settings of whoever calls, git here knows none.
        self.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        # Without the compiled files each of thousands of processes would compile the package anew.
        for name in (VARIABLE, MARKER, "PYTHONDONTWRITEBYTECODE"):
            self.environ.pop(name, None)

    @property
    def root(self) -> Path:
        """The repository that orch is called in."""
        return self.now / "trial"

    def begin(self, trial: Trial) -> None:
        """Make the trial anew."""
        self.end_workers()
        with effect("remove", str(self.now)):
            shutil.rmtree(self.now, ignore_errors=True)
        (self.now / "home").mkdir(parents=True)
        trial.build(self.now)

    def lay_back(self, tree: Tree) -> None:
        """Make it again what it was. Nothing is at work in it then."""
        self.end_workers()
        self.trees.lay_back(tree)

    def call(self, orders: Mapping[str, object] | None = None) -> Halting:
        """Start `orch next-wave --auto`, with orders for the door of its effects. Raises Abandoned once all is over."""
        env = {**self.environ, VARIABLE: json.dumps(orders)} if orders else self.environ
        longest = _LONGEST_HELD if orders and "stop" in orders else _LONGEST
        with self._beginning:
            if self._is_over:
                raise Abandoned
            if self._orch is None:
                self._orch = Loaded(_LOADING, _RUNNING, self.folder, self.environ)
            self._call = self._orch.call(["orch", "next-wave", "--auto"], self.root, env, longest)
            return self._call

    def abandon(self) -> None:
        """End whatever is at work, for good."""
        with self._beginning:
            self._is_over = True
        if self._call is not None:
            self._call.kill()
            self._call.vanish()
        self.end_workers()
        self.close()

    def close(self) -> None:
        """End what the calls were made of."""
        if self._orch is not None:
            self._orch.close()
            self._orch = None

    def next_wave(self) -> Called:
        """`orch next-wave --auto`, undisturbed, to its end."""
        return self.call().left()

    def ending(self, trial: Trial) -> Ending:
        """What it has come to. Raises OrchError where that can't be read."""
        others = {name: self.now / name for name in trial.others}
        return ending(self.root, others, self.environ)

    def at_work(self) -> dict[str, list[Process]]:
        """The living processes that orch has started here to outlive it, by their markers."""
        return bearing("XDG_STATE_HOME", self.environ["XDG_STATE_HOME"])

    def hold_workers(self) -> dict[str, list[Process]]:
        """Make them all stand; returns them."""
        return self._to_all(_STOP)

    def end_workers(self) -> None:
        """Kill them all at once, as a machine that stops does, and wait until they are gone."""
        while self._to_all(_KILL):
            time.sleep(0.002)

    def release(self, held: Mapping[str, list[Process]]) -> None:
        """Let them go on."""
        for processes in held.values():
            for process in processes:
                send(process, _GO)

    def _to_all(self, number: int) -> dict[str, list[Process]]:
        """Send them the signal until a look finds nobody new: they may be just starting others."""
        told: dict[str, list[Process]] = {}
        while True:
            new = 0
            for marker, processes in self.at_work().items():
                known = told.setdefault(marker, [])
                for process in processes:
                    if process not in known:
                        known.append(process)
                        new += send(process, number)
            if not new:
                return told

    def fingerprint(self, tree: Tree, workers: Mapping[str, list[Process]]) -> str:
        """What tells this moment from others for a call that comes after: the tree, but not where these workers are at
        work, and who they are."""
        theirs: list[str] = []
        for one in tree if workers else ():
            name = os.fspath(self.now / one.path)
            if one.path.endswith("/order") and recorded(name, b"marker") in workers:
                theirs += [os.path.dirname(one.path), os.path.relpath(recorded(name, b"cwd"), self.now)]  # noqa: PTH120
        return digest(tree, theirs) + "".join(sorted(workers))
