"""Names in a folder that may be taken away meanwhile."""

from __future__ import annotations

from pathlib import Path

from orchestrator.folders import names_in


def test_names_come_in_order_and_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    for name in ("b", "a", ".c"):
        (tmp_path / name).touch()
    assert names_in(tmp_path) == [".c", "a", "b"]
    assert names_in(tmp_path / "gone") == []
    assert names_in(tmp_path / "a") == []
    (tmp_path / "gone").symlink_to("nowhere")
    assert names_in(tmp_path / "gone") == []
