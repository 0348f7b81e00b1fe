"""Every way in which an agent program's turn ends, through whole waves: a stub replays what the real ones said.

For each: the outcome in the log, what it counts, that the output is kept, that no process is left, and what comes next.
Each replay leaves a tool running in a session of its own, as such programs do when they are killed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.process.carriers import carriers
from tests.drivers.recorded import HANGS, NOTHING, cut
from tests.drivers.telling import result_of
from tests.e2e.test_agent_workers import todo
from tests.process.runs import until
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, report_text
from tests.support.recordings import Recorded, recordings
from tests.support.stub_agent import Stub, stub_agent

TASK = Task("1", ("a.dat",), test="grep -q right a.dat")
TOOL = "setsid sleep 300 >/dev/null 2>&1 & "


def plan(name: str) -> Recorded:
    return recordings(name)["finished"].saying(plan_text(TASK))


def work(name: str, ending: str = "finished") -> Recorded:
    words = f"Through.\n\n## Report\n\n{report_text(['a.dat'])}"
    return replace(recordings(name)[ending].saying(words), then="echo right > a.dat; ")


def made(tmp_path: Path, name: str, turns: Sequence[Recorded], **limits: str) -> tuple[Path, Stub]:
    """A repository whose worker replays these turns, each with a tool left running."""
    stub = stub_agent(tmp_path / "stub", [replace(turn, then=f"{TOOL}{turn.then}") for turn in turns])
    worker = {"driver": name, "program": stub.program, "timeout": "60s", **limits}
    return planned(tmp_path / "repo", [TASK], worker=f"small: {json.dumps(worker)}"), stub


def outcomes(folder: Path) -> list[str]:
    """How the turns ended, by the log."""
    return re.findall(r" ended turn=\w+ outcome=(\S+)", todo(folder))


def deaths(folder: Path) -> int:
    return len(re.findall(r" failed kind=died ", todo(folder)))


def check_nothing_is_left(stub: Stub, turns: int) -> None:
    """No process of any turn."""
    markers = stub.markers
    assert len(markers) == turns
    until(lambda: not any(map(carriers, markers)), 5)


def check_log_is_kept(folder: Path, recorded: Recorded) -> None:
    """`orch log` shows the last turn, and as it came every whole line of it."""
    left = run_orch(folder, "log", "1.1.1", "--raw")
    assert left.code == 0, left
    assert [line for line in recorded.out.split("\n")[:-1] if line not in left.out.splitlines()] == []
    if not (recorded.out or recorded.err):
        assert "turn has ended and printed nothing" in left.out, left


def check_said_and_next(folder: Path, left: Left, *, said: str, comes: str) -> None:
    """What happened and what comes next, in what the call says and in `orch status`."""
    for one in (left, run_orch(folder, "status")):
        assert said in one.out, one
        assert one.out.endswith(f"next: {comes}\n"), one


def replayed(name: str, ending: str) -> Recorded:
    match ending:
        case "hangs":
            return HANGS
        case "says nothing":
            return NOTHING
        case "cut":
            return cut(name)
        case "cut, exit code 0":
            return cut(name, code=0)
        case _:
            return recordings(name)[ending]


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("claude", "finished"),
        ("gemini", "finished"),
        ("codex", "retries"),
        ("claude", "retries"),
        ("claude", "tool-left"),
        ("codex", "tool-left"),
    ],
)
def test_a_turn_that_finishes_counts_nothing_whatever_it_met_on_its_way(name: str, ending: str, tmp_path: Path) -> None:
    folder, stub = made(tmp_path, name, [plan(name), work(name, ending)])
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 0, left
    assert (outcomes(folder), deaths(folder)) == (["finished", "finished"], 0)
    check_nothing_is_left(stub, 2)
    check_log_is_kept(folder, work(name, ending))
    check_said_and_next(folder, left, said="wave 1: done", comes="git merge orch/1-things")


DEATHS = [
    ("claude", "refused", "refused", "safeguards flagged this message"),
    ("claude", "turns", "limit", "it used up its limit: max_turns"),
    ("gemini", "turns", "limit", "Reached max session turns"),
    ("claude", "budget", "limit", "it used up its limit: max_budget_usd"),
    ("gemini", "looped", "failed", "Loop detected"),
    ("claude", "400", "failed", "no luck (400)"),
    ("codex", "404", "failed", "no luck (404)"),
    ("claude", "stalled", "limit", "no sign of life for 2s (`stall`)"),
    ("codex", "silent", "limit", "no sign of life for 2s (`stall`)"),
    ("gemini", "hangs", "limit", "never said a word within 2s (`start`)"),
    ("claude", "says nothing", "no-answer", "it ended without saying that it is done"),
    ("codex", "bad-flag", "failed", "(exit 2): "),
    ("claude", "term-tool", "failed", "(exit 143)"),
    ("gemini", "term-tool", "no-answer", "it ended without saying that it is done"),
    ("claude", "int-model", "killed", "it was interrupted"),
    ("codex", "int-tool", "failed", "(exit 1)"),
    ("codex", "kill-tool", "failed", "ended by signal 9 (SIGKILL)"),
    ("claude", "segv", "failed", "ended by signal 11 (SIGSEGV)"),
    ("gemini", "abort", "failed", "ended by signal 6 (SIGABRT)"),
    ("codex", "cut", "failed", "ended by signal 9 (SIGKILL)"),
    ("claude", "cut, exit code 0", "no-answer", "it ended without saying that it is done"),
]


@pytest.mark.parametrize(("name", "ending", "outcome", "words"), DEATHS)
def test_a_turn_that_dies_is_begun_again_once_and_then_somebody_is_asked(
    name: str, ending: str, outcome: str, words: str, tmp_path: Path
) -> None:
    recorded = replayed(name, ending)
    limits = {} if not recorded.then else {"stall": "2s"} if recorded.lines else {"start": "2s"}
    folder, stub = made(tmp_path, name, [recorded, recorded], **limits)
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 4, left
    assert (outcomes(folder), deaths(folder)) == ([outcome] * 2, 2)
    assert "counts: {plan: 0, accept: 0, report: 0, scope: 0, conflict: 0, died: 2}\n" in todo(folder)
    check_nothing_is_left(stub, 2)
    check_log_is_kept(folder, recorded)
    assert words in left.out, left
    check_said_and_next(folder, left, said="1.1.1 blocked ", comes='orch retry 1.1.1 --because "…"')


def test_the_step_that_is_named_after_deaths_is_one_that_goes_on(tmp_path: Path) -> None:
    segv = recordings("claude")["segv"]
    folder, stub = made(tmp_path, "claude", [segv, plan("claude"), segv, work("claude")])
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 4, left
    assert (outcomes(folder), deaths(folder)) == (["failed", "finished", "failed"], 2)
    assert run_orch(folder, "retry", "1.1.1", "--because", "the machine had no memory left").code == 0
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == 0, left
    check_nothing_is_left(stub, 4)


WEATHER = [
    *(("claude", ending, "quota") for ending in ("401", "403", "429", "429-wait", "quota", "no-key")),
    *(("codex", ending, "quota") for ending in ("429-wait", "used-up")),
    ("gemini", "no-key", "quota"),
    *(("claude", ending, "api-error") for ending in ("500", "503", "storm", "unreachable", "stream-error")),
    *(("codex", ending, "api-error") for ending in ("dropped", "unreachable")),
    *(("gemini", ending, "api-error") for ending in ("dropped", "stream-error")),
]


@pytest.mark.parametrize(("name", "ending", "outcome"), WEATHER)
def test_a_quota_or_a_broken_service_holds_the_account_and_counts_nothing(
    name: str, ending: str, outcome: str, tmp_path: Path
) -> None:
    recorded = recordings(name)[ending]
    message = result_of(name, ending, tmp_path).message.split("\n")[0]
    if outcome == "api-error":
        # Half a minute is what it would be waited for.
        recorded = recorded.replacing(message, f"{message} Try again in 3h.")
    folder, stub = made(tmp_path, name, [recorded], **({"stall": "2s"} if recorded.then else {}))
    left = run_orch(folder, "next-wave", "--auto")

    assert left.code == 5, left
    assert (outcomes(folder), deaths(folder)) == ([outcome], 0)
    assert not re.search(r"^counts: .*[1-9]", todo(folder), re.MULTILINE)
    check_nothing_is_left(stub, 1)
    check_log_is_kept(folder, recorded)
    until = re.search(r"^until: (\S+)$", todo(folder), re.MULTILINE)
    assert until is not None
    said = f"{name} rests until {until[1]}: {outcome}: {message[:20].strip()}"
    check_said_and_next(folder, left, said=said, comes="orch next-wave")
