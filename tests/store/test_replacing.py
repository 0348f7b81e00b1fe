"""Saves that fall into the blink of an exchange, one interleaving at a time, and the way without an exchange."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.errors import Exit, LockedError
from orchestrator.exchange import drop_lease, exchange, hold_lease
from orchestrator.store import replacing
from orchestrator.store.sweeping import sweep
from orchestrator.store.text_files import replace_text, update


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "STATE_1.md"
    path.write_text("old\n")
    return path


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def by_renaming(file: Path, text: str) -> None:
    fresh = file.with_name("editor~")
    fresh.write_text(text)
    fresh.replace(file)


def around(
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: Callable[[], None] | None = None,
    after: Callable[[], None] | None = None,
) -> None:
    """Do something right before or after the first exchange."""
    calls = 0

    def swap(one: Path, other: Path) -> bool:
        nonlocal calls
        calls += 1
        if calls == 1 and before:
            before()
        done = exchange(one, other)
        if calls == 1 and after:
            after()
        return done

    monkeypatch.setattr(replacing, "exchange", swap)


def test_exchange_swaps_what_two_names_stand_for(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    assert exchange(tmp_path / "one", tmp_path / "two") is True
    assert contents(tmp_path) == {"one": "2", "two": "1"}
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "three")


def test_a_lease_tells_whether_somebody_has_the_file_open_for_writing(file: Path) -> None:
    handle = os.open(file, os.O_RDONLY)
    try:
        assert hold_lease(handle) is True
        drop_lease(handle)
        with file.open("a"):
            assert hold_lease(handle) is False
        assert hold_lease(handle) is True
    finally:
        os.close(handle)


def test_a_save_by_renaming_at_the_last_moment_comes_back_with_our_change_on_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around(monkeypatch, before=lambda: by_renaming(file, "theirs\n"))
    assert update(file, lambda text: text + "ours\n") == "theirs\nours\n"
    assert contents(file.parent) == {"STATE_1.md": "theirs\nours\n"}


def test_two_saves_around_the_exchange_end_with_the_newer_and_the_older_is_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around(
        monkeypatch,
        before=lambda: by_renaming(file, "their first\n"),
        after=lambda: by_renaming(file, "their second\n"),
    )
    assert update(file, lambda text: text + "ours\n") == "their second\nours\n"
    (kept,) = [name for name in contents(file.parent) if name != "STATE_1.md"]
    assert contents(file.parent) == {"STATE_1.md": "their second\nours\n", kept: "their first\n"}
    assert len(sweep(file.parent)) == 1


def test_a_line_appended_to_a_version_that_is_taken_back_is_carried_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def append() -> None:
        with file.open("a") as handle:
            handle.write("appended\n")

    around(monkeypatch, before=lambda: by_renaming(file, "theirs\n"), after=append)
    assert update(file, lambda text: text + "ours\n") == "theirs\nours\nappended\n"
    assert contents(file.parent) == {"STATE_1.md": "theirs\nours\nappended\n"}


def test_a_carried_line_survives_a_change_that_fails(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def append() -> None:
        with file.open("a") as handle:
            handle.write("appended\n")

    def change(text: str) -> str:
        if "theirs" in text:
            raise RuntimeError("not on this version")
        return text + "ours\n"

    around(monkeypatch, before=lambda: by_renaming(file, "theirs\n"), after=append)
    with pytest.raises(RuntimeError):
        update(file, change)
    assert sorted(contents(file.parent).values()) == ["appended\n", "theirs\n"]


def test_without_an_exchange_a_change_is_made_and_a_save_before_the_check_is_seen(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacing, "exchange", lambda one, other: False)
    seen: list[str] = []

    def change(text: str) -> str:
        seen.append(text)
        if len(seen) == 1:
            by_renaming(file, "theirs\n")
        return text + "ours\n"

    assert update(file, change) == "theirs\nours\n"
    assert seen == ["old\n", "theirs\n"]
    assert contents(file.parent) == {"STATE_1.md": "theirs\nours\n"}


def test_without_an_exchange_a_save_into_the_old_file_after_the_check_is_brought_back(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def refuse_and_save(one: Path, other: Path) -> bool:
        nonlocal calls
        calls += 1
        if calls == 1:
            with file.open("a") as handle:
                handle.write("theirs\n")
        return False

    # Without leases too, as on a network file system.
    monkeypatch.setattr(replacing, "hold_lease", lambda handle: True)
    monkeypatch.setattr(replacing, "exchange", refuse_and_save)
    assert update(file, lambda text: text + "ours\n") == "old\ntheirs\nours\n"
    assert contents(file.parent) == {"STATE_1.md": "old\ntheirs\nours\n"}


def test_a_file_of_our_own_is_written_whether_it_is_there_or_not_and_never_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("not to be touched\n")
    path = tmp_path / "turns" / "1.1.1" / "prompt.md"
    replace_text(path, "first\n")
    assert path.read_text() == "first\n"
    path.unlink()
    path.symlink_to(outside)
    replace_text(path, "second\n")
    assert (path.read_text(), path.is_symlink(), outside.read_text()) == ("second\n", False, "not to be touched\n")
    assert [one.name for one in path.parent.iterdir()] == ["prompt.md"]


def test_a_folder_that_somebody_keeps_locked_is_waited_for_and_its_holder_named(
    monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setattr(replacing, "FOLDER_PATIENCE", 0.05)
    handle = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(LockedError) as caught:
            update(file, lambda text: text + "more\n", shown="STATE_1.md")
    finally:
        os.close(handle)
    who = f"process {os.getpid()}" if Path("/proc/locks").exists() else "another process"
    assert caught.value.message == f"{who} has kept this folder locked for 0 seconds"
    assert (caught.value.code, caught.value.exit_code) == ("write-locked", Exit.LOCKED)
    assert contents(file.parent) == {"STATE_1.md": "old\n"}
    update(file, lambda text: text + "more\n", shown="STATE_1.md")
    assert contents(file.parent) == {"STATE_1.md": "old\nmore\n"}
