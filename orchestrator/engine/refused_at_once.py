"""Whether next-wave would refuse the set as it stands against git: asked by commands that only look.

They are to be quick, so git's files are read first, and git itself is asked only where those leave it open.
"""

from __future__ import annotations

from orchestrator.engine.gone_back import refuse_gone_back
from orchestrator.engine.lost_landings import refuse_lost_branch, refuse_lost_landings
from orchestrator.engine.repositories import folder_of, repository_named
from orchestrator.engine.session import Session
from orchestrator.errors import OrchError
from orchestrator.model.heads import HOME, commits_in
from orchestrator.model.ids import parse_key
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.status import Status
from orchestrator.store.find_repository import find_root
from orchestrator.vcs.refs import list_refs, read_ref


def refusal_of_set(session: Session, orchestration: Orchestration) -> OrchError | None:
    """What next-wave would say of a set that went back, or of a branch that is gone or has lost landings. The todo
    files of all tasks have to be loaded."""
    state = orchestration.state
    if not state.run:
        return None
    try:
        refuse_gone_back(session, orchestration)
        for name in (HOME, *state.repos):
            repository = repository_named(session, orchestration.settings, name)
            refuse_lost_branch(repository, state.at(name), state.run, name)
        refuse_lost_landings(session, orchestration)
    except OrchError as error:
        return error
    return None


def is_refused_at_once(session: Session, orchestration: Orchestration) -> bool:
    """The same for a set of which only the todo files that matter now are loaded."""
    if not orchestration.state.run:
        return False
    try:
        clear = all(_is_clear(session, orchestration, name) for name in (HOME, *orchestration.state.repos))
    except (OrchError, OSError):
        # What is wrong there is told by others.
        return False
    return not clear and refusal_of_set(session, session.planning.orchestration) is not None


def _is_clear(session: Session, orchestration: Orchestration, name: str) -> bool:
    """Whether all that has landed in a repository is there and known, as far as the files tell."""
    state = orchestration.state
    repo = orchestration.settings.repo(name)
    found = find_root(folder_of(session, repo)) if repo else session.found
    refs = list_refs(found.common_dir, f"refs/orch/{state.run}/")
    is_sure, head = read_ref(found.common_dir, f"refs/heads/{state.at(name).branch}")
    if refs is None or not is_sure:
        return False
    landed = {ref: commit for ref, commit in refs.items() if "/landed-" in ref}
    if not landed:
        return True
    if head is None or _strangers(orchestration, landed) > 1:
        return False
    return _is_newest(orchestration, name, head, landed) or _git_has_all(session, orchestration, name, head, landed)


def _strangers(orchestration: Orchestration, landed: dict[str, str]) -> int:
    """How many tasks have landed that the board doesn't say are done."""
    keys = {parse_key(ref.split("/")[3]) for ref in landed}
    rows = [orchestration.state.row(key) for key in keys if key is not None]
    return sum(row is None or row.status is not Status.DONE for row in rows)


def _is_newest(orchestration: Orchestration, name: str, head: str, landed: dict[str, str]) -> bool:
    """Whether the head is the last landing that the files tell of: what the last wave's row says, or, where tasks of
    later waves have landed, the latest by their logs."""
    rows = [(row.number, commits_in(row.commit).get(name, "")) for row in orchestration.state.waves if row.commit]
    last, commit = max(rows, default=(0, ""))
    keys = {parse_key(ref.split("/")[3]) for ref in landed}
    later = [key for key in keys if key is not None and key.wave > last]
    if not later:
        return bool(commit) and head.startswith(commit)
    times: dict[str, set[str]] = {}
    for key in later:
        task = orchestration.tasks.get(key)
        told = [entry for entry in task.log if entry.event == "landed"] if task else []
        if not told:
            return False
        times.setdefault(told[-1].time, set()).add(told[-1].get("commit"))
    return times[max(times)] == {head}


def _git_has_all(session: Session, orchestration: Orchestration, name: str, head: str, landed: dict[str, str]) -> bool:
    repository = repository_named(session, orchestration.settings, name)
    args = ("rev-list", "--max-count=1", *sorted(set(landed.values())), f"^{head}", "--")
    done = repository.git(*args, ok=None)
    return done.status == 0 and not done.text
