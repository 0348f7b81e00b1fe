"""Not parsing again what hasn't changed: the last reading of a file, kept while its stamp on disk is the same.

Owns the stamps. Must not know what is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_SETTLED = 50_000_000
"""Nanoseconds. A file changed more recently than this could change again under the same time stamp."""

Stamp = tuple[int, int, int, int] | None


class ReadCache:
    """Readings by path. Not shared between threads."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[Stamp, object, Any]] = {}

    def read(self, path: Path, reader: Callable[[Path], T], *, depends_on: object = None) -> T:
        """What `reader` makes of the file, or made of it when it bore this stamp and `depends_on` was the same.

        The same is the same object, or a tuple of the same objects.

        Raises what the reader raises.
        """
        stamp = _stamp(path)
        kept = self._kept.get(path)
        if kept is not None and kept[0] == stamp and _are_same(kept[1], depends_on):
            value: T = kept[2]
            return value
        value = reader(path)
        if stamp is None or time.time_ns() - max(stamp[2:]) > _SETTLED:
            self._kept[path] = (stamp, depends_on, value)
        else:
            self._kept.pop(path, None)
        return value


def _are_same(one: object, other: object) -> bool:
    """Whether two things that a reading depends on are the same objects; of a tuple each of its parts."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
    return one is other


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    # Also when it was changed: editors and tools may set the time of what was written.
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
