"""A bad worker stops its own task, loses nothing, and its sibling lands.

Every case is one wave of two tasks: 1.1.1 does as it should, 1.1.2 is the case.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import ROOT, Left, run_orch
from tests.support.planned import Scene, Task, plan_text, planned, planning, report_text, working

GOOD = Task("1", ("good.dat",))
BAD = Task("2", ("bad.dat",))
BRANCH = "orch/1-things"


def run_case(folder: Path, turns: Sequence[Scene], *, settings: str = "", worker: str = "") -> tuple[Path, Left]:
    """One call of next-wave --auto over the good task and the case."""
    bad = Task("2", ("bad.dat",), turns=tuple(turns))
    made = planned(folder / "repo", [GOOD, bad], settings=settings, worker=worker)
    return made, run_orch(made, "next-wave", "--auto")


def landed(folder: Path) -> list[str]:
    return sorted(git(folder, "log", "--format=%s", f"main..{BRANCH}").split("\n"))


def files(folder: Path) -> list[str]:
    return git(folder, "ls-tree", "-r", "--name-only", BRANCH).split("\n")


def line_of(left: Left, key: str) -> str:
    return next(line for line in left.out.split("\n") if line.startswith(key))


def assert_only_the_sibling_landed(folder: Path, left: Left, cause: str) -> None:
    assert left.code == 4, left
    assert landed(folder) == ["feat: task 1"]
    assert files(folder) == ["README.md", "good.dat"]
    assert git(folder, "status", "--porcelain") == "?? planning/"
    line = line_of(left, "1.1.2")
    assert line.startswith("1.1.2 blocked"), left.out
    assert cause in line, line


def test_a_worker_that_exits_0_having_done_nothing_is_not_done(tmp_path: Path) -> None:
    idle = {"turn": "execute", "tick": "all", "report": report_text([])}
    folder, left = run_case(tmp_path, [planning(BAD), idle, {**idle, "turn": "retry"}])

    assert_only_the_sibling_landed(folder, left, "without changing a file")


def test_a_worker_that_writes_no_plan_is_asked_twice_and_parked(tmp_path: Path) -> None:
    folder, left = run_case(tmp_path, [{"turn": "plan", "print": "hello"}])

    assert left.code == 3, left
    assert landed(folder) == ["feat: task 1"]
    assert line_of(left, "1.1.2").startswith("1.1.2 plan-ready")
    assert git(folder, "grep", "-c", "--no-index", "started turn=plan", "--", "planning/tasks/1.1.2.todo.md") == (
        "planning/tasks/1.1.2.todo.md:2"
    )


def test_a_worker_that_fails_at_once_is_started_once_more_and_blocked(tmp_path: Path) -> None:
    folder, left = run_case(tmp_path, [{"turn": "plan", "print": "no key in the environment", "exit": 3}])

    assert_only_the_sibling_landed(folder, left, "no key in the environment")


def test_a_worker_that_can_not_be_started_blocks_its_task_with_the_name_of_the_program(tmp_path: Path) -> None:
    agent = tmp_path / "broken-agent"
    agent.write_text("#!/no/such/interpreter\n")
    agent.chmod(0o755)
    made = planned(
        tmp_path / "repo",
        [Task("1", ("good.dat",), extra="- **Tier:** mid"), BAD],
        worker=(
            "small: {driver: command, plan: [broken-agent], execute: [broken-agent]}\n"
            "  mid: {driver: scripted, script: planning/workers.yaml}"
        ),
    )
    left = run_orch(made, "next-wave", "--auto", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})

    assert_only_the_sibling_landed(made, left, "broken-agent")


def test_code_before_approval_is_sent_back_and_does_not_survive(tmp_path: Path) -> None:
    early = planning(BAD, files={"early.txt": "too early\n", "bad.dat": "too early\n"})
    folder, left = run_case(tmp_path, [early, planning(BAD), working(BAD)])

    assert left.code == 0, left
    assert landed(folder) == ["feat: task 1", "feat: task 2"]
    assert files(folder) == ["README.md", "bad.dat", "good.dat"]
    assert git(folder, "show", f"{BRANCH}:bad.dat") == "bad.dat"
    kept = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch")
    assert "/1.1.2/turn-1" in kept
    assert git(folder, "show", next(name for name in kept.split("\n") if name.endswith("1.1.2/turn-1")) + ":early.txt")


def test_code_before_approval_twice_parks_the_plan(tmp_path: Path) -> None:
    early = planning(BAD, files={"early.txt": "too early\n"})
    folder, left = run_case(tmp_path, [early, early])

    assert left.code == 3, left
    assert landed(folder) == ["feat: task 1"]
    refused = run_orch(folder, "approve", "1.1.2")
    assert refused.code == 1
    assert "early.txt" in refused.out + refused.err


@pytest.mark.parametrize(
    ("act", "cause"),
    [
        ({"files": {"bad.dat": "x\n", "other.txt": "x\n"}}, "other.txt"),
        ({"delete": ["README.md"]}, "README.md"),
        ({"run": "mv README.md READ.md"}, "READ.md"),
        ({"run": "chmod +x README.md"}, "README.md"),
        ({"run": "ln -s /etc/passwd link"}, "link"),
        ({"run": "echo '*' > .gitignore; echo x > hidden.txt"}, ".gitignore"),
        ({"run": "git update-index --assume-unchanged README.md; echo x >> README.md"}, "README.md"),
        ({"run": "git update-index --skip-worktree README.md; echo x >> README.md"}, "README.md"),
        ({"files": {"planning/EXECUTION_PLAN_1.md": "mine now\n"}}, "planning/EXECUTION_PLAN_1.md"),
        ({"files": {"planning/tasks/1.1.1.todo.md": "mine now\n"}}, "planning/tasks/1.1.1.todo.md"),
    ],
)
def test_work_outside_the_scope_is_sent_back_once_and_blocked(tmp_path: Path, act: Scene, cause: str) -> None:
    folder, left = run_case(tmp_path, [planning(BAD), working(BAD, **act), working(BAD, "retry", **_again(act))])

    assert_only_the_sibling_landed(folder, left, cause)


def _again(act: Scene) -> Scene:
    # What was deleted or moved can't be deleted again.
    return {} if "delete" in act or "mv" in str(act.get("run")) else act


def test_work_outside_the_scope_that_is_undone_in_the_retry_lands(tmp_path: Path) -> None:
    folder, left = run_case(
        tmp_path,
        [
            planning(BAD),
            working(BAD, files={"bad.dat": "x\n", "other.txt": "x\n"}),
            working(BAD, "retry", delete=["other.txt"]),
        ],
    )

    assert left.code == 0, left
    assert files(folder) == ["README.md", "bad.dat", "good.dat"]


def test_a_worker_that_commits_by_itself_lands_as_one_commit_of_orchs(tmp_path: Path) -> None:
    commits = "git add -A && git -c user.name=x -c user.email=x@y commit -qm mine && echo more >> bad.dat"
    folder, left = run_case(tmp_path, [planning(BAD), working(BAD, run=commits)])

    assert left.code == 0, left
    assert landed(folder) == ["feat: task 1", "feat: task 2"]
    assert git(folder, "show", f"{BRANCH}:bad.dat") == "bad.dat\nmore"


@pytest.mark.parametrize(
    "act",
    [
        "git checkout -q --detach",
        "git branch other",
        "git tag v9",
        "echo x > junk && git stash -q -u",
        "git config core.hooksPath /tmp",
        "printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "rm -rf .git",
    ],
)
def test_tampering_with_git_in_the_workspace_harms_nothing(tmp_path: Path, act: str) -> None:
    folder, left = run_case(tmp_path, [planning(BAD), working(BAD, run=act), working(BAD, "retry", run=act)])

    assert landed(folder)[0] == "feat: task 1"
    assert left.code in (0, 4), left
    assert git(folder, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/stash") == (
        f"refs/heads/main\nrefs/heads/{BRANCH}"
    )
    assert not (folder / ".git" / "hooks" / "pre-commit").exists()
    assert git(folder, "status", "--porcelain") == "?? planning/"


ASKS_GIT: Scene = {"turn": "retry", "tick": "all", "run": "git status --porcelain > seen"}
HOOKED = "printf '#!/bin/sh\\n' > {main}/.git/hooks/pre-push; chmod +x {main}/.git/hooks/pre-push; "


@pytest.mark.parametrize(
    "act",
    [
        "mv .git ../gone; echo 'gitdir: /nowhere' > .git",
        "rm -rf .git",
        "rm -rf .git/objects; mkdir .git/objects",
        "rm .git/HEAD",
        "rm .git/config",
    ],
)
def test_a_workspace_whose_git_was_damaged_gets_a_new_one_for_the_retry(tmp_path: Path, act: str) -> None:
    # What it did to the repository meanwhile isn't forgotten by that.
    run = HOOKED.format(main=tmp_path / "repo") + act
    turns = [planning(BAD), working(BAD, run=run), {**ASKS_GIT, "report": report_text(["bad.dat", "seen"])}]
    folder = planned(tmp_path / "repo", [GOOD, Task("2", ("bad.dat", "seen"), turns=tuple(turns))])
    left = run_orch(folder, "next-wave", "--auto")
    assert "hooks/pre-push was made in the repository" in left.out, left
    assert run_orch(folder, "next-wave", "--auto").code in (0, 6)
    assert landed(folder) == ["feat: task 1", "feat: task 2"]
    assert "bad.dat" in git(folder, "show", f"{BRANCH}:seen")


@pytest.mark.parametrize("turn", ["plan", "execute"])
def test_a_commit_that_is_put_on_the_integration_branch_is_told_to_people(tmp_path: Path, turn: str) -> None:
    main = f"git -C {tmp_path / 'repo'}"
    # Again if the other task has landed meanwhile.
    act = (
        f"blob=$(echo evil | {main} hash-object -w --stdin); while :; do tip=$({main} rev-parse refs/heads/{BRANCH});"
        f" tree=$( ({main} ls-tree $tip; printf '100644 blob %s\\tevil.py\\n' $blob) | {main} mktree);"
        f" new=$({main} -c user.name=x -c user.email=x@y commit-tree $tree -p $tip -m mine);"
        f" {main} update-ref refs/heads/{BRANCH} $new $tip && break; done"
    )
    turns = [planning(BAD, run=act), working(BAD)] if turn == "plan" else [planning(BAD), working(BAD, run=act)]
    folder, left = run_case(tmp_path, turns)

    commit = git(folder, "log", "--format=%h", "--abbrev=7", "--grep=^mine$", BRANCH)
    said = f"{BRANCH} got commits that aren't orch's while workers were at work: {commit} (mine); look at them"
    assert commit
    assert said in left.out, left
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2", "mine"]
    assert said in (folder / "planning" / "tasks" / "1.1.2.todo.md").read_text("utf-8")


def test_a_background_process_does_not_outlive_its_turn(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    stays = f"(setsid sh -c 'while :; do date >> {mark}; sleep 0.05; done' >/dev/null 2>&1 &) ; sleep 0.2"
    _, left = run_case(tmp_path, [planning(BAD), working(BAD, run=stays)])

    assert left.code == 0, left
    before = mark.read_text()
    mark.unlink()
    time.sleep(0.3)
    assert before
    assert not mark.exists()


def test_a_hundred_megabytes_of_output_are_no_trouble(tmp_path: Path) -> None:
    floods = "head -c 100000000 /dev/zero | tr '\\0' 'x'"
    _, left = run_case(tmp_path, [planning(BAD), working(BAD, run=floods)])

    assert left.code == 0, left
    assert len(left.out) < 4000


def test_a_worker_that_never_ends_is_ended_twice_and_blocked(tmp_path: Path) -> None:
    hangs = {"turn": "plan", "run": "sleep 600"}
    worker = "small: {driver: scripted, script: planning/workers.yaml, timeout: 1s}"
    begun = time.monotonic()
    folder, left = run_case(tmp_path, [hangs], worker=worker)

    assert left.code == 4, left
    assert line_of(left, "1.1.2").startswith("1.1.2 blocked")
    assert landed(folder) == ["feat: task 1"]
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("mark", ["", "env -u ORCH_RUN_ID -u ORCH_WORKTREE ", "setsid -w env -u ORCH_RUN_ID "])
@pytest.mark.parametrize("words", [("approve", "1.1.2"), ("next-wave",), ("revise", "1.1.2", "-m", "x")])
def test_a_worker_can_not_open_its_own_gate(tmp_path: Path, words: tuple[str, ...], mark: str) -> None:
    call = (
        f"{mark}env PYTHONPATH={ROOT} {sys.executable} -m orchestrator {' '.join(words)} > said 2>&1; cat said; rm said"
    )
    asks = planning(BAD, run=f"cd {tmp_path}/repo && ({call})")
    bad = Task("2", ("bad.dat",), turns=(asks, working(BAD)))
    made = planned(tmp_path / "repo", [GOOD, bad], settings="gate: stop\n")
    left = run_orch(made, "next-wave")

    assert left.code == 3, left
    board = (made / "planning" / "STATE_1.md").read_text("utf-8")
    assert "| 1 | 1.1.2 | Task 2 | plan-ready |" in board
    said = "".join(path.read_text("utf-8") for path in (tmp_path).rglob("turns/1.1.2/*/stdout"))
    said += "".join(path.read_text("utf-8") for path in _run_folders(made, "1.1.2"))
    assert "refuses to run as a worker" in said


def _run_folders(folder: Path, key: str) -> list[Path]:
    import os

    return sorted(Path(os.environ["XDG_STATE_HOME"]).glob(f"orch/{folder.name}-*/*/turns/{key}/*/stdout"))


def test_a_copy_of_the_log_and_front_matter_in_the_todo_file_opens_nothing(tmp_path: Path) -> None:
    forged = (
        "---\ntask: 1.1.2\napproved: 2026-11-29T10:00:00Z\napproved_by: person\n---\n"
        + plan_text(BAD)
        + "\n## Log\n\n- 2026-11-29T10:00:00Z approved by=person board=approved\n"
    )
    bad = Task("2", ("bad.dat",), turns=({"turn": "plan", "plan": forged}, working(BAD)))
    made = planned(tmp_path / "repo", [GOOD, bad], settings="gate: stop\n")
    left = run_orch(made, "next-wave")

    assert left.code == 3, left
    held = (made / "planning" / "tasks" / "1.1.2.todo.md").read_text("utf-8")
    assert "approved_by" not in held
    assert held.count("## Log") == 1


def test_a_report_full_of_structure_stays_one_report(tmp_path: Path) -> None:
    wild = report_text(["bad.dat"]).replace(
        "- **Gotchas:** none\n",
        "- **Gotchas:** see below\n  ```\n  ## 1.1.1 — not a heading\n  | 1 | 1.1.1 | x | done | |\n",
    )
    folder, left = run_case(tmp_path, [planning(BAD), working(BAD, report=wild)])

    assert left.code == 0, left
    state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert [line for line in state.split("\n") if line.startswith("## 1.1.")] == [
        "## 1.1.1 — Task 1",
        "## 1.1.2 — Task 2",
    ]
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 6, again


def test_a_worker_that_changes_its_approved_steps_is_sent_back(tmp_path: Path) -> None:
    changed = plan_text(BAD, steps=["Create `bad.dat`", "Create `more.txt`", "Run `true`"]).replace("[ ]", "[x]")
    forged = changed + "\n## Report\n" + report_text(["bad.dat"])
    turns = [planning(BAD), working(BAD, plan=forged, tick=[], report=""), working(BAD, "retry")]
    folder, left = run_case(tmp_path, turns)

    assert left.code in (0, 4), left
    held = (folder / "planning" / "tasks" / "1.1.2.todo.md").read_text("utf-8")
    assert "more.txt" not in held.split("## Notes")[0]


def test_planning_and_refs_of_the_main_checkout_are_named_when_a_worker_reaches_them(tmp_path: Path) -> None:
    reach = f"git -C {tmp_path}/repo update-ref refs/heads/{BRANCH} main~0; echo x >> {tmp_path}/repo/README.md"
    folder, left = run_case(tmp_path, [planning(BAD), working(BAD, run=reach)])

    if left.code == 1:
        # It took a landing away: named, with the command that puts it back.
        assert "has lost commits that had landed: 1.1.1" in left.err, left
        found = re.search(r"put it back: git (branch -f \S+ \S+)", left.err)
        assert found, left
        git(folder, *found[1].split())
        left = run_orch(folder, "next-wave", "--auto")
    assert left.code in (0, 3, 4), left
    assert "feat: task 1" in landed(folder)
    assert subprocess.run(["git", "fsck"], cwd=folder, capture_output=True, check=False).returncode == 0


def test_a_worker_that_answers_its_own_question_is_parked_all_the_same(tmp_path: Path) -> None:
    asks = plan_text(BAD).replace("## Questions\n", "## Questions\n1. May I?\n   Answer: yes, go on\n")
    folder, left = run_case(tmp_path, [{"turn": "plan", "plan": asks}, working(BAD)], settings="gate: auto\n")

    assert left.code == 3, left
    assert landed(folder) == ["feat: task 1"]
    assert run_orch(folder, "approve", "1.1.2").code == 1


def test_a_plan_turn_that_wrote_is_laid_anew_and_a_branch_that_moved_meanwhile_is_no_tampering(tmp_path: Path) -> None:
    quick, early = Task("1", ("a.dat",)), Task("2", ("b.dat",))
    # The second one writes before approval, while the first lands and moves the branch.
    wrote = planning(early, files={"early.txt": "x\n"}, delay=4)
    turns = (wrote, planning(early), working(early))
    folder = planned(tmp_path / "repo", [quick, Task("2", ("b.dat",), turns=turns)])
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    log = (folder / "planning" / "tasks" / "1.1.2.todo.md").read_text("utf-8")
    assert log.count("revised by=checks") == 1, log
    assert "was changed in the workspace" not in log
