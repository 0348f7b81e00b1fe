"""`orch log TASK`: what the worker of a task's last turn printed, from the run folder, as it comes in.

Owns which files those are and how new text is told from what was shown. Must not signal or start anything.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from orchestrator.drivers.base import Teller, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.drivers.streams import event_in
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session, run_layout
from orchestrator.errors import OrchError, UserError
from orchestrator.masking import mask
from orchestrator.model.ids import TaskKey
from orchestrator.model.settings import MANUAL
from orchestrator.model.stage import standing
from orchestrator.process.looking import Alive, look, recorded
from orchestrator.process.plain_output import plain_output

STREAMS = ("stdout", "stderr")
MOST = 256 * 1024
"""Bytes of each stream that are shown from its end; a worker may print without end."""
MOST_EVENTS = 16 * MOST
"""The same of a stream of events, most of which say nothing to people."""
EVERY = 0.2
"""Seconds between two looks at a turn that is followed."""


def log(
    session: Session,
    name: str,
    *,
    follow: bool = False,
    is_raw: bool = False,
    show: Callable[[str], None] | None = None,
) -> Outcome:
    """Standard output and error of the last turn, without terminal control sequences; of an agent program's events what
    they say to people, unless they are wanted as they came.

    follow: hand new text to `show` until the turn has ended; the outcome then holds only what is said besides.
    Raises UserError where no turn was started, or its folder or output is gone.
    """
    key = find_task(session.planning.plan().value, name)
    folder, turn = _folder(session, key)
    marker = session.planning.task(key).marker
    followed = {stream: _Stream(folder / stream) for stream in STREAMS}
    for source in followed.values():
        source.secrets = session.secrets
    if not is_raw:
        followed["stdout"].teller = _teller(session, key)
        # As it was then: a landed task's place may be another task's by now.
        place = recorded(str(folder / "order"), b"cwd")
        followed["stdout"].top = f"{place}/" if place else ""
    texts: dict[str, str] = {}
    has_printed = False
    while True:
        is_alive = isinstance(look(folder, marker), Alive)
        for stream, source in followed.items():
            text = source.more(is_last=not (follow and is_alive))
            if follow and show:
                show(text)
            has_printed = has_printed or bool(text.strip())
            texts[stream] = texts.get(stream, "") + ("" if follow else text)
        if not (follow and is_alive):
            break
        time.sleep(EVERY)
    state = "is at work" if is_alive else "has ended"
    cut = sum(source.skipped for source in followed.values())
    lines = [] if follow else [line for stream in STREAMS for line in _lines(stream, texts[stream])]
    if not has_printed:
        state += ", and has printed nothing so far" if is_alive else " and printed nothing"
    about = f"{key}: its {turn} turn {state}; {folder}" + (f", {cut} earlier bytes aren't shown" if cut else "")
    return Outcome(
        outcome="log",
        next=session.command(f"log {key} -f") if is_alive else "",
        lines=(*lines, about),
        data=_document(key, turn, folder, is_alive, texts, cut),
    )


def _teller(session: Session, key: TaskKey) -> Teller | None:
    """What makes lines for people of the last turn's events, where its driver prints events."""
    task = session.planning.task(key)
    try:
        make = traits_of(find_driver(standing(task.log).driver or task.driver)).teller
    except OrchError:
        return None
    return make() if make else None


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
        self.teller: Teller | None = None
        """Makes lines for people of the events that the stream holds."""
        self.secrets: tuple[str, ...] = ()
        self.top = ""
        """The workspace, left out of the paths in it."""

    def more(self, *, is_last: bool) -> str:
        """What is new, up to the last whole line unless nothing more will come."""
        try:
            with self.path.open("rb") as file:
                if self._at < 0:
                    size = file.seek(0, 2)
                    self._at = self.skipped = max(0, size - (MOST_EVENTS if self.teller else MOST))
                file.seek(self._at)
                data = file.read()
        except OSError:
            # Deleted meanwhile: what was shown was all there is.
            data = b""
        self._at += len(data)
        text = self._rest + self._decoder.decode(data, final=is_last)
        if self.teller and self.skipped and self._at - len(data) == self.skipped:
            # The first line is what is left of one.
            text = text.partition("\n")[2]
        if not is_last:
            # A control sequence may still be coming in: only whole lines are sure.
            text, newline, self._rest = text.rpartition("\n")
            text += newline
        else:
            self._rest = ""
        return mask(plain_output(self._told(text) if self.teller else text), self.secrets)

    def _told(self, lines: str) -> str:
        """What the events among the lines say; what isn't one stays."""
        told = []
        for line in lines.splitlines():
            event = event_in(line.encode("utf-8", "replace"))
            said = line if event is None else self.teller(event) if self.teller else ""
            if said.strip():
                told.append(f"{said}\n")
        whole = "".join(told)
        return whole.replace(self.top, "") if self.top else whole
