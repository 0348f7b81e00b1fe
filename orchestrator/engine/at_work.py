"""What the workers at work are doing: their processes and the ends of what they printed, read and nothing else.

Loaded only where a worker is at work. Must not read a whole stream: it may be long, and this is asked again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from orchestrator.drivers.base import Teller, Traits, last_lines, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.drivers.streams import Event, event_in, first_line
from orchestrator.engine.session import Session, run_layout
from orchestrator.errors import OrchError
from orchestrator.masking import mask
from orchestrator.model.at_work import AtWork, State, state_of
from orchestrator.model.costs import spent, turns_of
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import REVIEW
from orchestrator.model.stage import standing
from orchestrator.process.looking import Alive, Ended, look
from orchestrator.process.plain_output import plain_output
from orchestrator.store.places import workspace_dir

WINDOW = 64 * 1024
"""Bytes at the end of a stream that are looked at."""
_MARKS = (">", "!", "~", "=")
"""How lines begin that tell of something other than words."""


def worker_at_work(session: Session, orchestration: Orchestration, key: TaskKey, folder: Path) -> AtWork:
    """What the worker of a turn in flight is doing. folder: that of the turn."""
    task = orchestration.task(key)
    now = standing(task.log)
    layout = run_layout(session.layout, orchestration.state.run)
    top = layout.review_dir(key) if now.turn == REVIEW else workspace_dir(layout, key)
    turns = turns_of(task.log)
    seen = look(folder, task.marker)
    quiet = seen.quiet_for if isinstance(seen, Alive) else 0.0
    state = State.ENDED if isinstance(seen, Ended) else State.GONE
    traits = _traits(now.driver or task.driver)
    events, text, is_whole = _window(folder / "stdout", has_events=traits.teller is not None)
    used = _counted(events, traits)
    act = _act(events, text, traits.teller() if traits.teller else None)
    return AtWork(
        state=state_of(quiet, _stall(orchestration, key, now.turn)) if isinstance(seen, Alive) else state,
        turn=now.turn,
        seconds=spent(turns[-1:], session.now()).seconds,
        quiet=quiet,
        act=mask(act, session.secrets).replace(f"{top}/", ""),
        before=spent(turns[:-1]),
        read=int(used["in"]) if "in" in used else None,
        written=int(used.get("out", 0)) if "in" in used else None,
        is_whole=is_whole,
    )


def _counted(events: Iterable[Event], traits: Traits) -> dict[str, float]:
    """What the turn has used by these events; empty where they don't tell."""
    if traits.tally is None:
        return {}
    tally = traits.tally()
    for event in events:
        tally.hear(event)
    return tally.sums()


def _traits(driver: str) -> Traits:
    try:
        return traits_of(find_driver(driver))
    except OrchError:
        return Traits()


def _stall(orchestration: Orchestration, key: TaskKey, turn: str) -> float:
    worker = orchestration.worker(key, of_review=turn == REVIEW)
    return worker.stall if worker else 0.0


def _window(path: Path, *, has_events: bool) -> tuple[list[Event], str, bool]:
    """The events at the end of a stream, or its text where it has none; and whether that is the whole stream."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - WINDOW))
            data = file.read(WINDOW)
    except OSError:
        return [], "", True
    is_whole = size <= WINDOW
    if not is_whole:
        # What is left of a line says nothing.
        data = data.partition(b"\n")[2]
    if not has_events:
        return [], data[-4096:].decode("utf-8", "replace"), is_whole
    found = (event_in(line) for line in data.split(b"\n"))
    return [event for event in found if event is not None], "", is_whole


def _act(events: Iterable[Event], text: str, teller: Teller | None) -> str:
    """The last thing that was said, used or met, in a line."""
    if teller is None:
        return plain_output(last_lines(text).rpartition("\n")[2]).strip()
    last = ""
    for event in events:
        last = teller(event).strip() or last
    marked = [line for line in last.split("\n") if line.startswith(_MARKS)]
    return plain_output(marked[-1] if marked else first_line(last))
