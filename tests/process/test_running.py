from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.errors import ToolError, UserError
from orchestrator.process import running
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Alive, Ended, Lost, look, start, tail, wait
from orchestrator.process.running import run as run_to_its_end
from tests.process.runs import Run, new_run, shell, until

MODULES = sorted(Path(running.__file__).parent.glob("*.py"))


def test_a_run_leaves_its_output_and_its_exit_code(run: Run) -> None:
    run.start("cat; echo oops >&2; exit 3", stdin="γειά\n")
    ended = run.ended()
    assert (ended.exit_code, ended.signal, ended.reason, ended.message, ended.left) == (3, None, "exit", "", ())
    assert ended.started <= ended.ended <= time.time()
    assert ended.stdout.read_bytes() == "γειά\n".encode()
    assert ended.stderr.read_bytes() == b"oops\n"


def test_standard_input_ends_even_if_there_is_none(run: Run) -> None:
    run.start("cat; echo over")
    assert run.ended().stdout.read_bytes() == b"over\n"


def test_files_lie_in_the_folder_before_the_program_starts_for_the_owner_alone(run: Run) -> None:
    run.start("cat run/rules.toml", files={"rules.toml": "a = 'ä \udcff'\r\n"}, cwd=str(run.folder.parent))
    assert run.ended().stdout.read_bytes() == b"a = '\xc3\xa4 \xff'\r\n"
    assert stat.S_IMODE((run.folder / "rules.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["order", "exit", "../elsewhere", "/etc/x", "", ".."])
def test_a_file_that_would_lie_elsewhere_or_replace_one_of_the_run_is_refused(run: Run, name: str) -> None:
    with pytest.raises(UserError, match="has to be a plain one of its own"):
        start(Invocation(("true",), files={name: "x"}), run.folder, run.marker)
    assert run.look() == "never-started"


def test_output_is_kept_as_bytes(run: Run) -> None:
    run.start(r"printf '\377\376\033[1mbold\000'")
    assert run.ended().stdout.read_bytes() == b"\xff\xfe\x1b[1mbold\0"


def test_a_command_sees_its_environment_and_the_marker_and_nothing_else(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    invocation = Invocation(
        (sys.executable, "-S", "-c", "import os; print(sorted(os.environ.items()))"),
        env={"A": "two words\nand a line", "LC_ALL": "C"},
        cwd=str(run.folder.parent),
    )
    start(invocation, run.folder, run.marker)
    expected = [("A", "two words\nand a line"), ("LC_ALL", "C"), ("LC_CTYPE", "C.UTF-8"), ("ORCH_RUN_ID", run.marker)]
    seen = eval(run.ended().stdout.read_text())
    assert [item for item in seen if item[0] != "LC_CTYPE"] == [item for item in expected if item[0] != "LC_CTYPE"]


def test_no_value_of_the_environment_is_written_to_disk(run: Run) -> None:
    run.start("true", env={"PATH": os.environ["PATH"], "MY_KEY": "sesame"})
    run.ended()
    assert not [path for path in run.folder.iterdir() if b"sesame" in path.read_bytes()]


def test_arguments_pass_as_they_are(run: Run) -> None:
    words = ("-", "a b", "ε", "\udcff", "line\nline", "", "$HOME", "=\0"[:1])
    argv = (
        sys.executable,
        "-S",
        "-c",
        "import sys, os; os.write(1, b'|'.join(map(os.fsencode, sys.argv[1:])))",
        *words,
    )
    start(Invocation(argv, cwd="/"), run.folder, run.marker)
    assert run.ended().stdout.read_bytes() == b"|".join(os.fsencode(word) for word in words)


def test_a_nul_in_an_argument_is_refused(run: Run) -> None:
    with pytest.raises(UserError, match="NUL"):
        start(Invocation(("echo", "a\0b")), run.folder, run.marker)
    assert run.look() == "never-started"


def test_a_run_works_in_its_folder(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "-ein Ordner ä"
    place.mkdir()
    run.start("pwd > here", cwd=str(place))
    run.ended()
    assert (place / "here").read_text() == f"{place}\n"


def test_a_program_that_is_not_there_never_ran(run: Run) -> None:
    start(Invocation(("no-such-program", "x"), env={"PATH": "/usr/bin:/bin"}), run.folder, run.marker)
    ended = run.ended()
    assert (ended.reason, ended.exit_code) == ("never-ran", None)
    assert ended.message == 'can\'t start "no-such-program": No such file or directory'


def test_a_folder_that_is_not_there_is_named(run: Run) -> None:
    run.start("true", cwd="/no/such/folder")
    ended = run.ended()
    assert (ended.reason, ended.message) == (
        "never-ran",
        'can\'t enter the folder "/no/such/folder": No such file or directory',
    )


def test_a_file_that_is_no_program_never_ran(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("just words")
    start(Invocation((str(tmp_path / "text"),)), run.folder, run.marker)
    assert run.ended().message == f'can\'t start "{tmp_path}/text": Permission denied'


def test_a_command_killed_by_a_signal_says_so(run: Run) -> None:
    run.start("kill -KILL $$")
    ended = run.ended()
    assert (ended.exit_code, ended.signal, ended.reason) == (None, signal.SIGKILL, "exit")


def test_signals_that_the_caller_ignores_are_not_ignored_by_the_command(run: Run) -> None:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        run.start("kill -USR1 $$; kill -PIPE $$; echo still here")
        assert run.ended().signal == signal.SIGUSR1
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_was_never_started_is_told(run: Run) -> None:
    assert run.look() == "never-started"
    assert run.end()


def test_a_folder_is_not_taken_while_its_run_is_alive(run: Run) -> None:
    run.start("sleep 60")
    with pytest.raises(ToolError, match="still at work"):
        run.start("true")
    assert run.end()
    run.start("echo second")
    assert run.ended().stdout.read_bytes() == b"second\n"


def test_an_end_on_record_counts_only_for_its_own_marker(run: Run) -> None:
    run.start("true")
    run.ended()
    assert look(run.folder, "another") == "never-started"


def test_waiting_returns_when_the_first_of_several_has_ended(run: Run, tmp_path: Path) -> None:
    other = new_run(tmp_path / "other")
    run.start("sleep 60")
    other.start("sleep 0.2")
    wait([(run.folder, run.marker), (other.folder, other.marker)], 30.0)
    assert isinstance(other.look(), Ended)
    assert isinstance(run.look(), Alive)
    begun = time.monotonic()
    wait([(run.folder, run.marker)], 0.2)
    assert time.monotonic() - begun > 0.15
    assert isinstance(run.look(), Alive)


def test_output_shows_that_a_run_is_not_quiet(run: Run) -> None:
    run.start("sleep 0.5; echo a; sleep 60")
    until(lambda: run.alive().quiet_for > 0.3)
    until(lambda: run.out() and run.alive().quiet_for < 0.3)


def test_an_ended_shim_leaves_no_zombie(run: Run) -> None:
    run.start("sleep 0.2")
    pid = run.alive().pid
    assert Path(f"/proc/{pid}").exists()
    run.ended()
    assert not Path(f"/proc/{pid}").exists()


def test_a_run_is_out_of_reach_of_the_terminal_and_its_signals(run: Run) -> None:
    run.start(f"{sys.executable} -S -c 'import os; print(os.getsid(0))'")
    pid = run.alive().pid
    assert os.getsid(pid) == pid
    command = int(run.ended().stdout.read_text())
    assert command not in (pid, os.getsid(0))


def test_run_starts_and_waits(tmp_path: Path) -> None:
    ended = run_to_its_end(shell("echo done; exit 4", tmp_path), tmp_path / "run", "marker-of-run")
    assert (ended.exit_code, tail(ended.stdout)) == (4, "done\n")


def test_run_ends_what_an_earlier_run_left_in_its_folder(run: Run) -> None:
    run.start("echo $$ > first; sleep 60")
    until(lambda: (run.folder.parent / "first").exists())
    ended = run_to_its_end(shell("echo second", run.folder.parent), run.folder, "another-marker")
    assert tail(ended.stdout) == "second\n"
    assert run.pids() == []


def test_run_that_is_interrupted_ends_its_process(run: Run) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_to_its_end(shell("sleep 60", run.folder.parent), run.folder, run.marker)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert run.pids() == []


def test_run_tells_that_its_shim_was_killed(run: Run) -> None:
    script = "kill -KILL $PPID; sleep 60"
    ended = run_to_its_end(shell(script, run.folder.parent), run.folder, run.marker)
    assert (ended.reason, ended.message) == ("killed", "the process that watched over it was killed")
    assert run.pids() == []
    assert run.look() == Lost()


def test_the_tail_of_a_file_is_text_whatever_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "out"
    assert tail(path) == ""
    path.write_bytes("αβγ".encode() + b"\xff\n")
    assert tail(path) == "αβγ\ufffd\n"
    assert tail(path, 5) == "γ\ufffd\n"


def test_a_compiled_shim_is_run_only_if_it_is_up_to_date(tmp_path: Path) -> None:
    package = Path(running.__file__).parents[1]
    for name in (
        "__init__.py",
        "digests.py",
        "disk_faults.py",
        "errors.py",
        "effects.py",
        "nouns.py",
        *(f"process/{path.name}" for path in MODULES),
    ):
        (tmp_path / "orchestrator" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(package / name, tmp_path / "orchestrator" / name)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom orchestrator.process import running\n"
    code += "print(running._program())"

    def program(*options: str) -> str:
        argv = [sys.executable, "-I", "-S", *options, "-c", code]
        return Path(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()).suffix

    assert program("-B") == ".py"
    assert program() == ".pyc"
    assert program("-B") == ".pyc"
    source = tmp_path / "orchestrator/process/shim.py"
    source.write_text(source.read_text() + "# changed\n")
    assert program("-B") == ".py"
    assert program() == ".pyc"
