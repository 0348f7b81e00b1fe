"""`sandbox: on`: hostile workers and tests reach nothing but their own workspace; without it they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.engine import confining
from orchestrator.engine.next_wave import next_wave
from orchestrator.engine.session import open_session
from orchestrator.process.sandbox import fault
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working

pytestmark = pytest.mark.skipif(bool(fault()), reason=f"no sandbox here: {fault()}")
BRANCH = "orch/1-things"


def harm(folder: Path) -> str:
    """Commands that write into the main checkout, its git directory, its planning folder, and beside the workspace."""
    hook = f"printf '#!/bin/sh\\ntouch {folder}/hooked\\n' > {folder}/.git/hooks/pre-commit"
    return (
        f"echo x > {folder}/planted; {hook}; chmod +x {folder}/.git/hooks/pre-commit; "
        f"git -C {folder} update-ref refs/heads/evil HEAD; echo x >> {folder}/planning/STATE_1.md; "
        "echo x > ../beside; true"
    )


def damage(folder: Path) -> list[str]:
    found = [name for name in ("planted", "hooked", ".git/hooks/pre-commit") if (folder / name).exists()]
    if "refs/heads/evil" in git(folder, "for-each-ref"):
        found.append("ref")
    if (folder / "planning" / "STATE_1.md").read_text("utf-8").rstrip().endswith("\nx"):
        found.append("state")
    return found


@pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
def test_a_worker_that_writes_everywhere_does_harm_only_without_it(tmp_path: Path, is_on: bool) -> None:
    folder = tmp_path / "repo"
    task = Task("1", ("a.dat",))
    turns = (planning(task), working(task, run=harm(folder)))
    settings = f"gate: auto\nsandbox: {'on' if is_on else 'off'}\n"
    planned(folder, [Task("1", ("a.dat",), turns=turns)], settings=settings)
    left = run_orch(folder, "next-wave")
    if not is_on:
        assert "ref" in damage(folder)
        return
    assert left.code == 0, left
    assert damage(folder) == []
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"


def test_the_tests_of_a_worker_are_confined_too(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    task = Task("1", ("a.dat", "t.sh"), test="sh t.sh")
    files = {"a.dat": "a\n", "t.sh": harm(folder) + "\n"}
    turns = (planning(task), working(task, files=files))
    settings = "gate: auto\nsandbox: on\nsuites: {unit: 'test ! -e t.sh || sh t.sh'}\n"
    planned(folder, [Task("1", task.creates, test=task.test, turns=turns)], settings=settings)
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert damage(folder) == []


def test_what_tools_keep_elsewhere_can_be_named(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    task = Task("1", ("a.dat",), test=f"echo x > {cache}/new")
    folder = planned(tmp_path / "repo", [task], settings=f"gate: auto\nsandbox: {{write: [{cache}]}}\n")
    assert run_orch(folder, "next-wave").code == 0
    assert (cache / "new").exists()


def test_what_a_worker_leaves_in_its_temporary_folder_reaches_no_other_task(tmp_path: Path) -> None:
    """Not through a verify workspace of the same number, nor through the place that a later task gets."""
    first = Task("1", ("a.dat",), test='test ! -e "$TMPDIR/left" && echo x > "$TMPDIR/left"')
    second = Task("1", ("b.dat",), wave=2, test=first.test)
    look = 'test ! -e "$TMPDIR/left" || exit 1; echo x > "$TMPDIR/left"'
    tasks = [
        Task("1", first.creates, test=first.test, turns=(planning(first), working(first, run=look))),
        Task("1", second.creates, wave=2, test=second.test, turns=(planning(second), working(second, run=look))),
    ]
    folder = planned(tmp_path / "repo", tasks, settings="gate: auto\nsandbox: on\n")
    for wave in ("1", "2"):
        left = run_orch(folder, "next-wave")
        assert left.code == 0, left
        assert f"1.{wave}.1 done" in left.out, left


def test_where_there_is_none_it_is_said_in_each_wave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confining, "fault", lambda: "the kernel has no Landlock 3 or newer")
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: auto\nsandbox: on\n")
    why = "sandbox: there is none here, the kernel has no Landlock 3 or newer; workers run without"
    for _ in tasks:
        outcome = next_wave(open_session(folder, None, os.environ, emit=lambda _: None))
        assert outcome.exit_code == 0, outcome
        assert any(line.startswith("degraded: ") and why in line for line in outcome.lines), outcome.lines
