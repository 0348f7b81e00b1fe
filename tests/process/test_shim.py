from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.process import shim
from tests.process.runs import until

KEYS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1).map(str.encode)
VALUES = st.binary().map(lambda value: value.replace(b"\0", b"\n"))


@given(st.lists(st.tuples(KEYS, VALUES)))
def test_a_record_reads_back_as_it_was_written(fields: list[tuple[bytes, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shim.write_record(f"{folder}/record", fields)
        assert shim.read_record(f"{folder}/record") == fields
        assert [path.name for path in Path(folder).iterdir()] == ["record"]


def test_a_record_that_is_not_there_has_no_fields(tmp_path: Path) -> None:
    assert shim.read_record(str(tmp_path / "record")) == []


def test_the_shim_loads_nothing_that_the_interpreter_has_not_loaded_already() -> None:
    code = f"""
import sys
before = set(sys.modules)
exec(compile(open({shim.__file__!r}).read(), "shim", "exec"), {{"__name__": "shim"}})
print(sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_shim_needs_no_package(tmp_path: Path) -> None:
    """It runs as a single file, from a place where there is nothing else."""
    program = tmp_path / "alone.py"
    program.write_text(Path(shim.__file__).read_text())
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "stdin").write_text("hello\n")
    order = {"marker": "m1", "cwd": "/", "limit": "timeout 5 late", "grace": "1", "gentle": "15", "cap": "1000"}
    fields = [(key.encode(), value.encode()) for key, value in order.items()]
    shim.write_record(f"{folder}/order", [*fields, (b"arg", b"cat"), (b"env", b"PATH")])
    subprocess.run([sys.executable, "-I", "-S", str(program), str(folder)], check=True)
    assert (folder / "stdout").read_text() == "hello\n"
    record = dict(shim.read_record(f"{folder}/exit"))
    assert (record[b"marker"], record[b"reason"], record[b"code"]) == (b"m1", b"exit", b"0")
    assert dict(shim.read_record(f"{folder}/pid"))[b"marker"] == b"m1"


def test_the_pid_is_on_record_before_the_command_begins(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "stdin").touch()
    order = {
        "marker": "m2",
        "cwd": str(folder),
        "limit": "timeout 5 late",
        "grace": "1",
        "gentle": "15",
        "cap": "9999",
    }
    fields = [(key.encode(), value.encode()) for key, value in order.items()]
    words = [(b"arg", word) for word in (b"sh", b"-c", b"cat pid; echo $PPID")]
    shim.write_record(f"{folder}/order", [*fields, *words, (b"env", b"PATH")])
    subprocess.run([sys.executable, "-I", "-S", shim.__file__, str(folder)], check=True)
    assert (folder / "stdout").read_bytes().startswith((folder / "pid").read_bytes())
    pid = dict(shim.read_record(f"{folder}/pid"))[b"pid"]
    assert (folder / "stdout").read_bytes().endswith(b"\n" + pid + b"\n")


def test_a_pid_that_is_taken_again_is_not_struck() -> None:
    me = shim.stat_of(os.getpid())
    assert me
    assert not shim.strike((os.getpid(), me[2] + b"0"), 15)
    assert shim.strike((os.getpid(), me[2]), 0)


def test_the_marker_is_found_whole_or_not_at_all() -> None:
    environment = {"ORCH_RUN_ID": "abc", "X": "ORCH_RUN_ID=xyz", "ORCH_RUN_ID2": "def"}
    with subprocess.Popen(["sleep", "60"], env=environment) as process:
        try:
            until(lambda: shim.carries(process.pid, b"") is not None)  # it can't be seen in the middle of its exec
            found = {
                marker: shim.carries(process.pid, marker.encode()) for marker in ("abc", "ab", "abcd", "xyz", "def")
            }
        finally:
            process.kill()
    assert found == {"abc": True, "ab": False, "abcd": False, "xyz": False, "def": False}
