"""What an orchestration came to, in a form in which two runs of it can be compared.

Equal must be: the final trees, the commits as message and patch-id, the board, the reports without hashes and times,
what was begun and finished how often, and what lies about: refs, branches, workspaces, files of the planning folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from orchestrator.engine.session import open_session
from orchestrator.model.heads import HOME
from orchestrator.model.orchestration import Orchestration
from orchestrator.nouns import dataclass, replace
from orchestrator.vcs.history import patch_id
from orchestrator.vcs.repository import Repository

_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_DEATH = re.compile(r"\n- \*\*Worker lost\*\* [^\n]*")
_TURN = re.compile(r"/turn-\d+$")


@dataclass(frozen=True, slots=True)
class Ending:
    trees: tuple[tuple[str, str], ...]
    commits: frozenset[tuple[str, str, str]]
    """Repository, message, patch-id."""
    board: tuple[tuple[str, str], ...]
    waves: tuple[tuple[int, str], ...]
    reports: frozenset[tuple[str, str]]
    turns: frozenset[tuple[str, str, int]]
    """Task, kind of turn, how often such a one was finished."""
    lying: frozenset[str]
    """Refs, branches, workspaces and files of planning/ by name, and what git says of the checkouts."""

    def without_deaths(self) -> Ending:
        """The same where killed workers count for nothing: they are in the account of a task that failed for good, and
        the turns behind them have other numbers."""
        reports = frozenset((key, _DEATH.sub("", text)) for key, text in self.reports)
        return replace(self, reports=reports, lying=frozenset(one for one in self.lying if not _TURN.search(one)))

    def differences(self, other: Ending) -> tuple[str, ...]:
        """A line for each part in which the other differs from this one."""
        lines = []
        for name in ("trees", "commits", "board", "waves", "reports", "turns", "lying"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                lines.append(f"{name}: {_only(mine, theirs)} became {_only(theirs, mine)}")
        return tuple(lines)


def _only(mine: object, other: object) -> str:
    if isinstance(mine, (frozenset, tuple)) and isinstance(other, (frozenset, tuple)):
        return str(sorted(set(mine) - set(other), key=str) or "nothing")
    return str(mine)


def ending(root: Path, others: Mapping[str, Path], environ: Mapping[str, str]) -> Ending:
    """What the orchestration in the checkout at `root` came to; `others` are its further repositories."""
    session = open_session(root, None, environ, emit=lambda _: None)
    found = session.planning.orchestration
    folders = {HOME: root, **others}
    repositories = {name: Repository.open(folder) for name, folder in folders.items()}
    trees, commits = [], set()
    for name, repository in repositories.items():
        at = found.state.at(name)
        trees.append((name, repository.tree_of(f"refs/heads/{at.branch}")))
        for commit in repository.commits(at.fork, f"refs/heads/{at.branch}"):
            commits.add((name, _HASH.sub("HASH", commit.message), patch_id(repository, commit.id)))
    return Ending(
        trees=tuple(trees),
        commits=frozenset(commits),
        board=tuple((str(row.key), row.raw_status) for row in found.state.board),
        waves=tuple((row.number, str(row.status)) for row in found.state.waves),
        reports=frozenset((str(one.key), _HASH.sub("HASH", one.text)) for one in found.state.reports),
        turns=frozenset(_turns(found)),
        lying=frozenset(_lying(found, repositories, session.layout.run)),
    )


def _turns(found: Orchestration) -> set[tuple[str, str, int]]:
    """How often each kind of turn was finished: one that was finished is never done again."""
    counts = Counter(
        (str(key), entry.get("turn"))
        for key, task in found.tasks.items()
        for entry in task.log
        if entry.event == "ended" and entry.get("outcome") == "finished"
    )
    return {(key, turn, count) for (key, turn), count in counts.items()}


def _lying(found: Orchestration, repositories: Mapping[str, Repository], run: Path) -> set[str]:
    lying = set()
    for name, repository in repositories.items():
        lying |= {f"{name} {ref.replace(found.state.run, 'RUN')}" for ref in repository.refs()}
        lying |= {f"{name} {path}" for path in repository.dirty() if not path.startswith("planning/")}
        lying |= {f"{name} .git/{path.name}" for path in repository.git_dir.glob("*.lock") if "orch-" not in path.name}
    planning = repositories[HOME].root / "planning"
    lying |= {path.relative_to(planning).as_posix() for path in planning.rglob("*") if path.is_file()}
    for folder in ("work", "verify", "review"):
        there = (run / found.state.run / folder).glob("*")
        lying |= {f"{folder}/{path.name}" for path in there if path.suffix in (".gone", ".new") or folder != "verify"}
    return lying
