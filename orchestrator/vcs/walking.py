"""Looking through folders that anybody may have filled, however deep they are, without opening what lies in them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

FILE = "file"
_KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: "folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def walk(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """`top` and every folder below it as three things: its path below `top` with a `/` at its end ("" for `top`), the
    names of its folders, and all other names, links among them. Folders that are taken out of the list aren't gone
    into. What can't be read is as if it were empty.

    Depth costs no stack, as it does with `os.walk` and `shutil.rmtree` of Python before 3.12 and 3.13.
    """
    waiting = [""]
    while waiting:
        base = waiting.pop()
        folders: list[str] = []
        others: list[str] = []
        try:
            with os.scandir(f"{top}/{base}") as entries:
                for entry in entries:
                    (folders if entry.is_dir(follow_symlinks=False) else others).append(entry.name)
        except OSError:
            continue
        yield base, folders, others
        waiting += [f"{base}{name}/" for name in reversed(folders)]


def kind_of(path: Path) -> str:
    """What lies there: `file`, `folder`, `link TARGET`, `a pipe`, `a socket`, `a device`; `unreadable` if that can't be
    told."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return f"link {path.readlink()}"
    except OSError:
        return "unreadable"
    return _KINDS.get(stat.S_IFMT(mode), "a device")


ATTRIBUTES = ".gitattributes"


def stoppers(top: Path) -> dict[str, str]:
    """What would make git wait for ever as soon as it looks at any file beside it: path below `top` → its kind.

    git opens the attribute files of a tree, whatever they are, unless they are links. (The files themselves it opens
    only if they are plain ones.)
    """
    found = {}
    for base, folders, others in walk(top):
        folders[:] = [name for name in folders if name != ".git"]
        if ATTRIBUTES in others:
            kind = kind_of(top / base / ATTRIBUTES)
            if kind != FILE and not kind.startswith("link "):
                found[base + ATTRIBUTES] = kind
    return found
