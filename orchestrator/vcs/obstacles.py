"""What would be lost if a checkout's files went from one tree to another. Only looks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path

from orchestrator.vcs.checkouts import Checkout
from orchestrator.vcs.diffs import NOTHING, SUBMODULE, Entry, raw_entries
from orchestrator.vcs.repository import Repository


def in_the_way(repository: Repository, checkout: Checkout, entries: Sequence[Entry], old: str) -> list[str]:
    """Untracked and ignored paths that stand where a path is to be added. git itself would overwrite ignored
    ones without a word."""
    deleted = {entry.path for entry in entries if entry.letter == "D"}
    changed = {entry.path for entry in entries if entry.letter != "A"}
    found: dict[str, str] = {}
    for entry in entries:
        if entry.new_mode == NOTHING:
            continue
        for path in _standing_at(checkout.root, entry, deleted, changed):
            found[path] = entry.path
    if not found:
        return []
    # One that is staged with the very content that comes isn't lost: it is what comes.
    staged = {entry.path: entry.state for entry in _staged(repository, checkout, old)}
    coming = {entry.path: entry.state for entry in entries}
    return [path for path in found if staged.get(path) is None or staged[path] != coming.get(path)]


def _standing_at(root: Path, entry: Entry, deleted: Collection[str], changed: Collection[str]) -> list[str]:
    parts = entry.path.split("/")
    for at in range(1, len(parts)):
        parent = "/".join(parts[:at])
        full = root / parent
        if not os.path.lexists(full):
            return []
        if full.is_symlink() or not full.is_dir():
            return [] if parent in deleted else [parent]
    full = root / entry.path
    if not os.path.lexists(full):
        return []
    if full.is_symlink() or not full.is_dir():
        return [] if entry.path in changed else [entry.path]
    if entry.new_mode == SUBMODULE or entry.old_mode == SUBMODULE:
        return []
    return [path for path in _all_below(root, entry.path) if path not in deleted]


def _all_below(root: Path, folder: str) -> list[str]:
    found: list[str] = []
    for where, folders, files in os.walk(root / folder, followlinks=False):
        links = [name for name in folders if (Path(where) / name).is_symlink()]
        found += [os.path.relpath(Path(where) / name, root) for name in (*files, *links)]
    return found


def _staged(repository: Repository, checkout: Checkout, old: str) -> tuple[Entry, ...]:
    command = repository.command.using(
        cwd=str(checkout.root), GIT_DIR=str(checkout.git_dir), GIT_WORK_TREE=str(checkout.root)
    )
    args = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", old, "--")
    return raw_entries(command.run(*args).fields)


def locally_changed(repository: Repository, checkout: Checkout, entries: Sequence[Entry], old: str) -> list[str]:
    """Tracked paths that change between the trees and are changed here too, staged or not."""
    coming = {entry.path: entry.state for entry in entries}
    if not coming:
        return []
    staged = {entry.path: entry.state for entry in _staged(repository, checkout, old)}
    found = [path for path, state in staged.items() if path in coming and coming[path] != state]
    aside = checkout.git_dir / "index.look"
    if not (checkout.git_dir / "index").exists():
        return found
    shutil.copy2(checkout.git_dir / "index", aside)
    try:
        command = repository.command.using(
            cwd=str(checkout.root),
            GIT_DIR=str(checkout.git_dir),
            GIT_WORK_TREE=str(checkout.root),
            GIT_INDEX_FILE=str(aside),
        )
        # Really: a file marked `assume-unchanged` may hold work as well.
        command.run("update-index", "-q", "--really-refresh", ok=None)
        changed = command.run("ls-files", "-z", "-m", "-d").fields
        found += [path for path in dict.fromkeys(changed) if path in coming and path not in staged]
    finally:
        aside.unlink(missing_ok=True)
    return found
