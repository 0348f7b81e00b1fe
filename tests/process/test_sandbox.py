"""A confined process changes what it was given and nothing else; without the kernel's help it doesn't run at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.process import landlock
from orchestrator.process.invocation import Invocation
from orchestrator.process.sandbox import confined, fault

pytestmark = pytest.mark.skipif(bool(fault()), reason=f"no sandbox here: {fault()}")


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    found = {name: tmp_path / name for name in ("mine", "kept", "scratch")}
    for path in found.values():
        path.mkdir()
    (found["kept"] / "file").write_text("kept\n")
    return found


def run(places: dict[str, Path], command: str) -> subprocess.CompletedProcess[str]:
    invocation = confined(
        Invocation(argv=("sh", "-c", command), env={"PATH": os.environ["PATH"]}, cwd=str(places["mine"])),
        writable=[str(places["mine"])],
        kept=[str(places["kept"])],
        scratch=str(places["scratch"]),
    )
    return subprocess.run(
        invocation.argv, env={**invocation.env}, cwd=invocation.cwd, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "act",
    [
        "echo x > {mine}/new",
        "mkdir {mine}/a && mv {mine}/a {mine}/b && rmdir {mine}/b",
        "ln -s /etc {mine}/link && rm {mine}/link",
        'echo x > "$TMPDIR/new" && mv "$TMPDIR/new" {mine}/new',
        "cat {kept}/file > {mine}/copy",
        "echo x > /dev/null",
        "sleep 20 & kill $!",
    ],
)
def test_what_a_worker_needs_it_can_do(places: dict[str, Path], act: str) -> None:
    done = run(places, act.format(**places))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "act",
    [
        "echo x > {kept}/new",
        "echo x >> {kept}/file",
        ": > {kept}/file",
        "truncate -s 0 {kept}/file",
        "rm {kept}/file",
        "mkdir {kept}/folder",
        "mv {kept}/file {mine}/file",
        "ln {kept}/file {mine}/hard && echo x > {mine}/hard",
        "ln -s {kept} {mine}/link && echo x > {mine}/link/new",
        "mkfifo {kept}/pipe",
        "cd {kept} && echo x > ../kept/new",
        'python3 -c \'import os; os.rename("{mine}", "{kept}/gone")\'',
        "kill -0 {parent}",
        "echo x > {mine}/../beside",
    ],
)
def test_what_it_was_not_given_it_cannot_change(places: dict[str, Path], act: str) -> None:
    if "kill" in act and landlock.version() < 6:
        pytest.skip("signals are held from Landlock 6 on")
    done = run(places, act.format(**places, parent=os.getpid()))
    assert done.returncode != 0, done.stdout
    assert [path.name for path in places["kept"].iterdir()] == ["file"]
    assert (places["kept"] / "file").read_text() == "kept\n"
    assert not (places["mine"].parent / "beside").exists()


def test_temporary_folders_of_the_system_are_open_unless_something_kept_lies_in_one() -> None:
    invocation = Invocation(argv=("true",))
    there = confined(invocation, writable=[], kept=["/srv/repository"], scratch="/x").argv
    assert {"/tmp", "/var/tmp", "/dev/shm"} <= {*there}
    assert "/tmp" not in confined(invocation, writable=[], kept=["/tmp/deep/repository"], scratch="/x").argv


def test_a_program_that_cannot_be_confined_is_not_run(tmp_path: Path) -> None:
    text = Path(landlock.__file__).read_text().replace("LEAST = 3", "LEAST = 99")
    program = tmp_path / "landlock.py"
    program.write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", "-S", program, "--", "touch", tmp_path / "ran"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        126,
        "the sandbox can't be set up: this system has no Landlock 99 or newer\n",
    )
    assert not (tmp_path / "ran").exists()


def test_a_command_that_is_not_there_is_said(places: dict[str, Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", landlock.__file__, "--", "no-such-program"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (127, "no-such-program can't be run: No such file or directory\n")
