"""Taking commits back: what a tree is without some of those that made it. Touches no checkout and no ref."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.vcs.landing import Conflict, Merged, merge
from orchestrator.vcs.repository import Commit, Repository


def line_of(repository: Repository, old: str, new: str) -> tuple[Commit, ...]:
    """The commits from `old`, which isn't among them, to `new`, oldest first, along first parents."""
    there = {commit.id: commit for commit in repository.commits(old, new)}
    found: list[Commit] = []
    at = new
    while at in there:
        commit = there[at]
        found.append(commit)
        at = commit.parents[0] if commit.parents else ""
    return tuple(reversed(found))


def without(repository: Repository, onto: str, commits: Sequence[str]) -> Merged | Conflict:
    """The tree of `onto` less what each of `commits` changed against its first parent. All of them are in its
    history, and are given newest first."""
    tree = repository.tree_of(onto)
    for number, commit in enumerate(commits):
        ours = onto if number == 0 else repository.kept_commit(tree, [onto], "less")
        parent = repository.resolve(f"{commit}^1")
        if parent is None:
            return Conflict(tree, (), f"{commit} has no parent")
        result = merge(repository, base=commit, ours=ours, theirs_tree=repository.tree_of(parent), is_descendant=True)
        if isinstance(result, Conflict):
            return result
        tree = result.tree
    return Merged(tree)
