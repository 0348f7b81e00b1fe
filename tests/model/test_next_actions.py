"""What happens next: tables of situations, and the promise that every task has an action or a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.errors import Location
from orchestrator.model.actions import Decision, Verb, Why
from orchestrator.model.facts import Facts, Limits, TaskFacts, Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan, Question, plan_hash
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Dependency, Plan, Spec, Wave
from orchestrator.model.settings import Settings
from orchestrator.model.stage import standing
from orchestrator.model.state import BoardRow, State, WaveRow
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.task_file import TaskFile

A, B, C, D = (TaskKey(5, 1, "1"), TaskKey(5, 1, "2"), TaskKey(5, 2, "1"), TaskKey(5, 2, "2"))
AT = Location("planning/EXECUTION_PLAN_5.md", 1)
HEAD = "77aa0123456789"


def entry(event: str, **values: str) -> LogEntry:
    return LogEntry("2026-11-29T10:00:00Z", event, values)


def written(*entries: LogEntry) -> tuple[LogEntry, ...]:
    """The log with every board write closed."""
    log: list[LogEntry] = []
    for one in entries:
        log.append(one)
        if one.get("board"):
            log.append(entry("board", status=one.get("board")))
    return tuple(log)


PLANNING = (entry("started", turn="plan", board="planning"),)
GATE = (*PLANNING, entry("planned", board="plan-ready"))
SENT_BACK = (*PLANNING, entry("revised", by="checks", why="out of scope", board="planning"))
REVIEWING = (*GATE, entry("started", turn="review", of="plan", asked=plan_hash(MicroPlan()), driver="command"))
LOST = (*REVIEWING, entry("ended", turn="review", outcome="killed", why="exit 1"))
LOST_TWICE = (*LOST, *REVIEWING[-1:], *LOST[-1:])
UNANSWERED = (*REVIEWING, entry("ended", turn="review", outcome="finished", answer="none", why="it chats"))
APPROVED = (*GATE, entry("approved", by="session", board="approved"))
WORKING = (*APPROVED, entry("started", turn="execute", board="running"))
ENDED = (*WORKING, entry("ended", turn="execute", outcome="finished", board="verifying"))
RETRY = (*ENDED, entry("failed", kind="accept", next="retry", why="1 failed", board="running"))
BLOCKED = (*ENDED, entry("failed", kind="accept", next="blocked", why="1 failed", board="blocked"))
VERIFIED = (*ENDED, entry("verified", tree="t", head=HEAD, board="verified"))
JUDGED = (*VERIFIED, entry("approved", of="diff", by="session", tree="t", head=HEAD))
DIFF_REVIEWING = (*VERIFIED, entry("started", turn="review", of="diff", asked="t", driver="command"))
DIFF_LOST = (*DIFF_REVIEWING, entry("ended", turn="review", outcome="killed", why="exit 1"))
DIFF_UNANSWERED = (*DIFF_REVIEWING, entry("ended", turn="review", outcome="finished", answer="none", why="it chats"))
OTHER_TREE = (entry("verified", tree="u", head=HEAD, board="verified"),)
LANDED = (*VERIFIED, entry("landed", commit="abc1234def", board="done"))
SKIPPED = (entry("decided", to="skipped", board="skipped"),)


def orchestration(
    logs: dict[TaskKey, tuple[LogEntry, ...]] | None = None,
    *,
    cells: dict[TaskKey, str] | None = None,
    waves: tuple[WaveRow, ...] = (),
    questions: tuple[Question, ...] = (),
    findings: str = "",
) -> Orchestration:
    """Two waves of two tasks; C depends on A, D on B. Cells follow the logs unless given."""
    specs = tuple(
        Spec(key, f"Task {key}", AT, "text", depends_on=depends)
        for key, depends in (
            (A, ()),
            (B, ()),
            (C, (Dependency("5.1.1", task=A),)),
            (D, (Dependency("5.1.2", task=B),)),
        )
    )
    plan = Plan(
        5,
        "Title",
        AT.path,
        waves=(Wave(1, "first", (A, B), ()), Wave(2, "second", (C, D), (1,))),
        specs=specs,
    )
    files = {
        key: TaskFile(
            key,
            exists=True,
            log=written(*log),
            micro_plan=MicroPlan(questions=questions),
            findings=findings,
        )
        for key, log in (logs or {}).items()
    }
    rows = []
    for key in plan.in_waves():
        word = (cells or {}).get(key) or (str(standing(files[key].log).opened) if key in files else "pending")
        known = {status.value: status for status in Status}
        rows.append(BoardRow(key, f"Task {key}", word, known.get(word)))
    state = State(5, "planning/STATE_5.md", exists=True, run="k3f9", board=tuple(rows), waves=waves)
    return Orchestration(plan, state, Settings(), files)


def facts(**turns: Turn) -> Facts:
    names = {"a": A, "b": B, "c": C, "d": D}
    return Facts(HEAD, {names[name]: TaskFacts(turn=turn) for name, turn in turns.items()})


def said(decision: Decision) -> dict[str, str]:
    """Key → verb or reason word, and the wave's own action under `wave`."""
    words = {str(action.key or "wave"): str(action.verb) for action in decision.actions}
    return words | {str(wait.key): str(wait.why) for wait in decision.waits}


