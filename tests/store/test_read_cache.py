"""A file is read again whenever it could be another one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from orchestrator.store.read_cache import ReadCache

HOUR = 3600 * 10**9


@pytest.mark.parametrize("shift", [-24 * HOUR, 0, 24 * HOUR], ids=["yesterday's", "the same", "tomorrow's"])
def test_a_save_of_the_same_length_is_seen_whatever_time_it_bears(tmp_path: Path, shift: int) -> None:
    path, cache = tmp_path / "STATE_1.md", ReadCache()
    path.write_text("one")
    about = path.stat()
    # Old enough to be kept.
    time.sleep(0.06)
    assert [cache.read(path, Path.read_text) for _ in range(2)] == ["one", "one"]
    with path.open("r+") as handle:
        handle.write("two")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + shift))
    assert cache.read(path, Path.read_text) == "two"


def test_a_file_from_the_future_is_read_each_time(tmp_path: Path) -> None:
    path, cache, reads = tmp_path / "STATE_1.md", ReadCache(), []
    path.write_text("one")
    os.utime(path, (time.time() + 86400,) * 2)
    time.sleep(0.06)
    for _ in range(2):
        cache.read(path, lambda there: reads.append(there.read_text()))
    assert reads == ["one", "one"]
