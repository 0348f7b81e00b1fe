"""What is left to do once every wave is done: the command by which a person takes over what has landed.

Reads git's own files and asks git nothing, so that `orch status` stays quick. Must not decide anything else.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.engine.session import Session
from orchestrator.model.state import State


def merge_command(session: Session, state: State) -> str:
    """The command that merges the integration branch into its base, which is checked out first where it isn't.

    Empty where there is nothing to merge: the tasks landed on the base itself, the base is at the same commit, or the
    branch has been deleted.
    """
    if not state.branch or not state.base or state.branch == state.base:
        return ""
    common = session.layout.common_dir
    base, tip = _tip(common, state.base), _tip(common, state.branch)
    if base and (not tip or tip == base):
        return ""
    # Here and not above: only the last look needs it.
    from shlex import quote

    merge = f"git merge {quote(state.branch)}"
    return merge if checked_out(session) == state.base else f"git checkout {quote(state.base)} && {merge}"


def checked_out(session: Session) -> str:
    """The branch that is checked out, read from HEAD; empty when it is detached."""
    head = _text(session.found.git_dir / "HEAD").strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def _tip(common_dir: Path, branch: str) -> str:
    """The commit of a branch as git's files have it; empty for one that isn't there."""
    name = f"refs/heads/{branch}"
    loose = _text(common_dir / name).strip()
    if loose:
        return loose
    for line in _text(common_dir / "packed-refs").split("\n"):
        commit, _, packed = line.partition(" ")
        if packed == name:
            return commit
    return ""


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
