"""The way in and out, in real processes."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.cli.group import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def _orch(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "orchestrator", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_help_lists_every_command_with_its_line(tmp_path: Path) -> None:
    shown = _orch("--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert shown.stderr == ""
    listed = dict(re.findall(r"^  ([a-z-]+) {2,}(\S.*)$", shown.stdout.split("Commands:")[1], re.MULTILINE))
    assert listed == dict(COMMANDS)


def test_without_arguments_the_help_is_shown(tmp_path: Path) -> None:
    assert _orch(cwd=tmp_path).stdout == _orch("-h", cwd=tmp_path).stdout


def test_help_fits_a_narrow_terminal(tmp_path: Path) -> None:
    shown = _orch("--help", cwd=tmp_path, COLUMNS="40")
    assert shown.returncode == 0
    assert set(COMMANDS) <= set(shown.stdout.split())


def test_the_version_is_shown(tmp_path: Path) -> None:
    assert re.fullmatch(r"orch \d+\.\d+\.\d+\n", _orch("--version", cwd=tmp_path).stdout)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("nxt-wave",), "no such command 'nxt-wave'; did you mean next-wave?", "orch --help"),
        (("frobnicate",), "no such command 'frobnicate'", "orch --help"),
        (("--frobnicate",), "no such option '--frobnicate'", "orch --help"),
    ],
)
def test_a_wrong_command_line_exits_2_with_a_hint(
    arguments: tuple[str, ...], message: str, hint: str, tmp_path: Path
) -> None:
    done = _orch(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    first, last = done.stderr.splitlines()
    # Older and newer click word an unknown option differently.
    assert first.replace("such option: --frobnicate", "such option '--frobnicate'") == f"error: {message}"
    assert last == f"hint: {hint}"


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (("-n", "7", "clean"), ("clean", "-n", "7")),
        (("--json", "-n", "7", "status"), ("status", "--json", "-n", "7")),
        (("-n7", "check", "--format", "github"), ("check", "-n7", "--format", "github")),
        (("-n", "x", "show", "1.1.1"), ("show", "-n", "x", "1.1.1")),
        (("-n", "7"), ("-n", "7")),
    ],
)
def test_what_every_command_takes_may_stand_before_it_too(
    given: tuple[str, ...], same: tuple[str, ...], tmp_path: Path
) -> None:
    before, behind = _orch(*given, cwd=tmp_path), _orch(*same, cwd=tmp_path)
    assert (before.returncode, before.stdout, before.stderr) == (behind.returncode, behind.stdout, behind.stderr)
    assert "no such option" not in before.stderr or given == same


def test_a_wrong_command_line_under_json_is_a_document(tmp_path: Path) -> None:
    done = _orch("frobnicate", "--json", cwd=tmp_path)
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert (document["outcome"], document["problems"][0]["code"]) == ("refused", "usage")


def test_help_loads_click_and_nothing_of_ours_but_its_own_modules(tmp_path: Path) -> None:
    text = (
        "import sys, click\n"
        "click.Group('bare', help='x').main(['--help'], prog_name='bare', standalone_mode=False)\n"
        "before = set(sys.modules)\n"
        "from orchestrator.cli.main import run\n"
        "run(['--help'])\n"
        "print('\\n'.join(sorted(set(sys.modules) - before)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert set(done.stderr.split()) - set(sys.builtin_module_names) == {
        "orchestrator",
        "orchestrator.cli",
        "orchestrator.cli.group",
        "orchestrator.cli.lazy_group",
        "orchestrator.cli.main",
    }


SLEEPER = """
import sys, types, time, click
from orchestrator.cli.interrupts import listen
from orchestrator.cli import main
@click.command()
def command():
    listen()
    print("ready", file=sys.stderr, flush=True)
    {body}
module = types.ModuleType("orchestrator.cli.commands.gate")
module.command = command
sys.modules[module.__name__] = module
sys.argv = ["orch", "gate"]
main.main()
"""


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "hung up")],
)
def test_a_signal_ends_a_command_with_its_code_and_a_word(
    number: signal.Signals, code: int, word: str, tmp_path: Path, hang_ups_are_heard: None
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPER.format(body="time.sleep(60)")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "ready\n"
        process.send_signal(number)
        rest = process.stderr.read()
        assert process.wait(30) == code
    assert rest == f"{word}; state is saved\nnext: orch gate\n"


def test_a_fault_in_a_command_is_reported_and_exits_70(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLEEPER.format(body="raise RuntimeError('odd')")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 70
    (report,) = (tmp_path / "orch").iterdir()
    assert done.stderr.splitlines()[1:] == [
        "error: a fault in orch: RuntimeError: odd",
        f"hint: the report is in {report}",
    ]


def test_what_was_left_for_the_end_of_the_process_is_still_done(tmp_path: Path) -> None:
    body = "import atexit; atexit.register(lambda: open('file', 'w').write('cleared away'))"
    done = subprocess.run(
        [sys.executable, "-c", SLEEPER.format(body=body)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert (tmp_path / "file").read_text() == "cleared away"


def test_a_thread_at_work_is_waited_for(tmp_path: Path) -> None:
    body = (
        "import threading, time; threading.Thread(target=lambda: (time.sleep(0.2), open('file', 'w').close())).start()"
    )
    done = subprocess.run(
        [sys.executable, "-c", SLEEPER.format(body=body)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert (tmp_path / "file").exists()


def test_help_into_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator", "--help"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_stream_is_never_taken_by_a_file_of_ours(tmp_path: Path) -> None:
    body = "open('file', 'w').close(); print(open('file').fileno() > 2, file=open('seen', 'w'))"
    argv = [sys.executable, "-c", SLEEPER.format(body=body).replace('print("ready", file=sys.stderr, flush=True)', "")]
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *argv],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert (tmp_path / "seen").read_text() == "True\n"
