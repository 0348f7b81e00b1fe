"""The README's walk through one's own repository works as it is pasted, from `orch init` to the landed commits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documents import marked

# The exit code of each pasted block, as the README says: the second stops at the gate.
EXITS = [0, 3, 0, 0]


def run(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Somebody's repository: a path with a blank, one commit."""
    folder = tmp_path / "my project"
    folder.mkdir()
    (folder / "README.md").write_text("# My project\n")
    for command in ("git init -q", "git add .", "git commit -q -m 'first'"):
        assert run(command, folder).returncode == 0
    return folder


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`orch` on the PATH, as the README asks for."""
    program = tmp_path / "bin" / "orch"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m orchestrator "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))


@pytest.mark.usefixtures("on_path")
def test_the_walk_lands_two_commits_and_leaves_the_checkout_alone(repository: Path) -> None:
    exits = []
    for part in marked("README.md"):
        if part.kind == "file":
            (repository / part.argument).write_text(part.text, encoding="utf-8")
        elif part.kind == "walk":
            done = run(part.text, repository)
            exits.append(done.returncode)
            assert done.returncode == EXITS[len(exits) - 1], f"{part.text}{done.stdout}{done.stderr}"
    assert exits == EXITS

    subjects = run("git log --format=%s orch/1-first-steps", repository).stdout.splitlines()
    assert sorted(subjects[:-1]) == ["docs: say how to build", "docs: say how to report a fault"]
    assert run("git show orch/1-first-steps:docs/faults.md", repository).stdout == (
        "# Say how to report a fault\n\nTo be written.\n"
    )
    assert run("git status --porcelain", repository).stdout == "?? planning/\n"
    assert run("git log --format=%s main", repository).stdout == "first\n"
