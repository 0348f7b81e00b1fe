"""What `worktree:` of ORCH.md may say."""

from __future__ import annotations

from orchestrator.model.settings import WorkspaceSettings
from tests.formats.test_settings_file import read


def test_what_a_setup_depends_on_is_paths_and_patterns() -> None:
    settings, problems = read("worktree: {setup: make deps, inputs: [Makefile, 'proto/**']}\n")
    assert problems == ""
    assert settings.worktree == WorkspaceSettings(setup="make deps", inputs=("Makefile", "proto/**"))
    settings, problems = read("worktree: {setup: make deps, inputs: [/etc/x]}\n")
    assert settings.worktree == WorkspaceSettings(setup="make deps")
    assert (
        problems
        == """\
2:38 <[/etc/x]> item wrong-value: `inputs`: `/etc/x` is absolute; paths count from the repository's top folder
    write paths and patterns from the repository's top folder: [Makefile, "proto/**"]
"""
    )
