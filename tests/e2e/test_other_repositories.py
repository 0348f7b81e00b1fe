"""Tasks in another repository: each step happens there, each refusal names it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.test_edits_during_a_run import running, until
from tests.e2e.test_hosted import handed_out, ticked, write
from tests.e2e.test_life_of_a_task import todo
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import (
    Task,
    make_repository,
    plan_file,
    plan_text,
    planned,
    planning,
    report_text,
    scenes,
    working,
    write_set,
)
from tests.support.reviewed import reviewed, says

BRANCH = "orch/1-things"
GATE = "gate: auto\n"


def there(task: Task, word: str = "ui") -> Task:
    return replace(task, extra=f"- **Repo:** {word}")


def both(top: Path, tasks: list[Task], *, settings: str = GATE, repos: str = "{ui: ../ui}", **more: str) -> Path:
    """The repository `api` with the planning set, and `ui` beside it."""
    make_repository(top / "ui", {"old.dat": "old\n"})
    return planned(top / "api", tasks, settings=f"{settings}repos: {repos}\n", **more)


def landed(folder: Path) -> list[str]:
    return git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n")


def test_a_task_works_and_lands_in_its_repository_alone(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",)))])
    before = git(made, "rev-parse", "HEAD^{tree}")
    assert run_orch(made, "next-wave").code == 0
    assert landed(tmp_path / "ui") == ["feat: task 1"]
    assert git(made, "rev-parse", f"{BRANCH}^{{tree}}") == before
    assert git(tmp_path / "ui", "status", "--porcelain") == ""
    state = (made / "planning" / "STATE_1.md").read_text("utf-8")
    fork = git(tmp_path / "ui", "rev-parse", "main")
    assert f"repos: {{ui: {{base: main, fork: {fork}, branch: {BRANCH}}}}}" in state
    assert "- **Status:** done, " in state
    assert " in ui\n- **Files:** `a.dat` (new)" in state
    shown = run_orch(made, "show", "1.1.1", "--diff").out
    assert "+a.dat" in shown
    there_alone = run_orch(tmp_path / "ui", "status")
    assert (there_alone.code, there_alone.out) == (1, "")
    assert "it only takes part in the orchestration of another repository\n" in there_alone.err
    assert "go into the repository whose planning/ORCH.md names this one, and call orch there\n" in there_alone.err
    assert f"branch {BRANCH}, also in ui" in run_orch(made, "status").out
    found = run_orch(made, "status", "--json").document["repos"]
    assert found == {"ui": {"branch": BRANCH, "base": "main", "fork": fork}}


def test_base_branch_and_what_workspaces_get_are_each_repositorys_own(tmp_path: Path) -> None:
    task = there(Task("1", ("a.dat",), test="test -e set-up && test -e copied && test ! -e here"))
    make_repository(tmp_path / "ui", {".gitignore": "set-up\ncopied\n"})
    git(tmp_path / "ui", "branch", "develop")
    (tmp_path / "ui" / "copied").write_text("x")
    repos = "{ui: {path: ../ui, base: develop, branch: work-{n}, worktree: {setup: touch set-up, copy: [copied]}}}"
    settings = (
        f"{GATE}worktree: {{setup: touch here}}\nrepos: {repos.replace('work-{n}', chr(34) + 'work-{n}' + chr(34))}\n"
    )
    made = planned(tmp_path / "api", [task], settings=settings)
    left = run_orch(made, "next-wave")
    assert left.code == 0, left
    assert git(tmp_path / "ui", "log", "--format=%s", "develop..work-1") == "feat: task 1"


def test_the_branch_checked_out_there_moves_with_its_checkout(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",)))], repos="{ui: {path: ../ui, branch: current}}")
    git(tmp_path / "ui", "checkout", "-q", "-b", "mine")
    assert run_orch(made, "next-wave").code == 0
    assert (tmp_path / "ui" / "a.dat").read_text() == "a.dat\n"
    assert git(tmp_path / "ui", "status", "--porcelain") == ""


def test_local_files_in_the_way_there_are_named_and_the_next_call_lands(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",)))], repos="{ui: {path: ../ui, branch: current}}")
    (tmp_path / "ui" / "a.dat").write_text("mine\n")
    left = run_orch(made, "next-wave")
    assert left.code == 3, left
    assert f"landing waits: main is checked out in {tmp_path}" in left.out
    assert "first: commit or move away a.dat\n" in left.out
    assert (tmp_path / "ui" / "a.dat").read_text() == "mine\n"
    (tmp_path / "ui" / "a.dat").unlink()
    assert run_orch(made, "next-wave").code == 0
    assert (tmp_path / "ui" / "a.dat").read_text() == "a.dat\n"


def test_hooks_there_take_part_in_the_landing(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",))), Task("2", ("b.dat",))])
    hook = tmp_path / "ui" / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\necho "Checked-by: hook" >> "$1"\n')
    hook.chmod(0o755)
    assert run_orch(made, "next-wave").code == 0
    assert "Checked-by: hook" in git(tmp_path / "ui", "log", "-1", "--format=%B", BRANCH)
    assert "Checked-by" not in git(made, "log", "-1", "--format=%B", BRANCH)


def test_one_file_name_in_two_repositories_is_two_files(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("same.dat",))), Task("2", ("same.dat",))])
    assert run_orch(made, "next-wave").code == 0
    assert landed(tmp_path / "ui") == ["feat: task 1"]
    assert landed(made) == ["feat: task 2"]


def test_another_orchestration_at_work_there_is_waited_for(tmp_path: Path) -> None:
    slow = Task("1", ("a.dat",))
    made = both(tmp_path, [there(Task("1", ("b.dat",)))])
    turns = (planning(slow), working(slow, run="sleep 4"))
    planned(
        tmp_path / "other", [replace(there(slow), turns=turns)], settings=f"{GATE}repos: {{ui: ../ui}}\nbranch: other\n"
    )
    with running(tmp_path / "other") as left_other:
        until(tmp_path / "other", "1.1.1", "running")
        left = run_orch(made, "next-wave")
        assert left.code == 75, left
        assert f"orchestration 1 of {tmp_path / 'other'}" in left.err
        assert left_other().code == 0
    assert run_orch(made, "next-wave").code == 0


@pytest.mark.parametrize(
    ("what", "code", "message"),
    [
        ("branch-taken", 1, f"in the repository ui the branch {BRANCH} exists already"),
        ("no-base", 1, 'in the repository `ui`: the base branch "trunk" doesn\'t exist'),
        ("detached", 1, "in the repository ui: HEAD is detached"),
        ("unborn", 1, "the repository `ui` can't be worked in: the repository at"),
        ("bare", 1, "the repository `ui` can't be worked in:"),
        ("gone", 1, "the repository `ui` isn't there: no folder ../ui"),
    ],
)
def test_a_repository_that_cannot_be_begun_in_stops_before_any_worker(
    tmp_path: Path, what: str, code: int, message: str
) -> None:
    repos = "{ui: {path: ../ui, base: trunk}}" if what == "no-base" else "{ui: ../ui}"
    made = both(tmp_path, [there(Task("1", ("a.dat",)))], repos=repos)
    ui = tmp_path / "ui"
    if what == "branch-taken":
        git(ui, "checkout", "-q", "-b", BRANCH)
        git(ui, "commit", "-q", "--allow-empty", "-m", "mine")
        git(ui, "checkout", "-q", "main")
    elif what == "detached":
        git(ui, "checkout", "-q", "--detach")
        git(ui, "branch", "-q", "-m", "main", "trunk")
    elif what in ("unborn", "bare", "gone"):
        ui.rename(tmp_path / "away")
        if what != "gone":
            git(tmp_path, "init", "-q", *(["--bare"] if what == "bare" else []), "ui")
    left = run_orch(made, "next-wave")
    assert left.code == code, left
    assert message in left.err, left
    assert not list((made / "planning" / "tasks").iterdir())


def test_a_branch_that_is_gone_there_or_lost_commits_is_told_with_its_repository(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",))), there(Task("1", ("b.dat",), wave=2))])
    ui = tmp_path / "ui"
    assert run_orch(made, "next-wave").code == 0
    last = git(ui, "rev-parse", BRANCH)
    git(ui, "branch", "-q", "-f", BRANCH, "main")
    left = run_orch(made, "next-wave")
    assert left.code == 1, left
    assert f"the branch {BRANCH} in ui has lost commits that had landed: 1.1.1" in left.err
    assert f"git -C {ui} branch -f {BRANCH} {last[:12]}" in left.err
    git(ui, "branch", "-q", "-D", BRANCH)
    left = run_orch(made, "next-wave")
    assert left.code == 1, left
    assert f"the integration branch {BRANCH} in ui is gone, though tasks have landed on it" in left.err
    git(ui, "branch", BRANCH, last)
    assert run_orch(made, "next-wave").code == 0
    assert landed(ui) == ["feat: task 1", "feat: task 1"]


def test_a_repository_that_comes_into_the_plan_while_a_wave_runs_is_taken_in(tmp_path: Path) -> None:
    slow = Task("1", ("a.dat",))
    slow = replace(slow, turns=(planning(slow), working(slow, run="sleep 3")))
    late = there(Task("2", ("b.dat",)))
    made = both(tmp_path, [slow])
    recording = {task.key: scenes(task) for task in (slow, late)}
    (made / "planning" / "workers.yaml").write_text(json.dumps(recording))
    with running(made) as left:
        until(made, "1.1.1", "running")
        (made / "planning" / "EXECUTION_PLAN_1.md").write_text(plan_file([slow, late]), "utf-8")
        assert left().code == 0
    assert landed(tmp_path / "ui") == ["feat: task 2"]
    assert landed(made) == ["feat: task 1"]


def test_a_task_that_is_given_another_repository_plans_anew_there(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    made = both(tmp_path, [replace(task, turns=(planning(task), working(task), planning(task), working(task)))])
    (made / "planning" / "ORCH.md").write_text(
        (made / "planning" / "ORCH.md").read_text().replace("gate: auto", "gate: stop")
    )
    assert run_orch(made, "next-wave").code == 3
    assert run_orch(made, "approve", "1.1.1").code == 0
    plan = made / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text("utf-8").replace("- **Can create:**", "- **Repo:** ui\n- **Can create:**"), "utf-8")
    assert run_orch(made, "next-wave").code == 3
    assert "revised by=spec" in todo(made, "1.1.1")
    assert run_orch(made, "approve", "1.1.1").code == 0
    assert run_orch(made, "next-wave").code == 0
    assert landed(tmp_path / "ui") == ["feat: task 1"]


def test_the_run_folder_can_be_deleted_and_a_repository_moved_between_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    task = Task("1", ("a.dat",))
    fails = {"files": {"a.dat": "wrong\n"}, "tick": "all", "report": report_text(["a.dat"])}
    turns = (planning(task), {"turn": "execute", **fails}, {"turn": "retry", **fails, "files": {"a.dat": "right\n"}})
    made = both(tmp_path, [replace(there(task), turns=turns, test="grep -q right a.dat")], settings="gate: stop\n")
    assert run_orch(made, "next-wave").code == 3
    assert run_orch(made, "approve", "1.1.1").code == 0
    (tmp_path / "ui").rename(tmp_path / "web")
    settings = made / "planning" / "ORCH.md"
    settings.write_text(settings.read_text("utf-8").replace("../ui", "../web"), "utf-8")
    for path in (tmp_path / "state").rglob("work"):
        path.rename(path.with_name("gone"))
    left = run_orch(made, "next-wave")
    assert left.code == 0, left
    assert git(tmp_path / "web", "show", f"{BRANCH}:a.dat") == "right"


def test_a_repository_taken_out_of_the_settings_stops_with_its_name(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",))), Task("2", ("b.dat",), wave=2)])
    assert run_orch(made, "next-wave").code == 0
    settings = made / "planning" / "ORCH.md"
    settings.write_text(settings.read_text("utf-8").replace("repos: {ui: ../ui}\n", ""), "utf-8")
    left = run_orch(made, "next-wave")
    assert left.code == 1, left
    assert "the repository `ui` of task 1.1.1 is none that orch knows" in left.err


def test_gates_run_for_the_tasks_of_their_repository(tmp_path: Path) -> None:
    gates = "gates:\n  land: {paths: ['*.dat'], run: test ! -e b.dat, when: land, repo: ui}\n"
    gates += f"  end: {{paths: ['*.dat'], run: 'ls >> {tmp_path}/ran', repo: ui}}\n"
    made = both(tmp_path, [there(Task("1", ("a.dat",))), Task("2", ("b.dat",))], settings=GATE + gates)
    left = run_orch(made, "next-wave")
    assert left.code == 0, left
    assert (tmp_path / "ran").read_text() == "README.md\na.dat\nold.dat\n"


def test_workspaces_there_are_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = both(tmp_path, [there(Task("1", ("a.dat",)))], settings=f"{GATE}worktree: {{keep: true}}\n")
    assert run_orch(made, "next-wave").code == 0
    settings = made / "planning" / "ORCH.md"
    settings.write_text(settings.read_text("utf-8").replace("worktree: {keep: true}\n", ""), "utf-8")
    left = run_orch(made, "clean")
    assert left.code == 0, left
    assert "removed: 1.1.1" in left.out
    assert not list((tmp_path / "state").glob("orch/*/*/work/1.1.1"))


def test_the_doctor_looks_at_each(tmp_path: Path) -> None:
    made = both(tmp_path, [Task("1", ("a.dat",))], repos="{ui: ../ui, docs: ../docs}")
    left = run_orch(made, "doctor")
    assert left.code == 0, left
    assert f"ok       repository ui: {tmp_path / 'ui'}, no commit hook\n" in left.out
    assert "degraded repository docs: no folder ../docs\n" in left.out
    assert "to get it: clone it there, or correct repos: in planning/ORCH.md" in left.out


def test_a_reviewer_reads_the_tree_of_the_tasks_repository(tmp_path: Path) -> None:
    task = there(Task("1", ("a.dat",)))
    make_repository(tmp_path / "ui", {"old.dat": "old\n"})
    sees = says("APPROVE\n- fine\n", run=f"ls > {tmp_path}/seen")
    settings = "gate: review\nreview_diff: review\nrepos: {ui: ../ui}\n"
    made = reviewed(tmp_path / "api", [task], [sees, sees], settings=settings)
    left = run_orch(made, "next-wave")
    assert landed(tmp_path / "ui") == ["feat: task 1"], (left, todo(made, "1.1.1"))
    assert (tmp_path / "seen").read_text() == "README.md\na.dat\nold.dat\n"


def test_a_repository_that_takes_part_elsewhere_begins_a_set_of_its_own_with_that_number(tmp_path: Path) -> None:
    made = both(tmp_path, [there(Task("1", ("a.dat",))), there(Task("2", ("b.dat",)))])
    assert run_orch(made, "next-wave").code == 0
    kept = git(tmp_path / "ui", "for-each-ref")
    write_set(tmp_path / "ui", [Task("1", ("c.dat",))], settings=GATE)
    taken = run_orch(tmp_path / "ui", "next-wave")
    assert (taken.code, taken.err) == (
        1,
        f"error: the branch {BRANCH} exists already, at {git(tmp_path / 'ui', 'rev-parse', BRANCH)[:7]}, and may be"
        " that of another repository's orchestration which works here\n"
        "hint: set another branch: in planning/ORCH.md\n",
    )
    write_set(tmp_path / "ui", [Task("1", ("c.dat",))], settings=f"{GATE}branch: own\n")
    done = run_orch(tmp_path / "ui", "next-wave")
    assert done.code == 0, done
    assert git(tmp_path / "ui", "diff", "--name-status", "main", "own") == "A\tc.dat"
    assert set(kept.split("\n")) <= set(git(tmp_path / "ui", "for-each-ref").split("\n"))


def test_decisions_by_command_look_at_the_tasks_repository(tmp_path: Path) -> None:
    task = there(Task("1", ("a.dat",)))
    wider = {"files": {"a.dat": "a\n", "old.dat": "new\n"}, "tick": "all", "report": report_text(["a.dat", "old.dat"])}
    again = plan_text(replace(task, edits=("old.dat",)))
    turns = (
        planning(task),
        {"turn": "execute", **wider},
        {"turn": "retry", **wider},
        {"turn": "plan", "plan": again},
        wider,
    )
    made = both(tmp_path, [replace(task, turns=turns)])
    assert run_orch(made, "next-wave").code == 4
    refused = run_orch(made, "rescope", "1.1.1", "--edit", "nowhere.dat", "--why", "it belongs to it")
    assert (refused.code, "there is no nowhere.dat to edit" in refused.err) == (1, True)
    assert run_orch(made, "rescope", "1.1.1", "--edit", "old.dat", "--why", "it belongs to it").code == 0
    left = run_orch(made, "next-wave")
    assert left.code == 0, left
    assert git(tmp_path / "ui", "show", f"{BRANCH}:old.dat") == "new"


def test_a_plan_taken_over_is_held_against_the_tasks_repository(tmp_path: Path) -> None:
    task = there(Task("1", (), edits=("old.dat",)))
    made = both(tmp_path, [task], settings="gate: stop\n")
    assert run_orch(made, "next-wave").code == 3
    (tmp_path / "plan.md").write_text(plan_text(task), "utf-8")
    left = run_orch(made, "takeover", "1.1.1", "--file", str(tmp_path / "plan.md"))
    assert left.code == 0, left
    assert run_orch(made, "next-wave").code == 0
    assert landed(tmp_path / "ui") == ["feat: task 1"]


def test_a_session_is_given_a_worktree_of_the_tasks_repository(tmp_path: Path) -> None:
    task = there(Task("1", ("a.dat",)))
    made = both(tmp_path, [task], worker="small: {driver: manual}")
    _, worktree, _ = handed_out(run_orch(made, "next-wave"))[task.key]
    assert (worktree / "old.dat").exists()
    write(worktree, task, plan_text(task))
    _, worktree, _ = handed_out(run_orch(made, "next-wave"))[task.key]
    (worktree / "a.dat").write_text("x\n", "utf-8")
    write(worktree, task, ticked(task))
    assert run_orch(made, "next-wave").code == 3, "a change of one's own worker waits for a word"
    assert run_orch(made, "approve", task.key).code == 0
    assert run_orch(made, "next-wave").code == 0
    assert landed(tmp_path / "ui") == ["feat: task 1"]
