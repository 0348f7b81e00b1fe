"""What is missing in a set: said as it is, with a command that helps and takes nothing from other orchestrations."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned

ONE = Task("1", ("a.dat",))


def test_a_state_that_was_deleted_is_told_and_forgetting_takes_only_its_own_refs(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    (folder / "planning" / "STATE_1.md").unlink()
    git(folder, "update-ref", "refs/orch/bbbb/1.1.1/turn-1", "HEAD")
    other = "refs/orch/aaaa/2.1.1/turn-1"
    git(folder, "update-ref", other, "HEAD")

    told = run_orch(folder, "status")
    assert "0 of 1 tasks done, planning/STATE_1.md is gone" in told.out
    assert told.out.endswith("next: orch check\n")
    assert "planning/STATE_1.md: error: planning/STATE_1.md isn't there" in run_orch(folder, "check").out

    refused = run_orch(folder, "next-wave")
    assert refused.code == 1
    assert "STATE_1.md isn't there, though its tasks have begun" in refused.err
    command = refused.err.partition("forget what was done: ")[2].strip()
    subprocess.run(["sh", "-c", command], cwd=folder, check=True)
    assert git(folder, "for-each-ref", "--format=%(refname)", "refs/orch/").split() == [other]
    for path in (folder / "planning" / "tasks").iterdir():
        path.unlink()
    assert run_orch(folder, "status").out.endswith("next: orch next-wave\n")


def test_a_state_that_is_on_another_branch_is_named_with_the_branch(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    git(folder, "checkout", "-q", "-b", "keeps")
    git(folder, "add", "planning/STATE_1.md")
    git(folder, "commit", "-q", "-m", "keep the state")
    git(folder, "rm", "-q", "planning/STATE_1.md")
    git(folder, "commit", "-q", "-m", "lose it")
    git(folder, "branch", "-f", "other", "keeps~1")
    assert "hint: the branch other has it: git checkout other" in run_orch(folder, "next-wave").err


def test_a_plan_that_next_wave_would_refuse_has_check_as_its_next_command(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE])
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    text = plan.read_text("utf-8")
    without_section, empty = text.partition("## Tasks")[0], "# Execution plan 1 — Things\n"
    for part in (without_section, empty):
        plan.write_text(part, "utf-8")
        assert run_orch(folder, "next-wave").code == 1
        for command in ("status", "resume"):
            assert run_orch(folder, command).out.endswith("next: orch check\n"), part


def test_a_wave_that_is_not_in_the_plan_is_refused_after_the_last_one_too(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE], settings="gate: auto\n")
    assert run_orch(folder, "next-wave").code == 0
    left = run_orch(folder, "next-wave", "--wave", "7")
    assert (left.code, left.out, left.err) == (1, "", "error: there is no wave 7\nhint: the plan has 1\n")


def test_show_names_the_orchestration_in_every_command(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE, Task("2", ("b.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    shown = run_orch(folder, "show", "1.1.2", "-n", "1").out
    assert "to go on: orch gate 1.1.2 -n 1\n" in shown
    assert "orch show 1.1.2 -n 1 --log\n" in shown


def test_what_is_so_already_is_no_fault(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    first, again = run_orch(folder, "approve", "1.1.1"), run_orch(folder, "approve", "1.1.1")
    assert (first.code, again.code) == (0, 0)
    assert again.out.startswith("1.1.1 is approved already; ")
    assert again.out.endswith("next: orch next-wave\n")
    assert "workers: say" not in run_orch(folder, "init").out
    (folder / "planning" / "ORCH.md").unlink()
    assert "workers: say under workers: in planning/ORCH.md" in run_orch(folder, "init").out


def test_a_todo_file_named_by_a_local_id_is_told_the_name_it_needs(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE])
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("1.1.1", "T1-first"), "utf-8")
    tasks = folder / "planning" / "tasks"
    tasks.mkdir(exist_ok=True)
    (tasks / "T1-first.todo.md").write_text("# T1-first\n", "utf-8")
    told = run_orch(folder, "check").out
    assert '"T1-first" is a local id; the todo file of that task is 1.1.1.todo.md' in told
    assert "hint: rename the file to 1.1.1.todo.md, or move it away" in told


def test_a_set_that_went_back_on_its_own_branch_is_brought_back_as_the_hint_says(tmp_path: Path) -> None:
    tasks = [ONE, Task("1", ("b.dat",), wave=2), Task("2", ("c.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: auto\nbranch: current\ncommit_state: wave\n")
    assert run_orch(folder, "next-wave").code == 0
    shutil.copytree(folder / "planning", tmp_path / "copy")
    assert run_orch(folder, "next-wave").code == 0
    shutil.rmtree(folder / "planning")
    shutil.copytree(tmp_path / "copy", folder / "planning")
    left = run_orch(folder, "next-wave")
    assert (left.code, left.err) == (
        1,
        "error: the planning set has gone back: 1.2.1, 1.2.2 have landed, and no todo file knows it\n"
        "hint: a copy of yours, or the last commit, may know more: git diff HEAD -- planning shows what differs,"
        " git restore planning takes what was committed\n",
    )
    for command in ("status", "resume"):
        assert run_orch(folder, command).out.endswith("\nnext: orch check\n")
    checked = run_orch(folder, "check")
    assert (checked.code, checked.out.partition("hint: ")[0]) == (
        1,
        f"planning/STATE_1.md: {left.err.split('hint')[0]}",
    )
    git(folder, "restore", "planning")
    assert run_orch(folder, "next-wave").code == 6


def test_what_to_forget_names_the_runs_of_the_set_alone(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE], settings="gate: auto\n")
    assert run_orch(folder, "next-wave").code == 0
    kept = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch").split("\n")
    run = kept[0].split("/")[2]
    git(folder, "update-ref", "refs/orch/zzzz/1.1.1/landed-1", "main")
    git(folder, "update-ref", "refs/orch/zzzz/guest", "main")
    (folder / "planning" / "STATE_1.md").unlink()
    left = run_orch(folder, "next-wave")
    assert f"git for-each-ref --format='delete %(refname)' 'refs/orch/{run}/1.*/*' | git update-ref --stdin" in left.err


def test_an_integration_branch_that_is_gone_is_made_again_as_the_hint_says(tmp_path: Path) -> None:
    tasks = [ONE, Task("2", ("b.dat",)), Task("1", ("c.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="jobs: 1\ngate: auto\n")
    assert run_orch(folder, "next-wave").code == 0
    last = git(folder, "rev-parse", "orch/1-things")
    git(folder, "branch", "-q", "-D", "orch/1-things")
    assert run_orch(folder, "status").out.endswith("\nnext: orch check\n")
    left = run_orch(folder, "next-wave")
    assert (left.code, left.err) == (
        1,
        "error: the integration branch orch/1-things is gone, though tasks have landed on it\n"
        f"hint: make it again at the last landed commit: git branch orch/1-things {last[:12]}\n",
    )
    subprocess.run(["sh", "-c", left.err.partition("commit: ")[2]], cwd=folder, check=True)
    assert run_orch(folder, "next-wave").code == 0


def test_a_new_set_takes_no_number_of_one_whose_files_are_elsewhere(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [ONE], settings="gate: auto\n")
    assert run_orch(folder, "next-wave").code == 0
    git(folder, "update-ref", "refs/orch/zzzz/7.1.1/landed-1", "main")
    git(folder, "update-ref", "refs/orch/zzzz/guest", "main")
    (folder / "planning").rename(tmp_path / "elsewhere")
    assert run_orch(folder, "init").code == 0
    left = run_orch(folder, "new", "Things")
    assert left.out == (
        "made planning/EXECUTION_PLAN_2.md\n"
        "made planning/PROMPT_TEMPLATE_2.md\n"
        "git keeps work of orchestration 1, whose files aren't here, so this one is 2\n"
        "write the waves and tasks into planning/EXECUTION_PLAN_2.md, then check them\n"
        "next: orch check\n"
    )
