"""`orch new TITLE`: the next planning set, in its canonical form."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.engine.gone_back import own_numbers
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.reading import load_current
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.errors import OrchError, UserError
from orchestrator.formats.plan_file import new_plan_text
from orchestrator.model.waves import pick
from orchestrator.prompts.locations import find
from orchestrator.store.text_files import create, remove
from orchestrator.vcs.refs import list_refs


def new_orchestration(session: Session, title: str) -> Outcome:
    """Make EXECUTION_PLAN_N and PROMPT_TEMPLATE_N, N one above the highest, also of those that git alone remembers.
    Raises UserError without a title."""
    refuse_worker(session, "new")
    layout = session.layout
    clean = " ".join(title.split())
    if not clean:
        raise UserError("the title is empty", hint='orch new "What it is about"', code="empty")
    lowest = layout.next_number()
    number = max([lowest, *(taken + 1 for taken in own_numbers(_refs(session)))])
    hidden = _unfinished(session)
    layout.tasks.mkdir(parents=True, exist_ok=True)
    made: list[str] = []
    for path, text in (
        (layout.plan_path(number), new_plan_text(number, clean, session.now()[:10])),
        (layout.template_path(number), find("worker", layout.planning).text),
    ):
        try:
            create(path, text, shown=layout.shown(path))
        except OrchError:
            # Half a set would take its number from the next call.
            for shown in made:
                remove(layout.root / shown)
            raise
        made.append(layout.shown(path))
    lines = [f"made {name}" for name in made]
    if number > lowest:
        lines.append(f"git keeps work of orchestration {number - 1}, whose files aren't here, so this one is {number}")
    if hidden:
        lines.append(f"orchestration {hidden} isn't finished; commands mean {number} now, -n {hidden} means that one")
    lines.append(f"write the waves and tasks into {made[0]}, then check them")
    return Outcome(
        outcome="done",
        next="orch check",
        lines=tuple(lines),
        data={"orchestration": number, "title": clean, "files": made},
    )


def _unfinished(session: Session) -> int:
    """The number of the orchestration that was the newest until now, if it has begun and isn't finished; else 0."""
    try:
        found = load_current(session.planning, outline=True)
    except OrchError:
        return 0
    return found.plan.number if found.state.exists and not pick(found).is_finished else 0


def _refs(session: Session) -> Collection[str]:
    """The refs of all runs there were."""
    known = list_refs(session.layout.common_dir, "refs/orch/")
    return session.repository.refs("refs/orch") if known is None else known
