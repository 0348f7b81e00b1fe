"""`orch log TASK`: what the worker of a task's last turn printed, from the run folder, as it comes in.

Owns which files those are and how new text is told from what was shown. Must not signal or start anything.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session, run_layout
from orchestrator.errors import UserError
from orchestrator.model.ids import TaskKey
from orchestrator.model.settings import MANUAL
from orchestrator.model.stage import standing
from orchestrator.process.looking import Alive, look
from orchestrator.process.plain_output import plain_output

STREAMS = ("stdout", "stderr")
MOST = 256 * 1024
"""Bytes of each stream that are shown from its end; a worker may print without end."""
EVERY = 0.2
"""Seconds between two looks at a turn that is followed."""


def log(session: Session, name: str, *, follow: bool = False, show: Callable[[str], None] | None = None) -> Outcome:
    """Standard output and error of the last turn, without terminal control sequences.

    follow: hand new text to `show` until the turn has ended; the outcome then holds only what is said besides.
    Raises UserError where no turn was started, or its folder or output is gone.
    """
    key = find_task(session.planning.plan().value, name)
    folder, turn = _folder(session, key)
    marker = session.planning.task(key).marker
    followed = {stream: _Stream(folder / stream) for stream in STREAMS}
    texts: dict[str, str] = {}
    while True:
        is_alive = isinstance(look(folder, marker), Alive)
        for stream, source in followed.items():
            text = source.more(is_last=not (follow and is_alive))
            if follow and show:
                show(text)
            texts[stream] = texts.get(stream, "") + ("" if follow else text)
        if not (follow and is_alive):
            break
        time.sleep(EVERY)
    state = "is at work" if is_alive else "has ended"
    cut = sum(source.skipped for source in followed.values())
    lines = [] if follow else [line for stream in STREAMS for line in _lines(stream, texts[stream])]
    about = f"{key}: its {turn} turn {state}; {folder}" + (f", {cut} earlier bytes aren't shown" if cut else "")
    return Outcome(
        outcome="log",
        next=session.command(f"log {key} -f") if is_alive else "",
        lines=(*lines, about),
        data=_document(key, turn, folder, is_alive, texts, cut),
    )


def _document(
    key: TaskKey, turn: str, folder: Path, is_alive: bool, texts: Mapping[str, str], cut: int
) -> dict[str, object]:
    return {
        "task": str(key),
        "turn": turn,
        "alive": is_alive,
        "folder": str(folder),
        "stdout": texts.get("stdout", ""),
        "stderr": texts.get("stderr", ""),
        "skipped": cut,
    }


def _lines(stream: str, text: str) -> list[str]:
    """The text line by line; what came on standard error below a line that says so."""
    shown = text.rstrip("\n").split("\n") if text.strip() else []
    return [f"on {stream}:", *shown] if shown and stream != "stdout" else shown


def _folder(session: Session, key: TaskKey) -> tuple[Path, str]:
    """The folder of the last turn, and the turn's name."""
    task = session.planning.task(key)
    now = standing(task.log)
    if not now.turns:
        raise UserError(
            f"no turn of {key} has been started yet", hint=f"orch next-wave starts it; orch show {key}", code="no-turn"
        )
    layout = run_layout(session.layout, session.planning.load(with_tasks=()).state.run)
    folder = layout.turn_dir(key, now.turns, now.turn)
    if any((folder / stream).is_file() for stream in STREAMS):
        return folder, now.turn
    if task.driver == MANUAL and folder.is_dir():
        raise UserError(
            f"the {now.turn} turn of {key} is with a worker of your own, whose words orch doesn't see",
            hint=f"orch prompt {key} is what it was given; orch show {key} --plan is what it handed in",
            code="no-output",
        )
    raise UserError(
        f"what the worker of {key} printed is gone: {folder} isn't there",
        hint=f"what it did is kept: orch show {key} --log, --report and --diff",
        code="no-output",
    )


class _Stream:
    """A file that grows: each call gives what came since the last, readable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        self._at = -1
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def more(self, *, is_last: bool) -> str:
        """What is new, up to the last whole line unless nothing more will come."""
        try:
            with self.path.open("rb") as file:
                if self._at < 0:
                    size = file.seek(0, 2)
                    self._at = self.skipped = max(0, size - MOST)
                file.seek(self._at)
                data = file.read()
        except OSError:
            # Deleted meanwhile: what was shown was all there is.
            data = b""
        self._at += len(data)
        text = self._rest + self._decoder.decode(data, final=is_last)
        if not is_last:
            # A control sequence may still be coming in: only whole lines are sure.
            text, newline, self._rest = text.rpartition("\n")
            text += newline
        else:
            self._rest = ""
        return plain_output(text)
