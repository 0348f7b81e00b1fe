"""Deleting folders whole: what can't be deleted is told, not passed over."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from orchestrator.vcs.removing import remove_if_possible, remove_tree


def test_folders_that_were_made_read_only_go_and_links_lead_nowhere(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("mine")
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a").write_text("a")
    (folder / "link").symlink_to(tmp_path)
    (folder / "inner").chmod(0o500)
    remove_tree(folder)
    remove_tree(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_file_that_can_not_be_deleted_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "held").write_text("x")

    def refused(path: str, *, dir_fd: int | None = None) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted", path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", refused)
        with pytest.raises(PermissionError) as met:
            remove_tree(folder)
        assert met.value.filename == str(folder / "held")
        remove_if_possible(folder)
    assert (folder / "held").exists()
    shutil.rmtree(folder)
