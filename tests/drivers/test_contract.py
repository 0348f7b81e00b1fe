"""What holds for every driver, shown by whole turns with a fake program behind it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import TurnResult
from orchestrator.model.settings import MANUAL, Worker
from orchestrator.process.environment import own_names
from tests.drivers.recorded import NAMES
from tests.drivers.turns import new_order, take

PLAN = "# 5.1.2 — Parse it\n\n## TODO items\n- [ ] 1. Do it\n"


SHELL = """\
case "$1" in
plan) cat > prompt-seen; printf '%s' "$PLAN_TEXT" > "$ORCH_TODO"; env > env; echo planned;;
execute) echo working; printf 'no \\033[31mluck\\033[0m\\n' >&2; exit 7;;
retry) sleep 600;;
esac
"""

SCRIPT = """\
5.1.2:
  - turn: plan
    run: env > env; echo planned
    files: {prompt-seen: do it}
    plan: |
      # 5.1.2 — Parse it

      ## TODO items
      - [ ] 1. Do it
  - turn: execute
    print: working
    run: printf 'no \\033[31mluck\\033[0m\\n' >&2
    exit: 7
  - turn: retry
    delay: 600
"""


def command_worker(folder: Path, timeout: float) -> Worker:
    (folder / "fake-agent").write_text(f"#!/bin/sh\n{SHELL}")
    (folder / "fake-agent").chmod(0o755)
    options = {turn: ("{{ repo }}/fake-agent", turn) for turn in ("plan", "execute", "retry")}
    return Worker("small", "command", timeout=timeout, env=("PLAN_TEXT",), options=options)


def scripted_worker(folder: Path, timeout: float) -> Worker:
    (folder / "recording.yaml").write_text(SCRIPT)
    return Worker("small", "scripted", timeout=timeout, env=("PLAN_TEXT",), options={"script": "recording.yaml"})


WORKERS = {"command": command_worker, "scripted": scripted_worker}
WITHOUT_A_PROCESS = {MANUAL}
every_driver = pytest.mark.parametrize("name", WORKERS)


def test_every_driver_of_the_table_is_put_to_the_contract() -> None:
    assert {*WORKERS, *NAMES} == set(registry.TABLE) - WITHOUT_A_PROCESS


def test_the_manual_driver_is_found_and_starts_nothing() -> None:
    driver = registry.find(MANUAL)
    assert (driver.name, driver.problems(Worker("small", MANUAL))) == (MANUAL, ())


@every_driver
def test_a_driver_is_found_by_the_name_it_calls_itself(name: str) -> None:
    assert registry.find(name).name == name


@every_driver
def test_a_worker_that_can_run_has_no_problems(name: str, tmp_path: Path) -> None:
    assert registry.find(name).problems(WORKERS[name](tmp_path, 60.0)) == ()


@every_driver
def test_a_worker_without_any_keys_has_problems_that_say_what_to_write(name: str) -> None:
    problems = registry.find(name).problems(Worker("small", name))
    assert problems
    assert all("write `" in problem for problem in problems)


@every_driver
def test_a_plan_turn_leaves_the_plan_and_is_finished(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAN_TEXT", PLAN)
    monkeypatch.setenv("SOME_API_KEY", "sesame")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("ORCH_EFFECTS", '{"log": "/dev/null"}')
    order = new_order(tmp_path, WORKERS[name](tmp_path, 60.0))
    result = take(registry.find(name), order)
    assert result == TurnResult("finished", text="planned\n")
    worktree = Path(order.worktree)
    assert Path(order.todo_path).read_text() == PLAN
    assert (worktree / "prompt-seen").read_text() == "do it"
    text = (worktree / "env").read_text()
    variables = dict(line.split("=", 1) for line in text.splitlines() if line.startswith("ORCH_"))
    names = own_names(order.repo, order.key)
    assert variables == names | {
        "ORCH_TASK": "5.1.2",
        "ORCH_TURN": "plan",
        "ORCH_PROMPT": order.prompt_path,
        "ORCH_TODO": order.todo_path,
        "ORCH_WORKTREE": order.worktree,
        "ORCH_RUN_ID": order.marker,
    }
    assert "sesame" not in text and "GIT_DIR" not in text and "PLAN_TEXT=" in text


@every_driver
def test_a_failed_turn_tells_its_last_words(name: str, tmp_path: Path) -> None:
    order = new_order(tmp_path, WORKERS[name](tmp_path, 60.0), turn="execute", attempt=2)
    assert take(registry.find(name), order) == TurnResult("failed", text="working\n", message="exit code 7\nno luck")


@every_driver
def test_a_turn_that_never_ends_meets_its_limit(name: str, tmp_path: Path) -> None:
    order = new_order(tmp_path, WORKERS[name](tmp_path, 0.5), turn="retry", attempt=3)
    assert take(registry.find(name), order) == TurnResult("limit", message="not over after 0.5s (`timeout`)")


@every_driver
def test_a_worktree_that_is_gone_means_the_turn_never_ran(name: str, tmp_path: Path) -> None:
    order = new_order(tmp_path, WORKERS[name](tmp_path, 60.0), worktree=str(tmp_path / "gone"))
    message = f'can\'t enter the folder "{tmp_path}/gone": No such file or directory'
    assert take(registry.find(name), order) == TurnResult("never-ran", message=message)


@every_driver
def test_the_order_alone_decides_the_invocation(name: str, tmp_path: Path) -> None:
    order = new_order(tmp_path, WORKERS[name](tmp_path, 60.0))
    driver = registry.find(name)
    first = driver.invocation(order)
    os.environ["LANG"] = "changed"
    assert driver.invocation(order) == first
    assert first.cwd == order.worktree
    assert first.stdin == order.prompt
    assert sys.executable in first.argv or first.argv[0].endswith("fake-agent")
