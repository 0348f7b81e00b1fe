"""`orch new TITLE`: the next planning set, in its canonical form."""

from __future__ import annotations

from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.errors import UserError
from orchestrator.formats.plan_file import new_plan_text
from orchestrator.prompts.locations import find
from orchestrator.store.text_files import create


def new_orchestration(session: Session, title: str) -> Outcome:
    """Make EXECUTION_PLAN_N and PROMPT_TEMPLATE_N, N one above the highest. Raises UserError without a title."""
    refuse_worker(session, "new")
    layout = session.layout
    clean = " ".join(title.split())
    if not clean:
        raise UserError("the title is empty", hint='orch new "What it is about"', code="empty")
    number = layout.next_number()
    layout.tasks.mkdir(parents=True, exist_ok=True)
    made = []
    for path, text in (
        (layout.plan_path(number), new_plan_text(number, clean, session.now()[:10])),
        (layout.template_path(number), find("worker", layout.planning).text),
    ):
        create(path, text, shown=layout.shown(path))
        made.append(layout.shown(path))
    lines = [f"made {name}" for name in made]
    lines.append(f"write the waves and tasks into {made[0]}, then check them")
    return Outcome(
        outcome="done",
        next="orch check",
        lines=tuple(lines),
        data={"orchestration": number, "title": clean, "files": made},
    )
