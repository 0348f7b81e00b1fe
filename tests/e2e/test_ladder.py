"""What follows a failure: one more try, one tier up, blocked with its cause; and what a person can do about it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator.store.layout import run_folder
from tests.e2e.test_edits_during_a_run import running, until
from tests.e2e.test_life_of_a_task import STOP, board, landed, set_cell, todo
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Scene, Task, plan_text, planned, planning, report_text, working

TIERS = (
    "small: {driver: scripted, script: planning/workers.yaml, timeout: 60s}\n"
    "  mid: {driver: scripted, script: planning/workers.yaml, timeout: 60s}"
)
KEY = "1.1.1"


def turn(kind: str, text: str, *, report: str | None = None) -> Scene:
    """A turn that leaves `text` in a.dat."""
    said = report_text(["a.dat"]) if report is None else report
    return {"turn": kind, "files": {"a.dat": text}, "tick": "all", "report": said}


def one_task(folder: Path, turns: Sequence[Scene], *, test: str = "grep -q right a.dat", settings: str = "") -> Path:
    return planned(folder, [Task("1", ("a.dat",), test=test, turns=tuple(turns))], settings=settings, worker=TIERS)


def events(folder: Path, key: str = KEY) -> list[str]:
    """The log without times, board lines and notes."""
    lines = [line[23:] for line in todo(folder, key).partition("## Log\n")[2].split("\n") if line.startswith("- ")]
    return [line for line in lines if not line.startswith(("board ", "degraded "))]


PLAN = planning(Task("1", ("a.dat",), test="grep -q right a.dat"))


def test_a_task_that_fails_twice_goes_one_tier_up_with_a_new_plan_that_knows_why(tmp_path: Path) -> None:
    turns = [PLAN, turn("execute", "wrong\n"), turn("retry", "wrong again\n"), PLAN, turn("execute", "right\n")]
    folder = one_task(tmp_path / "repo", turns)
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]
    kinds = [line.split(" ")[0] for line in events(folder)]
    assert kinds == [
        *("started", "ended", "approved", "started", "ended", "failed", "started", "ended", "failed", "escalated"),
        *("started", "ended", "approved", "started", "ended", "verified", "landed"),
    ]
    escalated = next(line for line in events(folder) if line.startswith("escalated"))
    assert escalated == "escalated from=small to=mid next=plan board=pending"
    assert "tier: mid" in todo(folder, KEY)
    run = git(folder, "for-each-ref", "--format=%(refname)", "refs/orch")
    assert "attempt-1" in run, "the tree of the tier below is kept"
    prompt = _prompt(tmp_path, "4-plan")
    assert "An attempt on the tier small failed: the targeted test failed (exit 1)" in prompt
    assert "Create `a.dat`" in prompt, "the plan that failed"
    assert "APPROVED" not in prompt.split("\n", 1)[0]


def _prompt(tmp_path: Path, turn: str) -> str:
    found = list(run_folder(tmp_path / "repo", os.environ, "").rglob(f"{KEY}/{turn}/prompt.md"))
    assert len(found) == 1, found
    return found[0].read_text("utf-8")


def test_the_top_tier_is_blocked_and_a_diagnosis_buys_exactly_one_more_try(tmp_path: Path) -> None:
    wrong = [PLAN, turn("execute", "wrong\n"), turn("retry", "wrong\n")]
    turns = [*wrong, *wrong, turn("retry", "still wrong\n"), turn("retry", "right\n")]
    folder = one_task(tmp_path / "repo", turns)
    blocked = run_orch(folder, "next-wave", "--auto")
    assert blocked.code == 4, blocked
    assert board(folder) == {KEY: "blocked"}
    assert f'orch retry {KEY} --because "…"' in blocked.out
    why = "the targeted test failed (exit 1): grep -q right a.dat"
    report = (folder / "planning" / "STATE_1.md").read_text("utf-8").partition(f"## {KEY} — Task 1\n\n")[2]
    assert report.split("\n") == [
        f"- **Status:** blocked: {why}",
        "- **Plan** passed on the checks alone",
        f"- **Attempt 1** (worker small): {why}",
        f"- **Attempt 2** (worker small, told what had failed): {why}",
        "- **One tier up**, from small to mid, from the start, with a new plan",
        "- **Plan** passed on the checks alone",
        f"- **Attempt 3** (worker mid): {why}",
        f"- **Attempt 4** (worker mid, told what had failed): {why}",
        f"- **Kept:** the last output below Findings in `planning/tasks/{KEY}.todo.md`; what was written as commits on"
        f" no branch: `git for-each-ref 'refs/orch/*/{KEY}'`",
        f'- **To go on:** `orch retry {KEY} --because "…"` gives it one more try; or write on the board: `pending` to'
        " begin anew, `skipped` to leave it out, `done` once you did it",
        "",
    ]
    refused = run_orch(folder, "retry", KEY, "--because", " ")
    assert refused.code == 2
    assert run_orch(folder, "retry", KEY, "--because", "the file must say right").code == 0
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 4, again
    assert "diagnosis: the file must say right" in run_orch(folder, "show", KEY, "--prompt").out
    assert run_orch(folder, "retry", KEY, "--because", "second look").code == 0
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]


def test_a_missing_report_twice_gives_tree_and_plan_to_the_next_tier(tmp_path: Path) -> None:
    silent = turn("execute", "right\n", report="- **Status:** done\n")
    turns = [PLAN, silent, {**silent, "turn": "retry"}, turn("retry", "right\n")]
    folder = one_task(tmp_path / "repo", turns)
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    starts = [line for line in events(folder) if line.startswith("started")]
    assert [(line.split(" ")[1], line.split(" ")[3]) for line in starts] == [
        ("turn=plan", "tier=small"),
        ("turn=execute", "tier=small"),
        ("turn=retry", "tier=small"),
        ("turn=retry", "tier=mid"),
    ]


def test_a_scope_that_is_too_small_is_widened_by_rescope_alone(tmp_path: Path) -> None:
    wide = {"files": {"a.dat": "right\n", "b.dat": "b\n"}, "tick": "all", "report": report_text(["a.dat", "b.dat"])}
    task = Task("1", ("a.dat", "b.dat"), test="grep -q right a.dat")
    turns = [PLAN, {"turn": "execute", **wide}, {"turn": "retry", **wide}, planning(task), {"turn": "execute", **wide}]
    folder = one_task(tmp_path / "repo", turns)
    blocked = run_orch(folder, "next-wave", "--auto")
    assert blocked.code == 4, blocked
    assert f'orch rescope {KEY} --create b.dat --why "…"' in blocked.out
    both = (
        f'first: have its worker undo that by orch retry {KEY} --because "…", or widen its scope\n'
        f'next: orch rescope {KEY} --create b.dat --why "…"\n'
    )
    for left in (blocked, run_orch(folder, "show", KEY), run_orch(folder, "status"), run_orch(folder, "resume")):
        assert left.out.endswith(both), left

    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    before = plan.read_text("utf-8")
    assert run_orch(folder, "rescope", KEY, "--create", "b.dat", "--why", "it is needed").code == 0
    assert plan.read_text("utf-8") == before.replace("- **Can create:** `a.dat`", "- **Can create:** `a.dat`, `b.dat`")
    assert "rescoped add=b.dat" in "\n".join(events(folder))
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]


def test_a_scope_that_was_widened_by_hand_is_told_by_rescope_too(tmp_path: Path) -> None:
    wide = {"files": {"a.dat": "right\n", "b.dat": "b\n"}, "tick": "all", "report": report_text(["a.dat", "b.dat"])}
    task = Task("1", ("a.dat", "b.dat"), test="grep -q right a.dat")
    turns = [PLAN, {"turn": "execute", **wide}, {"turn": "retry", **wide}, planning(task), {"turn": "execute", **wide}]
    folder = one_task(tmp_path / "repo", turns)
    assert run_orch(folder, "next-wave", "--auto").code == 4
    plan = folder / "planning" / "EXECUTION_PLAN_1.md"
    # As a rescope leaves it, too, that got no further.
    plan.write_text(plan.read_text("utf-8").replace("- **Can create:** `a.dat`", "- **Can create:** `a.dat`, `b.dat`"))
    before = plan.read_text("utf-8")
    assert run_orch(folder, "rescope", KEY, "--create", "b.dat", "--why", "it is needed").code == 0
    assert plan.read_text("utf-8") == before
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    again = run_orch(folder, "rescope", KEY, "--create", "b.dat", "--why", "it is needed")
    assert again.code == 1, again


def test_what_is_out_of_scope_can_be_undone_by_one_try_that_a_diagnosis_buys(tmp_path: Path) -> None:
    wide = {"files": {"a.dat": "right\n", "b.dat": "b\n"}, "tick": "all", "report": report_text(["a.dat", "b.dat"])}
    again, undone = {"turn": "retry", **wide}, {**turn("retry", "right\n"), "delete": ["b.dat"]}
    folder = one_task(tmp_path / "repo", [PLAN, {"turn": "execute", **wide}, again, again, undone])
    assert run_orch(folder, "next-wave", "--auto").code == 4
    plan = (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8")
    for code in (4, 0):
        bought = run_orch(folder, "retry", KEY, "--because", "b.dat isn't needed")
        assert bought.code == 0, bought
        assert "one more retry turn with your diagnosis, told to undo what is out of its scope\n" in bought.out
        left = run_orch(folder, "next-wave", "--auto")
        assert left.code == code, left
        prompt = run_orch(folder, "show", KEY, "--prompt").out
        assert "diagnosis: b.dat isn't needed\n" in prompt
        assert prompt.count("- undo each change that is named here as out of scope: your scope stays as it is") == 1
        assert "creates `b.dat`, out of scope" in prompt
    assert git(folder, "show", "--format=", "--name-only", "orch/1-things") == "a.dat"
    assert (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8") == plan


def test_a_landed_task_is_taken_back_only_where_that_is_said(tmp_path: Path) -> None:
    done = Task("1", ("a.dat",), turns=(PLAN, turn("execute", "right\n"), turn("retry", "right, and more\n")))
    tasks = [done, Task("2", ("b.dat",), test="false")]
    folder = planned(tmp_path / "repo", tasks, worker=TIERS.partition("\n")[0])
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert board(folder) == {KEY: "done", "1.1.2": "blocked"}
    before = (todo(folder, KEY), git(folder, "rev-parse", "orch/1-things"))
    refused = run_orch(folder, "retry", KEY, "--because", "the wrong id")
    assert refused.code == 1, refused
    assert f"error: {KEY} isn't blocked: it has landed as {before[1][:7]}, and a retry would revert that" in refused.err
    assert f"hint: to have it taken back: orch retry {KEY} --landed --because 'the wrong id'\n" in refused.err
    assert (todo(folder, KEY), git(folder, "rev-parse", "orch/1-things")) == before
    other = run_orch(folder, "retry", "1.1.2", "--landed", "--because", "no")
    assert (other.code, "1.1.2 hasn't landed: the task is blocked" in other.err) == (1, True), other
    assert run_orch(folder, "retry", "--wave", "1", "--landed", "--because", "no").code == 2
    taken = run_orch(folder, "retry", KEY, "--landed", "--because", "it says too little")
    assert taken.code == 0, taken
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert git(folder, "show", "orch/1-things:a.dat") == "right, and more"


def test_rescope_refuses_a_file_that_another_task_of_the_wave_claims(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    plan = (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8")
    refused = run_orch(folder, "rescope", KEY, "--create", "b.dat", "--why", "it is needed")
    assert refused.code == 1
    assert "b.dat" in refused.err
    assert (folder / "planning" / "EXECUTION_PLAN_1.md").read_text("utf-8") == plan
    assert board(folder) == {KEY: "plan-ready", "1.1.2": "plan-ready"}


def test_a_worker_that_cannot_plan_gives_way_and_the_last_one_waits_for_a_plan(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    bad = {"turn": "plan", "plan": plan_text(task, steps=["Edit `README.md`", "Run `true`"])}
    folder = one_task(tmp_path / "repo", [bad, bad, bad, bad, turn("execute", "right\n")])
    parked = run_orch(folder, "next-wave", "--auto")
    assert parked.code == 3, parked
    assert board(folder) == {KEY: "plan-ready"}
    assert [line.split(" ")[0] for line in events(folder)].count("escalated") == 1
    own = tmp_path / "plan.md"
    own.write_text(plan_text(task, steps=["Edit `README.md`"]), "utf-8")
    assert run_orch(folder, "takeover", KEY, "--file", str(own)).code == 1
    own.write_text(plan_text(task), "utf-8")
    taken = run_orch(folder, "takeover", KEY, "--file", str(own))
    assert taken.code == 0, taken
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert "started turn=takeover" in "\n".join(events(folder))
    prompt = run_orch(folder, "show", KEY, "--prompt").out
    assert prompt.startswith("APPROVED -- execute the plan as written.")
    assert "The orchestrator wrote the plan" in prompt


def test_a_plan_is_sent_back_twice_and_then_taken_over(tmp_path: Path) -> None:
    folder = one_task(tmp_path / "repo", [PLAN, PLAN, PLAN, turn("execute", "right\n")], settings=STOP)
    for _ in range(2):
        assert run_orch(folder, "next-wave").code == 3
        assert run_orch(folder, "revise", KEY, "-m", "say more").code == 0
    assert run_orch(folder, "next-wave").code == 3
    refused = run_orch(folder, "revise", KEY, "-m", "say more")
    assert refused.code == 1
    assert f"orch takeover {KEY}" in refused.err


@pytest.mark.parametrize(("dependents", "codes"), [("", (3, 3)), ("keep", (0, 0)), ("skip", (0, 0))])
def test_what_depends_on_a_skipped_task_is_held_kept_or_skipped(
    tmp_path: Path, dependents: str, codes: tuple[int, int]
) -> None:
    first, second = Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2, extra="- **Depends on:** 1.1.1")
    folder = planned(tmp_path / "repo", [first, second], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    option = ["--dependents", dependents] if dependents else []
    skipped = run_orch(folder, "skip", KEY, "--why", "done by hand", *option)
    assert skipped.code == 0, skipped
    assert board(folder)[KEY] == "skipped"
    assert run_orch(folder, "next-wave", "--auto").code == 0
    second_call = run_orch(folder, "next-wave", "--auto")
    if dependents == "skip":
        assert board(folder) == {KEY: "skipped", "1.2.1": "skipped"}
    elif dependents == "keep":
        assert board(folder) == {KEY: "skipped", "1.2.1": "done"}
    else:
        assert board(folder) == {KEY: "skipped", "1.2.1": "pending"}
        assert "was skipped" in second_call.out


def test_a_blocked_task_is_stopped_and_begins_anew_at_pending(tmp_path: Path) -> None:
    folder = one_task(tmp_path / "repo", [PLAN, PLAN, turn("execute", "right\n")], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "block", KEY, "--why", "waits for the new API").code == 0
    held = run_orch(folder, "next-wave")
    assert held.code == 4, held
    assert "waits for the new API" in held.out
    set_cell(folder, KEY, "pending")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert run_orch(folder, "block", KEY, "--why", "too late").code == 1


def test_a_task_that_was_parked_after_its_approval_goes_on_with_the_plan_that_was_approved(tmp_path: Path) -> None:
    folder = one_task(tmp_path / "repo", [PLAN, turn("execute", "right\n")], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", KEY).code == 0
    back = f'orch retry {KEY} --because "…"'
    blocked = run_orch(folder, "block", KEY, "--why", "waits for the new API")
    assert blocked.out.split("\n")[:2] == [
        f"{KEY} blocked: waits for the new API",
        f"to have it go on where it was: {back}",
    ]
    assert run_orch(folder, "status").out.endswith(f"\nnext: {back}\n")
    taken = run_orch(folder, "retry", KEY, "--because", "the API is there")
    assert (taken.code, taken.out.split("\n")[0]) == (0, f"{KEY} is taken up where it was: approved"), taken
    assert board(folder)[KEY] == "approved"
    assert run_orch(folder, "next-wave").code == 0
    assert run_orch(folder, "show", KEY, "--log").out.count("started turn=plan") == 1


def test_a_worker_that_dies_twice_is_blocked_and_one_more_try_is_bought(tmp_path: Path) -> None:
    dies: Scene = {"turn": "execute", "exit": 9}
    turns = [PLAN, dies, dies, dies, turn("execute", "right\n")]
    folder = one_task(tmp_path / "repo", turns)
    blocked = run_orch(folder, "next-wave", "--auto")
    assert blocked.code == 4, blocked
    assert run_orch(folder, "retry", KEY, "--because", "the disk was full").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert run_orch(folder, "retry", KEY, "--because", "there is room now").code == 0
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done


def test_a_task_in_flight_is_ended_when_it_is_skipped(tmp_path: Path) -> None:
    task = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",), turns=(planning(task), working(task, delay=30)))])
    with running(folder) as left:
        until(folder, KEY, "running")
        assert run_orch(folder, "skip", KEY, "--why", "not wanted").code == 0
        done = left()
    assert done.code == 0, done
    assert board(folder) == {KEY: "skipped"}
    assert git(folder, "log", "--format=%s", "main..orch/1-things") == ""


def test_a_worker_that_says_it_stopped_is_blocked_with_its_words_and_nothing_lands(tmp_path: Path) -> None:
    stopped = report_text(["a.dat"]).replace("done", "stopped: the spec is unclear, what is h?")
    turns = [PLAN, turn("execute", "right\n", report=stopped), turn("retry", "right\n")]
    folder = one_task(tmp_path / "repo", turns)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert "its worker says: stopped: the spec is unclear, what is h?" in left.out
    assert git(folder, "log", "--format=%s", "main..orch/1-things") == ""
    assert "**Status:** blocked: its worker says: stopped" in (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert run_orch(folder, "retry", KEY, "--because", "h is the height").code == 0
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert landed(folder) == ["feat: task 1"]


def test_a_task_that_is_put_back_into_a_done_wave_is_done_and_the_wave_closed_again(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "skip", "1.1.2", "--why", "not now").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 0
    assert run_orch(folder, "next-wave", "--auto").code == 6
    status = run_orch(folder, "status").out
    assert status.startswith("orchestration 1 Things: finished, 1 of 2 tasks done, 1 skipped, branch"), status
    set_cell(folder, "1.1.2", "pending")
    assert run_orch(folder, "status").out.startswith("orchestration 1 Things: 1 of 2 tasks done, branch")
    again = run_orch(folder, "next-wave", "--auto")
    assert again.code == 0, again
    assert sorted(landed(folder)) == ["feat: task 1", "feat: task 2"]
    state = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    assert "| 1 | done |" in state
    assert "\nstatus: done\n" in state
    # A landed task isn't put back by its cell, so the wave stays done.
    set_cell(folder, "1.1.2", "pending")
    assert run_orch(folder, "next-wave", "--auto").code == 6


def test_a_new_plan_after_work_begins_on_a_clean_tree_and_the_work_is_kept(tmp_path: Path) -> None:
    wide = {"files": {"a.dat": "right\n", "b.dat": "b\n"}, "tick": "all", "report": report_text(["a.dat", "b.dat"])}
    task = Task("1", ("a.dat", "b.dat"), test="grep -q right a.dat")
    stopped = report_text([]).replace("done", "stopped: b.dat is needed")
    half: Scene = {"turn": "execute", "files": {"a.dat": "half\n"}, "report": stopped}
    folder = one_task(tmp_path / "repo", [PLAN, half, planning(task), {"turn": "execute", **wide}])
    assert run_orch(folder, "next-wave", "--auto").code == 4
    assert run_orch(folder, "rescope", KEY, "--create", "b.dat", "--why", "it is needed").code == 0
    done = run_orch(folder, "next-wave", "--auto")
    assert done.code == 0, done
    assert "revised by=checks" not in "\n".join(events(folder)), "what was there before is no writing before approval"
    assert "attempt-1" in git(folder, "for-each-ref", "--format=%(refname)", "refs/orch")


def test_rescope_refuses_a_file_to_edit_that_is_not_there(tmp_path: Path) -> None:
    folder = one_task(tmp_path / "repo", [PLAN], settings=STOP)
    assert run_orch(folder, "next-wave").code == 3
    refused = run_orch(folder, "rescope", KEY, "--edit", "PATH", "--why", "pasted")
    assert (refused.code, "--create PATH" in refused.err) == (1, True), refused


def test_a_new_orchestration_says_that_another_one_waits(tmp_path: Path) -> None:
    folder = one_task(tmp_path / "repo", [PLAN], settings=STOP)
    early = run_orch(folder, "approve", KEY)
    assert (early.code, "orch next-wave" in early.err) == (1, True), early
    assert run_orch(folder, "next-wave").code == 3
    made = run_orch(folder, "new", "Second")
    assert "orchestration 1 isn't finished; commands mean 2 now, -n 1 means that one" in made.out
