"""The repositories of an orchestration: what a word in a plan names, and which take part.

`.` is the repository the plan lies in; others bear the names that `repos:` in ORCH.md gives them. Knows no folder.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.model.heads import HOME
from orchestrator.model.plan import Plan
from orchestrator.model.scope import canonical
from orchestrator.model.settings import Settings
from orchestrator.nouns import dataclass, field


@dataclass(frozen=True, slots=True)
class RepoNames:
    """What each repository may be called. `own` are the names of the one the plan lies in, besides `.`."""

    own: frozenset[str] = frozenset()
    others: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Name in `repos:` → its path as written, the name of its folder, the name its origin has."""

    def meanings(self, word: str) -> tuple[str, ...]:
        """The repositories that a Repo field can mean; a name in `repos:` itself means that one alone."""
        word = word.strip()
        if canonical(word) in ("", HOME):
            return (HOME,)
        if word in self.others:
            return (word,)
        found = [HOME] if word in self.own else []
        found += [name for name, words in self.others.items() if word in words or canonical(word).rstrip("/") in words]
        return tuple(found)

    def find(self, word: str) -> str:
        """The repository that a Repo field means; the word itself where it means none or several."""
        found = self.meanings(word)
        return found[0] if len(found) == 1 else canonical(word)


ALONE = RepoNames()


def names_as_written(settings: Settings) -> RepoNames:
    """What the settings alone say: each repository's name, its path as written, the name of its folder."""
    paths = {repo.name: canonical(repo.path).rstrip("/") for repo in settings.repos}
    return RepoNames(others={name: frozenset((path, path.rpartition("/")[2])) for name, path in paths.items()})


def used(plan: Plan, settings: Settings, names: RepoNames) -> tuple[str, ...]:
    """The repositories besides the plan's own that a task in a wave or a suite names, as `repos:` lists them."""
    if not settings.repos:
        return ()
    in_waves = frozenset(plan.in_waves())
    there = {names.find(spec.repo) for spec in plan.specs if spec.key in in_waves}
    there |= {suite.repo for suite in (*settings.suites, *(gate.suite for gate in settings.gates))}
    return tuple(repo.name for repo in settings.repos if repo.name in there)
