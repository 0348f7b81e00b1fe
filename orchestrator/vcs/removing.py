"""Deleting folders whole, whatever modes and links are in them. Knows nothing of what they are."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from orchestrator.effects import effect


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
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, onerror=open_up)
            if met and os.path.lexists(path):
                raise met[0]
        else:
            path.unlink(missing_ok=True)


def remove_if_possible(path: Path) -> None:
    """The same for what is in nobody's way: where it can't be removed now, whoever sweeps later may try again."""
    with contextlib.suppress(OSError):
        remove_tree(path)
