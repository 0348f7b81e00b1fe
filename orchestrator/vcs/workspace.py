"""The value that names one workspace: where its files and what belongs to them lie, and how git sees them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.nouns import dataclass
from orchestrator.vcs.command import Git
from orchestrator.vcs.os_lock import held
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
    def mark(self) -> Path:
        """Exists once the files were ever seen different from what was checked out."""
        return self.side / "touched"

    @property
    def fresh(self) -> Path:
        """Exists until the files are looked at for the first time after a checkout; says what is known of them."""
        return self.side / "fresh"

    @property
    def knows(self) -> list[str]:
        """What is known of files that nobody has looked at since they were checked out: `new` says that they were put
        into an empty folder, `bare` that nothing else lies there."""
        try:
            return self.fresh.read_text("utf-8").split()
        except FileNotFoundError:
            return []

    @property
    def laid(self) -> str:
        """The commit or tree whose files were checked out last."""
        return (self.side / "laid").read_text("utf-8")

    @property
    def command(self) -> Git:
        """git on these files with the repository's own git directory and the index beside the workspace."""
        folds = "true" if folds_case(self.side) else "false"
        return self.repository.command.using(
            cwd=str(self.path),
            options=(
                *("core.sparseCheckout=false", "core.splitIndex=false", f"core.ignoreCase={folds}"),
                *self.repository.filters,
            ),
            GIT_WORK_TREE=str(self.path),
            GIT_INDEX_FILE=str(self.index),
        )

    @contextmanager
    def held(self) -> Iterator[int]:
        """Hold the index: yields the open file that a git which writes it is to hold as well. What a git killed
        earlier has left of its own lock is taken away."""
        with held(self.side / "lock", f"the index of {self.path} is being written") as handle:
            for name in ("index.lock", "index.tree.lock"):
                (self.side / name).unlink(missing_ok=True)
            yield handle


def folds_case(side: Path) -> bool:
    """Whether the file system of a workspace takes names that differ in case alone for one. Configuration says it of
    another folder, and often of another machine; believed there, `Readme` beside `README` would be seen by nobody."""
    return os.path.lexists(side.with_name(side.name.swapcase()))


def side_folder(path: Path) -> Path:
    """Where the index and the rules of the workspace at `path` lie."""
    return path.with_name(path.name + ".side")
