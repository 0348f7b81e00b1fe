"""What a killed process leaves beside a file, and what becomes of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.store.sweeping import sweep
from tests.conftest import ROOT

# A person saves at the last moment before the exchange, and the process is killed at a chosen one after it.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from orchestrator.store import replacing
from orchestrator.store.text_files import update
file, moment = Path(sys.argv[1]), sys.argv[2]
swap = replacing.exchange
def exchange_after_a_save(aside, target):
    if moment != "without a save":
        fresh = file.with_name("editor~")
        fresh.write_text("a person's save\\n")
        fresh.replace(file)
    done = swap(aside, target)
    if moment == "saved again":
        file.write_text("their next save\\n")
    os.kill(os.getpid(), signal.SIGKILL)
replacing.exchange = exchange_after_a_save
update(file, lambda text: text + "ours\\n")
"""


def killed(file: Path, moment: str) -> list[str]:
    file.write_text("theirs\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file), moment], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    strays = [path.name for path in file.parent.iterdir() if path.name.startswith(".orch-")]
    assert len(strays) == 1
    return strays


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "STATE_1.md"


def test_a_copy_of_the_old_text_is_removed(file: Path) -> None:
    killed(file, "without a save")
    assert sweep(file.parent) == ()
    assert contents(file.parent) == {"STATE_1.md": "theirs\nours\n"}


def test_a_save_taken_out_in_the_moment_of_the_kill_is_put_back(file: Path) -> None:
    killed(file, "saved before")
    assert file.read_text() == "theirs\nours\n"
    assert sweep(file.parent) == ("STATE_1.md: a save made while orch was killed was put back",)
    assert contents(file.parent) == {"STATE_1.md": "a person's save\n"}
    assert sweep(file.parent) == ()


def test_a_save_that_another_has_followed_is_kept_beside_it_and_named_until_it_is_removed(file: Path) -> None:
    killed(file, "saved again")
    said = sweep(file.parent)
    (kept,) = [name for name in contents(file.parent) if name != "STATE_1.md"]
    assert kept.startswith("STATE_1.md.saved-")
    assert contents(file.parent) == {"STATE_1.md": "their next save\n", kept: "a person's save\n"}
    assert said == sweep(file.parent)
    assert said == (f"{kept}: a save that orch couldn't put in its place; compare it with STATE_1.md, then remove it",)
    (file.parent / kept).unlink()
    assert sweep(file.parent) == ()


def test_a_half_written_temporary_file_is_removed_and_everything_else_stays(tmp_path: Path) -> None:
    (tmp_path / ".orch-4711-0123456789ab.tmp").write_text("half of a")
    (tmp_path / ".orchard.tmp").write_text("no business of ours")
    (tmp_path / "notes.saved-2026.md").write_text("nor this")
    assert sweep(tmp_path, tmp_path / "tasks") == ()
    assert contents(tmp_path) == {".orchard.tmp": "no business of ours", "notes.saved-2026.md": "nor this"}


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_at_the_effect_door_leaves_the_old_text_or_the_new_one(file: Path, tmp_path: Path, when: str) -> None:
    file.write_text("old\n")
    orders = {"log": str(tmp_path / "log"), "kill": 1, "when": when}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from orchestrator.store.text_files import update;"
            "update(Path(sys.argv[1]), lambda text: 'new\\n')",
            str(file),
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT), "ORCH_EFFECTS": json.dumps(orders)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert file.read_text() == {"before": "old\n", "after": "new\n"}[when]
    steps = [json.loads(line) for line in (tmp_path / "log").read_text().split("\n") if line]
    assert steps[0] == [1, "before", "replace", str(file)]
    assert sweep(tmp_path) == ()
    assert sorted(contents(tmp_path)) == ["STATE_1.md", "log"]
