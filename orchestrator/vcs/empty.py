"""A repository without anything in it, for programs that run in no other kind of folder."""

from __future__ import annotations

from pathlib import Path

from orchestrator.vcs.command import Git


def empty_repository(folder: Path) -> None:
    """Make one in the folder, where there is none. Raises ToolError if git can't."""
    if not (folder / ".git" / "HEAD").exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        Git(str(folder)).run("init", "-q")
