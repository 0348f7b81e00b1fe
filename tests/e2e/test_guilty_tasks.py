"""A wave that breaks its suites: the guilty tasks are found, taken back, put back to work, and land again."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.test_suites import state, wave_row
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, planned
from tests.support.suite import FILES, breaking, runs_of, suite

BRANCH = "orch/1-things"
AT_THE_FORK, AT_THE_END, AGAIN = 1, 1, 1


def eight(**guilty: Task) -> list[Task]:
    """A wave of eight tasks, those given in place of the good ones."""
    return [guilty.get(f"t{number}", Task(str(number), (f"f{number}.dat",))) for number in range(1, 9)]


def todo(folder: Path, key: str) -> str:
    return (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")


def subjects(folder: Path) -> list[str]:
    """First lines of what landed, oldest first."""
    return git(folder, "log", "--reverse", "--format=%s", f"main..{BRANCH}").split("\n")


def cell(folder: Path, key: str) -> str:
    return next(line for line in state(folder).split("\n") if f"| {key} |" in line).split(" | ")[3]


def test_one_guilty_task_of_eight_is_found_in_four_runs_and_mends_its_work(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs) + "jobs: 1\n"
    folder = planned(tmp_path / "repo", eight(t3=breaking("3", "clock")), settings=settings, files=FILES)

    left = run_orch(folder, "next-wave", "--auto", timeout=240)
    assert left.code == 0, left
    assert subjects(folder)[8:] == ['Revert "feat: task 3"', "feat: task 3"]
    assert wave_row(folder) == ["done", "unit 5 passed", "reverted once: 1.1.3"]
    assert runs_of(runs) == AT_THE_FORK + AT_THE_END + AGAIN + 4 + AT_THE_END
    told = todo(folder, "1.1.3")
    assert "accept: 1" in told
    assert 'why="the suite fails since it landed: unit `t.py::clock`" commit=' in told
    assert "failed kind" not in "".join(todo(folder, f"1.1.{number}") for number in range(1, 9))
    assert git(folder, "show", f"{BRANCH}:f3.dat") == "3"
    prompt = run_orch(folder, "show", "1.1.3", "--prompt").out
    assert "FAILED VERIFICATION: the suite fails since it landed: unit `t.py::clock`" in prompt
    assert "FAILED t.py::clock - no" in prompt
    assert "1.1.3 done" in left.out
    assert "reverted" in left.out


def test_two_guilty_tasks_are_both_found_in_four_runs(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = eight(t2=breaking("2", "one"), t8=breaking("8", "two", "three"))
    folder = planned(tmp_path / "repo", tasks, settings=suite(runs), files=FILES)

    left = run_orch(folder, "next-wave", "--auto", timeout=240)
    assert left.code == 0, left
    assert sorted(subjects(folder)[8:]) == sorted(
        [f'Revert "feat: task {n}"' for n in (2, 8)] + [f"feat: task {n}" for n in (2, 8)]
    )
    assert wave_row(folder) == ["done", "unit 5 passed", "reverted once: 1.1.2, 1.1.8"]
    assert runs_of(runs) == AT_THE_FORK + AT_THE_END + AGAIN + 4 + AT_THE_END


def test_a_task_that_breaks_the_suite_again_is_blocked_and_the_rest_stays(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = [Task("1", ("f1.dat",)), breaking("2", "one", mends=False), Task("1", ("g.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=suite(runs), files=FILES)

    left = run_orch(folder, "next-wave", "--auto", timeout=240)
    assert left.code == 4, left
    assert cell(folder, "1.1.2") == "blocked"
    assert cell(folder, "1.1.1") == "done"
    assert subjects(folder).count('Revert "feat: task 2"') == 2
    assert git(folder, "ls-tree", "--name-only", BRANCH).split() == ["README.md", "f1.dat", "suite.sh"]
    assert wave_row(folder) == ["open", "unit 5 passed", "blocked: 1.1.2"]
    assert "- **Status:** blocked: the suite fails since it landed: unit `t.py::one`\n" in state(folder)
    assert "1.1.2 blocked" in left.out
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert cell(folder, "1.2.1") == "pending"


def test_asked_first_the_wave_is_red_names_who_is_to_blame_and_the_command_that_takes_it_back(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs) + "on_regression: ask\n"
    tasks = [Task("1", ("f1.dat",)), breaking("2", "one"), Task("1", ("g.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=settings, files=FILES)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    landing = git(folder, "rev-parse", f"refs/orch/{_run(folder)}/1.1.2/landed-1")
    note = f"new failure: unit `t.py::one`; to blame: 1.1.2 {landing[:7]}"
    assert wave_row(folder) == ["red", "unit 5 passed, 1 failed", note]
    other = f'if its commit is to stay: commit the mend on {BRANCH}, then run orch retry --wave 1 --because "…"'
    tells = [other, 'next: orch retry 1.1.2 --landed --because "…"']
    assert left.out.rstrip().split("\n")[-2:] == tells
    seen = run_orch(folder, "status").out.rstrip().split("\n")
    assert seen[1] == f"wave 1 wave 1: red; unit 5 passed, 1 failed; {note}"
    assert seen[-2:] == tells
    (where,) = (line for line in seen if line.startswith("what unit printed is in "))
    assert where in left.out.split("\n")
    assert (Path(where.removeprefix("what unit printed is in ")) / "stdout").is_file()
    assert len(subjects(folder)) == 2
    assert cell(folder, "1.1.2") == "done"

    assert run_orch(folder, "retry", "--wave", "1", "--because", "perhaps it was the clock").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert wave_row(folder)[2] == f"run again: perhaps it was the clock; {note}"
    taken = run_orch(folder, "retry", "1.1.2", "--landed", "--because", "the clock must not be asked")
    assert taken.code == 0, taken
    assert taken.out.startswith(f"1.1.2: {landing[:7]} is taken back, then it gets a retry")
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert subjects(folder)[2:] == ['Revert "feat: task 2"', "feat: task 2"]
    assert wave_row(folder) == ["done", "unit 5 passed", "reverted once: 1.1.2"]
    assert "1 failed" not in done.out, "what was mended is no matter any more"
    prompt = run_orch(folder, "show", "1.1.2", "--prompt").out
    assert prompt.startswith("FAILED VERIFICATION: the clock must not be asked")

    late = run_orch(folder, "retry", "1.1.2", "--landed", "--because", "once more")
    assert late.code == 1
    assert "has landed as" in late.err


def test_a_person_who_changes_the_setting_has_it_reverted_by_running_the_suites_again(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs) + "on_regression: ask\n"
    folder = planned(tmp_path / "repo", [breaking("1", "one")], settings=settings, files=FILES)
    assert run_orch(folder, "next-wave", "--auto").code == 4

    orch = folder / "planning" / "ORCH.md"
    orch.write_text(orch.read_text("utf-8").replace("on_regression: ask", "on_regression: revert"), "utf-8")
    assert run_orch(folder, "retry", "--wave", "1", "--because", "have it reverted").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert subjects(folder) == ["feat: task 1", 'Revert "feat: task 1"', "feat: task 1"]


def test_a_failure_that_is_no_commits_doing_is_red_and_reverts_nothing(tmp_path: Path) -> None:
    runs, flag = tmp_path / "runs", tmp_path / "down"
    script = f"sh suite.sh {runs} && test ! -e {flag}"
    tasks = [Task("1", ("f1.dat",), test=f"touch {flag}"), Task("2", ("f2.dat",)), Task("1", ("g.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=f"suites:\n  unit: {script}\n", files=FILES)

    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert len(subjects(folder)) == 2
    assert wave_row(folder) == ["red", "unit 5 passed, 0 failed", "new failure: unit fails; it passed at the baseline"]
    assert run_orch(folder, "next-wave", "--auto").code == 4
    flag.unlink()
    path = folder / "planning" / "STATE_1.md"
    path.write_text(state(folder).replace("| 1 | red |", "| 1 | checking |"), "utf-8")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert wave_row(folder) == ["done", "unit 5 passed", ""]


def test_the_suites_of_a_red_wave_run_again_by_command_and_the_reason_is_kept(tmp_path: Path) -> None:
    runs, down = tmp_path / "runs", tmp_path / "down"
    script = f"sh suite.sh {runs} && test ! -e {down}"
    tasks = [Task("1", ("f1.dat",), test=f"touch {down}"), Task("2", ("f2.dat",)), Task("1", ("g.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings=f"suites:\n  unit: {script}\n", files=FILES)
    left = run_orch(folder, "next-wave", "--auto", "-n", "1")
    assert left.code == 4, left
    ends = [f"first: commit the mend on {BRANCH}", 'next: orch retry --wave 1 -n 1 --because "…"']
    assert left.out.rstrip().split("\n")[-2:] == ends
    assert run_orch(folder, "resume", "-n", "1").out.rstrip().split("\n")[-2:] == ends
    shown = run_orch(folder, "status", "-n", "1", "--json").document
    assert (shown["first"], shown["next"]) == tuple(line.split(": ", 1)[1] for line in ends)

    # Once in vain: what failed once and why it ran again stays in the row.
    again = run_orch(folder, "retry", "--wave", "1", "--because", "the server is up; it was down", "--json")
    assert again.code == 0, again
    assert again.document["next"] == "orch next-wave"
    assert wave_row(folder)[0::2] == ["checking", "run again: the server is up, it was down"]
    assert run_orch(folder, "next-wave", "--auto").code == 4
    down.unlink()
    assert run_orch(folder, "retry", "--wave", "1", "--because", "now it is up").code == 0
    spent = runs_of(runs)
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert runs_of(runs) == spent + 1
    note = "run again: the server is up, it was down; run again: now it is up"
    assert wave_row(folder) == ["done", "unit 5 passed", note]
    assert "at the baseline" not in done.out, "what was mended is no matter any more"
    assert len(subjects(folder)) == 2, "nothing was taken back"
    decided = 'decided to=checking wave=1 why="now it is up" by=session'
    files = sorted((folder / "planning" / "tasks").iterdir())
    assert [decided in path.read_text("utf-8") for path in files] == [True, True], files


def test_only_a_red_wave_is_run_again_and_another_is_told_for_what_it_is(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)])

    def refused(*words: str) -> str:
        left = run_orch(folder, "retry", *words, "--because", "it was down")
        assert (left.code, left.out) == (1 if "--wave" in words and len(words) == 2 else 2, ""), left
        return left.err

    assert "orchestration 1 hasn't begun" in refused("--wave", "1")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    before = state(folder)
    assert refused("--wave", "1") == (
        'error: wave 1 isn\'t red: its status is "done"\n'
        "hint: its suites ran; orch show TASK and planning/STATE_1.md have what came of it\n"
    )
    assert refused("--wave", "2") == (
        'error: wave 2 isn\'t red: its status is "open"\n'
        "hint: orch next-wave runs its suites once its tasks have ended\n"
    )
    assert refused("--wave", "9") == "error: there is no wave 9\nhint: the plan has 1, 2\n"
    path = folder / "planning" / "STATE_1.md"
    path.write_text(before.replace("| 1 | done |", "| 1 | red |"), "utf-8")
    assert 'hint: orch retry --wave 1 --because "…" would be for the red one' in refused("--wave", "2")
    assert "name a task, or a red wave with --wave" in refused()
    assert "name a task, or a red wave with --wave" in refused("1.1.1", "--wave", "1")


def test_a_commit_of_no_task_is_named_and_left_alone(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs) + "gate: stop\n"
    folder = planned(
        tmp_path / "repo", [Task("1", ("f1.dat",)), Task("2", ("f2.dat",))], settings=settings, files=FILES
    )
    assert run_orch(folder, "next-wave").code == 3
    mine = tmp_path / "mine"
    git(folder, "worktree", "add", "-q", str(mine), BRANCH)
    (mine / "mine.dat").write_text("breaks mine\n", "utf-8")
    git(mine, "add", "-A")
    git(mine, "commit", "-q", "-m", "by hand")
    by_hand = git(mine, "rev-parse", "HEAD")
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0

    left = run_orch(folder, "next-wave")
    assert left.code == 4, left
    assert wave_row(folder)[2] == f"new failure: unit `t.py::mine`; to blame: a commit of no task, {by_hand[:7]}"
    assert len(subjects(folder)) == 3


def test_a_checkout_in_the_way_of_a_revert_is_named_and_the_next_call_makes_it(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs) + "branch: current\n"
    folder = planned(tmp_path / "repo", [breaking("1", "one")], settings="gate: stop\n" + settings, files=FILES)
    git(folder, "checkout", "-q", "-b", "work")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    # A person edits the file while the suites run: the suite itself does it here.
    spoil = f"[ -e f1.dat ] && echo more >> {folder}/f1.dat"
    script = FILES["suite.sh"].replace("echo run", f"{spoil}\necho run", 1)
    (folder / "suite.sh").write_text(script, "utf-8")
    git(folder, "commit", "-q", "-am", "spoil")

    left = run_orch(folder, "next-wave")
    assert left.code == 3, left
    assert left.out.endswith("first: commit or move away f1.dat\nnext: orch next-wave\n")
    assert git(folder, "log", "--format=%s", "-1") == "feat: task 1"
    spent = runs_of(runs)

    git(folder, "checkout", "f1.dat")
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert git(folder, "log", "--format=%s", "-2").split("\n") == ["feat: task 1", 'Revert "feat: task 1"']
    assert runs_of(runs) == spent + 1
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == " M f1.dat"


def _run(folder: Path) -> str:
    return next(line for line in state(folder).split("\n") if line.startswith("run: ")).removeprefix("run: ")


def test_an_amended_branch_is_still_known_by_its_patches(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    settings = suite(runs) + "on_regression: ask\njobs: 1\n"
    tasks = [Task("1", ("f1.dat",)), breaking("2", "one"), Task("3", ("f3.dat",))]
    folder = planned(tmp_path / "repo", tasks, settings=settings, files=FILES)
    assert run_orch(folder, "next-wave", "--auto").code == 4
    mine = tmp_path / "mine"
    git(folder, "worktree", "add", "-q", str(mine), BRANCH)
    git(mine, "-c", "user.name=other", "rebase", "-q", "--force-rebase", "main")
    git(folder, "worktree", "remove", str(mine))
    assert run_orch(folder, "retry", "--wave", "1", "--because", "the branch was rewritten").code == 0

    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert "to blame: 1.1.2 " in wave_row(folder)[2]


def test_a_landing_that_stands_is_followed_by_no_other(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("f1.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    # A landing of it on the branch that its todo file names as one of old, and that no ref says was taken back.
    landing = git(folder, "commit-tree", f"{BRANCH}^{{tree}}", "-p", BRANCH, "-m", "feat: task 1")
    git(folder, "update-ref", f"refs/heads/{BRANCH}", landing)
    git(folder, "update-ref", f"refs/orch/{_run(folder)}/1.1.1/landed-1", landing)
    path = folder / "planning" / "tasks" / "1.1.1.todo.md"
    path.write_text(todo(folder, "1.1.1").replace("---\n#", f"landed: [{landing[:12]}]\n---\n#", 1), "utf-8")

    left = run_orch(folder, "next-wave")
    assert left.code == 1, left
    assert f"it has landed already, as {landing[:7]}, and wasn't taken back" in left.out
    assert git(folder, "rev-parse", BRANCH) == landing
