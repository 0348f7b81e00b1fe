"""Exact reads, and changes that keep everything that isn't theirs."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator import exchange
from orchestrator.errors import ConflictError, DocumentError, Location, OrchError, Problem, Severity, UserError
from orchestrator.store import replacing, text_files
from orchestrator.store.text_files import create, decode, read, update


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "STATE_1.md"
    path.write_bytes(b"one\r\ntwo\nthree")
    return path


def only(path: Path) -> None:
    """The file is alone in its folder: nothing temporary was left."""
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_every_text_reads_as_it_was_written(text: str) -> None:
    assert decode(text.encode(), "x.md") == text


@pytest.mark.parametrize("text", ["", "\ufeff# BOM\n", "a\r\nb\rc\nd", "nul \0 \x85\u2028 tab\t", "no end"])
def test_a_file_reads_as_it_is_and_a_change_keeps_the_rest(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(text.encode())
    assert read(path) == text
    assert update(path, lambda old: old + "!") == text + "!"
    assert path.read_bytes() == text.encode() + b"!"
    only(path)


def test_bytes_of_a_name_that_is_no_utf8_are_written_out(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    create(path, "creates `caf\udce9`\n")
    update(path, lambda old: old + "\ud800\n")
    assert path.read_bytes() == b"creates `caf\\xe9`\n\\ud800\n"
    only(path)


def test_a_missing_file_reads_as_none(tmp_path: Path) -> None:
    assert read(tmp_path / "nothing.md") is None


@pytest.mark.parametrize(
    ("content", "line", "column", "source", "hint"),
    [
        (b"fine\r\nso\rgr\xfcn\n", 3, 3, "gr", "save the file as UTF-8"),
        (b"\xff\xfeh\0i\0", 1, 1, "", "the file looks like UTF-16: save it as UTF-8"),
        ("größe\n".encode() + b"\xc3", 2, 1, "", "save the file as UTF-8"),
    ],
)
def test_bytes_that_are_no_utf8_are_a_problem_at_their_place(
    tmp_path: Path, content: bytes, line: int, column: int, source: str, hint: str
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(content)
    bad = next(byte for byte in reversed(content) if byte in (0xFC, 0xFF, 0xC3))
    for act in (lambda: read(path, shown="a.md"), lambda: update(path, str.upper, shown="a.md")):
        with pytest.raises(DocumentError) as caught:
            act()
        assert caught.value.problems == (
            Problem(
                "not-utf-8",
                f"byte 0x{bad:02x} isn't UTF-8",
                at=Location("a.md", line, column, source=source),
                hint=hint,
                severity=Severity.FILE,
            ),
        )
    assert path.read_bytes() == content
    only(path)


def test_a_change_that_changes_nothing_writes_nothing(file: Path) -> None:
    before = file.stat()
    assert update(file, lambda text: text) == "one\r\ntwo\nthree"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_mode_is_kept(file: Path) -> None:
    file.chmod(0o640)
    update(file, str.upper)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_symlink_is_followed_and_stays_a_symlink(file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "links"
    elsewhere.mkdir()
    link = elsewhere / "STATE_1.md"
    link.symlink_to("../STATE_1.md")
    update(link, str.upper)
    assert link.readlink() == Path("../STATE_1.md")
    assert file.read_bytes() == b"ONE\r\nTWO\nTHREE"
    assert [one.name for one in elsewhere.iterdir()] == ["STATE_1.md"]


def test_a_save_in_between_is_kept_and_the_change_is_made_again_on_it(file: Path) -> None:
    seen: list[str] = []

    def change(text: str) -> str:
        seen.append(text)
        if len(seen) == 1:
            file.write_text("a person's version\n")
        if len(seen) == 2:
            fresh = file.with_name("editor.swp")
            fresh.write_text("and another, by renaming\n")
            fresh.rename(file)
        return text + "ours\n"

    assert update(file, change) == "and another, by renaming\nours\n"
    assert seen == ["one\r\ntwo\nthree", "a person's version\n", "and another, by renaming\n"]
    assert file.read_text() == "and another, by renaming\nours\n"
    only(file)


def test_a_file_that_never_rests_is_given_up_with_the_last_save_in_place(file: Path) -> None:
    saves = 0

    def change(text: str) -> str:
        nonlocal saves
        saves += 1
        file.write_text(f"save {saves}\n")
        return text + "ours\n"

    with pytest.raises(ConflictError) as caught:
        update(file, change, shown="planning/STATE_1.md")
    assert caught.value.code == "busy-file"
    assert caught.value.at == Location("planning/STATE_1.md")
    assert file.read_text() == f"save {saves}\n"
    only(file)


def test_a_file_deleted_in_between_is_not_brought_back(file: Path) -> None:
    def change(text: str) -> str:
        file.unlink()
        return text + "ours\n"

    with pytest.raises(UserError) as caught:
        update(file, change, shown="STATE_1.md")
    assert caught.value.message == "STATE_1.md isn't there"
    assert list(file.parent.iterdir()) == []


def test_a_change_that_raises_leaves_the_file_alone(file: Path) -> None:
    def change(text: str) -> str:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        update(file, change)
    assert file.read_bytes() == b"one\r\ntwo\nthree"
    only(file)


def test_a_half_written_save_is_waited_for(file: Path) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_TRUNC)
    os.write(handle, b"first half, ")

    def finish() -> None:
        time.sleep(0.05)
        os.write(handle, b"second half\n")
        os.close(handle)

    saving = threading.Thread(target=finish)
    saving.start()
    seen: list[str] = []

    def change(text: str) -> str:
        seen.append(text)
        return text + "ours\n"

    assert update(file, change) == "first half, second half\nours\n"
    saving.join()
    assert seen == ["first half, second half\n"]
    assert file.read_text() == "first half, second half\nours\n"


def test_a_read_only_file_is_refused_with_the_way_out(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(OrchError) as caught:
        update(file, str.upper, shown="planning/STATE_1.md")
    error = caught.value
    assert (error.code, error.at, error.message, error.hint) == (
        "read-only",
        Location("planning/STATE_1.md"),
        "can't change planning/STATE_1.md: it is marked read-only",
        "run: chmod u+w planning/STATE_1.md",
    )
    assert file.read_bytes() == b"one\r\ntwo\nthree"


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    for act in (lambda: read(tmp_path, shown="tasks"), lambda: update(tmp_path, str.upper, shown="tasks")):
        with pytest.raises(OrchError) as caught:
            act()
        assert (caught.value.code, caught.value.at) == ("not-a-file", Location("tasks"))


def test_a_file_is_created_whole_with_its_folders_and_never_over_another(tmp_path: Path) -> None:
    path = tmp_path / "planning" / "tasks" / "1.1.1.todo.md"
    create(path, "# new\r\n")
    assert path.read_bytes() == b"# new\r\n"
    with pytest.raises(UserError) as caught:
        create(path, "# other\n", shown="1.1.1.todo.md")
    assert (caught.value.code, caught.value.message) == ("exists", "1.1.1.todo.md exists already")
    assert path.read_bytes() == b"# new\r\n"
    only(path)


def test_of_a_file_with_a_second_name_that_name_keeps_the_text_it_had(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.hardlink_to(file)
    update(file, str.upper)
    assert (file.read_bytes(), other.read_bytes()) == (b"ONE\r\nTWO\nTHREE", b"one\r\ntwo\nthree")


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="who has a file open is seen in /proc alone")
def test_a_file_that_is_kept_open_for_writing_is_given_up_with_the_holders_name(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_PATIENCE", 0.1)
    monkeypatch.setattr(replacing, "_WRITER_PATIENCE", 0.05)
    with file.open("ab") as held, subprocess.Popen(["sleep", "60"], stdout=held) as other:
        with pytest.raises(ConflictError) as refused:
            update(file, lambda old: old + "!")
        other.kill()
    said = refused.value
    assert said.message == f"process {other.pid} (sleep) keeps {file} open for writing"
    assert (said.hint, said.code) == ("close it there, then run the command again", "busy-file")
    with file.open("ab"), pytest.raises(ConflictError, match=f"^the output of this command itself keeps {file} open"):
        update(file, lambda old: old + "!")
    assert file.read_bytes() == b"one\r\ntwo\nthree"
    only(file)
    assert update(file, lambda old: old + "!") == "one\r\ntwo\nthree!"


def test_where_every_file_counts_as_being_written_nobody_is_waited_for_in_vain(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacing, "_WRITER_PATIENCE", 0.05)
    monkeypatch.setattr(replacing, "hold_lease", lambda handle: False)
    monkeypatch.setattr(exchange, "hold_lease", lambda handle: False)
    assert update(file, lambda old: old + "!") == "one\r\ntwo\nthree!"
    only(file)
