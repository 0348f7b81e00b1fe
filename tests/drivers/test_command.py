from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.drivers.command import DRIVER, SLOTS
from orchestrator.errors import UserError
from orchestrator.model.settings import Worker
from tests.drivers.turns import new_order


def worker(**options: object) -> Worker:
    return Worker("small", "command", model="tiny", options=options)


def test_every_slot_is_filled(tmp_path: Path) -> None:
    words = tuple(f"<{{{{ {slot} }}}}>" for slot in SLOTS)
    order = new_order(tmp_path, worker(plan=("agent", *words, "{{repo}}/{{task.key}}")), session="s-1")
    assert DRIVER.invocation(order).argv == (
        "agent",
        "<5.1.2>",
        "<Parse it>",
        f"<{order.folder}/prompt.md>",
        f"<{tmp_path}/worktree/planning/tasks/5.1.2.todo.md>",
        f"<{tmp_path}/worktree>",
        f"<{tmp_path}>",
        "<tiny>",
        "<s-1>",
        f"{tmp_path}/5.1.2",
    )


def test_the_text_in_a_slot_is_never_read_again(tmp_path: Path) -> None:
    order = new_order(tmp_path, worker(plan=("agent", "{{ task.title }}")), title=r"{{ repo }} \1 $HOME")
    assert DRIVER.invocation(order).argv == ("agent", r"{{ repo }} \1 $HOME")


def test_retry_takes_the_execute_command_unless_it_has_its_own(tmp_path: Path) -> None:
    both = new_order(tmp_path, worker(plan=("p",), execute=("e",), retry=()), turn="retry")
    assert DRIVER.invocation(both).argv == ("e",)
    own = new_order(tmp_path, worker(plan=("p",), execute=("e",), retry=["r"]), turn="retry")
    assert DRIVER.invocation(own).argv == ("r",)


def test_the_limits_are_the_workers(tmp_path: Path) -> None:
    order = new_order(tmp_path, Worker("small", "command", timeout=90.0, stall=5.0, options={"plan": ("p",)}))
    invocation = DRIVER.invocation(order)
    assert (invocation.timeout, invocation.silence) == (90.0, 0.0)


def test_every_problem_of_a_worker_is_found() -> None:
    assert DRIVER.problems(
        worker(plan="python worker.py", execute=("run", "{{ task.id }}", "{{ TASK }}"), retry=[""])
    ) == (
        '`plan` isn\'t a list of words: write `plan: [program, argument, "{{ task.key }}"]`',
        "`execute` holds the unknown slot `{{ task.id }}`: did you mean `task.key`? there are task.key, task.title,"
        " paths.prompt, paths.todo, paths.worktree, repo, model, session",
        "`execute` holds the unknown slot `{{ TASK }}`: did you mean `task.key`? there are task.key, task.title,"
        " paths.prompt, paths.todo, paths.worktree, repo, model, session",
        '`retry` begins with an empty word: write `retry: [program, argument, "{{ task.key }}"]`',
    )


def test_missing_commands_are_named() -> None:
    assert DRIVER.problems(worker(execute=("e",))) == (
        '`plan` is missing: write `plan: [program, argument, "{{ task.key }}"]`',
    )


def test_a_turn_without_a_command_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no 'plan' command"):
        DRIVER.invocation(new_order(tmp_path, worker(execute=("e",))))


def test_a_key_in_a_command_is_refused_and_not_said_again() -> None:
    key = "sk-" + "proj-" + "aB3" * 12
    options = {"plan": ("agent", "--key", key), "execute": ("agent",)}
    (fault,) = DRIVER.problems(Worker("small", "command", options=options))
    assert fault.startswith("`plan` holds what looks like a key") and key not in fault
