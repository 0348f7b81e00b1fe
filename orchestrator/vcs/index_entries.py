"""Single entries of an index: what a person has staged or marked at some paths, and putting a tree's entries there.

Works on the index it is given, which nobody else may be writing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from orchestrator.nouns import dataclass
from orchestrator.vcs.command import Git, z_input
from orchestrator.vcs.diffs import ALL_SUBMODULES


@dataclass(frozen=True, slots=True)
class InIndex:
    """What an index says of a path besides its content: a conflict, and the marks that keep git from looking at the
    file."""

    is_unmerged: bool
    is_skipped: bool
    is_assumed: bool

    @property
    def is_marked(self) -> bool:
        """Whether git passes over the file, be it there or not."""
        return self.is_skipped or self.is_assumed


def entries_at(index: Git, paths: Collection[str]) -> dict[str, InIndex]:
    """Those of the paths that are in the index, an intent to add too."""
    found = {}
    for line in index.run("ls-files", "-z", "-v", "--cached", "--", *paths).fields if paths else ():
        letter = line[0]
        found[line[2:]] = InIndex(letter in "Mm", letter in "Ss", letter.islower())
    return found


def unlike_tree(index: Git, tree: str, paths: Collection[str]) -> set[str]:
    """Those of the paths that the index has otherwise than a commit or tree. What is only intended to be added it
    doesn't have."""
    if not paths:
        return set()
    args = ("diff-index", "--cached", "--ita-invisible-in-index", "--name-only", "-z", ALL_SUBMODULES, tree, "--")
    return set(index.run(*args, *paths).fields)


def intended(index: Git, paths: Collection[str]) -> set[str]:
    """Those of the paths, all in the index, that are only intended to be added (`git add -N`)."""
    if not paths:
        return set()
    nothing = index.run("hash-object", "-t", "tree", "--stdin", input=b"").text
    return set(paths) - unlike_tree(index, nothing, paths)


def put_entries(index: Git, tree: str, paths: Collection[str], before: Mapping[str, InIndex]) -> None:
    """Bring the paths in the index to what they are in the tree, with the marks that they had before."""
    if not paths:
        return
    entries = index.run("ls-tree", "-r", "-z", "--full-tree", tree, "--", *sorted(paths)).fields
    come = dict.fromkeys(entry.partition("\t")[2] for entry in entries)
    zero = "0" * len(tree)
    gone = [f"0 {zero}\t{path}" for path in sorted(paths) if path not in come]
    index.run("update-index", "-z", "--index-info", input=z_input([*gone, *entries]))
    # So that git needn't read the files to see that they are as the index has them; without, all is right too.
    refresh = ("add", "--refresh", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul")
    index.run(*refresh, input=z_input(come), ok=None)
    # Last: git refreshes no file that is marked.
    for option, marked in (
        ("--skip-worktree", [path for path in come if path in before and before[path].is_skipped]),
        ("--assume-unchanged", [path for path in come if path in before and before[path].is_assumed]),
    ):
        if marked:
            index.run("update-index", "-z", option, "--stdin", input=z_input(marked))
