"""Calls of a program that are held on the way: one stops itself (SIGSTOP), is looked at, and goes on or is killed.

The program is loaded once, and each call is a forked copy of that process, in a group of its own that also holds what
it starts without a session of its own: dozens of calls a minute needn't load the same modules. Knows nothing of what
the calls do.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Timer

from orchestrator.effects import effect
from orchestrator.process.calling import Called

_PATIENCE = 2.0
"""Seconds in which the processes of a killed group are gone; where nobody takes in the dead, they seem to stay."""

# Forks a copy for each line, which goes on with the program; tells its number, when it stands, and how it ended.
_FORKING = """\
import json, os, sys

for line in sys.stdin:
    words, cwd, env, out, err = json.loads(line)
    pid = os.fork()
    if pid:
        print(pid, flush=True)
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                break
            print("stands", flush=True)
        print(os.waitstatus_to_exitcode(status), flush=True)
        continue
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, name in ((0, os.devnull), (1, out), (2, err)):
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    sys.argv[:] = words
    break
else:
    os._exit(0)
"""


class Loaded:
    """A program that has been loaded: `loading` is run once, `running` in each call. Its output goes into `folder`.

    The interpreter takes the modules of this one, without looking anew for what is installed.
    """

    def __init__(self, loading: str, running: str, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        path = f"import sys\nsys.path[:] = {sys.path!r}\n"
        with effect("spawn", sys.executable):
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-c", path + loading + _FORKING + running],
                env={**env},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # An interrupt of the terminal is for who asked for all this, not for each of its calls.
                start_new_session=True,
            )

    def call(self, words: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float) -> Halting:
        """Begin a call, with no input. One at a time. After `timeout` seconds it is killed, and counts as hung."""
        out, err = self._folder / "out", self._folder / "err"
        order = [[*words], os.fspath(cwd), {**env}, os.fspath(out), os.fspath(err)]
        with effect("spawn", words[0]):
            self._tell(json.dumps(order))
            return Halting(int(self._heard()), self._heard, (out, err), timeout)

    def close(self) -> None:
        """End it; a call that is still at work goes on."""
        with effect("signal", f"{signal.SIGKILL} {self._process.pid}"):
            self._process.kill()
            self._process.communicate()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _heard(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip() or str(-signal.SIGKILL)


class Halting:
    """A call that is at work, stands or has ended."""

    def __init__(self, pid: int, heard: Callable[[], str], output: tuple[Path, Path], timeout: float) -> None:
        self._pid, self._heard, self._output = pid, heard, output
        self._code: int | None = None
        self._is_hung = self._is_killed = False
        self._timer = Timer(timeout, self._give_up)
        self._timer.daemon = True
        self._timer.start()

    def halts(self) -> bool:
        """Wait until it has stopped itself: then its whole group stands. False if it ended instead."""
        heard = self._heard()
        if heard == "stands":
            self.halt()
            return True
        self._code = int(heard)
        self._timer.cancel()
        return False

    def interrupt(self) -> None:
        """Have it stop wherever it is; `halts` tells when it stands.

        It alone, not its group: a child that is stopped before it runs its program (vfork) holds the parent, which
        waits for that, from ever standing.
        """
        self._send(signal.SIGSTOP, os.kill)

    def halt(self) -> None:
        """Make the group of a call that stands stand too."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let the group go on."""
        self._send(signal.SIGCONT)

    def kill(self) -> None:
        """Kill the group with SIGKILL."""
        self._is_killed = True
        self._send(signal.SIGKILL)

    def vanish(self) -> None:
        """Wait until nothing of a killed group is left."""
        until = time.monotonic() + _PATIENCE
        while self._is_group_there() and time.monotonic() < until:
            time.sleep(0.002)

    def left(self) -> Called:
        """Wait for its end, of a killed one for that of its whole group: how it left."""
        while self._code is None and self.halts():
            self.go_on()
        if self._is_killed:
            self.vanish()
        out, err = (path.read_bytes().decode("utf-8", "replace") for path in self._output)
        return Called(None if self._is_hung else self._code, out, err)

    def _give_up(self) -> None:
        self._is_hung = True
        self.kill()

    def _is_group_there(self) -> bool:
        """Whether a process that the call has started is still being ended."""
        try:
            os.killpg(self._pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _send(self, number: int, send: Callable[[int, int], None] = os.killpg) -> None:
        with effect("signal", f"{number} {self._pid}"):
            # It may have ended a moment ago; its number isn't given anew so soon.
            if self._code is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    send(self._pid, number)
