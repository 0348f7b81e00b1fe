"""Workers that go on while no orch is there: who they are, and what is said of them as a call is broken off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.engine.reading import load_current
from orchestrator.engine.session import Session, run_layout
from orchestrator.errors import OrchError
from orchestrator.model.costs import PROBE
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import standing
from orchestrator.process.looking import Alive, look
from orchestrator.views.folding import counted


def workers_alive(session: Session, orchestration: Orchestration) -> tuple[TaskKey, ...]:
    """The tasks whose worker, or question to a service, is at work."""
    layout = run_layout(session.layout, orchestration.state.run)
    alive = []
    for key, task in orchestration.tasks.items():
        now = standing(task.log)
        probe = now.service.probe
        if (now.is_in_flight and isinstance(look(layout.turn_dir(key, now.turns, now.turn), task.marker), Alive)) or (
            probe and isinstance(look(layout.turn_dir(key, now.turns, PROBE), probe.marker), Alive)
        ):
            alive.append(key)
    return tuple(alive)


@contextmanager
def told_as_it_ends(session: Session) -> Iterator[None]:
    """An interrupt inside carries as a note, if workers go on without it, which they are and how one is ended."""
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        try:
            alive = workers_alive(session, load_current(session.planning, outline=True))
        except OrchError:
            # What is wrong with the files the next call says.
            alive = ()
        if alive:
            names = ", ".join(map(str, alive))
            goes = "goes" if len(alive) == 1 else "go"
            end = session.with_number('orch block TASK --why "…"')
            error.add_note(f"{counted(len(alive), 'worker')} {goes} on ({names}); to end one: {end}")
        raise
