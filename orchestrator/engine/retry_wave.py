"""`orch retry --wave`: a red wave's suites are run once more, because something has changed.

The reason is written into the log of every task of the wave, as what is said of a wave is, and into its row. Must not
run anything itself: next-wave does.
"""

from __future__ import annotations

from orchestrator.engine.by_command import begin
from orchestrator.engine.failing import one_line
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.formats.state_edits import RAN_AGAIN, kept_notes, set_wave
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.state import State
from orchestrator.model.status import WaveStatus


def retry_wave(session: Session, number: int, because: str, *, by: str = "session") -> Outcome:
    """Set a red wave to checking, with the reason. Raises UserError for a wave that isn't red, naming what it is."""
    plan, recorder = begin(session, "retry", lacks="wave")
    state = session.planning.load(with_tasks=()).state
    _refuse(session, plan, state, number)
    for key in plan.wave(number).tasks:
        if session.planning.task(key).log:
            recorder.note(key, recorder.entry("decided", to=str(WaveStatus.CHECKING), wave=number, why=because, by=by))
    # A semicolon parts the notes of a row.
    again = f"{RAN_AGAIN}{one_line(because, 120).replace(';', ',')}"
    row = state.wave(number)
    note = "; ".join(dict.fromkeys((*kept_notes(row.note if row else ""), again)))

    def write(document: Document) -> Document:
        return set_wave(document, number, status=WaveStatus.CHECKING, note=note)

    session.planning.change_state(write)
    return Outcome(
        outcome="done",
        next=session.go_on(),
        lines=(f"wave {number}: its suites run again, because {one_line(because, 160)}",),
        data={"orchestration": session.number, "wave": number, "because": because},
    )


def _refuse(session: Session, plan: Plan, state: State, number: int) -> None:
    """Raises UserError where there is no red wave of this number, with what is to be done instead."""
    if all(wave.number != number for wave in plan.waves):
        there = ", ".join(str(wave.number) for wave in plan.waves)
        raise UserError(f"there is no wave {number}", hint=f"the plan has {there}", code="no-wave")
    row = state.wave(number)
    status = row.status if row else WaveStatus.OPEN
    if status is WaveStatus.RED:
        return
    word = f'"{status}"' if status else "a word that is no status"
    red = [one.number for one in state.waves if one.status is WaveStatus.RED]
    if red:
        hint = session.with_number(f'orch retry --wave {red[0]} --because "…"') + " would be for the red one"
    elif status is WaveStatus.DONE:
        hint = f"its suites ran; orch show TASK and {state.path} have what came of it"
    else:
        hint = session.command("next-wave") + " runs its suites once its tasks have ended"
    raise UserError(f"wave {number} isn't red: its status is {word}", hint=hint, code="not-red")
