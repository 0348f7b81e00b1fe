"""Where a repository begins: the walk up from a folder to its checkout, without starting git.

Owns the reading of `.git` (a folder, or a file that points to one) and of `commondir`, and the way from a workspace
in the run folder to the checkout it belongs to. Must not know any file kind of the planning set.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from orchestrator.errors import UserError
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex
from orchestrator.store.layout import run_folder_name
from orchestrator.store.pointer import owner_of

_BARE = regex(r"^\s*bare\s*=\s*(\w+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A checkout. All paths are absolute and free of symlinks; for a bare repository `root` is its git folder."""

    root: Path
    git_dir: Path
    common_dir: Path
    is_linked: bool = False
    """Whether it is a linked checkout (`git worktree add`), whose common folder is another's."""
    is_bare: bool = False
    in_workspace: bool = False
    """Whether the walk began inside the run folder; root is then the checkout that the run folder belongs to."""


def find_root(start: Path) -> Found:
    """The checkout that `start` lies in. Raises UserError when there is none or its `.git` is broken."""
    here = Path(os.path.realpath(start))
    owner = owner_of(here)
    if owner is not None:
        return _as_workspace(_walk(owner))
    found = _walk(here)
    main = _main_checkout(found)
    if main is not None and run_folder_name(main) in (folder.name for folder in found.root.parents):
        # The run folder has lost its pointer, but it still bears the name made from the main checkout's path.
        return _as_workspace(_walk(main))
    return found


def _walk(start: Path) -> Found:
    for folder in (start, *start.parents):
        marker = folder / ".git"
        if marker.is_file():
            return _checkout(folder, _follow(marker))
        if marker.is_dir() and _is_git_dir(marker):
            return _checkout(folder, marker)
        if _is_git_dir(folder) and (folder.name != ".git" or _says_bare(folder)):
            return Found(folder, folder, folder, is_bare=True)
    raise UserError(
        f"no git repository here: neither {start} nor a folder above it has one",
        hint="go into one, or make one: git init && git add -A && git commit --allow-empty -m 'first commit'",
        code="no-repository",
    )


def _checkout(root: Path, git_dir: Path) -> Found:
    git_dir = Path(os.path.realpath(git_dir))
    common_dir = _common_dir(git_dir)
    is_linked = common_dir != git_dir
    return Found(root, git_dir, common_dir, is_linked=is_linked, is_bare=not is_linked and _says_bare(git_dir))


def _follow(marker: Path) -> Path:
    text = _line(marker)
    if not text.startswith("gitdir:"):
        raise UserError(
            f"{marker} is neither a git folder nor a pointer to one (`gitdir: …`)",
            hint="remove that file, or make the checkout again with git worktree add",
            code="broken-git-file",
        )
    target = marker.parent / text.removeprefix("gitdir:").strip()
    if not target.is_dir():
        raise UserError(
            f"{marker} points to {target}, which isn't there",
            hint="run git worktree repair in the main checkout, or go into the main checkout",
            code="broken-git-file",
        )
    return target


def _common_dir(git_dir: Path) -> Path:
    pointer = git_dir / "commondir"
    if not pointer.is_file():
        return git_dir
    return Path(os.path.realpath(git_dir / _line(pointer)))


def _is_git_dir(folder: Path) -> bool:
    # The same three signs that git looks for.
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _says_bare(git_dir: Path) -> bool:
    try:
        text = (git_dir / "config").read_bytes().decode(errors="replace")
    except OSError:
        return False
    if "bare = false" in text and text.lower().count("bare") == 1:
        # What git writes; the pattern takes longer to compile than all the rest here.
        return False
    words = _BARE.findall(text)
    return bool(words) and words[-1].lower() in ("true", "yes", "on", "1")


def _main_checkout(found: Found) -> Path | None:
    """The checkout that a linked one was made from, unless that is bare."""
    if found.is_linked and found.common_dir.name == ".git" and not _says_bare(found.common_dir):
        return found.common_dir.parent
    return None


def _as_workspace(found: Found) -> Found:
    return Found(
        found.root,
        found.git_dir,
        found.common_dir,
        is_linked=found.is_linked,
        is_bare=found.is_bare,
        in_workspace=True,
    )


def _line(path: Path) -> str:
    # Paths are bytes to the system; surrogates carry those that are no UTF-8.
    return os.fsdecode(path.read_bytes()).strip("\r\n")
