"""Somebody says that the work of a landed task stands on the rewritten branch as another commit: written down.

Nothing is landed and no ref is moved: the landing stays the one that orch made.
"""

from __future__ import annotations

from orchestrator.engine.by_command import begin, recorded
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.repositories import repo_of, repository_named
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.model.stage import Stage, Standing, standing


def land_as(session: Session, name: str, rev: str, *, by: str = "session") -> Outcome:
    """Record that a landed task's work is on the integration branch with this commit, whatever it was made into.

    Raises UserError for a task that hasn't landed, and for a commit that isn't on the branch since its fork.
    """
    plan, recorder = begin(session, "land")
    key = find_task(plan, name)
    now = _landed(key, standing(session.planning.task(key).log))
    orchestration = session.planning.orchestration
    repo = repo_of(session, orchestration, key)
    repository, at = repository_named(session, orchestration.settings, repo), orchestration.state.at(repo)
    commit = repository.resolve(rev)
    head = repository.resolve(f"refs/heads/{at.branch}")
    line = {one.id for one in repository.commits(at.fork, head)} if head else set()
    if commit is None or commit not in line:
        where = "" if repo == HOME else f" in {repo}"
        raise UserError(
            f"{rev} is no commit that the branch {at.branch}{where} has got since {at.fork[:7]}",
            hint=f"git log {at.fork[:7]}..{at.branch} lists those there are",
            code="not-on-branch",
        )

    def change(document: Document) -> Document:
        _landed(key, standing(read_task_file(document, key).value.log))
        return document

    entry = recorder.entry("landed", commit=now.landing, **{"as": commit}, by=by)
    recorder.note(key, entry, change=change)
    return recorded(session, [key], "landed-as", [f"{key}: what landed as {now.landing[:7]} stands in {commit[:7]}"])


def _landed(key: TaskKey, now: Standing) -> Standing:
    if now.stage is not Stage.LANDED:
        raise UserError(f"{key} hasn't landed: {now.stage.words}", hint=f"orch show {key}", code="too-early")
    return now
