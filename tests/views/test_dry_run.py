from dataclasses import replace

from orchestrator.views.dry_run import dry_run_lines
from tests.support.sample_orchestration import decide, orchestration
from tests.support.tokens import tokens


def test_actions_come_first_and_every_task_left_has_its_reason() -> None:
    whole = orchestration(
        {1: ["done"] * 4, 2: ["plan-ready", "approved", "pending", "pending", "pending"], 3: ["pending"] * 4},
        done_waves=[1],
    )
    assert dry_run_lines(whole, decide(whole, jobs=2)) == (
        "orchestration 5, at wave 2 of 3; facts not looked at",
        "would execute 5.2.2: its micro-plan is approved",
        "would plan 5.2.3: its dependencies are done",
        "leaves wave 1 (4 tasks): done",
        "leaves 5.2.1: its micro-plan waits for approval; orch gate",
        "leaves 5.2.4 5.2.5: waits for one of 2 slots",
        "leaves wave 3 (4 tasks): waits for wave 2",
    )


def test_the_end_of_a_wave_is_an_action_of_the_wave() -> None:
    whole = orchestration({1: ["done", "done"], 2: ["pending"]})
    assert "would suites wave 1: every task of the wave has ended" in dry_run_lines(whole, decide(whole))


def test_a_finished_orchestration_has_nothing_to_do() -> None:
    whole = orchestration({1: ["done"] * 4}, done_waves=[1])
    assert dry_run_lines(whole, decide(whole)) == (
        "orchestration 5, every wave is done; facts not looked at",
        "leaves wave 1 (4 tasks): done",
    )


def test_the_same_files_give_the_same_text() -> None:
    statuses = {number: ["pending", "blocked", "running"] for number in range(1, 9)}
    texts = {"\n".join(dry_run_lines(whole, decide(whole))) for whole in (orchestration(statuses) for _ in range(3))}
    assert len(texts) == 1


def test_waves_to_come_beyond_a_few_share_a_line() -> None:
    whole = orchestration({number: ["pending"] * 8 for number in range(1, 126)})
    waves = tuple(replace(wave, depends_on=(wave.number - 1,)) for wave in whole.plan.waves[1:])
    whole = replace(whole, plan=replace(whole.plan, waves=(whole.plan.waves[0], *waves)))
    assert dry_run_lines(whole, decide(whole, jobs=8))[2:] == (
        "leaves wave 2 (8 tasks): waits for wave 1",
        "leaves wave 3 (8 tasks): waits for wave 2",
        "leaves wave 4 (8 tasks): waits for wave 3",
        "leaves wave 5 (8 tasks): waits for wave 4",
        "leaves waves 6-125 (960 tasks): after those",
    )


def test_a_thousand_tasks_that_wait_for_the_same_share_a_line() -> None:
    whole = orchestration({number: ["pending"] * 8 for number in range(1, 126)})
    assert tokens("\n".join(dry_run_lines(whole, decide(whole)))) <= 200
