"""A workspace and its repository at one moment, as plain data to compare with later.

Owns what counts as tampering. It tells what is different, never who did it: a change inside the private `.git`
can only come from whoever worked there, one in the repository itself may be a person's.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from orchestrator.folders import names_in
from orchestrator.model.changes import Change, ChangeKind
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.changes import Seen, look, matches, own_entries
from orchestrator.vcs.diffs import change_of
from orchestrator.vcs.hooks import commit_rules
from orchestrator.vcs.listing import ignored_paths
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.walking import FILE, kind_of, walk
from orchestrator.vcs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Snapshot:
    """made: what differed from the checkout then (path → "mode id"), so that it isn't taken for later work.
    ignored: the ignored files and folders there were. private, shared: name → value of everything compared."""

    made: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    private: dict[str, str] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """The same as JSON-ready data."""
        return {"made": self.made, "ignored": list(self.ignored), "private": self.private, "shared": self.shared}

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> Snapshot:
        """The inverse of `as_data`."""

        def pairs(name: str) -> dict[str, str]:
            found = data.get(name)
            return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}

        ignored = data.get("ignored")
        names = tuple(str(name) for name in ignored) if isinstance(ignored, list | tuple) else ()
        return cls(pairs("made"), names, pairs("private"), pairs("shared"))


@dataclass(frozen=True, slots=True)
class Difference:
    """kind: commit, ref, head, stash, hook, config, ignore, objects or other. is_shared: in the repository itself,
    where it may be a person's doing; else in the workspace's own git directory."""

    kind: str
    text: str
    is_shared: bool = False
    name: str = ""
    """What differs: `file PATH` for a file of git's directory, `ref NAME` for a ref."""


def snapshot(workspace: Workspace, *, is_fresh: bool = False) -> Snapshot:
    """The state everything later is compared with: taken when the workspace has been set up. `is_fresh` says that
    nothing but ignored files was put into it since it was checked out, which saves looking at all others."""
    made: dict[str, str] = {}
    if not is_fresh:
        entries = look(workspace).entries(workspace.laid)
        made = {part.path: part.state for entry in entries for part in entry.parts()}
    # Where nothing but the checkout was, nothing is there that git ignores.
    is_bare = is_fresh and "bare" in workspace.knows
    return Snapshot(
        made,
        () if is_bare else ignored_paths(workspace.command, workspace.rules),
        private_state(workspace.path / ".git"),
        shared_state(workspace.repository),
    )


def changes(
    workspace: Workspace,
    base: str,
    *,
    exempt: Collection[str] = (),
    known: Snapshot | None = None,
    seen: Seen | None = None,
) -> tuple[Change, ...]:
    """What differs on disk from `base`, sorted by path. Left out are paths in `exempt` (a folder as `dir/`) and
    what is still as `known` found it. Ignored files come with is_ignored, wholly ignored folders as `dir/`, and
    only those that weren't there when `known` was taken; without `known` none. `seen` saves looking again."""
    made = known.made if known else {}
    seen = seen or look(workspace, exempt=exempt)
    found = [change_of(entry) for entry in own_entries(seen, base, made) if not matches(entry.path, exempt)]
    found += [
        Change(ChangeKind.ADDED, path, refusal=why) for path, why in seen.refused.items() if not matches(path, exempt)
    ]
    if known is not None:
        for path in ignored_paths(workspace.command, workspace.rules):
            if not matches(path, known.ignored) and not matches(path, exempt):
                found.append(Change(ChangeKind.ADDED, path, is_ignored=True))
    return tuple(sorted(found, key=lambda change: (change.path, change.kind)))


def differences(
    workspace: Workspace, known: Snapshot, *, commits_allowed: bool = False, moved: Collection[str] = ()
) -> tuple[Difference, ...]:
    """What has become different outside the files since `known`: refs, HEAD, stash, hooks, configuration. Commits
    on the workspace's own branch are left out if allowed, and so are the repository's refs in `moved` (below a
    prefix that ends in `/`), which the caller moves itself."""
    own = f"refs/heads/{workspace.branch}" if workspace.branch is not None else ""
    found: list[Difference] = []
    now = private_state(workspace.path / ".git")
    if now.get(WHOLE) != known.private.get(WHOLE):
        # One sentence instead of one for each file that isn't there any more.
        found.append(Difference("other", f"the workspace's .git is {now.get(WHOLE, 'gone')}"))
        now = known.private
    for name, old, new in _differing(known.private, now):
        if name == f"ref {own}" and old and new:
            if not commits_allowed:
                found.append(Difference("commit", f"a commit was made: {workspace.branch} is at {new[:12]}"))
        else:
            found.append(Difference(_kind(name), f"{_described(name, old, new)} in the workspace", name=name))
    for name, old, new in _differing(known.shared, shared_state(workspace.repository)):
        if not (name.startswith("ref ") and matches(name[4:], moved)):
            found.append(Difference(_kind(name), f"{_described(name, old, new)} in the repository", is_shared=True))
    return tuple(found)


def has_unusable_git(workspace: Workspace, known: Snapshot) -> bool:
    """Whether the workspace's own git directory lacks what no git command brings back since `known`: itself, HEAD,
    its configuration, or where the objects are."""
    now = private_state(workspace.path / ".git")
    if any(now.get(name) != known.private.get(name) for name in (WHOLE, "file objects/info/alternates")):
        return True
    return not now.get("HEAD") or not now.get("file config")


