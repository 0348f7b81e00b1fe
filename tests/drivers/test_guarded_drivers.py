"""How drivers hand the guard to their programs: out of the worker's reach, for this turn, and not where it is off."""

from __future__ import annotations

import json
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import TurnOrder
from orchestrator.model.settings import Worker
from tests.drivers.recorded import AGENTS
from tests.drivers.test_agents import order_for
from tests.drivers.turns import take
from tests.support.recordings import Recorded

GUARDED = ("claude", "codex", "gemini")
every_guarded = pytest.mark.parametrize("name", GUARDED)


def working(name: str, folder: Path, **changes: object) -> TurnOrder:
    order = order_for(name, folder, AGENTS[name]["finished"], turn="execute", scope=("src/$HOME/**", "it's.txt"))
    return replace(order, **changes)  # type: ignore[arg-type]


def settings_of(argv: tuple[str, ...]) -> dict[str, object]:
    """What codex makes of its `-c` words."""
    merged: dict[str, object] = {}
    for before, word in pairwise(argv):
        if before != "-c":
            continue
        place = merged
        *folders, last = word.partition("=")[0].split(".")
        for name in folders:
            place = place.setdefault(name, {})  # type: ignore[assignment]
        place[last] = tomllib.loads(f"x = {word.partition('=')[2]}")["x"]
    return merged


def claude_hook(order: TurnOrder) -> dict[str, object]:
    argv = registry.find("claude").invocation(order).argv
    settings = json.loads(argv[argv.index("--settings") + 1])
    assert settings["disableAllHooks"] is False
    (group,) = settings["hooks"]["PreToolUse"]
    (hook,) = group["hooks"]
    return {"matcher": group["matcher"], **hook}


def codex_hook(order: TurnOrder) -> dict[str, object]:
    settings = settings_of(registry.find("codex").invocation(order).argv)
    hooks: dict[str, object] = settings["hooks"]  # type: ignore[assignment]
    (group,) = hooks["PreToolUse"]  # type: ignore[misc]
    (hook,) = group["hooks"]
    assert settings["features"] == {"hooks": True}
    # The digest by which it knows a hook: the same as that of its own list of them.
    seen = {"event_name": "pre_tool_use", "matcher": group["matcher"], "hooks": [{"async": False, **hook}]}
    words = json.dumps(seen, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digest = f"sha256:{sha256(words.encode()).hexdigest()}"
    trusted = {"/<session-flags>/config.toml:pre_tool_use:0:0": {"enabled": True, "trusted_hash": digest}}
    assert hooks["state"] == trusted
    return {"matcher": group["matcher"], **hook}


@pytest.mark.parametrize(
    ("name", "hook_of", "tools"),
    [("claude", claude_hook, "Write|Edit|MultiEdit|NotebookEdit|Bash"), ("codex", codex_hook, "Bash|apply_patch")],
)
def test_a_hook_stands_on_the_command_line_and_judges_by_what_this_turn_may_do(
    name: str, hook_of: Callable[[TurnOrder], dict[str, object]], tools: str, tmp_path: Path
) -> None:
    order = working(name, tmp_path)
    hook = hook_of(order)
    assert (hook["matcher"], hook["type"], hook["timeout"]) == (tools, "command", 20)

    def says(order: TurnOrder, path: str) -> str:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
        given = {"claude": {"file_path": f"{order.worktree}/{path}"}, "codex": {"command": patch}}[name]
        tool = {"claude": "Write", "codex": "apply_patch"}[name]
        call = json.dumps({"tool_name": tool, "tool_input": given, "cwd": order.worktree})
        line = ["sh", "-c", str(hook_of(order)["command"])]
        done = subprocess.run(line, input=call, capture_output=True, text=True, check=True)
        return done.stdout and str(json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"])

    assert says(order, "src/$HOME/a.py") == says(order, "it's.txt") == ""
    assert "is out of the scope of this task. You may write src/$HOME/**, it's.txt, and" in says(order, "src/a.py")
    assert "your plan isn't approved yet" in says(replace(order, turn="plan"), "it's.txt")
    assert says(replace(order, turn="plan"), "planning/tasks/5.1.2.todo.md") == ""


def test_gemini_finds_its_rules_in_the_folder_of_the_turn_and_they_are_of_this_turn(tmp_path: Path) -> None:
    order = working("gemini", tmp_path)
    argv = registry.find("gemini").invocation(order).argv
    assert argv[argv.index("--admin-policy") + 1] == f"{order.folder}/guard.toml"
    assert not order.folder.startswith(order.worktree)
    # The program takes a comma for the end of a path.
    (tmp_path / "one, two").mkdir()
    odd = working("gemini", tmp_path / "one, two")
    argv = registry.find("gemini").invocation(odd).argv
    place = argv[argv.index("--admin-policy") + 1]
    assert "," not in place and Path(odd.worktree, place).resolve() == Path(odd.folder, "guard.toml")
    # What the stub copies while it runs is what the program reads.
    stub = Path(str(order.worker.options["program"]))
    stub.write_text(f"#!/bin/sh\ncat {shlex.quote(order.folder)}/guard.toml > seen\n{stub.read_text()}")
    take(registry.find("gemini"), order)
    rules = tomllib.loads((Path(order.worktree) / "seen").read_text("utf-8"))["rule"]
    (outside,) = [rule for rule in rules if rule["priority"] == 997]
    assert "You may write src/$HOME/**, it's.txt, and your todo file" in outside["denyMessage"]
    take(registry.find("gemini"), replace(order, turn="plan"))
    assert "your plan isn't approved yet" in (Path(order.worktree) / "seen").read_text("utf-8")


@every_guarded
@pytest.mark.parametrize("word", ["off", "False", False])
def test_where_the_settings_say_so_there_is_no_guard(name: str, word: object, tmp_path: Path) -> None:
    order = working(name, tmp_path)
    driver = registry.find(name)
    worker = replace(order.worker, options={**order.worker.options, "guard": word})
    assert driver.problems(worker) == ()
    bare = driver.invocation(replace(order, worker=worker))
    guarded = driver.invocation(order)
    words = " ".join(bare.argv)
    assert "hooks" not in words.casefold() and "--admin-policy" not in words and bare.files == {}
    assert set(bare.argv) - set(guarded.argv) <= {'{"attribution": {"commit": "", "pr": ""}}'}


def test_a_word_for_the_guard_that_is_not_known_is_a_problem() -> None:
    for name in GUARDED:
        worker = Worker("small", name, options={"guard": "maybe"})
        assert registry.find(name).problems(worker) == ("`guard: maybe` isn't known: write on or off",)
    worker = Worker("small", "qwen", options={"guard": "off"})
    (fault,) = registry.find("qwen").problems(worker)
    assert fault == "`guard` is no key of the driver qwen: it has program, args, permissions"


def test_a_gemini_that_does_not_know_the_rules_fails_with_what_to_do(tmp_path: Path) -> None:
    old = Recorded((), code=1, err="Unknown arguments: admin-policy, adminPolicy\nUsage: gemini [options]\n")
    result = take(registry.find("gemini"), order_for("gemini", tmp_path, old))
    assert (result.outcome, result.message) == (
        "failed",
        "this gemini has no --admin-policy, which guards it: get a newer one, or write `guard: off` for this worker",
    )
