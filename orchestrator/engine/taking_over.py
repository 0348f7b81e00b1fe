"""What is left to do once every wave is done: the command by which a person takes over what has landed.

Reads git's own files, and asks git only whether what would be merged is merged already. Must not decide anything else.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.engine.session import Session
from orchestrator.errors import OrchError
from orchestrator.model.heads import HOME
from orchestrator.model.orchestration import Orchestration
from orchestrator.store.find_repository import Found, find_root


def merge_command(session: Session, orchestration: Orchestration) -> str:
    """The command that merges each integration branch into its base, which is checked out first where it isn't.

    Empty where there is nothing to merge: the tasks landed on the base itself, the base has all of it, or the branch
    has been deleted.
    """
    names = (HOME, *orchestration.state.repos)
    commands = (_merge(session, orchestration, name) for name in names)
    return " && ".join(command for command in commands if command)


def _merge(session: Session, orchestration: Orchestration, name: str) -> str:
    at = orchestration.state.at(name)
    if not at.branch or not at.base or at.branch == at.base:
        return ""
    found = session.found if name == HOME else _elsewhere(session, orchestration, name)
    if found is None:
        return ""
    base, tip = _tip(found.common_dir, at.base), _tip(found.common_dir, at.branch)
    if base and (not tip or tip == base or _is_merged(session, orchestration, name)):
        return ""
    # Here and not above: only the last look needs it.
    from shlex import quote

    git = "git" if name == HOME else f"git -C {quote(str(found.root))}"
    merge = f"{git} merge {quote(_unmistakable(found.common_dir, at.branch))}"
    return merge if _head(found) == at.base else f"{git} checkout {quote(at.base)} && {merge}"


def _is_merged(session: Session, orchestration: Orchestration, name: str) -> bool:
    """Whether the base has all that has landed."""
    # Here and not above: only the last look needs it.
    from orchestrator.engine.repositories import repository_named

    at = orchestration.state.at(name)
    branch, base = f"refs/heads/{at.branch}", f"refs/heads/{at.base}"
    try:
        repository = repository_named(session, orchestration.settings, name)
    except OrchError:
        return False
    return bool(repository.resolve(branch) and repository.resolve(base)) and repository.is_ancestor(branch, base)


def _elsewhere(session: Session, orchestration: Orchestration, name: str) -> Found | None:
    """Another repository's checkout; None where it can't be had any more."""
    # Here and not above: few plans name another repository.
    from orchestrator.engine.repositories import folder_of

    repo = orchestration.settings.repo(name)
    try:
        return find_root(folder_of(session, repo)) if repo else None
    except OrchError:
        return None


def checked_out(session: Session) -> str:
    """The branch that is checked out, read from HEAD; empty when it is detached."""
    return _head(session.found)


def _head(found: Found) -> str:
    head = _text(found.git_dir / "HEAD").strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def _unmistakable(common_dir: Path, branch: str) -> str:
    """The branch as git takes it for none other: its full name where a tag or the like would come first."""
    is_mistaken = any(_ref(common_dir, f"{before}{branch}") for before in ("", "refs/", "refs/tags/"))
    return f"refs/heads/{branch}" if is_mistaken else branch


def _tip(common_dir: Path, branch: str) -> str:
    """The commit of a branch as git's files have it; empty for one that isn't there."""
    return _ref(common_dir, f"refs/heads/{branch}")


def _ref(common_dir: Path, name: str) -> str:
    # Here and not above: only the last look needs it.
    from orchestrator.vcs.refs import packed_refs

    return _text(common_dir / name).strip() or (packed_refs(common_dir) or {}).get(name, "")


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
