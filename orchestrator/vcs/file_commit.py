"""Committing some files of a checkout as they stand on disk, on the branch that is checked out there.

Everything else stays as it is: what is staged, other files, other branches. No hook runs. Must not know what the files
are.

The index gets the files first and the branch moves after it: killed between the two, the files are staged, and the
next try commits them. The other way round the index would take them back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orchestrator.nouns import replace
from orchestrator.vcs.checkout import holder
from orchestrator.vcs.checkouts import Checkout
from orchestrator.vcs.command import Git, z_input
from orchestrator.vcs.commits import commit
from orchestrator.vcs.hooks import commit_rules
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

    Of those in `keep_staged` the index keeps a version that is neither the old commit's nor the disk's. A path whose
    file is gone is deleted; one that git ignores and doesn't track is left out. Look for a hindrance first. Raises
    ConflictError where the index or the branch is held or moved by others, ToolError where git fails.
    """
    checkout = Checkout(repository.root, repository.git_dir)
    with hold_index(checkout, PATIENCE) as held:
        branch, parent = repository.head_branch(), repository.resolve("HEAD")
        if branch is None or parent is None:
            return ""
        files = z_input(_kept(repository, paths))
        probe = held.command(repository, checkout.git_dir / "index.probe")
        probe.run("read-tree", parent)
        _take_in(probe, files)
        tree = probe.run("write-tree").text
        if tree == repository.tree_of(parent):
            return ""
        rules = replace(commit_rules(repository), names=())
        made = commit(repository, tree=tree, parent=parent, message=message, rules=rules)
        index = held.command(repository)
        theirs = _unlike(index, parent, keep_staged) & _unlike(index, tree, keep_staged)
        _take_in(index, z_input(path for path in _kept(repository, paths) if path not in theirs))
        held.swap()
        repository.update_refs([RefChange(f"refs/heads/{branch}", made, parent)])
    return made


def _unlike(index: Git, tree: str, paths: Collection[str]) -> set[str]:
    """Those of the paths that the index has otherwise than a commit or tree."""
    if not paths:
        return set()
    return set(index.run("diff-index", "--cached", "--name-only", "-z", tree, "--", *paths).fields)


def _take_in(command: Git, files: bytes) -> None:
    command.run("update-index", "-z", "--add", "--remove", "--stdin", input=files)


def _kept(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths that git tracks or would take in: it doesn't ignore them."""
    # The one command that refuses to be told that a path is a path; it takes its input as such.
    as_it_is = {"GIT_LITERAL_PATHSPECS": "0"}
    ignored = repository.git("check-ignore", "-z", "--stdin", input=z_input(paths), env=as_it_is, ok=(0, 1)).fields
    return [path for path in paths if path not in ignored]
