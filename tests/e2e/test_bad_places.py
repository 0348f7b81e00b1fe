"""Where orch can't work, or only with care: each place gets a message with a remedy and its exit code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import Left, begin_orch, left_of, run_orch
from tests.support.planned import Task, make_repository, planned, write_set

TASK = Task("1", ("made.dat",))
BRANCH = "orch/1-things"


def assert_refused(left: Left, *words: str, code: int = 1) -> None:
    """A refusal: the code, nothing on standard output, a message with its remedy on standard error."""
    assert left.code == code, left
    assert left.out == ""
    assert "error: " in left.err, left.err
    assert "hint: " in left.err
    assert "Traceback" not in left.err
    for word in words:
        assert word in left.err, left.err


def landed(folder: Path) -> str:
    return git(folder, "log", "--format=%s", f"main..{BRANCH}")


@pytest.mark.parametrize("words", [("next-wave",), ("status",), ("check",), ("init",), ("new", "Title"), ("resume",)])
def test_outside_a_repository(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert_refused(run_orch(tmp_path, *words), "no git repository here", "git init")


@pytest.mark.parametrize("words", [("next-wave",), ("init",), ("new", "Title")])
def test_in_a_bare_repository(tmp_path: Path, words: tuple[str, ...]) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare.git")], check=True)

    assert_refused(run_orch(tmp_path / "bare.git", *words), "bare")


def test_on_an_unborn_branch(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write_set(tmp_path, [TASK])

    assert_refused(run_orch(tmp_path, "next-wave"), "no commit yet", "git commit")
    assert git(tmp_path, "for-each-ref") == ""


def test_with_a_detached_head(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    git(folder, "checkout", "-q", "--detach")

    assert_refused(run_orch(folder, "next-wave", "--auto"), "detached", "base:")
    assert not (folder / "planning" / "STATE_1.md").exists()


def test_a_detached_head_is_fine_where_the_base_is_named(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK], settings="base: main\n")
    git(folder, "checkout", "-q", "--detach")

    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert landed(folder) == "feat: task 1"


def test_a_base_that_is_not_there(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK], settings="base: trunk\n")

    assert_refused(run_orch(folder, "next-wave", "--auto"), "trunk")


def test_an_integration_branch_that_is_somebody_elses(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    git(folder, "checkout", "-q", "-b", BRANCH)
    git(folder, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(folder, "checkout", "-q", "main")

    assert_refused(run_orch(folder, "next-wave", "--auto"), BRANCH, "git branch -m")


@pytest.mark.parametrize("name", ["orch", f"{BRANCH}/deeper"])
def test_a_branch_of_the_person_whose_name_leaves_no_room_for_the_integration_branch(tmp_path: Path, name: str) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    git(folder, "branch", name)
    left = run_orch(folder, "next-wave", "--auto")

    assert_refused(left, f"the branch {name} leaves no room for {BRANCH}", f"git branch -m {name} NAME")
    assert not (folder / "planning" / "STATE_1.md").exists()
    git(folder, "branch", "-m", name, "mine")
    assert run_orch(folder, "next-wave", "--auto").code == 0


def test_refs_that_only_look_like_those_of_orch_are_nobodys_landing_and_no_turn(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    run = state.split("\nrun: ")[1].split("\n")[0]
    for name in ("landed-x", f"landed-{'9' * 200}", "turn-x", "turn-²"):
        git(folder, "update-ref", f"refs/orch/{run}/1.1.1/{name}", "HEAD")
    assert run_orch(folder, "show", "1.1.1", "--diff").code == 0
    assert run_orch(folder, "approve", "1.1.1").code == 0
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert landed(folder) == "feat: task 1"


def test_what_a_person_commits_between_two_waves_is_there_for_the_next(tmp_path: Path) -> None:
    second = Task("1", ("second.dat",), test="test -e made.dat && test -e theirs.dat", wave=2)
    folder = planned(tmp_path / "repo", [TASK, second])
    git(folder, "checkout", "-q", "-b", "feature/x")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    git(folder, "checkout", "-q", BRANCH)
    (folder / "theirs.dat").write_text("theirs\n")
    git(folder, "add", "theirs.dat")
    git(folder, "commit", "-q", "-m", "theirs")
    git(folder, "checkout", "-q", "feature/x")
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert git(folder, "log", "--format=%s", f"feature/x..{BRANCH}").split("\n") == [
        "feat: task 1",
        "theirs",
        "feat: task 1",
    ]


def test_a_git_that_is_too_old(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.20.1\n")
    old.chmod(0o755)
    left = run_orch(folder, "next-wave", env={"PATH": f"{old.parent}{os.pathsep}{os.environ['PATH']}"})

    assert_refused(left, "2.20.1", "2.38")


def test_no_git_at_all(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    left = run_orch(folder, "next-wave", env={"PATH": str(tmp_path)})

    assert_refused(left, "git", "install")


def test_a_dirty_checkout_is_left_as_it_is(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK], files={"a.txt": "a\n", "b.txt": "b\n"})
    (folder / "a.txt").write_text("mine\n")
    (folder / "b.txt").write_text("staged\n")
    git(folder, "add", "b.txt")
    git(folder, "stash", "-q")
    git(folder, "stash", "apply", "-q", "--index")
    (folder / "new.txt").write_text("new\n")
    before = git(folder, "status", "--porcelain")
    stash = git(folder, "stash", "list")
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert git(folder, "status", "--porcelain") == before
    assert (git(folder, "stash", "list"), stash.count("stash@")) == (stash, 1)
    assert (folder / "a.txt").read_text() == "mine\n"
    assert landed(folder) == "feat: task 1"


def test_a_dirty_file_in_scope_is_named(tmp_path: Path) -> None:
    task = Task("1", (), edits=("a.txt",))
    folder = planned(tmp_path / "repo", [task], files={"a.txt": "a\n"})
    (folder / "a.txt").write_text("mine\n")
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert "a.txt" in left.err + left.out


def test_from_a_subfolder(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK], files={"deep/down/here.txt": "x\n"})

    assert run_orch(folder / "deep" / "down", "next-wave", "--auto").code == 0
    assert landed(folder) == "feat: task 1"


def test_from_a_linked_worktree_with_its_own_planning(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    write_set(tmp_path / "side", [TASK])
    left = run_orch(tmp_path / "side", "next-wave", "--auto")

    assert left.code == 0, left
    assert git(main, "log", "--format=%s", f"side..{BRANCH}") == "feat: task 1"
    assert git(main, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["with a blank", "mit Ümläuten 日本", "-leading", 'it\'s "quoted"', "a$HOME;b"])
def test_paths_with_odd_names(tmp_path: Path, name: str) -> None:
    odd = Task("1", (f"{name}/made file.dat",))
    folder = planned(tmp_path / name, [odd])
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert git(folder, "-c", "core.quotePath=false", "ls-tree", "-r", "-z", "--name-only", BRANCH).split("\0")[:2] == (
        sorted([f"{name}/made file.dat", "README.md"])
    )


@pytest.mark.parametrize("mode", ["0", ""], ids=["without Python's UTF-8 mode", "with it"])
def test_in_a_locale_that_knows_only_ascii(tmp_path: Path, mode: str) -> None:
    task = Task("1", ("日本 é.txt",))
    folder = planned(tmp_path / "ελληνικά", [task], settings="gate: stop\n")
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("— Task 1", "— Ελληνικά 日本 👩"), "utf-8")
    before = plan.read_bytes()
    env = {
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
        **({"PYTHONUTF8": mode} if mode else {}),
    }
    for words, code in (
        (("next-wave",), 3),
        (("revise", "1.1.1", "-m", "πάλι 日本"), 0),
        (("next-wave",), 3),
        (("approve", "1.1.1"), 0),
        (("next-wave",), 0),
        (("show", "1.1.1", "--diff"), 0),
    ):
        left = run_orch(folder, *words, env=env)
        assert left.code == code, (words, left)
        assert (left.out + left.err).isascii()
    assert plan.read_bytes() == before
    assert 'revised by=session why="πάλι 日本"' in (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
    assert landed(folder) == "docs: ελληνικά 日本 👩"
    assert git(folder, "ls-tree", "-z", "--name-only", BRANCH).split("\0")[1] == "日本 é.txt"


def test_without_a_planning_folder(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")

    for words in (("next-wave",), ("status",), ("check",), ("gate",), ("resume",), ("show", "1.1.1")):
        assert_refused(run_orch(folder, *words), "no planning folder", "orch init")
    assert not (folder / "planning").exists()


def test_without_a_plan(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    assert run_orch(folder, "init").code == 0

    assert_refused(run_orch(folder, "next-wave"), "no execution plan", "orch new")


@pytest.mark.parametrize(
    "text",
    ["", "# Execution plan 1\n", "---\norchestration: 1\n---\n# Plan\n\n## Waves\n\n| Wave | Tasks |\n| --- | --- |\n"],
)
def test_an_empty_plan_is_an_error_and_not_a_success(tmp_path: Path, text: str) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    (folder / "planning" / "EXECUTION_PLAN_1.md").write_text(text)

    assert_refused(run_orch(folder, "next-wave", "--auto"), "EXECUTION_PLAN_1.md")
    assert run_orch(folder, "check").code == 1
    assert not (folder / "planning" / "STATE_1.md").exists()


@pytest.mark.parametrize("name", ["ORCH.md", "EXECUTION_PLAN_1.md"])
def test_broken_front_matter_stops_with_its_line_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    path = folder / "planning" / name
    broken = "---\norchestration: 1\ntitle: [a, b\n---\n" + path.read_text("utf-8").split("---\n", 2)[2]
    path.write_text(broken, "utf-8")

    assert_refused(run_orch(folder, "next-wave", "--auto"), f"planning/{name}:3")
    assert path.read_text("utf-8") == broken
    assert not (folder / "planning" / "STATE_1.md").exists()


def test_a_plan_with_errors_starts_nothing_and_tells_all_of_them_at_once(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK, Task("2", ("made.dat",)), Task("3", ())])
    path = folder / "planning" / "EXECUTION_PLAN_1.md"
    path.write_text(
        path.read_text("utf-8").replace("### 1.1.2 — Task 2\n", "### 1.1.2 — Task 2\n\n- **Depends on:** 1.9.9\n")
    )
    left = run_orch(folder, "next-wave", "--auto")

    assert_refused(left, "made.dat", "1.9.9", "1.1.3")
    assert left.err.count("EXECUTION_PLAN_1.md:") >= 3
    assert not (folder / "planning" / "STATE_1.md").exists()
    assert git(folder, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_no_worker_in_the_settings(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [TASK])
    (folder / "planning" / "ORCH.md").write_text("---\ngate: auto\n---\n")

    assert_refused(run_orch(folder, "next-wave", "--auto"), "no worker", "workers:")


def test_a_second_orchestrator_is_told_who_works_and_leaves_with_75(tmp_path: Path) -> None:
    slow = Task("1", ("made.dat",), turns=({"turn": "plan", "delay": 20},))
    folder = planned(tmp_path / "repo", [slow], worker="small: {driver: scripted, script: planning/workers.yaml}")
    first = begin_orch(folder, "next-wave", "--auto")
    try:
        state = folder / "planning" / "STATE_1.md"
        for _ in range(600):
            if state.exists() and "planning |" in state.read_text("utf-8"):
                break
            subprocess.run(["sleep", "0.05"], check=True)
        second = run_orch(folder, "next-wave", "--auto")
        reading = run_orch(folder, "status")
    finally:
        first.terminate()
        left_of(first)

    assert_refused(second, str(first.pid), code=75)
    assert reading.code == 0
    assert "1.1.1 planning" in reading.out
