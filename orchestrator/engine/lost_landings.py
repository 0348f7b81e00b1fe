"""An integration branch that is gone, or has lost what had landed on it: refused, with what brings it back.

Decides by commits, patches and files whether a landing is still there. Must not move a branch.
"""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote

from orchestrator.engine.repositories import repo_of, repository_named
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import Stage, standing
from orchestrator.model.state import Fork
from orchestrator.vcs.checkout import holder
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.rewritten import lost_of


def refuse_lost_branch(repository: Repository, begun: Fork, run: str, name: str) -> None:
    """Raise UserError if the integration branch is gone from the repository called `name` though the run's tasks have
    landed on it."""
    if repository.resolve(f"refs/heads/{begun.branch}") is not None:
        return
    refs = repository.refs(f"refs/orch/{run}/")
    moves = {commit for ref, commit in refs.items() if "/landed-" in ref or "/reverted-" in ref}
    if not any("/landed-" in ref for ref in refs):
        return
    where, at = ("", "") if name == HOME else (f" in {name}", f" -C {quote(str(repository.root))}")
    last = _newest(repository, moves)[:12]
    raise UserError(
        f"the integration branch {begun.branch}{where} is gone, though tasks have landed on it",
        hint=f"make it again at the last landed commit: git{at} branch {quote(begun.branch)} {last}",
        code="no-branch",
    )


def refuse_lost_landings(session: Session, orchestration: Orchestration) -> None:
    """Raise UserError if the work of a landed task is no longer on the integration branch, in whatever form.

    A branch that was amended, rebased or squashed still has it; one that was reset has lost it, and done would be a
    lie. What was changed on the way can't be told from lost: `orch land --as` says where it is then.
    """
    landed: dict[str, dict[TaskKey, tuple[str, ...]]] = {}
    for key, task in orchestration.tasks.items():
        now = standing(task.log)
        if now.stage is Stage.LANDED and now.landing:
            commits = (now.landing, *([now.stands_as] if now.stands_as else []))
            landed.setdefault(repo_of(session, orchestration, key), {})[key] = commits
    for name, forms in landed.items():
        repository = repository_named(session, orchestration.settings, name)
        _refuse_lost(session, repository, orchestration.state.at(name), "" if name == HOME else f" in {name}", forms)


def _refuse_lost(
    session: Session, repository: Repository, at: Fork, where: str, landed: dict[TaskKey, tuple[str, ...]]
) -> None:
    head = repository.resolve(f"refs/heads/{at.branch}") if at.branch else None
    if head is None:
        return
    gone = lost_of(repository, [commit for forms in landed.values() for commit in forms], at.fork, head)
    lost = sorted((key for key, forms in landed.items() if gone.issuperset(forms)), key=TaskKey.order)
    if not lost:
        return
    names = ", ".join(map(str, lost))
    raise UserError(
        f"the branch {at.branch}{where} has lost commits that had landed: {names}",
        hint=_remedy(
            session, repository, at.branch, head, lost, _newest(repository, [one[0] for one in landed.values()])
        ),
        code="lost-landing",
    )


def _remedy(session: Session, repository: Repository, branch: str, head: str, lost: list[TaskKey], last: str) -> str:
    """How the branch gets its commits back, with nothing taken off it that is kept nowhere else, and how to say that
    it has them in another form."""
    place = holder(repository, branch)
    root = place.root if place else repository.root
    command = "git" if root == session.layout.root else f"git -C {quote(str(root))}"
    back = f"{command} reset --keep {last[:12]}" if place else f"{command} branch -f {quote(branch)} {last[:12]}"
    if repository.is_ancestor(head, last):
        return f"put it back: {back} (or the commit you know to be the last)"
    says = " && ".join(session.command(f"land {key} --as {head[:12]}") for key in lost)
    kept = f"{branch}-before-{head[:7]}"
    keep = "" if repository.resolve(f"refs/heads/{kept}") == head else f"{command} branch {quote(kept)} {head[:12]} && "
    return (
        f"if their work is there in another form, say so: {says}; else put them back, with what is there now kept as"
        f" {kept}: {keep}{back}"
    )


def _newest(repository: Repository, commits: Iterable[str]) -> str:
    """Of commits that landed one after another the last."""
    last = ""
    for commit in commits:
        if not last or repository.is_ancestor(last, commit):
            last = commit
    return last
