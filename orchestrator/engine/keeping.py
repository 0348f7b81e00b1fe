"""`commit_state: wave`: the planning set is committed once at each wave's end, on the branch of its own checkout.

Whether that is still due is read from the files: a wave has ended in STATE, and not in the STATE that is committed. So
a call that was killed before it leaves it to the next one, and none makes it twice. Must not change any file.
"""

from __future__ import annotations

from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session
from orchestrator.errors import OrchError
from orchestrator.formats.state_file import read_state
from orchestrator.markdown.document import Document
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan
from orchestrator.model.state import State, WaveRow
from orchestrator.model.status import WaveStatus
from orchestrator.nouns import replace
from orchestrator.store.locks import run_lock
from orchestrator.vcs.file_commit import commit_files, hindrance, release

PER_WAVE = "wave"
_ENDED = (WaveStatus.DONE, WaveStatus.RED)


def why_not_kept(session: Session, orchestration: Orchestration) -> str:
    """Why a commit that is due can't be made now, to be said as a degradation; empty if it can, or none is due."""
    try:
        why = hindrance(session.repository, orchestration.state.path) if _due(session, orchestration) else ""
    except OrchError as error:
        why = error.message
    return f"the planning set isn't committed: {why}; the next call tries again" if why else ""


def keep_set(session: Session, orchestration: Orchestration) -> tuple[str, str]:
    """Commit the set if a wave has ended since it was last committed. Returns the commit and the branch, or what went
    wrong after an empty commit; both empty where nothing was due, or why_not_kept says so."""
    if orchestration.settings.commit_state != PER_WAVE or why_not_kept(session, orchestration):
        return "", ""
    try:
        release(session.repository)
        due = _due(session, orchestration)
        if not due:
            return "", ""
        layout, number = session.layout, session.number
        # A person's own; of STATE and todo files what is staged is an earlier state, and would take the commit back.
        own = [layout.shown(path) for path in (layout.plan_path(number), layout.template_path(number))]
        made = commit_files(session.repository, _paths(session), _message(orchestration.plan, due), keep_staged=own)
    except OrchError as error:
        return "", f"the planning set isn't committed: {error.message}; the next call tries again"
    return made, (session.repository.head_branch() or "") if made else ""


def with_kept(session: Session, outcome: Outcome) -> Outcome:
    """The outcome of a call, once the set is committed where that is due, with a line that says so."""
    commit, said = keep_set(session, session.planning.orchestration)
    if not commit:
        return replace(outcome, warnings=(*outcome.warnings, said)) if said else outcome
    line = f"planning set committed on {said}: {commit[:7]}"
    return replace(outcome, lines=(*outcome.lines, line), data={**outcome.data, "set_commit": commit})


def kept_at_last(session: Session, outcome: Outcome) -> Outcome:
    """The same for a call that finds nothing left to do: what a killed one left is made up for, under the lock."""
    orchestration = session.planning.orchestration
    if orchestration.settings.commit_state != PER_WAVE:
        return outcome
    with run_lock(session.layout.common_dir, f"orch next-wave, orchestration {session.number}"):
        why = why_not_kept(session, orchestration)
        return replace(outcome, warnings=(*outcome.warnings, why)) if why else with_kept(session, outcome)


def _due(session: Session, orchestration: Orchestration) -> tuple[WaveRow, ...]:
    """The rows of waves that have ended, as STATE has them and its committed version doesn't."""
    if orchestration.settings.commit_state != PER_WAVE:
        return ()
    # A row without a commit is no end of orch's own: a set that somebody else began was believed.
    ended = [row for row in orchestration.state.waves if row.status in _ENDED and row.commit]
    if not ended:
        return ()
    committed = _committed(session, orchestration)
    known = {(row.number, row.status, row.commit) for row in committed.waves} if committed else set()
    return tuple(row for row in ended if (row.number, row.status, row.commit) not in known)


def _committed(session: Session, orchestration: Orchestration) -> State | None:
    path = orchestration.state.path
    text = session.repository.file_text("HEAD", path)
    return None if text is None else read_state(Document.parse(text, path), orchestration.plan, path).value


def _paths(session: Session) -> list[str]:
    """Every file of the set, those that are gone and committed too: plan, template, STATE, todo files."""
    layout, number = session.layout, session.number
    own = (layout.plan_path(number), layout.template_path(number), layout.state_path(number))
    prefix = f"{number}."
    todos = [layout.tasks / f"{name}.todo.md" for name in layout.todo_names() if name.startswith(prefix)]
    there = [layout.shown(path) for path in (*own, *todos)]
    tracked = session.repository.git("ls-files", "-z", "--", layout.shown(layout.planning)).fields
    folder = f"{layout.shown(layout.tasks)}/{prefix}"
    gone = [path for path in tracked if path.startswith(folder) and path.endswith(".todo.md") and path not in there]
    is_tracked = frozenset(tracked)
    return [path for path in (*there, *gone) if (layout.root / path).is_file() or path in is_tracked]


def _message(plan: Plan, due: tuple[WaveRow, ...]) -> str:
    said = ", ".join(f"wave {row.number} {row.status}" for row in due)
    return f"chore(planning): {said} of planning set {plan.number}"
