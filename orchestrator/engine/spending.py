"""`orch status --cost`: what all tasks of the orchestration have used, from their todo files alone."""

from __future__ import annotations

from orchestrator.engine.outcome import Later, Outcome
from orchestrator.engine.session import Session
from orchestrator.views.costs import cost_document, cost_lines
from orchestrator.views.status import head_line


def spending(session: Session) -> Outcome:
    """The table of turns, time, tokens and money. Changes nothing and takes no lock."""
    orchestration = session.planning.load(with_tasks="all", outline=True)
    now = session.now()
    return Outcome(
        outcome="cost",
        lines=(head_line(orchestration), *cost_lines(orchestration, now)),
        data=Later(lambda: {"orchestration": orchestration.plan.number, **cost_document(orchestration, now)}),
    )
