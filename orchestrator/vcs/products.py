"""What was put into a workspace besides its checkout and may stay there for its next use, file by file.

Owns the record of such files, kept beside the workspace, and the clearing away of everything else that no commit
has. A file counts as unchanged only if mode, size, both times and the file itself are those on record: nothing short
of the administrator's rights sets the time of its last change back.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.nouns import dataclass
from orchestrator.vcs.command import Git
from orchestrator.vcs.removing import remove_tree
from orchestrator.vcs.walking import walk
from orchestrator.vcs.workspace import Workspace

FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Products:
    """recipe: names what made them. files: path → how it stood, of every file, link and folder."""

    recipe: str
    files: Mapping[str, str]


def read_products(workspace: Workspace) -> Products | None:
    """What is on record; None where there is no record, or none that can be read."""
    try:
        held = json.loads(_record(workspace).read_text("utf-8", "surrogateescape"))
        return Products(str(held["recipe"]), {str(path): str(how) for path, how in held["files"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_products(workspace: Workspace, products: Products) -> None:
    """Put the products on record, in one step."""
    record = _record(workspace)
    partial = record.with_suffix(".new")
    text = json.dumps({"recipe": products.recipe, "files": dict(products.files)})
    with effect("create", str(record)):
        partial.write_text(text, "utf-8", "surrogateescape")
        partial.replace(record)


def forget_products(workspace: Workspace) -> None:
    """Take the record away: nothing in the workspace is a product any more."""
    record = _record(workspace)
    if record.exists():
        with effect("remove", str(record)):
            record.unlink(missing_ok=True)


def has_made(workspace: Workspace, recipe: str) -> bool:
    """Whether all products of `recipe` are in the workspace, unchanged since they were put on record."""
    products = read_products(workspace) if recipe else None
    return products is not None and products.recipe == recipe and _stand(workspace, products)


def _stand(workspace: Workspace, products: Products) -> bool:
    return all(_how(workspace.path / path) == how for path, how in products.files.items())


def besides(workspace: Workspace) -> dict[str, str]:
    """Everything in the workspace that its index doesn't have, ignored or not: path → how it stands."""
    found: dict[str, str] = {}
    for entry in untracked_entries(workspace.command):
        found |= _below(workspace.path, entry)
    return found


def untracked_entries(command: Git) -> tuple[str, ...]:
    """What the index doesn't have, ignored or not, sorted; a folder of which it has nothing as `dir/`, unopened."""
    return command.run("ls-files", "-z", "-o", "--directory").fields


def clear(workspace: Workspace, products: Products | None) -> bool:
    """Remove everything that the index doesn't have, but for the products. Returns whether all of those stand
    unchanged; if not they are removed too, and their record with them."""
    kept = products.files if products else {}
    folders = {parent for path in kept for parent in _parents(path)}
    for entry in untracked_entries(workspace.command):
        name = entry.rstrip("/")
        if name in kept or name in folders:
            _clear_below(workspace.path, name, kept, folders)
        else:
            remove_tree(workspace.path / name)
    if products is None:
        return False
    if _stand(workspace, products):
        return True
    forget_products(workspace)
    clear(workspace, None)
    return False


def _clear_below(top: Path, name: str, kept: Mapping[str, str], folders: Collection[str]) -> None:
    path = top / name
    if not _is_folder(path):
        return
    with os.scandir(path) as entries:
        names = sorted(f"{name}/{entry.name}" for entry in entries)
    for one in names:
        if one in kept or one in folders:
            _clear_below(top, one, kept, folders)
        else:
            remove_tree(top / one)


def _below(top: Path, entry: str) -> dict[str, str]:
    name = entry.rstrip("/")
    found = {name: _how(top / name)}
    if found[name] == FOLDER:
        for base, folders, files in walk(top / name):
            paths = [f"{name}/{base}{one}" for one in (*folders, *files)]
            found |= {path: _how(top / path) for path in paths}
    return found


def _how(path: Path) -> str:
    """What a file is and when it last changed; empty where there is none."""
    try:
        about = os.lstat(path)
    except OSError:
        return ""
    if stat.S_ISDIR(about.st_mode):
        return FOLDER
    return f"{about.st_mode:o} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns} {about.st_ino}"


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _parents(path: str) -> list[str]:
    return [path[:at] for at, char in enumerate(path) if char == "/"]


def _record(workspace: Workspace) -> Path:
    return workspace.side / "products.json"
