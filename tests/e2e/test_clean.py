"""`orch clean`: what is landed goes, what holds work stays and is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.process.sandbox import fault
from orchestrator.store.layout import run_folder
from tests.e2e.test_life_of_a_task import STOP
from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working


def run_of(folder: Path) -> Path:
    found = [path for path in run_folder(folder, os.environ, "").iterdir() if (path / "turns").is_dir()]
    assert len(found) == 1
    return found[0]


def test_before_anything_has_begun_there_is_nothing_to_clear_away(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))])
    left = run_orch(folder, "clean")
    assert (left.code, left.out) == (0, "nothing to clear away\nnext: orch status\n"), left


def test_a_skipped_task_gives_its_workspace_back_and_one_at_the_gate_keeps_it(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "skip", "1.1.1", "--why", "not wanted").code == 0
    left = run_orch(folder, "clean")
    assert left.out.split("\n")[:2] == ["removed: 1.1.1", "kept: 1.1.2: it waits there"], left
    work = run_of(folder) / "work"
    assert [path.name for path in work.iterdir() if path.is_symlink()] == ["1.1.2"]
    assert [path.name for path in work.iterdir() if (path / ".git").is_dir() and not path.is_symlink()] == ["2"]


def test_work_that_is_kept_nowhere_else_stays_and_is_named(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    turns = ({"turn": "plan", "plan": "# 1.1.1 — x\n"}, working(task))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns)], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    workspace = run_of(folder) / "work" / "1.1.1"
    (workspace / "precious.txt").write_text("only here\n", "utf-8")
    assert run_orch(folder, "skip", "1.1.1", "--why", "not wanted").code == 0
    left = run_orch(folder, "clean")
    assert left.code == 0
    assert "kept: 1.1.1: " in left.out
    assert "precious.txt" in left.out
    assert (workspace / "precious.txt").exists()


def test_what_lies_where_a_workspace_was_is_named_for_what_it_is(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    place = (run_of(folder) / "work" / "1.1.1").resolve()
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert run_orch(folder, "skip", "1.1.1", "--why", "not wanted").code == 0
    left = run_orch(folder, "clean")
    assert (left.code, left.out) == (
        0,
        "nothing to clear away\n"
        f"kept: 1.1.1: {place} is no workspace of orch's; look at what is there, and take it away yourself\n"
        "next: orch status\n",
    )


def test_once_all_is_done_only_prompts_and_outputs_stay(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    run = run_of(folder)
    assert run_orch(folder, "clean").code == 0
    assert not (run / "verify").exists()
    assert (run / "turns" / "1.1.1" / "1-plan" / "prompt.md").is_file()
    assert run_orch(folder, "clean").out.startswith("nothing to clear away")


@pytest.mark.skipif(bool(fault()), reason=f"no sandbox here: {fault()}")
def test_once_all_is_done_what_workers_left_in_their_temporary_folders_goes(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    turns = (planning(task), working(task, run='echo left > "$TMPDIR/left"'))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=turns)], settings="sandbox: on\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    scratch = run_of(folder) / "tmp"
    assert list(scratch.rglob("left"))
    left = run_orch(folder, "clean")
    assert f"orch's own in {scratch}" in left.out, left
    assert not scratch.exists()
