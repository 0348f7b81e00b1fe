"""From a tree to a commit on a branch: merged in memory, committed with the repository's hooks, moved at once.

Owns the merge, the making of the commit and the one transaction that moves refs. Touches no checkout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.errors import ToolError
from orchestrator.vcs.changes import KEEPER
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.repository import Repository


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge without conflict, and its tree."""

    tree: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Paths that both sides changed, and the conflicting hunks (with markers) under their paths."""

    paths: tuple[str, ...]
    text: str


class SigningError(ToolError):
    """The commit is to be signed, and the signing program failed or took too long."""


def merge(repository: Repository, *, base: str, ours: str, theirs_tree: str) -> Merged | Conflict:
    """What `theirs_tree` changed since the commit `base`, applied to the commit `ours`. The base needn't be an
    ancestor of ours."""
    if ours == base:
        return Merged(theirs_tree)
    base_tree, ours_tree = repository.tree_of(base), repository.tree_of(ours)
    if base_tree in (ours_tree, theirs_tree):
        return Merged(theirs_tree if base_tree == ours_tree else ours_tree)
    # git 2.39 can't be told a merge base: three commits that exist for this alone say it instead.
    root = repository.commit_tree(base_tree, [], "base", env=KEEPER)
    left = repository.commit_tree(ours_tree, [root], "ours", env=KEEPER)
    right = repository.commit_tree(theirs_tree, [root], "theirs", env=KEEPER)
    done = repository.command.using(options=("merge.conflictStyle=merge",)).run(
        "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", left, right, ok=(0, 1)
    )
    tree, *paths = [field for field in done.fields if field]
    if done.status == 0:
        return Merged(tree)
    unique = tuple(dict.fromkeys(paths))
    return Conflict(unique, _hunks(repository, tree, unique))


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


def commit_in_memory(
    repository: Repository,
    *,
    tree: str,
    parent: str,
    message: str,
    env: Mapping[str, str] | None = None,
    timeout: float = 120.0,
) -> str:
    """A commit object of the person's own (signed if they sign), on no branch. Raises SigningError."""
    args = ["commit-tree", tree, "-p", parent, "-F", "-"]
    is_signed = repository.git("config", "--type=bool", "--get", "commit.gpgSign", ok=None).text == "true"
    if is_signed:
        args.append("-S")
    try:
        return repository.command.run(*args, input=message, env=env, timeout=timeout).text
    except ToolError as error:
        if not is_signed or "identity" in error.output.lower():
            raise _identity(error) from error
        raise SigningError(
            f"the commit couldn't be signed: {error.message}",
            argv=error.argv,
            status=error.status,
            output=error.output,
            hint="see that the signing program works without a terminal, or unset commit.gpgSign",
            code="signing",
        ) from error


def _identity(error: ToolError) -> ToolError:
    if "identity" not in error.output.lower():
        return error
    return ToolError(
        "git doesn't know who commits",
        argv=error.argv,
        status=error.status,
        output=error.output,
        hint='git config user.name "…" && git config user.email "…"',
        code="no-identity",
    )


def land(repository: Repository, *, branch: str, old: str, new: str, landing_ref: str) -> None:
    """Move `branch` from `old` to `new` and make `landing_ref` (full name) in one transaction. Raises
    ConflictError, with neither done, when the branch isn't at `old` or the ref exists."""
    repository.update_refs([RefChange(f"refs/heads/{branch}", new, old), RefChange(landing_ref, new, "")])
