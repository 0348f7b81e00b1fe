from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.store.kept_trees import KeptTrees, digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what can lie in one."""
    made = tmp_path / "held"
    (made / "empty").mkdir(parents=True)
    (made / "src").mkdir(mode=0o750)
    (made / "src" / "a.py").write_bytes(b"A\r\n\0")
    (made / "src" / "run").write_text("#!/bin/sh\n")
    (made / "src" / "run").chmod(0o755)
    (made / "here").symlink_to("src/a.py")
    (made / "nowhere").symlink_to("/no/such/place")
    return made


def looks(folder: Path) -> dict[str, tuple[int, bytes | str, int]]:
    """Rights, content or target, and time of everything below the folder."""
    found: dict[str, tuple[int, bytes | str, int]] = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        content: bytes | str = ""
        if path.is_symlink():
            content = str(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        time = about.st_mtime_ns if path.is_file() and not path.is_symlink() else 0
        found[str(path.relative_to(folder))] = (about.st_mode, content, time)
    return found


def test_a_folder_is_laid_back_as_it_was_whatever_it_has_become(folder: Path) -> None:
    trees = KeptTrees(folder)
    before, kept = looks(folder), trees.keep()
    (folder / "src" / "a.py").write_bytes(b"B")
    (folder / "src" / "new").write_text("new")
    (folder / "src" / "run").chmod(0o644)
    (folder / "empty").rmdir()
    (folder / "empty").write_text("a file now")
    (folder / "here").unlink()
    (folder / "here").mkdir()
    (folder / "here" / "below").write_text("a folder now")
    (folder / "nowhere").unlink()
    (folder / "nowhere").symlink_to("elsewhere")
    changed, other = looks(folder), trees.keep()
    assert digest(other) != digest(kept)

    trees.lay_back(kept)
    assert (looks(folder), digest(trees.keep())) == (before, digest(kept))
    trees.lay_back(other)
    assert looks(folder) == changed
    trees.lay_back(kept)
    assert looks(folder) == before


def test_a_folder_that_is_gone_is_made_again(folder: Path, tmp_path: Path) -> None:
    trees = KeptTrees(folder)
    before, kept = looks(folder), trees.keep()
    folder.rename(tmp_path / "away")
    trees.lay_back(kept)
    assert looks(folder) == before


def test_a_change_that_leaves_size_and_time_is_seen(folder: Path) -> None:
    trees = KeptTrees(folder)
    path = folder / "src" / "a.py"
    seen = set()
    for number in range(200):
        about = path.stat()
        path.write_bytes(b"%04d" % number)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        seen.add(digest(trees.keep()))
    assert len(seen) == 200


def test_a_tree_is_told_from_others_by_what_lies_in_it_and_not_by_times(folder: Path) -> None:
    trees = KeptTrees(folder)
    first = digest(trees.keep())
    os.utime(folder / "src" / "a.py", ns=(1, 1))
    assert digest(trees.keep()) == first
    (folder / "src" / "a.py").chmod(0o600)
    assert digest(trees.keep()) != first


def test_folders_can_be_left_out_of_what_tells_trees_apart(folder: Path) -> None:
    trees = KeptTrees(folder)
    first = trees.keep()
    (folder / "src" / "more").write_text("more")
    (folder / "empty" / "more").write_text("more")
    second = trees.keep()
    assert digest(second, ["src", "empty"]) == digest(first, ["src", "empty"])
    assert digest(second, ["src"]) != digest(first, ["src"])
    assert digest(second, ["sr", "src/a.py"]) != digest(first, ["sr", "src/a.py"])
