"""What a workspace's files are, compared with a commit: read from disk, never from anyone's word.

Owns the index beside the workspace. Everything on disk that the base's ignore rules don't hide is put into it,
whatever `assume-unchanged`, ignore files put there or nested repositories would hide from git's own commands.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.errors import ToolError
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.command import Git, last_line, remedy, z_input
from orchestrator.vcs.diffs import ALL_SUBMODULES, Entry, raw_entries
from orchestrator.vcs.listing import files_below, touched_paths
from orchestrator.vcs.removing import remove_stoppers
from orchestrator.vcs.walking import FILE, kind_of
from orchestrator.vcs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Seen:
    """The state of a workspace's files at one moment; they lie in its index and in the repository's objects."""

    workspace: Workspace
    is_touched: bool
    """Whether anything was ever found different from the checkout."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Paths that are in no index (`git~1`, a pipe, what may not be read) and why: seen, and never in a tree."""
    known: dict[str, tuple[Entry, ...]] = field(default_factory=dict, compare=False)
    trees: list[str] = field(default_factory=list, compare=False)
    """The tree of the state, once it was asked for."""

    def entries(self, base: str) -> tuple[Entry, ...]:
        """What differs from the commit or tree `base`."""
        if base not in self.known:
            self.known[base] = self._entries(base)
        return self.known[base]

    def _entries(self, base: str) -> tuple[Entry, ...]:
        if not self.is_touched and base == self.workspace.laid:
            return ()
        args = ("diff-index", "--cached", "--raw", "-z", "-M", "--no-abbrev", ALL_SUBMODULES, base, "--")
        return raw_entries(self.workspace.command.run(*args).fields)

    def tree(self) -> str:
        """The tree of the whole state."""
        if not self.trees:
            self.trees.append(self.workspace.command.run("write-tree").text)
        return self.trees[0]


def look(workspace: Workspace, *, exempt: Collection[str] = ()) -> Seen:
    """Take the files' state into the workspace's index; paths in `exempt` (a folder as `dir/`) needn't be taken in."""
    with workspace.held() as handle:
        stopped = remove_stoppers(workspace.path)
        _settle(workspace, handle)
        touched = touched_paths(workspace.command, workspace.rules)
        was_touched = workspace.mark.exists()
        if not touched or (not was_touched and all(matches(path, exempt) for path in touched)):
            return Seen(workspace, was_touched, stopped)
        with effect("create", str(workspace.mark)):
            workspace.mark.touch()
        nested = {path for path in touched if path.endswith("/")}
        for folder in nested:
            touched |= set(files_below(workspace.path, folder))
        touched -= nested
        # What lies behind a new link or below a new file is gone as far as git goes; adding the link removes it.
        paths = sorted(path for path in touched if not _is_behind(path, touched, workspace))
        large = {path: size for path in paths if (size := _size(workspace.path / path)) > LARGEST}
        refused = _take_in(workspace, [path for path in paths if path not in large], handle)
        too_large = {path: f"{size} bytes are more than the {LARGEST} that orch takes" for path, size in large.items()}
        return Seen(workspace, True, {**refused, **too_large, **stopped})


LARGEST = 1 << 30
"""Bytes of a file beyond which it is left where it lies: a hole of any size costs who makes it nothing."""


def _size(path: Path) -> int:
    try:
        about = os.lstat(path)
    except OSError:
        return 0
    return about.st_size if stat.S_ISREG(about.st_mode) else 0


# About two thousand files; below that reading them again costs less than another process.
LARGE_INDEX = 200_000


def _settle(workspace: Workspace, handle: int) -> None:
    """Have git compare the files of a large fresh checkout once. It can't trust the times of files that were written
    in the same second as the index, and would read them all at every look until it is written anew."""
    fresh = workspace.fresh
    if not fresh.exists():
        return
    about = workspace.index.stat()
    # Where files lay before, all but those that were written with the index are older than it.
    if "new" in workspace.knows and about.st_size >= LARGE_INDEX:
        if int(time.time()) <= int(about.st_mtime):
            return
        args = ("update-index", "-q", "--refresh")
        workspace.command.run(*args, ok=None, timeout=900.0, holding=(handle,))
    with effect("remove", str(fresh)):
        fresh.unlink(missing_ok=True)


_REFUSED, _IGNORED = "Unable to process path ", "Ignoring path "


