"""One repository as a run works in it: git, workspaces, the branch that tasks land on, and who stands in line there.

Owns what the call remembers of that repository. Must not decide what happens next.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import UserError
from orchestrator.model.changes import Change
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.model.settings import WorkspaceSettings
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspaces import Workspaces

if TYPE_CHECKING:
    from orchestrator.engine.landed import Landings
    from orchestrator.engine.run import Run


@dataclass(slots=True)
class Candidate:
    """What would land of a task: its tree, merged onto the commit `onto`."""

    onto: str
    onto_tree: str
    tree: str
    changes: tuple[Change, ...]
    commit: str = ""
    """A commit of the tree on `onto`, on no branch, once one was needed."""


@dataclass(slots=True)
class Site:
    run: Run = field(repr=False, compare=False)
    name: str
    """`.` for the repository the plan lies in, else its name in `repos:`."""
    repository: Repository
    workspaces: Workspaces
    line: list[TaskKey] = field(default_factory=list)
    """Tasks that are being tested or wait to land, in the order in which they land."""
    candidates: dict[TaskKey, Candidate] = field(default_factory=dict)
    heads: dict[str, None] = field(default_factory=dict)
    """Commits of the integration branch that this call has seen as its head, in that order: the present one descends
    from all of them."""
    is_rewritten: bool = False
    """The branch came to a head that doesn't descend from those before it: somebody rewrote it or took commits back."""
    recipes: dict[str, str] = field(default_factory=dict)
    """Tree → the name of what the setup makes there."""
    known_landings: dict[TaskKey, Landings] | None = None
    """The landings as read when the call began; whatever lands later is recorded at once."""

    @property
    def branch(self) -> str:
        """The branch that tasks land on."""
        return self.run.state.at(self.name).branch

    @property
    def fork(self) -> str:
        """The commit that the branch began at."""
        return self.run.state.at(self.name).fork

    @property
    def integration_ref(self) -> str:
        return f"refs/heads/{self.branch}"

    @property
    def words(self) -> str:
        """What is added to a line about this repository: nothing, or ` in ui`."""
        return "" if self.name == HOME else f" in {self.name}"

    @property
    def worktree(self) -> WorkspaceSettings:
        """What workspaces of this repository get."""
        repo = self.run.settings.repo(self.name)
        return repo.worktree if repo else self.run.settings.worktree

    def verify_dir(self, slot: int) -> Path:
        """orch's own workspace number `slot` of this repository, in which merged trees are tested."""
        return self.run.layout.verify_dir(slot, "" if self.name == HOME else self.name)

    def landing_dir(self) -> Path:
        return self.run.layout.landing_dir("" if self.name == HOME else self.name)

    def holds(self, commit: str) -> bool:
        """Whether the integration branch has a commit in its history."""
        return self.repository.is_ancestor(commit, self.integration_ref)

    def head(self) -> str:
        """The commit of the integration branch. Raises UserError if the branch is gone."""
        if not self.branch:
            path = self.run.state.path
            raise UserError(
                f"{path} is gone or can't be read, so the integration branch{self.words} isn't known",
                hint="get the file back, then run orch next-wave",
                code="no-state",
            )
        commit = self.repository.resolve(self.integration_ref)
        if commit is None:
            at = "" if self.name == HOME else f" -C {self.repository.root}"
            last = next(reversed(self.heads), self.fork)
            raise UserError(
                f"the integration branch {self.branch}{self.words} is gone",
                hint=f"make it again where it was: git{at} branch {self.branch} {last[:12]}",
                code="no-branch",
            )
        if commit != next(reversed(self.heads), None):
            self._came_to(commit)
        return commit

    def moved(self, commit: str) -> None:
        """Say that this call has moved the branch itself, from its head to a descendant of it."""
        self.heads[commit] = None

    def _came_to(self, commit: str) -> None:
        """Take in a head that somebody else gave the branch."""
        last = next(reversed(self.heads), None)
        if last is not None and not self.repository.is_ancestor(last, commit):
            # What was merged onto the old heads doesn't stand on this one, and what is in them may be unwanted by now.
            self.heads.clear()
            self.line.clear()
            self.candidates.clear()
            self.is_rewritten = True
        self.heads[commit] = None