@pytest.mark.parametrize(
    ("log", "turn", "word"),
    [
        ((), Turn.NONE, Verb.PLAN),
        (PLANNING, Turn.ALIVE, Why.WORKING),
        (PLANNING, Turn.ENDED, Verb.COLLECT),
        (PLANNING, Turn.LOST, Verb.SALVAGE),
        (PLANNING, Turn.NEVER_STARTED, Verb.RESPAWN),
        (SENT_BACK, Turn.NONE, Verb.PLAN),
        (GATE, Turn.NONE, Why.GATE),
        (APPROVED, Turn.NONE, Verb.EXECUTE),
        (WORKING, Turn.ALIVE, Why.WORKING),
        (WORKING, Turn.ENDED, Verb.COLLECT),
        (ENDED, Turn.NONE, Verb.VERIFY),
        (RETRY, Turn.NONE, Verb.RETRY),
        (BLOCKED, Turn.NONE, Why.BLOCKED),
        (VERIFIED, Turn.NONE, Verb.LAND),
        (LANDED, Turn.NONE, Why.ENDED),
        (SKIPPED, Turn.NONE, Why.ENDED),
    ],
)
def test_a_task_goes_on_from_where_its_log_left_it(log: tuple[LogEntry, ...], turn: Turn, word: str) -> None:
    decision = next_actions(orchestration({A: log}), facts(a=turn), Limits())

    assert said(decision)[str(A)] == str(word)


def test_waves_run_in_order_and_tasks_of_a_wave_at_once() -> None:
    decision = next_actions(orchestration(), facts(), Limits())

    assert said(decision) == {str(A): "plan", str(B): "plan", str(C): "wave", str(D): "wave"}
    assert decision.wave == 1


def test_no_more_workers_than_slots() -> None:
    decision = next_actions(orchestration({A: PLANNING}), facts(a=Turn.ALIVE), Limits(jobs=1))

    assert said(decision)[str(B)] == "slot"


@pytest.mark.parametrize("log", [ENDED, VERIFIED], ids=["its test runs", "it waits in line to land"])
def test_a_task_that_is_tested_or_waits_in_line_takes_no_slot(log: tuple[LogEntry, ...]) -> None:
    tasks = {A: TaskFacts(turn=Turn.ENDED, is_busy=True)}
    decision = next_actions(orchestration({A: log}), Facts(tasks=tasks), Limits(jobs=1))

    assert said(decision)[str(B)] == "plan"


def test_a_workspace_that_is_being_set_up_takes_a_slot() -> None:
    tasks = {A: TaskFacts(is_busy=True)}
    decision = next_actions(orchestration(), Facts(tasks=tasks), Limits(jobs=1))

    assert said(decision)[str(B)] == "slot"


def test_a_blocked_task_holds_its_dependents_with_the_true_cause_and_its_siblings_go_on() -> None:
    decision = next_actions(orchestration({A: BLOCKED, B: APPROVED}), facts(), Limits())

    assert said(decision) == {str(A): "blocked", str(B): "execute", str(C): "held", str(D): "held"}
    assert [wait.reason for wait in decision.waits if wait.key == C] == ["5.1.1 is blocked: 1 failed"]


