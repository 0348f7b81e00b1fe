"""The files that come with a move, written aside before anything is touched: filters may take their time there.

Owns the folder they lie in and what is noted of them. git itself writes them, in a work tree of its own that begins
empty: so it is git that decides what is written (sparse checkouts), how (modes, line endings, the attributes of the
tree that comes) and by which filter. Must not know how a file is put in its place.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.nouns import dataclass
from orchestrator.vcs.checkouts import Checkout
from orchestrator.vcs.command import Completed
from orchestrator.vcs.diffs import ALL_SUBMODULES, NOTHING, SUBMODULE, Entry
from orchestrator.vcs.filters import FILTERS, filters_at
from orchestrator.vcs.index_lock import Held
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.walking import ATTRIBUTES, FILE, kind_of

IN_GIT = "orch-coming"
IN_CHECKOUT = ".orch-coming.tmp"

Mark = tuple[int, int, int, int]
"""What tells a file from any other and from itself after a save: its number, size, time of change and mode."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A path that a move writes: the mark of what stands there (None: nothing) and of what comes (None: it goes)."""

    stands: Mark | None
    comes: Mark | None


@dataclass(frozen=True, slots=True)
class Aside:
    """The folder of a checkout in which what comes lies until it is put in its place, and then what stood there."""

    checkout: Checkout
    top: Path

    @classmethod
    def of(cls, checkout: Checkout) -> Aside:
        """In the git directory, or in the checkout where that is on another disk: files are only renamed."""
        inside = checkout.git_dir / IN_GIT
        is_near = checkout.git_dir.stat().st_dev == checkout.root.stat().st_dev
        return cls(checkout, inside if is_near else checkout.root / IN_CHECKOUT)

    @property
    def coming(self) -> Path:
        return self.top / "coming"

    @property
    def index(self) -> Path:
        return self.top / "index"

    @property
    def going(self) -> Path:
        return self.top / "going"

    @property
    def written(self) -> Path:
        """The note of what lies here."""
        return self.top / "note.json"

    def lies(self, path: str, noted: Noted) -> str:
        """Where the file that comes lies, and afterwards the one that stood there."""
        return f"{self.top}/{'going' if noted.comes is None else 'coming'}/{path}"

    def note(self, paths: Mapping[str, Noted]) -> None:
        """Write down, for whoever finds the folder after a kill, which files are nobody's save."""
        text = json.dumps({path: [one.stands, one.comes] for path, one in paths.items()})
        with effect("create", str(self.written)):
            beside = self.top / "note.part"
            with beside.open("w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.written)

    def noted(self) -> dict[str, Noted]:
        """What was written down; without a note nothing has been put in its place."""
        try:
            text = self.written.read_text("ascii")
        except FileNotFoundError:
            return {}
        return {
            path: Noted(tuple(stands) if stands else None, tuple(comes) if comes else None)
            for path, (stands, comes) in json.loads(text).items()
        }


def mark_of(path: str | Path) -> Mark | None:
    """The mark of a file, link or folder; None where nothing is."""
    try:
        seen = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_mode


def file_at(path: str) -> Mark | None:
    """The mark of a file or link; None for a folder too: what is to go from it goes first."""
    seen = mark_of(path)
    return None if seen is None or stat.S_ISDIR(seen[3]) else seen


def write_coming(
    repository: Repository, held: Held, aside: Aside, entries: Sequence[Entry], old: str, new: str
) -> Completed:
    """Make the folder, which must not be there, and write what comes into it, with a copy of the index aside. Any end
    of git is fine here."""
    with effect("create", str(aside.top)):
        aside.coming.mkdir(parents=True)
        if aside.top.name == IN_CHECKOUT:
            (aside.top / ".gitignore").write_bytes(b"*\n")
    root = held.checkout.root
    if held.aside.exists():
        shutil.copy2(held.aside, aside.index)
    _copy_attributes(repository, held, aside, entries)
    configured = held.command(repository).run(*FILTERS, ok=(0, 1))
    command = held.command(repository, aside.index).using(
        cwd=str(aside.coming),
        options=filters_at(root, configured, before=f"export GIT_WORK_TREE={shlex.quote(str(root))}"),
        GIT_WORK_TREE=str(aside.coming),
    )
    return command.run("read-tree", "-m", "-u", old, new, ok=None, timeout=900.0, holding=held.holding)


def left_out(repository: Repository, held: Held, aside: Aside) -> set[str]:
    """Paths of the index in the folder that a sparse checkout leaves out."""
    if not (held.checkout.git_dir / "info" / "sparse-checkout").exists() or not aside.index.exists():
        return set()
    shown = held.command(repository, aside.index).using(GIT_WORK_TREE=str(aside.coming))
    return {line[2:] for line in shown.run("ls-files", "-z", "-t", "--cached").fields if line[0] == "S"}


def _copy_attributes(repository: Repository, held: Held, aside: Aside, entries: Sequence[Entry]) -> None:
    """Attribute files that git doesn't track hold in the checkout too; those it tracks it reads from the index."""
    folders = {parent for entry in entries for parent in _parents(entry.path)} | {""}
    root = held.checkout.root
    # git doesn't follow one that is a link.
    there = [name for folder in sorted(folders) if kind_of(root / (name := f"{folder}{ATTRIBUTES}")) == FILE]
    if not there:
        return
    tracked = set(held.command(repository).run("ls-files", "-z", "--cached", "--", *there).fields)
    for name in there:
        if name not in tracked:
            (aside.coming / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, aside.coming / name)


def look(repository: Repository, held: Held, aside: Aside, entries: Sequence[Entry], old: str) -> dict[str, Noted]:
    """What stands where files come and go, for those that can be put in place by renaming. The rest (submodules,
    what git doesn't write here) is git's to do."""
    root = held.checkout.root
    found: dict[str, Noted] = {}
    going = [entry.path for entry in entries if entry.new_mode == NOTHING and entry.old_mode != SUBMODULE]
    staged = _staged(repository, held, old) if going else set()
    for path in going:
        stands = file_at(f"{root}/{path}")
        if path not in staged and stands is not None:
            found[path] = Noted(stands, None)
    for entry in entries:
        if entry.new_mode in (NOTHING, SUBMODULE):
            continue
        comes = mark_of(f"{aside.coming}/{entry.path}")
        if comes is not None and entry.old_mode != SUBMODULE and not stat.S_ISDIR(comes[3]):
            found[entry.path] = Noted(file_at(f"{root}/{entry.path}"), comes)
    others = {entry.path for entry in entries if entry.path not in found}
    if others:
        found = {path: noted for path, noted in found.items() if others.isdisjoint(_above(path))}
    return found


def _staged(repository: Repository, held: Held, old: str) -> set[str]:
    """Paths that the index has otherwise than the commit: what a person has taken out of it isn't ours to remove."""
    args = ("diff-index", "--cached", "--name-only", "-z", "--no-renames", ALL_SUBMODULES, old, "--")
    return set(held.command(repository).run(*args).fields)


def _parents(path: str) -> Iterable[str]:
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)


def _above(path: str) -> Iterable[str]:
    return (parent[:-1] for parent in _parents(path))
