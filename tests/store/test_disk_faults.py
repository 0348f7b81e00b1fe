"""A disk that refuses: a named error with its place and a way out, and the file as it was."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.errors import Location
from orchestrator.store.disk_faults import refusal
from tests.conftest import ROOT

# Run in a process of its own: it gives up rights or takes limits on itself.
PROGRAM = """
import json, os, resource, signal, sys
from pathlib import Path
from orchestrator.errors import OrchError
from orchestrator.store.text_files import create, update
limit, folder = sys.argv[1], Path(sys.argv[2])
warm = folder.parent / "warm.md"
warm.write_text("x")
update(warm, str.upper)
warm.unlink()
if limit == "size":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
if limit == "rights" and os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
said = []
for act in (
    lambda: update(folder / "STATE_1.md", lambda text: text * 100, shown="planning/STATE_1.md"),
    lambda: create(folder / "STATE_2.md", "new text\\n" * 2000, shown="planning/STATE_2.md"),
):
    try:
        act()
        said.append("nothing was refused")
    except OrchError as error:
        said.append([error.code, str(error.at), error.message, bool(error.hint)])
print(json.dumps(said))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that a process without rights can reach, with one file in it."""
    top = Path(tempfile.mkdtemp(dir="/tmp"))
    top.chmod(0o755)
    inner = top / "planning"
    inner.mkdir()
    (inner / "STATE_1.md").write_text("some text\n" * 20)
    yield inner
    inner.chmod(0o755)
    shutil.rmtree(top)


def refused(limit: str, folder: Path) -> object:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, limit, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def as_it_was(folder: Path) -> None:
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"STATE_1.md": "some text\n" * 20}


def expected(code: str, cause: str) -> list[object]:
    return [
        [code, "planning/STATE_1.md", f"can't change planning/STATE_1.md: {cause}", True],
        [code, "planning/STATE_2.md", f"can't create planning/STATE_2.md: {cause}", True],
    ]


def test_a_folder_that_may_not_be_written_to_is_refused_by_name(folder: Path) -> None:
    folder.chmod(0o555)
    assert refused("rights", folder) == expected("no-permission", "permission denied")
    as_it_was(folder)


def test_a_file_size_limit_stops_the_write_and_nothing_else(folder: Path) -> None:
    assert refused("size", folder) == expected("disk-full", "the file would be larger than allowed")
    as_it_was(folder)


def test_a_full_disk_stops_the_write_and_nothing_else(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)], capture_output=True
    )
    if not mounted or mounted.returncode != 0:
        pytest.skip("needs the right to mount a small file system")
    try:
        folder = small / "planning"
        folder.mkdir()
        (folder / "STATE_1.md").write_text("some text\n" * 20)
        assert refused("none", folder) == expected("disk-full", "the disk is full")
        as_it_was(folder)
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_an_error_without_a_remedy_of_its_own_still_says_place_and_cause() -> None:
    error = refusal(OSError(errno.EMFILE, "Too many open files"), "planning/ORCH.md", doing="read")
    assert (error.code, error.at, error.message) == (
        "disk",
        Location("planning/ORCH.md"),
        "can't read planning/ORCH.md: too many open files",
    )
