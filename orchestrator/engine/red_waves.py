"""What a red wave's account adds to its note: where the output of its red suites lies, and the other way to mend it."""

from __future__ import annotations

from orchestrator.engine.session import Session, run_layout
from orchestrator.model.actions import Decision
from orchestrator.model.next_actions import red_mend, red_remedy
from orchestrator.model.orchestration import Orchestration


def red_lines(session: Session, orchestration: Orchestration, decision: Decision) -> tuple[str, ...]:
    """Lines for the first red wave, the one that `next:` is about; none where no wave is red."""
    if not decision.red:
        return ()
    number = decision.red[0]
    lines = [f"what {name} printed is in {folder}" for name, folder in _outputs(session, orchestration, number)]
    mend = red_mend(orchestration, number)
    if red_remedy(orchestration, number) != mend:
        lines.append(session.with_number(f"if its commit is to stay: {mend}"))
    return tuple(lines)


def _outputs(session: Session, orchestration: Orchestration, number: int) -> list[tuple[str, str]]:
    """Name and folder of each suite that the wave's note names as red and whose output is still there."""
    settings, state = orchestration.settings, orchestration.state
    row = state.wave(number)
    layout = run_layout(session.layout, state.run)
    names = [suite.name for suite in (*settings.suites, *(gate.suite for gate in settings.gates))]
    red = [name for name in names if row and f"new failure: {name} " in row.note]
    return [(name, str(layout.suite_dir(name))) for name in red if layout.suite_dir(name).is_dir()]
