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

from orchestrator.disk_faults import refusal, refusal_of, remedy_for
from orchestrator.effects import effect
from orchestrator.errors import Location
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
    error = refusal(OSError(errno.EXDEV, "Invalid cross-device link"), "planning/ORCH.md", doing="read")
    assert (error.code, error.at, error.message) == (
        "disk",
        Location("planning/ORCH.md"),
        "can't read planning/ORCH.md: invalid cross-device link",
    )


def full() -> OSError:
    """What the system raises for a file that is open: it names none."""
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def said(error: OSError) -> str:
    found = refusal_of(error)
    return found.message if found else ""


def test_an_error_of_an_open_file_leaves_the_door_with_the_name_of_its_file() -> None:
    with pytest.raises(OSError, match="No space left") as met, effect("create", "/run/ready.json"):
        raise full()
    assert said(met.value) == "can't change /run/ready.json: the disk is full"
    with pytest.raises(OSError, match="No space left") as met, effect("git", "status"):
        raise full()
    assert said(met.value) == "can't change a file: the disk is full"


def test_of_two_files_that_for_which_the_other_was_made_is_named() -> None:
    moved = PermissionError(errno.EACCES, "Permission denied", "/run/1.copy", None, Path("/run/1/1.1.1.todo.md"))
    assert said(moved) == "can't change /run/1/1.1.1.todo.md: permission denied"


def test_what_was_met_while_a_folder_was_copied_is_told_as_itself() -> None:
    met = shutil.Error([("/repo/.venv/a", "/run/1/.venv/a", "[Errno 28] No space left on device: '/run/1/.venv/a'")])
    assert said(met) == "can't change /run/1/.venv/a: the disk is full"


@pytest.mark.parametrize("error", [FileNotFoundError(errno.ENOENT, "No such file", "x"), OSError("words"), OSError()])
def test_an_error_that_is_no_refusal_of_the_system_is_left_to_others(error: OSError) -> None:
    assert refusal_of(error) is None


@pytest.mark.parametrize(
    ("err", "remedy"),
    [
        (
            "fatal: Unable to create '/r/.git/index.lock': No space left on device",
            "make room, then run the command again",
        ),
        (
            "error: unable to write file a: Read-only file system\nfatal: no",
            "mount it for writing, or work in another checkout",
        ),
        ("warning: unable to access '/home/a/.gitconfig': Permission denied\nfatal: no such ref", ""),
        ("fatal: ambiguous argument 'No space left on device'", ""),
        ("", ""),
    ],
)
def test_what_git_says_last_tells_whether_the_system_refused(err: str, remedy: str) -> None:
    assert remedy_for(err) == remedy
