"""Finishing a move of files that was killed half-way, path by path.

A path is ours to write if it is gone, is as in one of the two trees, or is a beginning of what comes (git writes
files in place). Such a beginning may as well be a person's, who has cut the file short since: it is kept aside, and
named. Anything else is a person's: it stays, and is named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.vcs.command import z_input
from orchestrator.vcs.diffs import LINK, NOTHING, SUBMODULE, Entry
from orchestrator.vcs.index_lock import Held
from orchestrator.vcs.repository import Repository

_WITHOUT_TEXT = (NOTHING, SUBMODULE, LINK)
_OURS, _BEGUN, _THEIRS = "ours", "begun", "theirs"

KEPT = "orch-kept"
"""The folder in a checkout's git directory that gets what may have been a person's."""


def mend(repository: Repository, held: Held, entries: Sequence[Entry]) -> tuple[list[str], list[str]]:
    """Bring files and index to the new side of `entries`; returns the paths left alone, and the files in which
    beginnings of files are kept that were there."""
    if not entries:
        return [], []
    root = held.checkout.root
    left = _foreign_in_index(repository, held, entries)
    mine = [entry for entry in entries if entry.path not in left]
    unlike_new = _unlike(repository, held, [entry.done() for entry in _removals_first(mine, done=True)])
    unlike_old = _unlike(repository, held, [entry.undone() for entry in _removals_first(mine, done=False)])
    gone: list[Entry] = []
    wanted: list[Entry] = []
    begun: set[str] = set()
    for entry in mine:
        full = root / entry.path
        is_folder = full.is_dir() and not full.is_symlink()
        if entry.new_mode == NOTHING:
            if is_folder:
                continue
        elif entry.path not in unlike_new and os.path.lexists(full):
            continue
        whose = _OURS if is_folder else _whose(repository, root, entry, entry.path not in unlike_old)
        if whose == _THEIRS:
            left.append(entry.path)
        elif entry.new_mode == NOTHING:
            gone.append(entry)
        else:
            wanted.append(entry)
        if whose == _BEGUN:
            begun.add(entry.path)
    for entry in gone:
        _unlink(root, entry.path)
    ready = [entry for entry in wanted if _has_room(root, entry.path)]
    left += [entry.path for entry in wanted if entry not in ready]
    kept = [_keep_aside(held, entry.path) for entry in ready if entry.path in begun]
    for entry in [entry for entry in ready if entry.new_mode == SUBMODULE]:
        (root / entry.path).mkdir(parents=True, exist_ok=True)
    command = held.command(repository)
    lines = [entry.done() for entry in _removals_first(mine, done=True)]
    command.run("update-index", "-z", "--index-info", input=z_input(lines))
    command.run(
        *("checkout-index", "-f", "-u", "-z", "--stdin"),
        input=z_input(entry.path for entry in ready if entry.new_mode != SUBMODULE),
        holding=held.holding,
        timeout=900.0,
    )
    command.run("update-index", "-q", "--refresh", ok=None)
    held.swap()
    return left, kept


def _removals_first(entries: Sequence[Entry], *, done: bool) -> list[Entry]:
    """In this order a file can take a folder's place in an index, and a folder a file's."""
    return sorted(entries, key=lambda entry: (entry.new_mode if done else entry.old_mode) != NOTHING)


def _foreign_in_index(repository: Repository, held: Held, entries: Sequence[Entry]) -> list[str]:
    """Paths whose index entry is neither side's."""
    out = held.command(repository).run("ls-files", "-z", "--stage").fields
    index: dict[str, str] = {}
    for line in out:
        head, _, path = line.partition("\t")
        mode, object_id, stage = head.split(" ")
        index[path] = f"{mode} {object_id}" if stage == "0" else "unmerged"
    found = []
    for entry in entries:
        old = "" if entry.old_mode == NOTHING else f"{entry.old_mode} {entry.old_id}"
        if index.get(entry.path, "") not in (old, entry.state):
            found.append(entry.path)
    return found


def _unlike(repository: Repository, held: Held, lines: Sequence[str]) -> set[str]:
    """The paths whose file on disk isn't as these index lines say (a line may say: no such file)."""
    probe = held.aside.with_name("index.probe")
    if held.aside.exists():
        shutil.copy2(held.aside, probe)
    try:
        command = held.command(repository, probe)
        command.run("update-index", "-z", "--index-info", input=z_input(lines))
        command.run("update-index", "-q", "--really-refresh", ok=None)
        return set(command.run("ls-files", "-z", "-m", "-d").fields)
    finally:
        probe.unlink(missing_ok=True)


def _whose(repository: Repository, root: Path, entry: Entry, is_like_old: bool) -> str:
    """Whether what stands at the path, or that nothing does, is ours, a beginning of what comes, or a person's."""
    full = root / entry.path
    for parent in full.parents:
        if parent == root:
            break
        if parent.is_symlink():
            return _THEIRS
    if not os.path.lexists(full) or (is_like_old and entry.old_mode != NOTHING):
        return _OURS
    if full.is_symlink() or not full.is_file():
        return _THEIRS
    present = full.read_bytes()
    if entry.old_mode not in _WITHOUT_TEXT and _written(repository, entry.path, entry.old_id) == present:
        return _OURS
    coming = None if entry.new_mode in _WITHOUT_TEXT else _written(repository, entry.path, entry.new_id)
    if coming is None or not coming.startswith(present):
        return _THEIRS
    return _OURS if coming == present else _BEGUN


def _keep_aside(held: Held, path: str) -> str:
    """Move the file out of the checkout, to where nothing is overwritten; returns where it lies."""
    folder = held.checkout.git_dir / KEPT
    number = 1
    while os.path.lexists(folder / str(number) / path):
        number += 1
    target = folder / str(number) / path
    with effect("replace", str(target)):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(held.checkout.root / path, target)
    return str(target)


def _written(repository: Repository, path: str, object_id: str) -> bytes:
    """The bytes git would write for this object at this path: line endings and filters applied."""
    return repository.git("cat-file", "--filters", f"--path={path}", object_id).out


def _unlink(root: Path, path: str) -> None:
    full = root / path
    if not os.path.lexists(full):
        return
    with effect("remove", str(full)):
        full.unlink(missing_ok=True)
    for parent in full.parents:
        if parent == root:
            return
        try:
            parent.rmdir()
        except OSError:
            return


def _has_room(root: Path, path: str) -> bool:
    """Whether writing `path` needs nothing else to go: no file or link as a parent, no full folder in its place."""
    full = root / path
    for parent in full.parents:
        if parent == root:
            break
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            return False
    if full.is_dir() and not full.is_symlink():
        try:
            full.rmdir()
        except OSError:
            return False
    return True
