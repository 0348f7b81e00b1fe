"""Many writers, a person who saves in between, and kills: nothing is lost on either side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def race(name: str, file: Path, *numbers: int) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.racers", name, str(file), *map(str, numbers)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(file: Path) -> list[str]:
    return sorted(path.name for path in file.parent.iterdir())


def test_twenty_processes_tick_twenty_boxes_and_append_twenty_reports(tmp_path: Path) -> None:
    file = tmp_path / "STATE_1.md"
    file.write_text("".join(f"- [ ] {number}\n" for number in range(20)))
    assert race("tick", file, 20) is True
    lines = file.read_text().split("\n")
    assert lines[:20] == [f"- [x] {number}" for number in range(20)]
    reports = "\n".join(lines[20:]).split("## report ")
    assert sorted(reports) == sorted(["", *(f"{number}\n\nline\n" for number in range(20))])
    assert names(file) == ["STATE_1.md"]


def test_lines_appended_by_a_shell_meanwhile_are_all_there_and_ours_too(tmp_path: Path) -> None:
    file = tmp_path / "STATE_1.md"
    file.write_text("first\n")
    assert race("append", file, 4, 20) is True
    ours = [f"ours {number} {turn}" for number in range(4) for turn in range(20)]
    theirs = [f"theirs {number} {turn}" for number in range(2) for turn in range(60)]
    assert sorted(file.read_text().split("\n")) == sorted(["", "first", *ours, *theirs])
    assert names(file) == ["STATE_1.md"]


def test_no_save_of_an_editor_is_lost_to_writers_at_work(tmp_path: Path) -> None:
    file = tmp_path / "STATE_1.md"
    file.write_text("person: 0\n" + "".join(f"writer {number}: \n" for number in range(4)) + "end\n")
    assert race("edit", file, 4, 200) == {"lost": 0, "saves": 200, "ended well": 1}
    assert names(file) == ["STATE_1.md", "stop"]


def test_a_writer_killed_at_any_moment_leaves_a_whole_file_and_every_save(tmp_path: Path) -> None:
    file = tmp_path / "STATE_1.md"
    file.write_text("begin\ncount: \nperson: 0\n" + "filler of a line\n" * 3000 + "end\n")
    found = race("kill", file, 200)
    assert found["wrong"] == []
    # The kills did fall into the middle of writes.
    assert found["kills with a stray file"] > 0
