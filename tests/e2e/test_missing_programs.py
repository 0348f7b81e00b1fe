"""A worker whose program is missing: nothing is begun with it, no attempt counts, and the way to get it is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned

ONE, TWO = Task("1", ("a.dat",)), Task("2", ("b.dat",))


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for PATH with git and a shell in it, and no agent program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "cat", "rm"):
        there = subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=True)
        (folder / name).symlink_to(there.stdout.strip())
    return folder


def next_wave(folder: Path, tools: Path, *words: str) -> Left:
    return run_orch(folder, "next-wave", *words, env={"PATH": str(tools)})


def test_a_wave_whose_agent_is_not_there_is_refused_before_any_write(tmp_path: Path, tools: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE, TWO], worker="small: {driver: claude, model: haiku}")
    before = git(folder, "status", "--porcelain=v1", "-uall"), git(folder, "for-each-ref")
    left = next_wave(folder, tools)
    assert (left.code, left.out, left.err) == (
        1,
        "",
        "planning/ORCH.md:3:19: error: workers: small: claude isn't on PATH (driver claude): "
        "no turn was started, and no attempt is counted\n"
        "    3 |   small: {driver: claude, model: haiku}\n      |                   ^^^^^^\n"
        "hint: npm install -g @anthropic-ai/claude-code@latest; orch doctor shows all that is there and missing\n",
    )
    assert (git(folder, "status", "--porcelain=v1", "-uall"), git(folder, "for-each-ref")) == before


@pytest.mark.parametrize(
    ("worker", "said"),
    [
        ("small: {driver: codex, program: tools/codex}", "workers: small: tools/codex isn't there (driver codex)"),
        (
            "small: {driver: command, plan: [my-agent], execute: [other-agent]}",
            "workers: small: my-agent isn't on PATH (driver command)",
        ),
    ],
)
def test_it_is_refused_for_every_way_to_name_a_program(tmp_path: Path, tools: Path, worker: str, said: str) -> None:
    folder = planned(tmp_path / "repo", [ONE], worker=worker)
    left = next_wave(folder, tools)
    assert left.code == 1
    assert said in " ".join(left.err.split())
    assert not (folder / "planning" / "STATE_1.md").exists()


def test_a_worker_that_no_due_turn_needs_holds_nothing(tmp_path: Path, tools: Path) -> None:
    worker = "small: {driver: scripted, script: planning/workers.yaml}\n  mid: {driver: claude}"
    folder = planned(tmp_path / "repo", [ONE], worker=worker)
    assert next_wave(folder, tools, "--auto").code == 0


AGENT = """#!/bin/sh
case $1 in
plan) cat > "$ORCH_TODO" <<'END'
{plan}
END
{then};;
*) echo a.dat > a.dat; sed -i 's/^- \\[ \\]/- [x]/' "$ORCH_TODO"
cat >> "$ORCH_TODO" <<'END'

## Report
- **Status:** done
- **Files:** `a.dat`
- **Deviations:** none
- **Gotchas:** none
END
;;
esac
"""


def test_a_program_that_goes_away_on_the_way_costs_no_attempt(tmp_path: Path, tools: Path) -> None:
    agent = tools / "my-agent"
    (tools / "sed").symlink_to("/bin/sed")
    worker = "small: {driver: command, plan: [my-agent, plan], execute: [my-agent, execute]}"
    folder = planned(tmp_path / "repo", [ONE], worker=worker)
    agent.write_text(AGENT.format(plan=plan_text(ONE), then=f"rm {agent}"))
    agent.chmod(0o755)
    left = next_wave(folder, tools, "--auto")
    assert left.code == 1, left
    said = "the worker small can't be started: my-agent isn't on PATH (driver command)"
    assert f"1.1.1 approved Task 1: plan passed on checks, {said}" in left.out
    assert left.out.endswith("first: install it, or mend planning/ORCH.md\nnext: orch next-wave\n")
    todo = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text()
    assert (todo.count(" started turn="), todo.count(" ended turn=")) == (1, 1)

    agent.write_text(AGENT.format(plan="", then=""))
    agent.chmod(0o755)
    assert next_wave(folder, tools, "--auto").code == 0