def _differing(old: Mapping[str, str], new: Mapping[str, str]) -> list[tuple[str, str, str]]:
    names = sorted({*old, *new})
    return [(name, old.get(name, ""), new.get(name, "")) for name in names if old.get(name, "") != new.get(name, "")]


_HOOK = " (hook)"


def _kind(name: str) -> str:
    if name == "ref refs/stash":
        return "stash"
    if name.startswith("ref "):
        return "ref"
    if name == "HEAD":
        return "head"
    if name.endswith(_HOOK):
        return "hook"
    for word, kind in (("hooks/", "hook"), ("objects/", "objects"), ("info/", "ignore")):
        if word in name:
            return kind
    return "config" if "config" in name else "other"


def _described(name: str, old: str, new: str) -> str:
    what = name.removeprefix("ref ").removeprefix("file ")
    if what == "HEAD":
        return f"HEAD is {new or 'gone'} instead of {old}"
    if not old:
        return f"{what} was made"
    return f"{what} was changed" if new else f"{what} was deleted"


WHOLE = ".git itself"

# What every ordinary git command rewrites, and objects, which harm nobody.
_IDLE = frozenset(
    "index COMMIT_EDITMSG ORIG_HEAD FETCH_HEAD AUTO_MERGE gc.pid gc.log info/refs objects/info/packs"
    " objects/info/commit-graph".split()
)


def private_state(git_dir: Path) -> dict[str, str]:
    """Name → value of everything in a workspace's git directory that matters, read without git."""
    if git_dir.is_symlink() or not git_dir.is_dir():
        kind = "a link" if git_dir.is_symlink() else "a file" if git_dir.exists() else ""
        return {WHOLE: kind} if kind else {}
    state = {WHOLE: "a folder"}
    for path in _paths_in(git_dir):
        if path in _IDLE or path.endswith((".lock", ".sample")):
            continue
        if path == "packed-refs":
            state |= _packed(git_dir / path)
        elif path.startswith("refs/"):
            state[f"ref {path}"] = _first_line(git_dir / path)
        elif path == "HEAD":
            state[path] = _first_line(git_dir / path)
        else:
            state[f"file {path}"] = _digest(git_dir / path)
    return state


def _paths_in(git_dir: Path) -> Iterator[str]:
    """Everything in a git directory that isn't a folder and isn't passed over; the folder's own files come first."""
    for base, folders, files in walk(git_dir):
        if base == "":
            folders[:] = [name for name in folders if name not in ("logs", "lfs", "modules", "rr-cache")]
        elif base == "objects/":
            folders[:] = ["info"] if "info" in folders else []
        yield from (base + name for name in files)


def shared_state(repository: Repository) -> dict[str, str]:
    """Name → value of what all checkouts of the repository share, and of the person's own configuration."""
    state = {f"ref {name}": value for name, value in repository.refs().items()}
    state["HEAD"] = _first_line(repository.git_dir / "HEAD")
    common = repository.common_dir
    files = [common / "config", common / "config.worktree", repository.git_dir / "config.worktree"]
    files += [common / "info" / name for name in ("exclude", "attributes", "grafts", "sparse-checkout")]
    files.append(common / "objects" / "info" / "alternates")
    files += _hooks_in(common / "hooks")
    for path in files:
        if os.path.lexists(path):
            state[f"file {os.path.relpath(path, common)}"] = _digest(path)
    # Where core.hooksPath points, wherever that is: what runs at the next commit lies there.
    hooks = commit_rules(repository).hooks
    if hooks.resolve() != (common / "hooks").resolve():
        state |= {f"file {path}{_HOOK}": _digest(path) for path in _hooks_in(hooks) if not path.is_dir()}
    for path in _personal_configuration():
        if path.exists():
            state[f"file {path} (config)"] = _digest(path)
    return state


def _hooks_in(folder: Path) -> list[Path]:
    return [folder / name for name in names_in(folder) if not name.endswith(".sample")]


def _personal_configuration() -> tuple[Path, ...]:
    home = Path.home()
    xdg = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    return (Path(named),) if named else (home / ".gitconfig", xdg / "git" / "config")


def _packed(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    if (what := kind_of(path)) != FILE:
        found["file packed-refs"] = what
    for line in _begin(path)[0].decode("utf-8", "surrogateescape").split("\n"):
        value, _, name = line.partition(" ")
        if name and not line.startswith(("#", "^")):
            found[f"ref {name}"] = value
    return found


def _first_line(path: Path) -> str:
    what = kind_of(path)
    return what if what != FILE else _begin(path)[0].decode("utf-8", "surrogateescape").split("\n", 1)[0].strip()


def _digest(path: Path) -> str:
    """A short digest of a file and of whether it may be executed; links count by where they point."""
    what = kind_of(path)
    if what != FILE:
        return what
    mode = "x" if os.access(path, os.X_OK) else "-"
    data, size = _begin(path)
    return mode + hashlib.sha256(data).hexdigest()[:16] + (f" {size}" if size > len(data) else "")


LARGEST = 1 << 24
"""Of a file with more bytes the first so many count, and its size: nothing that matters to git is so large."""


def _begin(path: Path) -> tuple[bytes, int]:
    """The beginning of a plain file, and its size; nothing of anything else. What may lie there is anybody's: no pipe
    is waited for, and no link followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b"", 0
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        return (file.read(LARGEST), about.st_size) if stat.S_ISREG(about.st_mode) else (b"", 0)