def _take_in(workspace: Workspace, paths: list[str], handle: int) -> dict[str, str]:
    """Put the paths as they are on disk into the index; returns those that git refuses, and why."""
    args = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
    refused: dict[str, str] = {}
    while True:
        ok = (0,) if not paths else (0, 128)
        done = workspace.command.run(*args, input=z_input(paths), ok=ok, timeout=900.0, holding=(handle,))
        if done.status == 0:
            ignored = [path for path in paths if f"{_IGNORED}{path}\n" in done.err] if _IGNORED in done.err else []
            return {**refused, **dict.fromkeys(ignored, "git takes no file of this name")}
        said = last_line(done.err)
        # What a file's attributes ask for may not be possible with what is in it.
        named = [path for path in paths if _REFUSED + path in done.err or f"'{path}'" in said]
        if remedy(done.err):
            named = []
        if not named:
            raise ToolError(
                f"the files of {workspace.path} can't be read by git: {said}",
                argv=("git", *args),
                status=done.status,
                output=done.err,
                hint=remedy(done.err),
                code="git",
            )
        worst = max(named, key=len)
        refused[worst] = _why(workspace, worst, done.err)
        paths = [path for path in paths if path != worst]


def _why(workspace: Workspace, path: str, err: str) -> str:
    kind = kind_of(workspace.path / path)
    if kind not in (FILE, "folder") and not kind.startswith("link "):
        return kind
    lines = [line for line in err.split("\n") if path in line and _REFUSED not in line]
    return lines[-1].removeprefix("error: ").removeprefix("fatal: ") if lines else "git refuses it"


def _is_behind(path: str, touched: Collection[str], workspace: Workspace) -> bool:
    at = path.find("/")
    while at >= 0:
        parent = path[:at]
        if parent in touched and _is_no_folder(workspace, parent):
            return True
        at = path.find("/", at + 1)
    return False


def _is_no_folder(workspace: Workspace, path: str) -> bool:
    full = workspace.path / path
    return full.is_symlink() or (os.path.lexists(full) and not full.is_dir())


def matches(path: str, patterns: Collection[str]) -> bool:
    """Whether `path` is one of `patterns`, or lies below one that ends in `/`."""
    return path in patterns or any(pattern.endswith("/") and path.startswith(pattern) for pattern in patterns)


def own_entries(seen: Seen, base: str, made: Mapping[str, str]) -> tuple[Entry, ...]:
    """The entries that aren't exactly as `made` says."""
    entries = seen.entries(base)
    if not made:
        return entries
    found: list[Entry] = []
    for entry in entries:
        parts = entry.parts() if entry.path in made or entry.old_path in made else (entry,)
        found += [part for part in parts if made.get(part.path) != part.state]
    return tuple(found)


def keep(workspace: Workspace, base: str, message: str, *, seen: Seen | None = None) -> str:
    """A commit of the workspace's whole state on top of `base`, ignored files apart; no ref names it yet. `seen`
    saves looking again."""
    return workspace.repository.kept_commit((seen or look(workspace)).tree(), [base], message)


def tree(
    workspace: Workspace,
    base: str,
    *,
    leave_out: Collection[str] = (),
    also: Collection[str] = (),
    made: Mapping[str, str] | None = None,
    seen: Seen | None = None,
) -> str:
    """The tree to land: the workspace's state, where paths in `leave_out` (a folder as `dir/`) and those still as
    `made` says are as in `base`; with the ignored files named in `also`. `seen` saves looking again."""
    seen = seen or look(workspace)
    entries = [part for entry in seen.entries(base) for part in entry.parts()]
    back: list[Entry] = []
    stays: set[str] = set()
    for part in entries:
        if matches(part.path, leave_out) or (made or {}).get(part.path) == part.state:
            back.append(part)
        else:
            stays.add(part.path.partition("/")[0])
    extra = [path for path in also if os.path.lexists(workspace.path / path)]
    if not back and not extra:
        return seen.tree()
    tops = {part.path.partition("/")[0] for part in back}
    if not extra and tops.isdisjoint(stays):
        # Everything that differs below them goes back, and nothing else does.
        repository = workspace.repository
        return repository.with_tops_of(seen.tree(), repository.tree_of(base), tops)
    index = workspace.side / "index.tree"
    with effect("create", str(index)):
        shutil.copy2(workspace.index, index)
    command: Git = workspace.command.using(GIT_INDEX_FILE=str(index))
    if extra:
        command.run("update-index", "-z", "--add", "--stdin", input=z_input(extra))
    if back:
        command.run("update-index", "-z", "--index-info", input=z_input(part.undone() for part in back))
    return command.run("write-tree").text
