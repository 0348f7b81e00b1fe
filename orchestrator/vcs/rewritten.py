"""Whether a branch that was rewritten still has what commits of its old line did. Knows nothing of why they matter."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orchestrator.vcs.history import patch_id
from orchestrator.vcs.repository import Commit, Repository

_FEW = 500
"""So many paths go into one command line."""


def lost_of(repository: Repository, commits: Collection[str], fork: str, head: str) -> frozenset[str]:
    """Those of the commits whose change is in none between fork and head.

    It is there as the commit itself; where a commit has the tree that it, or a later one of these, came to (a squash);
    where in a commit all files that it changed are as it, or a later one of these, left them; or as the same patch.
    What isn't in the repository any more is lost.
    """
    line = repository.commits(fork, head)
    lost = set(commits) - {commit.id for commit in line}
    if not lost or not line:
        return frozenset(lost)
    old = _Old(repository, tuple(commit for commit in commits if repository.resolve(commit)))
    trees = {commit.tree for commit in line}
    lost -= old.under([commit for commit in old.commits if repository.tree_of(commit) in trees])
    lost -= {commit for commit in lost if commit in old.commits and old.is_left(commit, line)}
    if lost:
        patches = {patch_id(repository, commit.id) for commit in line} - {""}
        lost -= {commit for commit in lost if patch_id(repository, commit) in patches}
    return frozenset(lost)


class _Old:
    """The commits that are asked about, as far as they are in the repository."""

    def __init__(self, repository: Repository, commits: tuple[str, ...]) -> None:
        self.repository = repository
        self.commits = commits

    def under(self, ends: Collection[str]) -> set[str]:
        """The commits that are in the history of one of these."""
        return {one for one in self.commits if any(self.repository.is_ancestor(one, end) for end in ends)}

    def is_left(self, commit: str, line: Sequence[Commit]) -> bool:
        """Whether some commit of the line has all that this one changed as this or a later one left it, file for
        file."""
        changed = set(self.repository.paths_between(f"{commit}^1", commit))
        return any(self._has(commit, changed, place) for place in (line[0].id, *self._touching(changed, line)))

    def _touching(self, paths: Collection[str], line: Sequence[Commit]) -> Sequence[str]:
        known = [commit.id for commit in line]
        if len(paths) > _FEW:
            return known
        args = ("log", "--no-show-signature", "--full-history", "--format=%H", line[0].id, "--", *sorted(paths))
        found = set(self.repository.git(*args).text.split("\n"))
        return [commit for commit in known if commit in found]

    def _has(self, commit: str, changed: Collection[str], place: str) -> bool:
        other = self._differing(commit, place).intersection(changed)
        for later in self.commits if other else ():
            if later != commit and self.repository.is_ancestor(commit, later):
                other &= self._differing(later, place)
        return not other

    def _differing(self, old: str, new: str) -> set[str]:
        return set(self.repository.paths_between(old, new))
