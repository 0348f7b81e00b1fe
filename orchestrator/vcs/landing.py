"""From a tree to a branch: merged in memory, and branch and landing ref moved at once.

Owns the merge and the one transaction that moves refs. Touches no checkout.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.nouns import dataclass
from orchestrator.vcs.refs import Guard, RefChange
from orchestrator.vcs.repository import Repository


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge without conflict, and its tree."""

    tree: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Paths that both sides changed, the conflicting hunks (with markers) under their paths, and the tree of the
    merge with those markers in its files."""

    tree: str
    paths: tuple[str, ...]
    text: str


def merge(
    repository: Repository, *, base: str, ours: str, theirs_tree: str, is_descendant: bool = False
) -> Merged | Conflict:
    """What `theirs_tree` changed since the commit `base`, applied to the commit `ours`. The base needn't be an
    ancestor of ours; `is_descendant` says that it is known to be one, which saves asking."""
    if ours == base:
        return Merged(theirs_tree)
    left, right = _sides(repository, base, ours, theirs_tree, is_descendant=is_descendant)
    done = repository.command.using(options=("merge.conflictStyle=merge",)).run(
        "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", left, right, ok=(0, 1)
    )
    tree, *paths = [field for field in done.fields if field]
    if done.status == 0:
        return Merged(tree)
    unique = tuple(dict.fromkeys(paths))
    return Conflict(tree, unique, _hunks(repository, tree, unique))


def _sides(repository: Repository, base: str, ours: str, theirs_tree: str, *, is_descendant: bool) -> tuple[str, str]:
    """Two commits whose one merge base has the tree of `base`. git 2.39 can't be told a merge base: commits that
    exist for this alone say it instead."""
    if is_descendant or repository.is_ancestor(base, ours):
        return ours, repository.kept_commit(theirs_tree, [base], "theirs")
    base_tree, ours_tree = repository.trees_of(base, ours)
    root = repository.kept_commit(base_tree, [], "base")
    left = repository.kept_commit(ours_tree, [root], "ours")
    return left, repository.kept_commit(theirs_tree, [root], "theirs")


HUNK_LINES = 60


def _hunks(repository: Repository, tree: str, paths: Sequence[str]) -> str:
    parts: list[str] = []
    for path in paths:
        text = repository.file_text(tree, path)
        hunks = _marked(text) if text is not None else []
        parts.append("\n".join([f"{path}:", *(hunks or ["(no common text: deleted, renamed or binary)"])]))
    return "\n\n".join(parts)


def _marked(text: str) -> list[str]:
    kept: list[str] = []
    is_inside = False
    for line in text.split("\n"):
        is_inside = is_inside or line.startswith("<<<<<<< ")
        if is_inside and len(kept) < HUNK_LINES:
            kept.append(line.removesuffix("\r"))
        if line.startswith(">>>>>>> "):
            is_inside = False
    return kept


def land(
    repository: Repository, *, branch: str, old: str, new: str, landing_ref: str, guard: Guard | None = None
) -> None:
    """Move `branch` from `old` to `new` and make `landing_ref` (full name) in one transaction. Raises, with neither
    done, ConflictError when the branch isn't at `old` or the ref exists, ToolError when the hook of `guard` refuses."""
    repository.update_refs([RefChange(f"refs/heads/{branch}", new, old), RefChange(landing_ref, new, "")], guard)
