"""Committing some files of a checkout as they stand on disk, on the branch that is checked out there.

Everything else stays as it is: what is staged, other files, other branches. No hook runs. Must not know what the files
are.

The index gets the files first and the branch moves after it: killed between the two, the files are staged, and the
next try commits them. The other way round the index would take them back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os.path import lexists

from orchestrator.errors import ConflictError
from orchestrator.nouns import replace
from orchestrator.vcs.checkout import holder
from orchestrator.vcs.checkouts import Checkout
from orchestrator.vcs.command import Git, z_input
from orchestrator.vcs.commits import commit
from orchestrator.vcs.hooks import commit_rules
from orchestrator.vcs.index_entries import InIndex, entries_at, intended, put_entries, unlike_tree
from orchestrator.vcs.index_lock import hold_index, is_left_over
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.repository import Repository

PATIENCE = 3.0
"""Seconds to wait for an index that others hold: what isn't committed now can be later."""


def hindrance(repository: Repository, path: str) -> str:
    """Why files of this checkout can't be committed now, `path` above all of them, in words; empty if they can."""
    branch = repository.head_branch()
    if branch is None:
        return "HEAD is detached"
    if repository.resolve("HEAD") is None:
        return f"{branch} has no commit yet"
    under_way = Checkout(repository.root, repository.git_dir).under_way()
    if under_way:
        return f"{under_way} is under way"
    place = holder(repository, branch)
    if place is not None and len(place.checkouts) > 1:
        return f"{branch} is checked out in several places"
    folder, root = (repository.root / path).parent, repository.root
    if folder.resolve() != root.resolve() / folder.relative_to(root):
        return f"{folder.relative_to(root)}/ lies behind a link"
    if not _kept(repository, [path]):
        return f"git ignores {path}"
    return ""


def release(repository: Repository) -> None:
    """Take away what a commit_files that was killed has left, so that other gits go on. Raises ConflictError where
    somebody is at work there."""
    checkout = Checkout(repository.root, repository.git_dir)
    if is_left_over(checkout):
        with hold_index(checkout, PATIENCE):
            pass


def commit_files(
    repository: Repository, paths: Sequence[str], message: str, *, keep_staged: Collection[str] = ()
) -> str:
    """One commit of these files on the branch that is checked out, and its id; "" where they stand there already.

    The index has them as the commit has them then, with the marks a person put on them. Of those in `keep_staged` it
    keeps a version that is neither the old commit's nor the disk's; an intent to add is none. A path whose file is
    gone is deleted, unless it is marked: then it isn't looked at, as outside of a sparse checkout. One that git ignores
    and doesn't track is left out. Look for a hindrance first. Raises ConflictError where the index or the branch is
    held or moved by others or one of the files has a conflict, ToolError where git fails.
    """
    checkout = Checkout(repository.root, repository.git_dir)
    with hold_index(checkout, PATIENCE) as held:
        branch, parent = repository.head_branch(), repository.resolve("HEAD")
        if branch is None or parent is None:
            return ""
        index = held.command(repository)
        there = entries_at(index, paths)
        _refuse_conflicts(there)
        out = {path for path, entry in there.items() if entry.is_marked and not lexists(repository.root / path)}
        files = [path for path in _kept(repository, paths) if path not in out]
        probe = held.command(repository, checkout.git_dir / "index.probe")
        probe.run("read-tree", parent)
        _take_in(probe, z_input(files))
        tree = probe.run("write-tree").text
        if tree == repository.tree_of(parent):
            return ""
        rules = replace(commit_rules(repository), names=())
        made = commit(repository, tree=tree, parent=parent, message=message, rules=rules)
        staged = set(keep_staged) - intended(index, set(keep_staged) & there.keys())
        unlike = unlike_tree(index, tree, files)
        theirs = unlike & staged & unlike_tree(index, parent, staged)
        put_entries(index, tree, unlike - theirs, there)
        held.swap()
        repository.update_refs([RefChange(f"refs/heads/{branch}", made, parent)])
    return made


def _refuse_conflicts(there: Mapping[str, InIndex]) -> None:
    unresolved = sorted(path for path, entry in there.items() if entry.is_unmerged)
    if unresolved:
        raise ConflictError(
            f"conflicts aren't resolved: {', '.join(unresolved)}",
            hint="resolve them and git add the files, then run the command again",
            code="unmerged",
        )


def _take_in(command: Git, files: bytes) -> None:
    command.run("update-index", "-z", "--add", "--remove", "--stdin", input=files)


def _kept(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths that git tracks or would take in: it doesn't ignore them."""
    # The one command that refuses to be told that a path is a path; it takes its input as such.
    as_it_is = {"GIT_LITERAL_PATHSPECS": "0"}
    ignored = repository.git("check-ignore", "-z", "--stdin", input=z_input(paths), env=as_it_is, ok=(0, 1)).fields
    return [path for path in paths if path not in ignored]
