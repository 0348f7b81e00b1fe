"""The limits that the shim keeps by itself, whether orch is there or not."""

from __future__ import annotations

import signal
import time

from tests.process.runs import Run, until

TENTH = 0.1


def test_a_run_over_its_time_is_ended_with_all_it_started(run: Run) -> None:
    run.start("echo begun; sleep 300 & sleep 300 & wait", timeout=0.3)
    ended = run.ended()
    assert (ended.reason, ended.signal, ended.message) == ("timeout", signal.SIGTERM, "not over after 0.3s")
    assert ended.ended - ended.started >= 0.3
    assert ended.stdout.read_bytes() == b"begun\n"
    assert run.pids() == []


def test_a_grandchild_that_holds_the_output_does_not_hold_up_the_end(run: Run) -> None:
    run.start("sleep 300 & exit 0")
    ended = run.ended()
    assert (ended.reason, ended.exit_code) == ("exit", 0)
    assert ended.ended - ended.started < 60
    assert run.pids() == []


def test_a_run_that_ignores_the_wish_is_killed(run: Run) -> None:
    run.start("trap '' TERM INT; while :; do sleep 0.05; done", timeout=0.2, grace=TENTH)
    ended = run.ended()
    assert (ended.reason, ended.signal) == ("timeout", signal.SIGKILL)
    assert ended.ended - ended.started >= 0.3


def test_a_program_is_asked_by_its_own_signal_before_its_group_is_ended(run: Run) -> None:
    script = "trap 'echo bye; exit 0' INT; trap 'echo rude; exit 1' TERM; while :; do sleep 0.05; done"
    run.start(script, timeout=0.2, gentle=signal.SIGINT, grace=5.0)
    ended = run.ended()
    assert (ended.reason, ended.exit_code, ended.stdout.read_bytes()) == ("timeout", 0, b"bye\n")


def test_the_group_is_ended_when_the_programs_own_signal_does_nothing(run: Run) -> None:
    script = "trap '' INT; trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done"
    run.start(script, timeout=0.2, gentle=signal.SIGINT, grace=TENTH)
    ended = run.ended()
    assert (ended.reason, ended.exit_code, ended.stdout.read_bytes()) == ("timeout", 0, b"bye\n")


def test_a_silent_run_is_ended(run: Run) -> None:
    run.start("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; sleep 300", silence=0.4)
    ended = run.ended()
    assert (ended.reason, ended.message) == ("silence", "no output for 0.4s")
    assert ended.stdout.read_bytes() == b"1\n2\n3\n4\n5\n6\n"
    assert ended.ended - ended.started >= 0.9


def test_output_on_standard_error_is_no_silence(run: Run) -> None:
    run.start("for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.1; done", silence=0.4)
    assert run.ended().reason == "exit"


def test_limits_of_zero_are_none(run: Run) -> None:
    run.start("sleep 0.6", timeout=0.0, silence=0.0)
    assert run.ended().reason == "exit"


def test_output_over_the_cap_ends_the_run_at_once(run: Run) -> None:
    run.start("trap '' TERM; yes & yes >&2", output_cap=1_000_000, grace=60.0)
    ended = run.ended()
    assert (ended.reason, ended.signal, ended.message) == (
        "output",
        signal.SIGKILL,
        "more than 1000000 bytes of output",
    )
    assert run.pids() == []
    for stream in (ended.stdout, ended.stderr):
        stream.unlink()


def test_a_hundred_megabytes_on_both_streams_are_kept(run: Run) -> None:
    size = 100_000_000
    run.start(f"head -c {size} /dev/zero & head -c {size} /dev/zero >&2; wait")
    ended = run.ended()
    assert (ended.reason, ended.exit_code) == ("exit", 0)
    assert (ended.stdout.stat().st_size, ended.stderr.stat().st_size) == (size, size)
    for stream in (ended.stdout, ended.stderr):
        stream.unlink()


def test_a_finished_run_is_noticed_at_once(run: Run) -> None:
    run.start("sleep 0.7")
    ended = run.ended()
    late = time.time() - ended.ended
    assert late < ended.ended - ended.started


def test_limits_hold_while_nobody_looks(run: Run) -> None:
    run.start("sleep 300", timeout=0.2)
    until(lambda: (run.folder / "exit").exists())
    assert run.ended().reason == "timeout"
