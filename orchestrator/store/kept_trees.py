"""Whole folders as they stand at a moment, kept in memory and laid back: each content once, however many trees hold it.

Owns how a tree is looked at, told from another one and put back with the times of its files. Must not know what lies
in it. Meant for small folders.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from orchestrator.digests import sha256
from orchestrator.effects import effect
from orchestrator.nouns import dataclass

FOLDER, FILE, LINK = "folder", "file", "link"
_YOUNG = 50_000_000
"""Nanoseconds: what was changed so shortly before a look may be changed again without another time."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a tree. `content` is the digest of a file's bytes, or where a link points to."""

    path: str
    kind: str
    mode: int
    content: str
    changed: int
    """Its time of change in nanoseconds, which is no part of what it is."""

    @property
    def identity(self) -> str:
        return f"{self.path}\0{self.kind}\0{self.mode:o}\0{self.content}\n"


Tree = tuple[Entry, ...]


def digest(tree: Tree, without: Collection[str] = ()) -> str:
    """What tells a tree from others: paths, rights and contents, leaving out these folders and all below them."""
    left_out = tuple(f"{path}/" for path in without)
    kept = (one.identity for one in tree if not f"{one.path}/".startswith(left_out)) if left_out else None
    return sha256("".join(kept or (one.identity for one in tree)).encode("utf-8", "surrogateescape")).hexdigest()


class KeptTrees:
    """The states of one folder. A look reads again only what has changed since the last one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._contents: dict[str, bytes] = {}
        self._seen: dict[str, tuple[tuple[int, ...], Entry]] = {}

    def keep(self) -> Tree:
        """The tree as it is now. Nothing may change it meanwhile."""
        old = time.time_ns() - _YOUNG
        found: list[Entry] = []
        seen: dict[str, tuple[tuple[int, ...], Entry]] = {}
        for path, name, about in _walk(str(self.folder)):
            stamp = (about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
            known = self._seen.get(path)
            entry = known[1] if known and known[0] == stamp else self._entry(path, name, about)
            found.append(entry)
            if max(about.st_ctime_ns, about.st_mtime_ns) < old:
                seen[path] = stamp, entry
        self._seen = seen
        return tuple(sorted(found, key=lambda one: one.path))

    def _entry(self, path: str, name: str, about: os.stat_result) -> Entry:
        mode, changed = stat.S_IMODE(about.st_mode), about.st_mtime_ns
        if stat.S_ISLNK(about.st_mode):
            return Entry(path, LINK, 0, os.readlink(name), changed)  # noqa: PTH115 - pathlib costs more
        if stat.S_ISDIR(about.st_mode):
            return Entry(path, FOLDER, mode, "", changed)
        with open(name, "rb") as file:  # noqa: PTH123
            content = file.read()
        found = sha256(content).hexdigest()
        self._contents.setdefault(found, content)
        return Entry(path, FILE, mode, found, changed)

    def lay_back(self, tree: Tree) -> None:
        """Make the folder what it was: what is another thing now or wasn't there goes, what is missing comes back."""
        with effect("create", str(self.folder)):
            self.folder.mkdir(parents=True, exist_ok=True)
            now = {one.path: one for one in self.keep()}
            wanted = {one.path: one for one in tree}
            for path, one in now.items():
                if path not in wanted or wanted[path].kind != one.kind:
                    self._remove(path, one.kind)
            for path, one in wanted.items():
                if now.get(path) != one:
                    self._put(one, now.get(path))

    def _remove(self, path: str, kind: str) -> None:
        name = self.folder / path
        if kind == FOLDER:
            shutil.rmtree(name, ignore_errors=True)
        else:
            # It may have gone with the folder around it.
            name.unlink(missing_ok=True)

    def _put(self, entry: Entry, there: Entry | None) -> None:
        name = self.folder / entry.path
        if entry.kind == FOLDER:
            name.mkdir(exist_ok=True)
        elif entry.kind == LINK:
            name.unlink(missing_ok=True)
            name.symlink_to(entry.content)
            return
        elif there is None or there.content != entry.content or there.kind != FILE:
            # Another file, as it was another run's: whoever holds the old one keeps it.
            name.unlink(missing_ok=True)
            with name.open("xb") as file:
                file.write(self._contents[entry.content])
        name.chmod(entry.mode)
        if entry.kind == FILE:
            os.utime(name, ns=(entry.changed, entry.changed))


def _walk(top: str) -> Iterator[tuple[str, str, os.stat_result]]:
    """Path from the top, name, and what the system says of everything below `top`; what is no file, folder or link is
    left out."""
    folders = [("", top)]
    while folders:
        under, folder = folders.pop()
        with os.scandir(folder) as found:
            for one in found:
                about = one.stat(follow_symlinks=False)
                path = f"{under}{one.name}"
                if stat.S_ISDIR(about.st_mode):
                    folders.append((f"{path}/", one.path))
                elif not stat.S_ISREG(about.st_mode) and not stat.S_ISLNK(about.st_mode):
                    continue
                yield path, one.path, about
