"""The other repositories of an orchestration: held for one call at a time, and begun when they first take part.

STATE is written before the branch is made there, so that a crash between the two is finished by the next call.
"""

from __future__ import annotations

from contextlib import ExitStack

from orchestrator.engine.gone_back import guest_ref
from orchestrator.engine.repositories import base_of, repository_named, taking_part
from orchestrator.engine.session import Session
from orchestrator.engine.starting import integration_branch, make_branch
from orchestrator.errors import UserError
from orchestrator.formats.state_edits import set_fork
from orchestrator.markdown.document import Document
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.state import Fork
from orchestrator.nouns import dataclass, field
from orchestrator.store.locks import run_lock
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.repository import Repository


@dataclass(slots=True)
class Elsewhere:
    """The other repositories that a call holds the run lock of, until `stack` is closed."""

    stack: ExitStack
    held: set[str] = field(default_factory=set)

    def hold(self, session: Session, orchestration: Orchestration) -> None:
        """Lock those that take part and aren't held yet. Raises LockedError where another orchestration works there,
        UserError for one that isn't there."""
        for name in taking_part(session, orchestration)[1:]:
            if name in self.held:
                continue
            repository = repository_named(session, orchestration.settings, name)
            about = f"orch next-wave, orchestration {session.number} of {session.layout.root}"
            self.stack.enter_context(run_lock(repository.common_dir, about))
            self.held.add(name)


def begin_elsewhere(session: Session, orchestration: Orchestration) -> None:
    """Fork the integration branch in every repository that takes part, and note branch and fork in STATE.

    Raises UserError where the base can't be told, or the branch is somebody else's.
    """
    for name in taking_part(session, orchestration)[1:]:
        repository = repository_named(session, orchestration.settings, name)
        there = orchestration.state.repos.get(name) or _note(session, orchestration, repository, name)
        run = orchestration.state.run
        make_branch(repository, there, run, name, session.environ)
        if guest_ref(run) not in repository.refs(f"refs/orch/{run}"):
            repository.update_refs([RefChange(guest_ref(run), there.fork, "")])


def _note(session: Session, orchestration: Orchestration, repository: Repository, name: str) -> Fork:
    """Write down where the orchestration begins in a repository."""
    settings, plan = orchestration.settings, orchestration.plan
    base = base_of(settings, repository, name)
    fork = repository.resolve(f"refs/heads/{base}") if base else None
    if fork is None:
        what = (
            f'the base branch "{base}" doesn\'t exist'
            if base
            else "HEAD is detached, so there is no branch to fork from"
        )
        raise UserError(
            f"in the repository {name}: {what}",
            hint=f"name one in planning/ORCH.md: repos: {{{name}: {{path: …, base: main}}}}",
            code="no-base",
        )
    repo = settings.repo(name)
    form = (repo.branch if repo else "") or settings.branch
    branch = integration_branch(form, repository, number=plan.number, slug=plan.slug)
    there = repository.resolve(f"refs/heads/{branch}")
    if there is not None and form != "current" and there != fork:
        raise UserError(
            f"in the repository {name} the branch {branch} exists already, at {there[:7]}, and isn't orch's",
            hint=f"rename it (git -C {repository.root} branch -m {branch} NAME) or name another in repos: {name}",
            code="branch-taken",
        )
    begun = Fork(branch, base, fork)

    def change(document: Document) -> Document:
        return set_fork(document, name, begun)

    session.planning.change_state(change)
    session.emit(f"orchestration {plan.number}: in {name} it lands on {branch}, forked from {base} at {fork[:7]}")
    return begun
