"""What a call tells others: the events it came to, each as a generated block.

Owns when a call has come to an event. The events themselves and their text are model/events and views/event_block.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.model.actions import Decision
from orchestrator.model.events import Event, Kind, has_begun, last_event
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.status import WaveStatus
from orchestrator.model.waves import pick
from orchestrator.views.event_block import event_block


def told_event(orchestration: Orchestration, event: Event, following: str) -> dict[str, object]:
    """An event as `--json` carries it: which, about what, and the block."""
    return {
        "event": str(event.kind),
        "wave": event.wave,
        "text": event_block(orchestration, event, following),
        "next": following,
    }


def about_to_begin(orchestration: Orchestration) -> int | None:
    """The wave that the next call begins: the current one, if nothing has been done for it yet."""
    wave = pick(orchestration).current
    return wave.number if wave is not None and not has_begun(orchestration, wave) else None


def planned_event(orchestration: Orchestration, following: str) -> list[Mapping[str, object]]:
    """What a look ahead tells: the wave that the next call would begin, if it would begin one."""
    begins = about_to_begin(orchestration)
    return [] if begins is None else [told_event(orchestration, Event(Kind.PLANNED, begins), following)]


def events_of(
    before: Orchestration, after: Orchestration, decision: Decision, following: str
) -> list[Mapping[str, object]]:
    """What a call of next-wave came to, in order: it began a wave; then closed one, or rests on somebody."""
    told: list[Mapping[str, object]] = []
    begins = about_to_begin(before)
    if begins is not None:
        told.append(told_event(before, Event(Kind.PLANNED, begins), ""))
    done = [row.number for row in after.state.waves if row.status is WaveStatus.DONE]
    closed = [number for number in done if not before.state.is_done(number)]
    event = last_event(after, decision)
    if closed:
        event = Event(Kind.CLOSED, closed[-1])
    if event.kind is not Kind.PLANNED and (closed or event.kind is not Kind.CLOSED):
        told.append(told_event(after, event, following))
    return told
