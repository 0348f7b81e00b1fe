"""The files of submodules in a workspace: laid from the clones that the repository's own checkout has, without a
network, and brought back there when someone committed in one.

Each is a clone with a git directory of its own, so that programs find in the workspace what they find in a checkout.
Nothing is run in one after it was handed out, save the reading of its objects by git's own server.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.effects import effect
from orchestrator.vcs.command import Git
from orchestrator.vcs.removing import clear_way, remove_tree
from orchestrator.vcs.repository import Repository

LIST = ".gitmodules"


def lay_submodules(repository: Repository, top: Path, tree: str) -> None:
    """Put the submodules of `tree` into the workspace whose top is `top`, whatever lies there, as deep as the
    repository's checkout has them. Those it hasn't at that commit stay empty folders."""
    if (top / LIST).is_file():
        _lay(repository.command, repository.root, top, tree)


def _lay(command: Git, checkout: Path, top: Path, tree: str) -> None:
    for path, commit in _links(command, tree):
        there, place = checkout / path, top / path
        clear_way(top, place)
        remove_tree(place)
        with effect("create", str(place)):
            place.mkdir(parents=True, exist_ok=True)
        if not _has(there, commit):
            continue
        source = Git(str(there))
        source.run("clone", "-q", "--shared", "--no-checkout", "--template=", "-o", "origin", str(there), str(place))
        made = Git(str(place))
        url = source.run("config", "--get", "remote.origin.url", ok=(0, 1)).text
        if url:
            made.run("remote", "set-url", "origin", url)
        made.run("checkout", "-q", "--detach", commit, timeout=900.0)
        if (place / LIST).is_file():
            _lay(made, there, place, commit)


def _links(command: Git, tree: str) -> list[tuple[str, str]]:
    """Path and commit of every submodule of a tree."""
    entries = command.run("ls-tree", "-r", "-z", "--full-tree", tree).fields
    parts = [entry.partition("\t") for entry in entries if entry.startswith("160000 ")]
    return [(path, about.split(" ")[2]) for about, _, path in parts]


def _has(there: Path, commit: str) -> bool:
    """Whether the checkout has a clone there that holds the commit."""
    if not (there / ".git").exists():
        return False
    return Git(str(there)).run("cat-file", "-e", f"{commit}^{{commit}}", ok=None).status == 0


def save_commit(repository: Repository, top: Path, path: str, commit: str, ref: str) -> bool:
    """Keep a commit that was made in the submodule at `path` of a workspace under `ref` of the clone in the
    repository's checkout. False where that has none, or the workspace hasn't the commit."""
    there, made = repository.root / path, top / path
    if not (there / ".git").exists() or not made.is_dir() or made.is_symlink():
        return False
    args = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules")
    done = Git(str(there)).run(*args, str(made), f"+{commit}:{ref}", ok=None)
    return done.status == 0
