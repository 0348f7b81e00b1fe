"""What would be lost if a checkout's files went from one tree to another. Only looks."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Sequence
from pathlib import Path

from orchestrator.vcs.checkouts import Checkout
from orchestrator.vcs.command import Git, last_line, z_input
from orchestrator.vcs.diffs import ALL_SUBMODULES, NOTHING, SUBMODULE, Entry, raw_entries
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.walking import walk


def obstacles(
    repository: Repository, checkout: Checkout, index: Path, entries: Sequence[Entry], old: str, new: str
) -> list[str]:
    """What keeps a checkout from going from `old` to `new` (which differ by `entries`): paths, and operations
    under way as text. `index` is a copy of the checkout's index, which is refreshed. Empty means git will go."""
    under_way = checkout.under_way()
    if under_way:
        return [f"{under_way} is under way in {checkout.root}"]
    command = checkout.command(repository, index)
    conflicts = unresolved(command)
    if conflicts:
        return conflicts
    standing = [*_in_the_way(checkout.root, entries), *_deleted_here(command, checkout.root, entries)]
    command.run("update-index", "-q", "--refresh", ok=None)
    tried = command.run("read-tree", "-n", "-m", "-u", old, new, ok=None)
    if tried.status == 0 and not standing:
        return []
    # git names one path of many; everything is named here, so that one look is enough.
    coming = {entry.path: entry.state for entry in entries}
    args = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", ALL_SUBMODULES, old, "--")
    staged = {entry.path: entry.state for entry in raw_entries(command.run(*args).fields)}
    # What is staged with the very content that comes isn't lost: it is what comes.
    found = [path for path in standing if path not in staged or staged[path] != coming.get(path)]
    found += [path for path, state in staged.items() if path in coming and coming[path] != state]
    if tried.status:
        found += [path for path in _changed(command, checkout.root, coming) if path not in staged]
        if not found:
            found.append(last_line(tried.err))
    return list(dict.fromkeys(found))


def unresolved(command: Git) -> list[str]:
    """Paths with a conflict in the index: git moves nothing until they are resolved. A stash that was popped leaves
    such, and no operation under way."""
    lines = command.run("ls-files", "-z", "--unmerged").fields
    return list(dict.fromkeys(line.partition("\t")[2] for line in lines))


def _changed(command: Git, root: Path, coming: Collection[str]) -> list[str]:
    """Tracked paths among `coming` whose files aren't as in the index, hidden ones (assume-unchanged,
    skip-worktree) too."""
    there = [path for path in coming if os.path.lexists(root / path)]
    tracked = set(command.run("ls-files", "-z", "--cached").fields)
    shown = z_input(path for path in there if path in tracked)
    for option in ("--no-assume-unchanged", "--no-skip-worktree"):
        command.run("update-index", "-z", option, "--stdin", input=shown)
    command.run("update-index", "-q", "--really-refresh", ok=None)
    changed = dict.fromkeys(command.run("ls-files", "-z", "-m", "-d").fields)
    return [path for path in changed if path in coming]


def _deleted_here(command: Git, root: Path, entries: Sequence[Entry]) -> list[str]:
    """Paths a person has deleted that would come back: git doesn't take that for a change."""
    changed = [entry.path for entry in entries if entry.letter not in "AD" and entry.new_mode != SUBMODULE]
    missing = {path for path in changed if _kind(f"{root}/{path}") is None}
    if not missing:
        return []
    # In a sparse checkout what is outside of it is missing on purpose.
    sparse = {line[2:] for line in command.run("ls-files", "-z", "-t", "--cached").fields if line[0] == "S"}
    return sorted(missing - sparse)


def _in_the_way(root: Path, entries: Sequence[Entry]) -> list[str]:
    """Untracked and ignored paths that stand where a path is to be added. git itself would overwrite ignored
    ones without a word."""
    deleted = {entry.path for entry in entries if entry.letter == "D"}
    changed = {entry.path for entry in entries if entry.letter != "A"}
    found: dict[str, None] = {}
    below: dict[str, list[str] | None] = {"": None}
    for entry in entries:
        if entry.new_mode != NOTHING:
            found |= dict.fromkeys(_standing_at(root, entry, deleted, changed, below))
    return list(found)


def _standing_at(
    root: Path,
    entry: Entry,
    deleted: Collection[str],
    changed: Collection[str],
    below: dict[str, list[str] | None],
) -> list[str]:
    above = _standing_above(root, entry.path.rpartition("/")[0], deleted, below)
    if above is not None:
        return above
    seen = _kind(f"{root}/{entry.path}")
    if seen is None:
        return []
    if not stat.S_ISDIR(seen):
        return [] if entry.path in changed else [entry.path]
    if entry.new_mode == SUBMODULE or entry.old_mode == SUBMODULE:
        return []
    return [path for path in _all_below(root, entry.path) if path not in deleted]


def _standing_above(
    root: Path, folder: str, deleted: Collection[str], below: dict[str, list[str] | None]
) -> list[str] | None:
    """What stands in the way of every file below a folder; None where it is a folder. `below` keeps what was seen."""
    if folder not in below:
        above = _standing_above(root, folder.rpartition("/")[0], deleted, below)
        if above is None:
            seen = _kind(f"{root}/{folder}")
            if seen is None:
                above = []
            elif not stat.S_ISDIR(seen):
                above = [] if folder in deleted else [folder]
        below[folder] = above
    return below[folder]


def _kind(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return None


def _all_below(root: Path, folder: str) -> list[str]:
    return [f"{folder}/{base}{name}" for base, _, others in walk(root / folder) for name in others]
