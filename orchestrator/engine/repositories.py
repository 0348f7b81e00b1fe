"""Which repository a task works in, where it lies, and what is wrong with those that `repos:` of ORCH.md names.

Owns the way from a word in a plan to a repository on disk. Must not know what is done there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.engine.session import Session, names_at
from orchestrator.errors import Location, OrchError, Problem, Severity, UserError
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.repositories import RepoNames, used
from orchestrator.model.scope import canonical
from orchestrator.model.settings import Repo, Settings
from orchestrator.store.find_repository import find_root
from orchestrator.store.layout import from_home

if TYPE_CHECKING:
    from orchestrator.vcs.repository import Repository


def repo_names(session: Session, settings: Settings) -> RepoNames:
    """What a task's Repo may call each repository: a name in `repos:`, its path, its folder's or its origin's name."""
    held = session.repo_names
    if held is not None and held[0] == settings.repos:
        return held[1]
    others = {}
    for repo in settings.repos:
        names = {repo.path, canonical(repo.path).rstrip("/")}
        try:
            found = find_root(folder_of(session, repo))
            names |= names_at(found.root, found.common_dir)
        except (OrchError, OSError):
            names.add(folder_of(session, repo).name)
        others[repo.name] = frozenset(names)
    session.repo_names = (settings.repos, RepoNames(session.own_names, others))
    return session.repo_names[1]


def folder_of(session: Session, repo: Repo) -> Path:
    """Where the path of a repository leads."""
    return Path(os.path.normpath(session.layout.root / from_home(repo.path, session.environ)))


def repo_of(session: Session, orchestration: Orchestration, key: TaskKey) -> str:
    """The repository of a task: `.`, or its name in `repos:`."""
    if not orchestration.settings.repos:
        return HOME
    word = orchestration.plan.spec(key).repo
    found = repo_names(session, orchestration.settings).find(word)
    return found if orchestration.settings.repo(found) else HOME


def taking_part(session: Session, orchestration: Orchestration) -> tuple[str, ...]:
    """The repositories of an orchestration, `.` first: those its tasks and suites name, and those it began in."""
    settings = orchestration.settings
    if not settings.repos:
        return (HOME,)
    there = {*used(orchestration.plan, settings, repo_names(session, settings)), *orchestration.state.repos}
    return (HOME, *(repo.name for repo in settings.repos if repo.name in there))


def repository_named(session: Session, settings: Settings, name: str) -> Repository:
    """The repository through git. Raises UserError for one that isn't there."""
    if name == HOME:
        return session.repository
    repo = settings.repo(name)
    if repo is None:
        raise UserError(
            f"`repos` has no repository `{name}`",
            hint=f"put it back into planning/ORCH.md: repos: {{{name}: PATH}}",
            code="repo-gone",
        )
    return session.repository_in(folder_of(session, repo))


def repository_of(session: Session, orchestration: Orchestration, key: TaskKey) -> Repository:
    """The repository that a task works in, through git. Raises UserError for one that isn't there."""
    return repository_named(session, orchestration.settings, repo_of(session, orchestration, key))


def branch_of(session: Session, orchestration: Orchestration, key: TaskKey) -> str:
    """The branch that a task lands on; empty before the orchestration has begun there."""
    return orchestration.state.at(repo_of(session, orchestration, key)).branch


def base_of(settings: Settings, repository: Repository, name: str) -> str:
    """The branch that an orchestration forks from in a repository; empty where HEAD is detached and none is named.

    One named for all counts in another repository only where that has it.
    """
    repo = settings.repo(name)
    if repo is None:
        return settings.base or repository.head_branch() or ""
    there = settings.base if settings.base and repository.resolve(f"refs/heads/{settings.base}") else ""
    return repo.base or there or repository.head_branch() or ""


def repo_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """What keeps a repository that takes part from being worked in, at its place in ORCH.md."""
    return tuple(_repo_problems(session, orchestration))


def _no_base(where: str, base: str, at: Location | None) -> Problem:
    text = f'{where}the base branch "{base}" doesn\'t exist'
    return Problem("bad-base", text, at, "set base: to a branch that is there")


def _repo_problems(session: Session, orchestration: Orchestration) -> Iterator[Problem]:
    settings, state = orchestration.settings, orchestration.state
    if settings.base and not state.fork and not session.repository.resolve(f"refs/heads/{settings.base}"):
        yield _no_base("", settings.base, Location(settings.path))
    for idle in settings.repos:
        if idle.name not in taking_part(session, orchestration) and not folder_of(session, idle).is_dir():
            text = f"the repository `{idle.name}`, which no task names, isn't there: no folder {idle.path}"
            yield Problem("bad-repo", text, idle.at, "clone it there, or correct the path", Severity.WARNING)
    there = {session.layout.common_dir: HOME}
    for name in taking_part(session, orchestration)[1:]:
        repo = orchestration.settings.repo(name)
        if repo is None:
            continue
        folder = folder_of(session, repo)
        if not folder.is_dir():
            text = f"the repository `{name}` isn't there: no folder {repo.path}"
            yield Problem("bad-repo", text, repo.at, "clone it there, or correct the path")
            continue
        try:
            found = find_root(folder)
            if not found.is_bare and found.root != Path(os.path.realpath(folder)):
                is_own = found.common_dir == session.layout.common_dir
                text = f"the repository `{name}` is a folder inside {'this one' if is_own else found.root}"
                hint = "leave Repo out, and write paths from the top" if is_own else "name the top of the repository"
                yield Problem("bad-repo", text, repo.at, hint)
                continue
            repository = repository_named(session, orchestration.settings, name)
            if repo.base and name not in state.repos and not repository.resolve(f"refs/heads/{repo.base}"):
                yield _no_base(f"in the repository `{name}`: ", repo.base, repo.at)
                continue
        except OrchError as error:
            text = f"the repository `{name}` can't be worked in: {error.message}"
            yield Problem("bad-repo", text, repo.at, error.hint)
            continue
        other = there.setdefault(found.common_dir, name)
        if other != name:
            what = "this repository itself" if other == HOME else f"the same as `{other}`"
            hint = "take one of the names out: each repository has one branch to land on"
            yield Problem("bad-repo", f"the repository `{name}` is {what}", repo.at, hint)
