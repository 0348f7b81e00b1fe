"""What orch makes of how agent programs end: sessions, weather, lost sessions, deaths, models and money."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.drivers.recorded import begun
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, planning, report_text
from tests.support.recordings import Recorded, recordings
from tests.support.stub_agent import Stub, failed, said, stub_agent, worker_line

TASK = Task("1", ("a.dat",), test="grep -q right a.dat")
ID = "0a1b2c3d-0000-4000-8000-000000000001"
PLAN = said(plan_text(TASK), session=ID)
WORK = replace(
    said(f"Through.\n\n## Report\n\n{report_text(['a.dat'])}", session=ID, usd=0.5), then="echo right > a.dat"
)


def made(tmp_path: Path, turns: Sequence[Recorded], *, tasks: Sequence[Task] = (TASK,)) -> tuple[Path, Stub]:
    stub = stub_agent(tmp_path / "stub", turns)
    return planned(tmp_path / "repo", tasks, worker=worker_line(stub)), stub


def todo(folder: Path, key: str = "1.1.1") -> str:
    return (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")


def fact(folder: Path, name: str) -> str:
    found = re.search(rf"^{name}: (.*)$", todo(folder), re.MULTILINE)
    return found[1] if found else ""


def take_out_until(folder: Path) -> None:
    path = folder / "planning" / "tasks" / "1.1.1.todo.md"
    path.write_text(re.sub(r"^until: .*\n", "", path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")


def test_a_session_is_chosen_and_stored_before_its_worker_starts_and_gets_the_approval(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [PLAN, WORK])
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    first, second = stub.words(1), stub.words(2)
    session = first[first.index("--session-id") + 1]
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", session)
    # The stub says another id than it was given: what the stream names counts.
    assert second[second.index("--resume") + 1] == ID == fact(folder, "session")
    assert stub.prompt(2).startswith("APPROVED -- execute the plan as written.\n")
    assert "You do one task of a larger plan" in stub.prompt(1)
    assert "You do one task of a larger plan" not in stub.prompt(2)


def test_tokens_and_price_stand_in_the_log_and_in_the_todo_file(tmp_path: Path) -> None:
    folder, _ = made(tmp_path, [PLAN, WORK])
    left = run_orch(folder, "next-wave", "--auto")

    assert "ended turn=plan outcome=finished usd=0.2500 in=1000 out=20 cached=100\n" in todo(folder)
    assert "ended turn=execute outcome=finished report=printed usd=0.5000 in=1000 out=20 cached=100 " in todo(folder)
    assert fact(folder, "cost") == "{input: 2000, output: 40, usd: 0.7500}"
    assert "$0.7500" in left.out


def test_a_quota_holds_the_account_without_counting_an_attempt(tmp_path: Path) -> None:
    turns = [PLAN, failed("429", "Try again in 2h."), WORK]
    folder, stub = made(tmp_path, turns)
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 5, left
    until = fact(folder, "until")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", until)
    assert f"claude rests until {until}: quota: API Error: Request rejected (429)" in left.out
    assert left.out.endswith("next: orch next-wave\n")
    assert f"claude rests until {until}" in run_orch(folder, "status").out
    assert (run_orch(folder, "next-wave", "--auto").code, stub.calls) == (5, 2)

    take_out_until(folder)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert " failed " not in todo(folder)
    assert stub.words(3)[stub.words(3).index("--resume") + 1] == ID
    assert "ended before its execute turn was over" in stub.prompt(3)


def test_a_quota_of_one_task_holds_the_others_of_the_same_kind(tmp_path: Path) -> None:
    other = Task("2", ("b.dat",))
    folder, stub = made(tmp_path, [failed("quota")], tasks=[TASK, other])
    left = run_orch(folder, "next-wave", "--auto", "--jobs", "1")

    assert left.code == 5, left
    assert "1.1.2 pending Task 2: claude rests until " in left.out, left.out
    assert "(seen at 1.1.1)" in left.out
    assert stub.calls == 1


def test_looking_knows_which_tier_a_fresh_task_has_while_an_account_rests(tmp_path: Path) -> None:
    stub = stub_agent(tmp_path / "stub", [failed("429", "Try again in 2h.")])
    other = Task("2", ("b.dat",), extra="- **Tier:** mid", turns=(planning(Task("2", ("b.dat",))),))
    mid = "mid: {driver: scripted, script: planning/workers.yaml}"
    workers = f"{worker_line(stub)}\n  {mid}"
    folder = planned(tmp_path / "repo", [TASK, other], settings="gate: stop\n", worker=workers)
    assert run_orch(folder, "next-wave", "--jobs", "1").code == 5
    for path in (folder / "planning" / "tasks").glob("1.1.2.*"):
        path.unlink()
    state = folder / "planning" / "STATE_1.md"
    state.write_text(state.read_text("utf-8").replace("| plan-ready |", "| pending |"), "utf-8")

    left = run_orch(folder, "status")
    assert "1.1.1 planning Task 1: claude rests until " in left.out, left
    assert "\n1.1.2 pending Task 2: orch will start its plan turn, " in left.out, left
    assert left.out.endswith("next: orch next-wave\n"), left
    assert "would plan 1.1.2: " in run_orch(folder, "next-wave", "--dry-run").out


def test_a_service_that_fails_is_tried_again_and_at_last_counts_as_a_death(tmp_path: Path) -> None:
    storm = failed("storm", "Try again in 1s.")
    folder, stub = made(tmp_path, [storm, storm, PLAN, WORK])
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    assert (stub.calls, todo(folder).count("outcome=api-error")) == (4, 2)

    folder, stub = made(tmp_path / "again", [storm] * 9)
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert (stub.calls, todo(folder).count(" failed kind=died")) == (8, 2)
    assert "blocked" in left.out and "API Error: 529 no luck" in left.out


def test_a_lost_session_is_started_afresh_with_the_approved_plan(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [PLAN, recordings("claude")["lost"], WORK])
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    words = stub.words(3)
    assert "--session-id" in words and "--resume" not in words
    assert " failed " not in todo(folder)
    prompt = stub.prompt(3)
    assert "APPROVED -- execute the plan as written." in prompt
    assert "- [ ] 1. Create `a.dat`" in prompt
    assert "You do one task of a larger plan" in prompt


def test_a_worker_that_is_killed_with_its_shim_goes_on_in_its_session(tmp_path: Path) -> None:
    killed = replace(
        begun("claude").replacing("claude-sonnet-5-5", "model-1"), then="echo half > a.dat; kill -9 $PPID; kill -9 $$"
    )
    folder, stub = made(tmp_path, [PLAN, killed, WORK])
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert stub.words(3)[stub.words(3).index("--resume") + 1] == ID
    assert "ended before its execute turn was over" in stub.prompt(3)
    assert git(folder, "show", "orch/1-things:a.dat") == "right"
    # What the killed turn cost nobody knows, and of its tokens what it had told.
    assert "ended turn=execute outcome=killed usd=unknown in=1000 out=20 cached=100 partial=yes\n" in todo(folder)
    assert fact(folder, "cost") == "{input: at least 3000, output: at least 60, usd: at least 0.7500}"
    assert "at least $0.7500" in left.out


def test_a_changed_spec_begins_a_new_session(tmp_path: Path) -> None:
    folder, stub = made(tmp_path, [PLAN, PLAN, WORK])
    assert run_orch(folder, "next-wave").code == 3
    path = folder / "planning" / "EXECUTION_PLAN_1.md"
    path.write_text(path.read_text("utf-8").replace("it is there", "it is there, and right"), "utf-8")
    assert run_orch(folder, "next-wave").code == 3

    assert "--session-id" in stub.words(2)
    assert "it is there, and right" in stub.prompt(2)


def test_another_model_than_the_one_asked_for_is_told(tmp_path: Path) -> None:
    folder, _ = made(tmp_path, [said(plan_text(TASK), session=ID, model="model-0"), WORK])
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert "1.1.1: the model model-1 was asked for, the service used model-0" in left.out
    assert "ended turn=plan outcome=finished model=model-0 " in todo(folder)


def test_a_revised_plan_that_is_only_said_replaces_the_one_in_the_todo_file(tmp_path: Path) -> None:
    second = said(plan_text(TASK).replace("Do task 1.", "Do task 1 well."), session=ID)
    folder, stub = made(tmp_path, [PLAN, second])
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "revise", "1.1.1", "-m", "Do it well.").code == 0
    assert run_orch(folder, "next-wave").code == 3

    assert "Do task 1 well." in todo(folder)
    assert "Do it well." in stub.prompt(2)


def test_a_plan_that_a_reviewer_refuses_is_revised_in_its_session(tmp_path: Path) -> None:
    reviewer = stub_agent(
        tmp_path / "reviewer", [said(f"{word}\n- no\n", session="r") for word in ("REVISE", "APPROVE")]
    )
    worker = stub_agent(tmp_path / "stub", [PLAN, PLAN, WORK])
    review = worker_line(reviewer).replace("small:", "review:")
    folder = planned(tmp_path / "repo", [TASK], settings="gate: review\n", worker=f"{worker_line(worker)}\n  {review}")
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert re.findall(r" started turn=(?:plan|execute) .* session=(\w+)", todo(folder)) == ["new", "resumed", "resumed"]
    assert worker.prompt(2).startswith("Your plan for task 1.1.1 is not approved yet")


def test_a_quota_of_the_reviewer_holds_the_review_and_blames_nobody(tmp_path: Path) -> None:
    rate = failed("429", "Try again in 2h.")
    reviewer = stub_agent(tmp_path / "reviewer", [rate, said("APPROVE\n", session=ID, usd=0.125)])
    worker = stub_agent(tmp_path / "stub", [PLAN, WORK])
    review = worker_line(reviewer).replace("small:", "review:")
    folder = planned(tmp_path / "repo", [TASK], settings="gate: review\n", worker=f"{worker_line(worker)}\n  {review}")
    left = run_orch(folder, "next-wave")
    assert left.code == 5, left
    assert "claude rests until " in left.out
    assert "--permission-mode\nplan" in "\n".join(reviewer.words(1))

    take_out_until(folder)
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert (reviewer.calls, worker.calls) == (2, 2)
    assert "approved by=review\\ model-1" in todo(folder) or "approved_by: review model-1" in todo(folder)
    assert re.search(r"ended turn=review outcome=finished answer=approve usd=0.1250 in=1000 out=20", todo(folder))
    assert fact(folder, "cost") == "{input: 4000, output: 80, usd: 0.8750}", "with the question to its service"


def test_the_log_shows_what_a_worker_says_and_uses_and_raw_its_events(tmp_path: Path) -> None:
    use = {"type": "tool_use", "name": "Read", "input": {"file_path": "PLACE/src/a.py"}}
    work = replace(WORK, lines=({"type": "assistant", "message": {"content": [use]}}, "a warning", *WORK.lines))
    folder, stub = made(tmp_path, [PLAN, work])
    # The stub says an absolute path in its workspace, as such programs do.
    script = (stub.folder / "agent").read_text("utf-8").replace("cat ", "sed s,PLACE,$PWD,g ")
    (stub.folder / "agent").write_text(script, "utf-8")
    assert run_orch(folder, "next-wave", "--auto").code == 0

    left = run_orch(folder, "log", "1.1.1")
    *told, last = left.out.splitlines()
    assert told[:4] == ["> Read src/a.py", "a warning", "I look.", "> Read /none"]
    assert (told[5], told[-1]) == ("Through.", "= completed, $0.5000")
    assert last.startswith("1.1.1: its execute turn has ended; ")
    raw = run_orch(folder, "log", "1.1.1", "--raw")
    assert raw.out.splitlines()[0].startswith('{"type": "assistant"')
