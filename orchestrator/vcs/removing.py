"""Deleting folders whole, whatever modes and links are in them. Knows nothing of what they are."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Delete a folder and all in it, without following links; folders made read-only are opened up first."""

    def open_up(function: object, name: str, _error: object) -> None:
        with contextlib.suppress(OSError):
            Path(name).parent.chmod(0o700)
            if os.path.isdir(name) and not os.path.islink(name):  # noqa: PTH112, PTH114
                os.chmod(name, 0o700)  # noqa: PTH101
                shutil.rmtree(name, ignore_errors=True)
            else:
                os.unlink(name)  # noqa: PTH108

    if path.is_symlink():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path, onerror=open_up)
    else:
        path.unlink(missing_ok=True)
