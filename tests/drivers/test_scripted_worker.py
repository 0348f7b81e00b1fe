from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.drivers.base import TurnResult
from orchestrator.drivers.recording import Scene
from orchestrator.drivers.scripted import DRIVER
from orchestrator.drivers.scripted_worker import play
from orchestrator.model.settings import Worker
from tests.drivers.turns import new_order, take

TODO = """\
# 5.1.2 — Parse it

## TODO items
- [ ] 1. Write it
- [ ] 2. Test it
  - [ ] a detail
- [ ] 4. Run it

## Questions
- [ ] is this a step?

## Report

## Discovered
none
"""


def without_blank_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


@pytest.fixture
def todo(tmp_path: Path) -> Path:
    """The working directory is a worktree with this todo copy."""
    os.chdir(tmp_path)
    path = tmp_path / "planning/tasks/5.1.2.todo.md"
    path.parent.mkdir(parents=True)
    path.write_text(TODO)
    return path


def test_all_steps_are_ticked_and_nothing_else(todo: Path) -> None:
    assert play(Scene(tick=(0,)), todo) == 0
    steps = "- [x] 1. Write it\n- [x] 2. Test it\n  - [ ] a detail\n- [x] 4. Run it\n"
    assert todo.read_text() == TODO.replace(TODO[TODO.index("- [ ] 1") : TODO.index("\n## Questions")], steps)


def test_steps_are_ticked_by_their_numbers(todo: Path) -> None:
    play(Scene(tick=(1, 4)), todo)
    assert todo.read_text() == TODO.replace("[ ] 1.", "[x] 1.").replace("[ ] 4.", "[x] 4.")


def test_the_report_stands_below_its_heading(todo: Path) -> None:
    play(Scene(report="- Status: done\n"), todo)
    expected = TODO.replace("## Report\n", "## Report\n- Status: done\n")
    assert without_blank_lines(todo.read_text()) == without_blank_lines(expected)
    play(Scene(report="- Status: done again\n"), todo)
    assert without_blank_lines(todo.read_text()) == without_blank_lines(expected.replace("done", "done again"))


def test_a_report_without_a_heading_for_it_gets_one(todo: Path) -> None:
    todo.write_text("# 5.1.2 — Parse it\n")
    play(Scene(report="- Status: done\n"), todo)
    assert without_blank_lines(todo.read_text()) == ["# 5.1.2 — Parse it", "## Report", "- Status: done"]


def test_files_are_written_added_to_and_deleted(todo: Path) -> None:
    Path("old").write_text("old\n")
    Path("gone").write_text("")
    scene = Scene(files={"new/deep.txt": "a\r\nb"}, append={"old": "more\n"}, delete=("gone",), run="cat old > copy")
    assert play(scene, todo) == 0
    assert Path("new/deep.txt").read_bytes() == b"a\r\nb"
    assert Path("copy").read_text() == "old\nmore\n"
    assert not Path("gone").exists()


def test_the_exit_code_is_that_of_the_command_unless_one_is_given(todo: Path) -> None:
    assert play(Scene(run="exit 5"), todo) == 5
    assert play(Scene(run="exit 5", exit=0), todo) == 0


def test_a_package_of_the_same_name_in_the_worktree_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("5.1.2:\n  - print: mine\n")
    order = new_order(tmp_path, Worker("small", "scripted", timeout=60.0, options={"script": "script.yaml"}))
    (Path(order.worktree) / "orchestrator").mkdir()
    (Path(order.worktree) / "orchestrator/__init__.py").write_text("raise SystemExit('the wrong package')\n")
    assert take(DRIVER, order) == TurnResult("finished", text="mine\n")


def test_a_faulty_recording_fails_the_turn_with_its_place(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("5.1.2:\n  - prin: x\n")
    order = new_order(tmp_path, Worker("small", "scripted", timeout=60.0, options={"script": "script.yaml"}))
    assert take(DRIVER, order) == TurnResult(
        "failed",
        message=f'exit code 64\n{script}:1:1: turn 1 of 5.1.2 holds "prin"\n'
        "hint: a turn has turn, print, delay, files, append, delete, run, plan, tick, report, exit",
    )


def test_it_runs_as_a_module_too(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("5.1.2:\n  - print: hello\n")
    environment = {**os.environ, "ORCH_TASK": "5.1.2", "ORCH_TURN": "plan", "ORCH_TODO": str(tmp_path / "todo.md")}
    command = [sys.executable, "-m", "orchestrator.drivers.scripted_worker", str(tmp_path / "script.yaml"), "1"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, env=environment, input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "hello\n")
