"""Record how agent programs end: `python -m tests.support.record_endings [PROGRAM [ENDING…]]`.

Runs the pinned programs (install_agents.py) as their drivers start them, against the scripted model server on loopback,
once for each ending of provoking.py, and keeps what they said in tests/data/recordings, with what the drivers make of
it in told.md: read that through before it is committed. Prints what each came to.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import TurnOrder, TurnResult, traits_of
from orchestrator.model.settings import Worker
from orchestrator.process.looking import Alive, Ended, look
from orchestrator.process.running import end, start, wait
from tests.drivers.telling import told
from tests.drivers.turns import new_order
from tests.support.agents import IN_CI, PINNED, agent, prefix, serving
from tests.support.normalising import normaliser
from tests.support.orch import ROOT
from tests.support.provoking import Provoked, provoked, rules, without_key
from tests.support.recordings import FOLDER, SESSION, index

SECONDS = 75.0
"""The longest that a turn may take."""


@dataclass(frozen=True, slots=True)
class Lived:
    """A turn that a real program took: its end, what its driver makes of it, and both streams made stable."""

    ended: Ended
    result: TurnResult
    out: str
    err: str

    @property
    def left(self) -> int | str:
        """Its exit code, less than 0 a signal, or the limit that it met."""
        if self.ended.reason != "exit":
            return self.ended.reason
        return -(self.ended.signal or 0) if self.ended.exit_code is None else self.ended.exit_code


def live(name: str, found: Provoked, folder: Path) -> Lived:
    """Let the program take a turn that ends so. Skips the test where it isn't installed."""
    with serving(rules(found)) as fake:
        url = "http://127.0.0.1:9" if found.is_mute else fake.url
        order = _order(name, found, folder, url)
        driver = registry.find(name)
        invocation = driver.invocation(order)
        run = folder / "run"
        start(invocation, run, order.marker)
        try:
            seen = _ended(fake, found, order, run)
        except BaseException:
            end(run, order.marker)
            raise
    result = driver.result(order, seen)
    places = {
        order.session or "-" * 99: SESSION,
        result.session or "-" * 99: SESSION,
        order.marker: "mark",
        order.worktree: "/place/worktree",
        os.path.realpath(folder): "/place",
        str(folder): "/place",
        os.path.realpath(prefix(name)): "/agents",
        str(prefix(name)): "/agents",
        str(ROOT): "/orch",
        sys.prefix: "/python",
        sys.base_prefix: "/python",
        str(Path.home()): "/home/somebody",
    }
    made = normaliser(places)
    return Lived(seen, result, made(_text(seen.stdout)), made(_text(seen.stderr)))


def _ended(fake: object, found: Provoked, order: TurnOrder, run: Path) -> Ended:
    """The end of the turn, once it has been done to it what brings its end about."""
    until = time.monotonic() + SECONDS
    if found.signum:
        while not (Path(order.worktree, "began").exists() if found.in_tool else _is_asked(fake)):
            assert time.monotonic() < until, "it never got as far"
            time.sleep(0.05)
        time.sleep(1.0)
        _strike(look(run, order.marker), found)
    wait([(run, order.marker)], until - time.monotonic())
    seen = look(run, order.marker)
    assert isinstance(seen, Ended), f"it is at work after {SECONDS:g} s"
    return seen


def _order(name: str, found: Provoked, folder: Path, url: str) -> TurnOrder:
    made = agent(name, url, folder / "home")
    if found.settings:
        file = folder / "home" / ".gemini" / "settings.json"
        file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | found.settings), "utf-8")
    given = dict(made.worker)
    args = [*_words(given.pop("args", [])), *_words(found.options.get("args", []))]
    options = {"program": given["program"], **found.options, **({"args": args} if args else {})}
    worker = Worker(
        "small",
        name,
        model=str(given["model"]),
        turns=found.turns,
        timeout=SECONDS - 10,
        stall=found.silence,
        env=tuple(_words(given.get("env", []))),
        options=options,
    )
    env = made.env if found.has_key else without_key(made.env)
    world = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL")}
    order = new_order(folder, worker, turn=found.turn, environ={**world, **env}, is_resumed=found.resumes)
    subprocess.run(["git", "init", "-q"], cwd=order.worktree, check=True, capture_output=True)
    is_chosen = traits_of(registry.find(name)).sessions == "chosen"
    session = "ses_1a2b3c4d5e6fffferecordingsx" if name == "opencode" else "5e55104e-0000-4000-8000-00000000000f"
    return replace(order, session=session if is_chosen or found.resumes else "")


def _words(found: object) -> list[str]:
    return [str(one) for one in found] if isinstance(found, (list, tuple)) else []


def _is_asked(fake: object) -> bool:
    """Whether the server has begun its answer to the turn itself."""
    return any(str(entry.get("rule", "")).startswith("ending") for entry in getattr(fake, "requests"))  # noqa: B009


def _strike(seen: object, found: Provoked) -> None:
    """Signal the program: its group, or the innermost process in it."""
    assert isinstance(seen, Alive)
    (program,) = psutil.Process(seen.pid).children()
    members = [one for one in (program, *program.children(recursive=True)) if os.getpgid(one.pid) == program.pid]
    if found.to_leaf:
        # Rust's handler lets the first one pass, for the fault to be met again, which a signal from outside isn't.
        for _ in range(2):
            with contextlib.suppress(ProcessLookupError):
                os.kill(members[-1].pid, found.signum)
            time.sleep(0.2)
    else:
        os.killpg(program.pid, found.signum)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


def record(name: str, endings: list[str]) -> None:
    """Make the recordings of those endings, or of all."""
    there = FOLDER / name
    there.mkdir(parents=True, exist_ok=True)
    for ending, found in provoked(name).items():
        if endings and ending not in endings:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=prefix(name).parent, prefix="recording-") as folder:
            try:
                lived = live(name, found, Path(folder))
            except AssertionError as error:
                _say(f"{name} {ending}: not recorded: {error}")
                continue
        for kind, text in (("out", lived.out), ("err", lived.err)):
            file = there / f"{ending}.{kind}"
            if text:
                file.write_text(text, "utf-8")
            else:
                file.unlink(missing_ok=True)
        kept = index(name)
        all_endings = {**kept["endings"], ending: lived.left}
        found_index = {"version": PINNED[name][1], "endings": dict(sorted(all_endings.items()))}
        (there / "index.json").write_text(json.dumps(found_index, indent=1) + "\n", "utf-8")
        result = lived.result
        said = " / ".join(result.message.splitlines())
        _say(
            f"{name} {ending}: {lived.left} {result.outcome} pause={result.pause:g} session={bool(result.session)} "
            f"{dict(result.usage)} {result.text!r} | {said} ({time.monotonic() - began:.0f} s)"
        )

    with tempfile.TemporaryDirectory() as folder:
        (there / "told.md").write_text(told(name, Path(folder)), "utf-8")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(words: list[str]) -> None:
    """Record the endings of one program, or of those that CI installs."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in words[:1] or IN_CI:
        try:
            record(name, words[1:])
        except pytest.skip.Exception as reason:
            _say(f"{name}: not recorded: {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