def test_a_wave_whose_tasks_have_all_ended_runs_its_suites() -> None:
    decision = next_actions(orchestration({A: LANDED, B: LANDED}), facts(), Limits())

    assert said(decision)["wave"] == "suites"


def test_a_done_wave_gives_way_to_the_next() -> None:
    waves = (WaveRow(1, WaveStatus.DONE, commit=HEAD[:7]),)
    decision = next_actions(orchestration({A: LANDED, B: LANDED}, waves=waves), facts(), Limits())

    assert said(decision) == {str(A): "ended", str(B): "ended", str(C): "plan", str(D): "plan"}


def test_a_red_wave_holds_all_later_ones() -> None:
    waves = (WaveRow(1, WaveStatus.RED, commit=HEAD[:7]),)
    decision = next_actions(orchestration({A: LANDED, B: LANDED}, waves=waves), facts(), Limits())

    assert said(decision) == {str(A): "ended", str(B): "ended", str(C): "red", str(D): "red"}
    assert (decision.wave, decision.red) == (None, (1,))


def test_a_wave_set_back_to_checking_runs_its_suites_again() -> None:
    waves = (WaveRow(1, WaveStatus.CHECKING, commit=HEAD[:7]),)
    decision = next_actions(orchestration({A: LANDED, B: LANDED}, waves=waves), facts(), Limits())

    assert said(decision)["wave"] == "suites"


def test_a_wave_with_a_blocked_task_rests_once_its_suites_ran_at_this_head() -> None:
    waves = (WaveRow(1, WaveStatus.OPEN, suites="unit 3 passed", commit=HEAD[:7]),)
    decision = next_actions(orchestration({A: LANDED, B: BLOCKED}, waves=waves), facts(), Limits())

    assert decision.actions == ()
    assert decision.stuck == (1,)


def test_all_done_is_finished() -> None:
    waves = (WaveRow(1, WaveStatus.DONE), WaveRow(2, WaveStatus.DONE))
    logs = dict.fromkeys((A, B, C, D), LANDED)
    decision = next_actions(orchestration(logs, waves=waves), facts(), Limits())

    assert (decision.is_finished, decision.actions) == (True, ())


def test_a_skipped_task_holds_those_that_depend_on_it() -> None:
    waves = (WaveRow(1, WaveStatus.DONE),)
    decision = next_actions(orchestration({A: SKIPPED, B: LANDED}, waves=waves), facts(), Limits())

    assert said(decision)[str(C)] == "held"
    assert said(decision)[str(D)] == "plan"


def test_an_open_question_is_parked_and_never_passes_on_checks() -> None:
    asked = orchestration({A: GATE}, questions=(Question(1, "keep it?"),))
    decision = next_actions(asked, facts(), Limits(gate="auto"))

    assert said(decision)[str(A)] == "settle"
    from_files = next_actions(asked, None, Limits(gate="auto"))
    assert said(from_files)[str(A)] == "question"
    assert [wait.remedy for wait in from_files.waits if wait.key == A] == ["orch approve 5.1.1 --answer 1=…"]


def test_the_auto_gate_opens_for_a_plan_without_findings_only() -> None:
    clean = next_actions(orchestration({A: GATE}), facts(), Limits(gate="auto"))
    warned = next_actions(orchestration({A: GATE}, findings="- warning: x"), facts(), Limits(gate="auto"))

    assert (said(clean)[str(A)], said(warned)[str(A)]) == ("approve", "gate")


def test_a_changed_spec_asks_for_a_new_plan() -> None:
    changed = orchestration({A: APPROVED})
    files = {A: replace(changed.tasks[A], spec="sha256:old")}
    decision = next_actions(replace(changed, tasks=files), facts(), Limits())

    assert said(decision)[str(A)] == "replan"


def test_an_unknown_word_on_the_board_holds_its_task_alone() -> None:
    decision = next_actions(orchestration(cells={A: "soonish"}), facts(), Limits())

    assert said(decision)[str(A)] == "cell"
    assert said(decision)[str(B)] == "plan"


