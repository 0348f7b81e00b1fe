"""`orch status` beside a run: what each worker at work is doing, by its process and the end of its stream."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.test_edits_during_a_run import running
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, planning, report_text, working
from tests.support.priced import priced

TASK = Task("1", ("a.dat",))


def said(text: str, number: int, **tool: object) -> dict[str, object]:
    content: list[object] = [{"type": "text", "text": text}]
    content += [{"type": "tool_use", "name": "Bash", "input": tool}] if tool else []
    usage = {"input_tokens": 300 * number, "output_tokens": 1}
    return {"type": "assistant", "message": {"id": f"m{number}", "content": content, "usage": usage}}


def seen(folder: Path, fits: Callable[[Left], bool]) -> Left:
    """Status, once it says what is waited for."""
    until = time.monotonic() + 60
    while True:
        left = run_orch(folder, "status")
        if fits(left):
            return left
        assert time.monotonic() < until, left
        time.sleep(0.2)


def test_status_says_whether_an_orch_is_at_work_and_sends_nobody_into_its_lock(tmp_path: Path) -> None:
    slow = Task("1", ("a.dat",), turns=(planning(TASK, delay=8), working(TASK)))
    folder = planned(tmp_path / "repo", [slow], settings="suites:\n  unit: {run: sleep 4}\n")
    with running(folder):
        at_baseline = seen(folder, lambda one: "orch is at work" in one.out and "baseline: unit" in one.out).out
        assert re.fullmatch(
            r"orchestration 1 Things: 0 of 1 tasks done, branch orch/1-things\n"
            r"orch is at work: process \d+ on \S+ since \S+Z: orch next-wave, orchestration 1\n"
            r"baseline: unit at the fork first; no turn is started before that is over\n"
            r"wave 1 wave 1: open\n"
            r"1\.1\.1 pending Task 1: orch will start its plan turn, its dependencies are done\n"
            r"next: orch wait\n",
            at_baseline,
        ), at_baseline
        at_work = seen(folder, lambda one: "1.1.1 planning" in one.out).out
        assert ("orch is at work: " in at_work, "baseline: " in at_work) == (True, False)
        assert at_work.endswith("next: orch wait\n")
        refused = run_orch(folder, "approve", "1.1.1")
        assert (refused.code, refused.out.split("\n")[-2]) == (1, "next: orch wait")
        assert "orchestration 1" in str(run_orch(folder, "status", "--json").document["orch"])
    left = run_orch(folder, "status")
    assert "orch is at work: " not in left.out
    assert left.out.endswith("next: orch next-wave\n")
    assert run_orch(folder, "block", "1.1.1", "--why", "enough").out.endswith("next: orch next-wave\n")


def test_status_tells_state_last_act_minutes_tokens_and_cost_of_an_agent(tmp_path: Path) -> None:
    events = [
        said("I begin.", 1),
        {"type": "a kind nobody knows", "message": [1]},
        said("Now the test.", 2, command="pytest -q tests"),
        {"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": 77}}},
    ]
    half = '{"type": "assistant", "message": {"content": [{"type": "text", "te'
    work = {"files": {"a.dat": "x\n"}, "report": report_text(["a.dat"]), "events": events, "half": half, "delay": 6}
    worker = priced(tmp_path / "program", {TASK.key: {"plan": {"plan": plan_text(TASK)}, "execute": work}})
    folder = planned(tmp_path / "repo", [TASK], worker=f"small: {worker}")
    with running(folder) as left:
        shown = seen(folder, lambda one: "pytest -q" in one.out)
        assert re.search(
            r"^1\.1\.1 running Task 1: execute turn \d+s, producing, > Bash pytest -q tests;"
            r" 2k tokens so far, \$0\.25 before this turn$",
            shown.out,
            re.MULTILINE,
        ), shown
        document = run_orch(folder, "status", "--json").document["work"]
        assert left().code == 0
    assert isinstance(document, dict)
    (one,) = document.values()
    assert (one["state"], one["turn"], one["input"], one["output"], one["usd_before"]) == (
        *("producing", "execute"),
        *(900, 77, 0.25),
    )
    assert run_orch(folder, "status", "--json").document["work"] == {}


def test_of_a_worker_that_prints_text_the_last_line_is_told(tmp_path: Path) -> None:
    run = "printf 'first\\n\\033[31msecond\\033[0m word\\n'; sleep 5"
    task = Task("1", TASK.creates, turns=(planning(TASK), working(TASK, run=run)))
    folder = planned(tmp_path / "repo", [task])
    with running(folder) as left:
        shown = seen(folder, lambda one: "second word" in one.out)
        assert re.search(r"running Task 1: execute turn \d+s, producing, second word$", shown.out, re.MULTILINE), shown
        assert left().code == 0


def test_a_turn_that_nobody_takes_in_has_ended_and_of_a_long_stream_the_end_alone_is_read(tmp_path: Path) -> None:
    events = [said("x" * 9000, number) for number in range(1, 30)]
    work = {"files": {"a.dat": "x\n"}, "report": report_text(["a.dat"]), "events": events, "delay": 4}
    worker = priced(tmp_path / "program", {TASK.key: {"plan": {"plan": plan_text(TASK)}, "execute": work}})
    folder = planned(tmp_path / "repo", [TASK], worker=f"small: {worker}")
    with running(folder):
        shown = seen(folder, lambda one: "producing, xxx" in one.out)
        assert "at least " in shown.out
    # orch was killed; its worker goes on.
    shown = seen(folder, lambda one: "has ended" in one.out)
    assert re.search(r"^1\.1\.1 running Task 1: execute turn \d+s, has ended", shown.out, re.MULTILINE), shown
    assert run_orch(folder, "next-wave", "--auto").code == 0


SHOWN = """
import orchestrator.engine.watched
from orchestrator.cli import main, opening, output

orchestrator.engine.watched.PAUSE = {pause}
opening.is_terminal = lambda stream: {is_watched}
opening.progress = lambda: output.print_message
main.main()
"""


@pytest.mark.parametrize(("pause", "is_watched", "times"), [(1, True, 2), (1, False, 0), (30, True, 0)])
def test_who_watches_a_call_is_told_what_workers_do_while_none_comes_to_an_end(
    tmp_path: Path, pause: int, is_watched: bool, times: int
) -> None:
    slow = Task("1", ("a.dat",), turns=(planning(TASK), working(TASK, delay=3.5)))
    folder = planned(tmp_path / "repo", [slow])
    program = ("-c", SHOWN.format(pause=pause, is_watched=is_watched))
    left = run_orch(folder, "next-wave", "--auto", program=program)
    assert left.code == 0, left
    told = [line for line in left.err.split("\n") if re.fullmatch(r"1\.1\.1: execute turn \d+s, producing", line)]
    assert len(told) >= times if times else not told, left
