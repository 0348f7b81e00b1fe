"""What lies in a folder that others may fill, empty or take away meanwhile. Knows nothing of what lies there."""

from __future__ import annotations

import os
from pathlib import Path


def names_in(folder: Path) -> list[str]:
    """The names in a folder, in order; none where there is no such folder, or no more. Raises OSError where it can't
    be read."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - the names are all that is wanted
    except (FileNotFoundError, NotADirectoryError):
        return []
