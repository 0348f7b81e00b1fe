"""Deleting folders whole, whatever modes, links and depths are in them. Knows nothing of what they are."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.vcs.walking import stoppers


def remove_tree(path: Path) -> None:
    """Delete a folder and all in it, or a file, or a link, which isn't followed; folders made read-only are opened up
    first. What isn't there needs no deleting. Raises OSError, the first one met, where something is left."""
    met: list[OSError] = []

    def open_up(function: object, name: str, about: tuple[type, BaseException, object]) -> None:
        if isinstance(about[1], OSError):
            # It names the file as it was asked for, within its folder.
            about[1].filename = name
            met.append(about[1])
        with contextlib.suppress(OSError):
            Path(name).parent.chmod(0o700)
            if os.path.isdir(name) and not os.path.islink(name):  # noqa: PTH112, PTH114
                os.chmod(name, 0o700)  # noqa: PTH101
                shutil.rmtree(name, ignore_errors=True)
            else:
                os.unlink(name)  # noqa: PTH108

    if not os.path.lexists(path):
        return
    with effect("remove", str(path)):
        if not path.is_dir() or path.is_symlink():
            path.unlink(missing_ok=True)
            return
        try:
            shutil.rmtree(path, onerror=open_up)
        except RecursionError:
            _remove_flat(path)
        if met and os.path.lexists(path):
            raise met[0]


def clear_way(top: Path, path: Path) -> None:
    """Take away what stands between `top` and `path` where folders belong: links, which aren't followed, and all else
    that is no folder. Folders that were closed are opened up. Raises OSError where something is left."""
    for parent in reversed(path.relative_to(top).parents[:-1]):
        folder = top / parent
        if os.path.lexists(folder):
            clear_for_folder(folder)


def clear_for_folder(path: Path) -> None:
    """Take away what lies at `path` unless it is a folder itself, which is opened up where it was closed."""
    if path.is_symlink() or not path.is_dir():
        remove_tree(path)
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        path.chmod(0o700)


def remove_if_possible(path: Path) -> None:
    """The same for what is in nobody's way: where it can't be removed now, whoever sweeps later may try again."""
    with contextlib.suppress(OSError):
        remove_tree(path)


def _remove_flat(top: Path) -> None:
    """The same for folders so deep that each level costs too much stack, or the path of the last is too long for the
    system: every folder is brought up to `top` before it is emptied."""
    waiting, count = [top], 0
    while waiting:
        folder = waiting.pop()
        folder.chmod(0o700)
        with os.scandir(folder) as entries:
            found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_folder in found:
            if not is_folder:
                os.unlink(name)  # noqa: PTH108
            elif folder == top:
                waiting.append(Path(name))
            else:
                os.chmod(name, 0o700)  # noqa: PTH101
                count += 1
                waiting.append(_free_name(top, count))
                os.rename(name, waiting[-1])  # noqa: PTH104
        if folder != top:
            folder.rmdir()
    top.rmdir()


def _free_name(top: Path, number: int) -> Path:
    name = top / f"{number}"
    while os.path.lexists(name):
        name = name.with_name(f"{name.name}_")
    return name


def remove_stoppers(top: Path) -> dict[str, str]:
    """Take away what would make git wait for ever below `top` (none of it holds anything); returns path → kind."""
    found = stoppers(top)
    for path in found:
        with effect("remove", str(top / path)):
            (top / path).unlink(missing_ok=True)
    return found
