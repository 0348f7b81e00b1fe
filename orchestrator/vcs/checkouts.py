"""Which checkouts of a repository have a branch checked out, and what is going on in them. Read from files."""

from __future__ import annotations

from pathlib import Path

from orchestrator.folders import names_in
from orchestrator.nouns import dataclass
from orchestrator.vcs.command import Git
from orchestrator.vcs.refs import symbolic_head
from orchestrator.vcs.repository import Repository

_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_START": "a bisect",
}


@dataclass(frozen=True, slots=True)
class Checkout:
    """The top of a checkout and its own git directory."""

    root: Path
    git_dir: Path

    def command(self, repository: Repository, index: Path) -> Git:
        """git on this checkout's files with another index than its own."""
        return repository.command.using(
            cwd=str(self.root),
            GIT_DIR=str(self.git_dir),
            GIT_WORK_TREE=str(self.root),
            GIT_INDEX_FILE=str(index),
        )

    def under_way(self) -> str:
        """The operation a person has begun there and not finished, in words; empty for none."""
        return next((words for name, words in _UNDER_WAY.items() if (self.git_dir / name).exists()), "")


def checkouts_of(repository: Repository, branch: str) -> tuple[Checkout, ...]:
    """Every checkout, the main one and linked ones, that is on `branch`, or is in a rebase or bisect of it."""
    return tuple(one for one in _all(repository) if is_on(one, branch))


def _all(repository: Repository) -> list[Checkout]:
    found = [Checkout(repository.root, repository.git_dir)]
    common = repository.common_dir
    if repository.git_dir != common and common.name == ".git":
        found.append(Checkout(common.parent, common))
    linked = common / "worktrees"
    # git takes the folder away with the last of them.
    for entry in (linked / name for name in names_in(linked)):
        try:
            root = Path((entry / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")).parent
        except OSError:
            continue
        if entry != repository.git_dir and (root / ".git").exists():
            found.append(Checkout(root, entry))
    return found


def is_on(checkout: Checkout, branch: str) -> bool:
    """Whether the checkout is on the branch, or in a rebase or bisect of it."""
    ref = f"refs/heads/{branch}"
    try:
        if symbolic_head(checkout.git_dir) == ref:
            return True
    except OSError:
        return False
    names = [_noted(checkout, name) for name in ("rebase-merge/head-name", "rebase-apply/head-name")]
    return ref in (*names, f"refs/heads/{_noted(checkout, 'BISECT_START')}")


def _noted(checkout: Checkout, name: str) -> str:
    """What git noted of an operation under way; empty where there is none, or no more."""
    try:
        return (checkout.git_dir / name).read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
