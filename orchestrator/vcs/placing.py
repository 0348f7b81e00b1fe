"""Putting the files of a move in their places, one after another, each whole at any moment.

What stood there comes out and is looked at: a save made since it was noted goes back, and the path is left to the
person. Owns that exchange and the look, also for the one who finds the folder after a kill.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.exchange import exchange, is_being_written
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.coming import Aside, Mark, Noted, mark_of
from orchestrator.vcs.kept_aside import keep_aside
from orchestrator.vcs.removing import remove_tree
from orchestrator.vcs.walking import walk


@dataclass(frozen=True, slots=True)
class Spared:
    """What of a person's a move came upon: `left` are paths that hold changes made meanwhile, untouched, relative to
    their checkout; `kept` are files that hold what couldn't stay in its place."""

    left: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def place_files(aside: Aside, noted: Mapping[str, Noted], spared: Spared) -> set[str]:
    """Put every file of `noted` in its place, or take it away; returns the paths that are done, those left to a person
    (named in `spared`) among them. What the system refuses isn't done, and is git's to do or to explain. Raises OSError
    where a save that came out can't go back: it lies in the folder then."""
    root = aside.checkout.root
    done: set[str] = set()
    is_real: dict[str, bool] = {"": True}
    # In this order a file can take a folder's place, and a folder a file's.
    for path, one in sorted(noted.items(), key=lambda item: item[1].comes is not None):
        lies, target = aside.lies(path, one), f"{root}/{path}"
        with effect("remove" if one.comes is None else "replace", target):
            try:
                is_put = _is_real(root, path.rpartition("/")[0], is_real) and _put(lies, target, one)
            except OSError:
                continue
            is_put = _settle(aside, path, one, spared) and is_put
        done.add(path)
        if not is_put:
            spared.left.append(path)
        elif one.comes is None:
            remove_empty_above(root, path)
    return done


def give_back(aside: Aside, spared: Spared) -> None:
    """Put back the saves that lie in the folder because a move was broken off. Raises OSError where one can't be."""
    for path, one in aside.noted().items():
        if not _settle(aside, path, one, spared):
            spared.left.append(path)


def clear(aside: Aside) -> None:
    """Take the folder away. Raises OSError where something of it stays: what lies there is known for nobody's then."""
    # The note goes last: as long as files lie there it says what they are.
    for part in (aside.coming, aside.going, aside.top):
        remove_tree(part)


def _put(lies: str, target: str, one: Noted) -> bool:
    """Whether the file could be put there (or taken away): not where a person has made or removed one meanwhile."""
    if one.comes is None:
        Path(lies).parent.mkdir(parents=True, exist_ok=True)
        # What isn't there any more needs no removing.
        with suppress(FileNotFoundError, NotADirectoryError):
            Path(target).rename(lies)
        return True
    try:
        if one.stands is None:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            _remove_if_empty(target)
            _move_to_free(lies, target)
        elif not exchange(lies, target):
            # The way without an exchange: what stands there is looked at once more, at the last moment.
            if mark_of(target) != one.stands:
                return False
            Path(lies).replace(target)
    except (FileExistsError, FileNotFoundError, NotADirectoryError):
        return False
    return True


def _settle(aside: Aside, path: str, one: Noted, spared: Spared) -> bool:
    """Look at what lies in the folder for this path. True for what is nobody's save, or nothing; a save goes back."""
    lies = aside.lies(path, one)
    found = mark_of(lies)
    if found is None or found == one.comes or (found == one.stands and not _is_being_written(aside, lies, found)):
        return True
    target = f"{aside.checkout.root}/{path}"
    with effect("replace", target):
        if one.comes is not None and mark_of(target) == one.comes and exchange(lies, target):
            if mark_of(lies) == one.comes:
                return False
            # They have saved yet again in that blink: theirs is the newest, it goes back in.
            exchange(lies, target)
        else:
            with suppress(FileExistsError):
                _move_to_free(lies, target)
                return False
    spared.kept.append(keep_aside(aside.checkout, Path(lies), path))
    return False


def _is_being_written(aside: Aside, path: str, found: Mark) -> bool:
    if not stat.S_ISREG(found[3]):
        return False
    # Where even what nobody writes (our own note) seems to be written, as on NFS, nobody can tell.
    has_one = _has_writer(path) and not _has_writer(aside.written)
    # A writer that has ended since the file came out has left its time on it.
    return has_one or mark_of(path) != found


def _has_writer(path: str | Path) -> bool:
    try:
        return is_being_written(path)
    except OSError:
        return False


def _move_to_free(source: str, target: str) -> None:
    """Move a file to a name that is free. Raises FileExistsError, with nothing changed, where it isn't."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (FileExistsError, FileNotFoundError, NotADirectoryError):
        raise
    except OSError:
        # A folder, or a file system without links.
        if os.path.lexists(target):
            raise FileExistsError(target) from None
        Path(source).rename(target)
    else:
        Path(source).unlink()


def _remove_if_empty(folder: str) -> None:
    """Remove a folder that holds nothing but folders; a link to one, or a file, isn't one."""
    seen = mark_of(folder)
    if seen is None or not stat.S_ISDIR(seen[3]):
        return
    with suppress(OSError):
        for base, _, _ in reversed([*walk(Path(folder))]):
            Path(f"{folder}/{base}").rmdir()


def _is_real(root: Path, folder: str, seen: dict[str, bool]) -> bool:
    """Whether no folder on the way is a link: what lies behind one isn't the checkout's. `seen` keeps the answers."""
    if folder not in seen:
        seen[folder] = not (root / folder).is_symlink() and _is_real(root, folder.rpartition("/")[0], seen)
    return seen[folder]


def remove_empty_above(root: Path, path: str) -> None:
    """Remove the folders above a path of the checkout that are empty now."""
    for parent in (root / path).parents:
        if parent == root:
            return
        try:
            parent.rmdir()
        except OSError:
            return