def test_until_plan_starts_no_execute_turn() -> None:
    decision = next_actions(orchestration({A: APPROVED}), facts(), Limits(until_plan=True))

    assert said(decision)[str(A)] == "until"


def test_a_stop_starts_nothing_and_says_so() -> None:
    stopped = orchestration({A: PLANNING})
    stopped = replace(stopped, state=replace(stopped.state, stop="lunch"))
    decision = next_actions(stopped, facts(a=Turn.ENDED), Limits())

    assert said(decision)[str(A)] == "collect"
    assert said(decision)[str(B)] == "stop"


def test_files_alone_decide_nothing_about_processes() -> None:
    decision = next_actions(orchestration({A: PLANNING, B: GATE}), None, Limits())

    assert said(decision)[str(A)] == "working"


logs = st.sampled_from(
    [
        *((), PLANNING, SENT_BACK, GATE, REVIEWING, LOST, LOST_TWICE, UNANSWERED, APPROVED, WORKING, ENDED, RETRY),
        *(BLOCKED, VERIFIED, JUDGED, DIFF_REVIEWING, DIFF_LOST, DIFF_UNANSWERED, LANDED, SKIPPED),
    ]
)
rows = st.lists(st.sampled_from([None, *WaveStatus]), min_size=2, max_size=2)
cells = st.dictionaries(st.sampled_from([A, B, C, D]), st.sampled_from([*(str(s) for s in Status), "soonish"]))


@settings(max_examples=600)
@example(
    {A: LANDED, B: SKIPPED, C: (), D: ()},
    [WaveStatus.OPEN, None],
    {},
    dict.fromkeys("abcd", Turn.NONE),
    4,
    "stop",
    "none",
)
@given(
    st.fixed_dictionaries({A: logs, B: logs, C: logs, D: logs}),
    rows,
    cells,
    st.fixed_dictionaries({key: st.sampled_from(list(Turn)) for key in "abcd"}),
    st.integers(1, 4),
    st.sampled_from(["stop", "auto", "review"]),
    st.sampled_from(["none", "stop", "review"]),
)
def test_every_task_has_an_action_or_a_reason_and_nothing_rests_silently(
    all_logs: dict[TaskKey, tuple[LogEntry, ...]],
    statuses: list[WaveStatus | None],
    by_hand: dict[TaskKey, str],
    turns: dict[str, Turn],
    jobs: int,
    gate: str,
    review_diff: str,
) -> None:
    waves = tuple(WaveRow(number, status, commit=HEAD[:7]) for number, status in enumerate(statuses, start=1) if status)
    subject = orchestration(all_logs, cells=by_hand, waves=waves)
    subject = replace(subject, settings=replace(subject.settings, review_diff=review_diff))
    seen = facts(**turns)
    decision = next_actions(subject, seen, Limits(jobs=jobs, gate=gate))

    keys = [action.key for action in decision.actions if action.key] + [wait.key for wait in decision.waits]
    assert sorted(keys, key=TaskKey.order) == [A, B, C, D]
    assert decision == next_actions(subject, seen, Limits(jobs=jobs, gate=gate)), "same input, same decision"
    for wait in decision.waits:
        assert wait.reason
        if wait.why.needs_person or wait.why in (Why.BLOCKED, Why.HELD, Why.RED):
            assert wait.remedy, wait
    if not decision.actions and not decision.is_finished and not decision.red:
        resting = {wait.why for wait in decision.waits}
        assert resting - {Why.ENDED, Why.WAVE, Why.SLOT}, decision


def test_a_wave_does_not_end_while_a_write_of_one_of_its_tasks_failed() -> None:
    whole = orchestration({A: LANDED, B: LANDED})
    assert said(next_actions(whole, Facts(HEAD, {}), Limits())).get("wave") == Verb.SUITES
    failed = Facts(HEAD, {A: TaskFacts(trouble=("the disk is full", "make room"))})
    decision = next_actions(whole, failed, Limits())
    assert (decision.actions, said(decision)[str(A)]) == ((), Why.TROUBLE)
