"""Workspaces that one task after another gets, and setups that run again only where they have to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.orch import run_orch
from tests.support.planned import Task, planned, planning, working

STOP = "gate: stop\n"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where run folders lie in this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def links(state: Path) -> dict[str, str]:
    """Task → the place that it has."""
    return {path.name: path.readlink().name for path in state.rglob("work/*") if path.is_symlink()}


def folders(state: Path) -> list[str]:
    """The folders of workspaces."""
    return sorted(path.name for path in state.rglob("work/*") if (path / ".git").is_dir() and not path.is_symlink())


def land(folder: Path, *keys: str) -> None:
    """Approve plans at the gate and let them land, up to the next gate."""
    for key in keys:
        assert run_orch(folder, "approve", key).code == 0
    left = run_orch(folder, "next-wave")
    assert left.code in (0, 3), left


def test_a_task_gets_the_place_of_one_that_landed_with_nothing_left_in_it(tmp_path: Path, state: Path) -> None:
    first = Task("1", ("a.dat",))
    plant = (
        "echo left > left.log; mkdir -p build && echo left > build/left; mkdir hollow;"
        " printf '#!/bin/sh\\nfalse\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit;"
        " git config alias.planted '!false'; git tag planted"
    )
    first = Task("1", ("a.dat",), turns=(planning(first), working(first)))
    second = Task("1", ("b.dat",), wave=2)
    third = Task("1", ("c.dat",), wave=3)
    folder = planned(tmp_path / "repo", [first, second, third], settings=STOP, files={".gitignore": "*.log\nbuild/\n"})
    assert run_orch(folder, "next-wave").code == 3
    assert (links(state), folders(state)) == ({"1.1.1": "1"}, ["1"])
    land(folder, "1.1.1")
    assert (links(state), folders(state)) == ({}, ["1"])
    (place,) = state.rglob("work/1")
    subprocess.run(["sh", "-c", plant], cwd=place, check=True)

    assert run_orch(folder, "next-wave").code == 3
    assert (links(state), folders(state)) == ({"1.2.1": "1"}, ["1"])
    assert sorted(path.name for path in place.iterdir()) == [".git", ".gitignore", "README.md", "a.dat", "planning"]
    assert [path.name for path in (place / ".git" / "hooks").iterdir()] == []
    shown = subprocess.run(["git", "tag", "-l"], cwd=place, capture_output=True, text=True, check=True).stdout
    assert (shown, "planted" in (place / ".git" / "config").read_text()) == ("", False)
    land(folder, "1.2.1")
    assert run_orch(folder, "next-wave").code == 3
    land(folder, "1.3.1")
    assert (links(state), folders(state)) == ({}, [])


def test_without_reuse_each_has_a_folder_of_its_own_which_goes_when_it_lands(tmp_path: Path, state: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=STOP + "worktree: {reuse: false}\n")
    assert run_orch(folder, "next-wave").code == 3
    assert (links(state), folders(state)) == ({}, ["1.1.1"])
    land(folder, "1.1.1")
    assert (links(state), folders(state)) == ({}, [])


def test_a_place_that_somebody_works_in_is_left_to_them(tmp_path: Path, state: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    land(folder, "1.1.1")
    (place,) = state.rglob("work/1")
    somebody = subprocess.Popen(["sleep", "60"], cwd=place / "planning")
    try:
        assert run_orch(folder, "next-wave").code == 3
    finally:
        somebody.kill()
        somebody.wait()
    assert (links(state), folders(state)) == ({"1.2.1": "2"}, ["1", "2"])


def test_one_that_is_kept_keeps_its_place(tmp_path: Path, state: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="worktree: {keep: true}\n")
    for _ in tasks:
        assert run_orch(folder, "next-wave", "--auto").code == 0
    assert (links(state), folders(state)) == ({"1.1.1": "1", "1.2.1": "2"}, ["1", "2"])


SETUP = "sh setup.sh"
FILES = {
    ".gitignore": "made/\n",
    "lock.txt": "1\n",
    "setup.sh": (
        'basename "$(dirname "$PWD")" >> ../../../../runs\n'  # work or verify
        "mkdir -p made && cp lock.txt made/lock.txt\n"
    ),
}


def set_up(tmp_path: Path, *tasks: Task, inputs: str = "[lock.txt]", files: dict[str, str] | None = None) -> Path:
    more = f", inputs: {inputs}" if inputs else ""
    settings = f"worktree: {{setup: {SETUP}{more}}}\n"
    return planned(tmp_path / "repo", tasks, settings=settings, files={**FILES, **(files or {})})


def runs(state: Path) -> list[str]:
    """Where the setup was run, in order."""
    path = state / "orch" / "runs"
    return path.read_text().split() if path.exists() else []


IT_IS_MADE = "test -f made/lock.txt && cmp lock.txt made/lock.txt"


def test_a_setup_runs_once_in_each_place_while_what_it_depends_on_stays(tmp_path: Path, state: Path) -> None:
    tasks = [Task("1", (f"{wave}.dat",), wave=wave, test=IT_IS_MADE) for wave in (1, 2, 3)]
    folder = set_up(tmp_path, *tasks)
    for _ in tasks:
        assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs(state) == ["work", "verify"]


def test_a_setup_runs_again_where_what_it_depends_on_has_changed(tmp_path: Path, state: Path) -> None:
    tasks = [
        Task("1", (), edits=("lock.txt",), test=IT_IS_MADE),
        Task("1", ("2.dat",), wave=2, test=IT_IS_MADE),
        Task("1", ("3.dat",), wave=3, test=IT_IS_MADE),
    ]
    folder = set_up(tmp_path, *tasks)
    for _ in tasks:
        assert run_orch(folder, "next-wave", "--auto").code == 0
    # The verify place is set up for the tree that would land, the next workspace for what has landed.
    assert runs(state) == ["work", "verify", "work"]


def test_a_setup_that_may_depend_on_anything_runs_again_on_every_other_tree(tmp_path: Path, state: Path) -> None:
    tasks = [Task("1", (f"{wave}.dat",), wave=wave) for wave in (1, 2)]
    folder = set_up(tmp_path, *tasks, inputs="")
    for _ in tasks:
        assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs(state) == ["work", "verify", "work", "verify"]


def test_a_setup_whose_products_a_worker_touched_runs_again(tmp_path: Path, state: Path) -> None:
    first = Task("1", ("1.dat",))
    touching = working(first, run="echo planted > made/lock.txt")
    tasks = [Task("1", ("1.dat",), turns=(planning(first), touching)), Task("1", ("2.dat",), wave=2, test=IT_IS_MADE)]
    folder = set_up(tmp_path, *tasks)
    for _ in tasks:
        assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs(state) == ["work", "verify", "work"]


def test_a_setup_that_changes_tracked_files_runs_every_time_and_its_changes_never_land(
    tmp_path: Path, state: Path
) -> None:
    changing = FILES["setup.sh"] + "echo changed >> tracked.txt\n"
    tasks = [Task("1", (f"{wave}.dat",), wave=wave) for wave in (1, 2)]
    folder = set_up(tmp_path, *tasks, files={"setup.sh": changing, "tracked.txt": "one\n"})
    for _ in tasks:
        assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs(state) == ["work", "verify", "work", "verify"]
    show = ["git", "show", "orch/1-things:tracked.txt"]
    assert subprocess.run(show, cwd=folder, capture_output=True, text=True, check=True).stdout == "one\n"
    names = ["git", "ls-tree", "-r", "--name-only", "orch/1-things"]
    listed = subprocess.run(names, cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    assert listed == [".gitignore", "1.dat", "2.dat", "README.md", "lock.txt", "setup.sh", "tracked.txt"]


def test_a_setup_that_failed_is_tried_again(tmp_path: Path, state: Path) -> None:
    failing = FILES["setup.sh"] + "test -e ../../../../mended\n"
    folder = set_up(tmp_path, Task("1", ("1.dat",), test=IT_IS_MADE), files={"setup.sh": failing})
    assert run_orch(folder, "next-wave", "--auto").code != 0
    (state / "orch" / "mended").write_text("")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert runs(state) == ["work", "work", "verify"]


def test_a_setup_that_fails_on_the_tree_that_would_land_is_a_failed_acceptance(tmp_path: Path, state: Path) -> None:
    task = Task("1", ("bad",))
    failing = FILES["setup.sh"] + "test ! -e bad\n"
    folder = set_up(tmp_path, task, inputs='[lock.txt, "bad*"]', files={"setup.sh": failing})
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4
    said = "the setup failed on the tree that would land: sh setup.sh"
    assert said in (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text()
