"""Every command that opens a gate, lands or changes state refuses a worker, by its environment and by its folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.cli.group import COMMANDS
from orchestrator.cli.main import run
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned

CHANGES: dict[str, tuple[str, ...]] = {
    "init": (),
    "new": ("A title",),
    "next-wave": ("--auto",),
    "approve": ("1.1.1", "--force", "--why", "me"),
    "revise": ("1.1.1", "-m", "no"),
    "takeover": ("1.1.1", "--file", "FILE"),
    "ask": ("1.1.1", "May I?"),
    "answer": ("--person", "Q1", "yes"),
    "retry": ("1.1.1", "--because", "x"),
    "rescope": ("1.1.1", "--create", "more.dat", "--why", "x"),
    "skip": ("1.1.1", "--why", "x"),
    "block": ("1.1.1", "--why", "x"),
    "report": ("1.1.1", "--file", "FILE"),
    "verify": ("1.1.1",),
    "land": ("1.1.1",),
    "clean": (),
}
LOOKS: dict[str, tuple[str, ...]] = {
    "status": (),
    "resume": (),
    "check": (),
    "gate": (),
    "show": ("1.1.1",),
    "log": ("1.1.1",),
    "prompt": ("1.1.1",),
    "next-wave": ("--dry-run",),
}
BY_THEMSELVES = ("doctor", "wait", "demo", "selftest")
"""These change nothing of the set: they look at the machine, wait, or work in a folder of their own."""


def test_every_command_is_known_to_change_something_or_to_look() -> None:
    assert set(COMMANDS) == {*CHANGES, *LOOKS, *BY_THEMSELVES}


@pytest.fixture(scope="module")
def at_gate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository with a plan at the gate, and the workspace of its task."""
    place = tmp_path_factory.mktemp("refused")
    settings = f"gate: stop\nworktree: {{root: {place / 'runs'}}}\n"
    folder = planned(place / "repo", [Task("1", ("a.dat",))], settings=settings)
    assert run_orch(folder, "next-wave").code == 3
    (workspace,) = {path.resolve() for path in (place / "runs").rglob("work/1.1.1")}
    (place / "file.md").write_text("# 1.1.1\n")
    return folder, workspace


def everything(folder: Path) -> list[tuple[str, bytes]]:
    """The planning files, and every ref."""
    files = [(str(path), path.read_bytes()) for path in sorted((folder / "planning").rglob("*")) if path.is_file()]
    return [*files, ("refs", git(folder, "for-each-ref").encode())]


@pytest.mark.parametrize("command", CHANGES)
@pytest.mark.parametrize("sign", ["environment", "folder", "a folder below"])
def test_a_command_that_changes_something_refuses_a_worker(
    at_gate: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    sign: str,
) -> None:
    folder, workspace = at_gate
    before = everything(folder)
    if sign == "environment":
        monkeypatch.setenv("ORCH_RUN_ID", "x")
    os.chdir({"environment": folder, "folder": workspace}.get(sign, workspace / "planning"))
    file = str(folder.parent / "file.md")
    code = run([command, *(file if word == "FILE" else word for word in CHANGES[command])])
    said = capsys.readouterr().err
    assert code == 1, said
    assert f"orch {command} refuses to run as a worker" in said
    assert everything(folder) == before


@pytest.mark.parametrize("command", LOOKS)
def test_a_command_that_looks_shows_a_worker_the_set_of_the_main_checkout(
    at_gate: tuple[Path, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    folder, workspace = at_gate
    before = everything(folder)
    monkeypatch.setenv("ORCH_RUN_ID", "x")
    told = []
    for place in (folder, workspace):
        os.chdir(place)
        told.append((run([command, *LOOKS[command]]), *capsys.readouterr()))
    assert told[0] == told[1]
    assert "refuses" not in told[0][2]
    assert everything(folder) == before
