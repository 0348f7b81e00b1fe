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
from orchestrator.vcs.coming import Aside, Noted, file_at, left_out, mark_of, write_coming
from orchestrator.vcs.command import z_input
from orchestrator.vcs.diffs import LINK, NOTHING, SUBMODULE, Entry
from orchestrator.vcs.index_lock import Held
from orchestrator.vcs.kept_aside import keep_aside
from orchestrator.vcs.placing import Spared, clear, place_files
from orchestrator.vcs.repository import Repository

_WITHOUT_TEXT = (NOTHING, SUBMODULE, LINK)
_OURS, _BEGUN, _THEIRS = "ours", "begun", "theirs"


def mend(
    repository: Repository, held: Held, aside: Aside, entries: Sequence[Entry], old: str, new: str, spared: Spared
) -> None:
    """Bring files and index from `old` to `new`, which differ by `entries`. `spared` gets the paths left alone, and the
    files in which beginnings of files are kept that were there."""
    root = held.checkout.root
    foreign = _foreign_in_index(repository, held, entries)
    spared.left.extend(foreign)
    mine = [entry for entry in entries if entry.path not in foreign]
    # What doesn't come in this way (the index may be new already) is written in place at the end.
    write_coming(repository, held, aside, entries, old, new)
    out = left_out(repository, held, aside)
    # Noted before they are looked at: a save in between is found by the look, one after it by the note.
    stands = {entry.path: file_at(f"{root}/{entry.path}") for entry in mine}
    gone, wanted, begun = _sorted_out(repository, held, [entry for entry in mine if entry.path not in out], spared)
    going = {entry.path: Noted(stands[entry.path], None) for entry in gone if stands[entry.path]}
    aside.note(going)
    place_files(aside, going, spared)
    ready = [entry for entry in wanted if _has_room(root, entry.path)]
    spared.left.extend(entry.path for entry in wanted if entry not in ready)
    coming: dict[str, Noted] = {}
    for entry in ready:
        path, comes = entry.path, mark_of(f"{aside.coming}/{entry.path}")
        if entry.new_mode == SUBMODULE:
            (root / path).mkdir(parents=True, exist_ok=True)
        elif path in begun:
            spared.kept.append(keep_aside(held.checkout, root / path, path))
        if comes and entry.new_mode != SUBMODULE:
            coming[path] = Noted(None if path in begun else stands[path], comes)
    aside.note(coming)
    done = place_files(aside, coming, spared)
    command = held.command(repository)
    lines = [entry.done() for entry in removals_first(mine, done=True)]
    command.run("update-index", "-z", "--index-info", input=z_input(lines))
    if out:
        inside_index = z_input(entry.path for entry in mine if entry.path in out and entry.new_mode != NOTHING)
        command.run("update-index", "-z", "--skip-worktree", "--stdin", input=inside_index)
    command.run(
        *("checkout-index", "-f", "-u", "-z", "--stdin"),
        input=z_input(entry.path for entry in ready if entry.path not in done and entry.new_mode != SUBMODULE),
        holding=held.holding,
        timeout=900.0,
    )
    command.run("update-index", "-q", "--refresh", ok=None)
    held.swap()
    clear(aside)


def _sorted_out(
    repository: Repository, held: Held, mine: Sequence[Entry], spared: Spared
) -> tuple[list[Entry], list[Entry], set[str]]:
    """What is to go and what is wanted, of what is ours to write; and the paths where a beginning of it stands."""
    root = held.checkout.root
    unlike_new = _unlike(repository, held, [entry.done() for entry in removals_first(mine, done=True)])
    unlike_old = _unlike(repository, held, [entry.undone() for entry in removals_first(mine, done=False)])
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
            spared.left.append(entry.path)
        elif entry.new_mode == NOTHING:
            gone.append(entry)
        else:
            wanted.append(entry)
        if whose == _BEGUN:
            begun.add(entry.path)
    return gone, wanted, begun


def removals_first(entries: Sequence[Entry], *, done: bool) -> list[Entry]:
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


def _written(repository: Repository, path: str, object_id: str) -> bytes:
    """The bytes git would write for this object at this path: line endings and filters applied."""
    return repository.git("cat-file", "--filters", f"--path={path}", object_id).out


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
            with effect("remove", str(full)):
                full.rmdir()
        except OSError:
            return False
    return True
