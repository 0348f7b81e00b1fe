"""The value that names one workspace: where its files and what belongs to them lie, and how git sees them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.vcs.command import Git
from orchestrator.vcs.repository import Repository


@dataclass(frozen=True, slots=True)
class Workspace:
    """`commit` is what was checked out last; `branch` is the name it has inside the workspace (None: detached)."""

    repository: Repository
    path: Path
    branch: str | None
    commit: str

    @property
    def side(self) -> Path:
        """The folder beside the workspace that holds what belongs to it and isn't in it."""
        return side_folder(self.path)

    @property
    def index(self) -> Path:
        return self.side / "index"

    @property
    def rules(self) -> Path:
        return self.side / "rules"

    @property
    def command(self) -> Git:
        """git on these files with the repository's own git directory and the index beside the workspace."""
        return self.repository.command.using(
            cwd=str(self.path),
            options=("core.sparseCheckout=false", "core.splitIndex=false"),
            GIT_WORK_TREE=str(self.path),
            GIT_INDEX_FILE=str(self.index),
        )


def side_folder(path: Path) -> Path:
    """Where the index and the rules of the workspace at `path` lie."""
    return path.with_name(path.name + ".side")
