"""What arrives on the two streams, in real processes: pipes, terminals, closed and full outputs."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PRINT = """
import sys
from orchestrator.cli.output import print_outcome, progress
from orchestrator.engine.outcome import Outcome
from orchestrator.errors import Exit
{before}
code = print_outcome(
    Outcome({outcome}), as_json={as_json}
)
sys.exit(code)
"""
WAITING = (
    "'waiting', Exit.WAITING, 'orch gate', ('5.1.1 plan-ready \\u2014 Sch\\u00f6n \\x1b[31m',),"
    " {'wave': 1, 'text': 'Sch\\u00f6n \\U0001f600 \\x9b\\x1b'}, ('one task waits',)"
)


def _script(outcome: str = WAITING, *, as_json: bool = False, before: str = "") -> list[str]:
    text = PRINT.format(outcome=outcome, as_json=as_json, before=before)
    return [sys.executable, "-c", text]


def _environ(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING", "TERM")}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **more}


def _run(argv: list[str], environ: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, env=environ or _environ(), capture_output=True, timeout=60, check=False)


def _on_a_terminal(argv: list[str], environ: Mapping[str, str]) -> str:
    main, side = pty.openpty()
    with subprocess.Popen(argv, env=environ, stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        shown = b""
        try:
            while chunk := os.read(main, 4096):
                shown += chunk
        except OSError:
            # Linux ends the reading of a terminal whose other side is closed with an error.
            pass
        process.wait(60)
    os.close(main)
    return shown.decode().replace("\r\n", "\n")


def test_results_go_to_stdout_with_the_next_command_last_and_warnings_to_stderr() -> None:
    done = _run(_script())
    assert done.returncode == 3
    assert done.stdout.decode() == "5.1.1 plan-ready — Schön \\x1b[31m\nnext: orch gate\n"
    assert done.stderr.decode() == "warning: one task waits\n"


def test_a_warning_at_a_place_says_so_once() -> None:
    script = _script("'done', warnings=('a.md:7:3: warning: odd\\nhint: mend it', 'one task waits')")
    told = _run(script).stderr.decode()
    assert told == "a.md:7:3: warning: odd\nhint: mend it\nwarning: one task waits\n"


def test_json_is_one_document_with_schema_outcome_and_next() -> None:
    done = _run(_script(as_json=True))
    assert done.returncode == 3
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1
    assert json.loads(done.stdout) == {
        "schema": 1,
        "outcome": "waiting",
        "next": "orch gate",
        "wave": 1,
        "text": "Schön 😀 \x9b\x1b",
        "warnings": ["one task waits"],
    }
    assert "Schön".encode() in done.stdout
    assert b"\x1b" not in done.stdout and "\x9b".encode() not in done.stdout


def test_an_output_that_knows_only_ascii_gets_escapes_and_valid_json() -> None:
    environ = _environ(PYTHONIOENCODING="ascii:backslashreplace")
    assert _run(_script(), environ).stdout == b"5.1.1 plan-ready \\u2014 Sch\\xf6n \\x1b[31m\nnext: orch gate\n"
    assert json.loads(_run(_script(as_json=True), environ).stdout)["text"] == "Schön 😀 \x9b\x1b"


def test_colour_is_for_terminals_alone() -> None:
    plain = "warning: one task waits\n5.1.1 plan-ready — Schön \\x1b[31m\nnext: orch gate\n"
    coloured = plain.replace("warning", "\x1b[1;33mwarning\x1b[0m").replace("next", "\x1b[1;32mnext\x1b[0m")
    assert _on_a_terminal(_script(), _environ()) == coloured
    assert _on_a_terminal(_script(), _environ(NO_COLOR="1")) == plain
    assert _on_a_terminal(_script(), _environ(TERM="dumb")) == plain


def test_progress_is_shown_on_a_terminal_and_nowhere_else() -> None:
    before = "progress()('5.1.1 started')"
    argv = _script("'done'", before=before)
    assert _on_a_terminal(argv, _environ()) == "5.1.1 started\n"
    assert _run(argv).stderr == b""
    assert _run(_script("'done'", before="progress(always=True)('5.1.1 started')")).stderr == b"5.1.1 started\n"


def test_a_reader_that_has_seen_enough_ends_nothing_and_prints_nothing() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(_script(), env=_environ(), stdout=write, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write)
    assert done.returncode == 3
    assert done.stderr == b"warning: one task waits\n"


def test_closed_streams_are_no_fault() -> None:
    argv = ["/bin/sh", "-c", 'exec "$@" >&- 2>&-', "sh", *_script()]
    assert _run(argv).returncode == 3


def test_a_full_disk_behind_stdout_is_said_and_not_taken_for_success() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            _script("'done', Exit.DONE, '', ('x',)"), env=_environ(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"error: the result couldn't be written to standard output: No space left on device\n"


def test_a_message_that_nobody_can_read_does_not_end_a_run() -> None:
    read, write = os.pipe()
    os.close(read)
    before = "for _ in range(3): progress(always=True)('5.1.1 started')"
    argv = _script("'done', Exit.DONE, '', ('landed',)", before=before)
    done = subprocess.run(argv, env=_environ(), stdout=subprocess.PIPE, stderr=write, timeout=60, check=False)
    os.close(write)
    assert (done.returncode, done.stdout) == (0, b"landed\n")
