"""Signs of life besides output, as the shim looks for them: the program's transcript and processes that compute."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from orchestrator.process import running, shim
from orchestrator.process.carriers import HAS_PROC
from orchestrator.process.signs import matching
from tests.process.runs import Run, until

needs_proc = pytest.mark.skipif(not HAS_PROC, reason="processor time is read from /proc")


def busy(seconds: float, *, then: str = "") -> str:
    """A script whose children compute for so long, silently; some, as on a busy machine one gets little to do."""
    code = f"import time; end = time.monotonic() + {seconds}; exec('while time.monotonic() < end: pass')"
    return f'for one in 1 2 3 4 5 6; do {sys.executable} -S -c "{code}" & done; wait; {then}'


def life(run: Run) -> bytes:
    return (run.folder / "life").read_bytes() if (run.folder / "life").exists() else b""


@needs_proc
def test_a_run_whose_child_computes_is_not_silent(run: Run) -> None:
    run.start(busy(4.0, then="echo over"), silence=1.6, pulse=0.4)
    ended = run.ended()
    assert (ended.reason, ended.stdout.read_bytes()) == ("exit", b"over\n")
    assert life(run) == b"cpu"


@needs_proc
def test_children_that_come_and_go_count_though_none_lives_long(run: Run) -> None:
    script = "n=0; while [ $n -lt 400 ]; do n=$((n + 1)); (exec true); done; echo over"
    run.start(f"for i in 1 2 3 4 5; do {script}; done > /dev/null; echo over", silence=3.0, pulse=0.5)
    assert run.ended().reason == "exit"


def test_a_run_that_only_ticks_is_ended_as_silent(run: Run) -> None:
    """It wakes up twenty times in a second, as programs do that wait for an answer."""
    code = "import time; exec('while True: time.sleep(0.05)')"
    run.start(f'exec {sys.executable} -S -c "{code}"', silence=1.6, pulse=0.4)
    ended = run.ended()
    assert (ended.reason, ended.message) == ("silence", "no sign of life for 1.6s")


@needs_proc
def test_silence_counts_from_the_last_sign(run: Run) -> None:
    run.start(busy(3.0, then="exec sleep 300"), silence=1.6, pulse=0.4)
    ended = run.ended()
    assert ended.reason == "silence"
    assert ended.ended - ended.started >= 3.0 + 0.8


def test_a_transcript_that_grows_is_a_sign_of_life(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "sessions" / "of today"
    place.mkdir(parents=True)
    script = f"for i in 1 2 3 4 5 6 7 8; do sleep 0.3; echo $i >> '{place}/at-7.jsonl'; done; sleep 300"
    run.start(script, silence=1.2, pulse=0.2, transcript=f"{tmp_path}/sessions/*/*-7.jsonl")
    ended = run.ended()
    assert (ended.reason, life(run)) == ("silence", b"transcript")
    assert ended.ended - ended.started >= 8 * 0.3 + 0.9


def test_a_transcript_is_a_sign_of_life_whatever_the_clock_is_set_to(run: Run, tmp_path: Path) -> None:
    """Its times go back by an hour with every line, as after the clock was set back."""
    place = tmp_path / "at-7.jsonl"
    line = f"echo $i >> '{place}'; touch -d \"$i hours ago\" '{place}'"
    run.start(
        f"for i in 0 1 2 3 4 5 6 7; do sleep 0.3; {line}; done; sleep 300",
        silence=1.2,
        pulse=0.2,
        transcript=str(place),
    )
    ended = run.ended()
    assert (ended.reason, life(run)) == ("silence", b"transcript")
    assert ended.ended - ended.started >= 8 * 0.3 + 0.9


def test_a_session_that_the_program_names_itself_tells_its_transcript(run: Run, tmp_path: Path) -> None:
    event = '{"type": "begun", "thread": "t-12"}'
    script = f"echo '{event}'; for i in 1 2 3 4 5 6 7 8; do sleep 0.3; echo $i >> {tmp_path}/x-t-12; done; sleep 300"
    run.start(script, silence=1.2, pulse=0.2, transcript=f"{tmp_path}/*-{{session}}", named="thread")
    ended = run.ended()
    assert (ended.reason, life(run)) == ("silence", b"transcript")
    assert ended.ended - ended.started >= 8 * 0.3 + 0.9


def test_a_transcript_of_before_the_run_is_no_sign(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text("{}")
    os.utime(old, (1, 1))
    run.start("exec sleep 300", start=0.5, pulse=0.1, transcript=str(old))
    assert run.ended().reason == "start"


def test_a_run_that_never_says_a_word_is_ended_at_its_own_limit(run: Run) -> None:
    run.start("exec sleep 300", start=0.4, silence=30.0)
    ended = run.ended()
    assert (ended.reason, ended.message) == ("start", "never said a word within 0.4s")


@needs_proc
def test_computing_is_no_word(run: Run) -> None:
    run.start(busy(30.0), start=0.8, silence=30.0, pulse=0.2)
    assert run.ended().reason == "start"


@pytest.mark.parametrize("word", ["echo begun", "echo begun >&2", "sleep 0.2; echo late"])
def test_one_word_is_enough_however_long_the_silence_after_it(run: Run, word: str) -> None:
    run.start(f"{word}; sleep 1.5", start=0.8, pulse=0.2)
    assert run.ended().reason == "exit"


def test_a_word_in_the_transcript_is_one_too(run: Run, tmp_path: Path) -> None:
    run.start(f"sleep 0.1; echo x > {tmp_path}/mine; sleep 1.5", start=0.8, pulse=0.2, transcript=f"{tmp_path}/mine")
    assert run.ended().reason == "exit"


def test_limits_in_minutes_are_told_in_minutes(run: Run) -> None:
    run.start("exec sleep 300", timeout=120.0, start=7200.0, silence=90.0)
    limits = [value for key, value in shim.read_record(f"{run.folder}/order") if key == b"limit"]
    assert limits == [
        b"timeout 120.0 not over after 2m",
        b"start 7200.0 never said a word within 120m",
        b"silence 90.0 no output for 90s",
    ]


@needs_proc
def test_what_is_seen_counts_for_whoever_looks_from_outside(run: Run) -> None:
    run.start(busy(30.0), pulse=0.2)
    until(lambda: life(run))
    order = run.folder / "order"
    for name in ("stdout", "stderr", "order"):
        os.utime(run.folder / name, (order.stat().st_mtime - 3600,) * 2)
    assert run.alive().quiet_for < 60


def test_an_installation_that_is_gone_leaves_output_as_the_only_sign(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_ROOT", str(tmp_path / "gone"))
    run.start(f"for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; {busy(30.0)}", silence=0.8, pulse=0.2)
    assert run.ended().reason == "silence"


def test_a_pattern_fits_names_that_begin_and_end_like_it(tmp_path: Path) -> None:
    for name in ("a/x-1.jsonl", "b/y-1.jsonl", "b/1.jsonl", "b/y-2.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert sorted(matching(f"{tmp_path}/*/*-1.jsonl")) == [f"{tmp_path}/a/x-1.jsonl", f"{tmp_path}/b/y-1.jsonl"]
    assert matching(f"{tmp_path}/b/1.jsonl") == [f"{tmp_path}/b/1.jsonl"]
    assert matching("") == matching("not/absolute") == matching(f"{tmp_path}/gone/*") == []
