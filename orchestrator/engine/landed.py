"""What git knows of a task's landings: their refs, those taken back, and whether another may follow.

A landing is `landed-K`, its revert `reverted-K`; each is made in the transaction that moves the branch.
"""

from __future__ import annotations

from orchestrator.engine.run import Run
from orchestrator.engine.site import Site
from orchestrator.errors import UserError
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, field
from orchestrator.whole_numbers import whole_number

LANDED, REVERTED = "landed-", "reverted-"


@dataclass(frozen=True, slots=True)
class Landings:
    """Number → commit of the landings, and of what took them back."""

    landed: dict[int, str] = field(default_factory=dict)
    reverted: dict[int, str] = field(default_factory=dict)

    @property
    def next_number(self) -> int:
        return max(self.landed, default=0) + 1


def all_landings(run: Run, site: Site) -> dict[TaskKey, Landings]:
    """The landings in a repository of all tasks that have any, with one look at the refs."""
    refs: dict[str, dict[str, str]] = {}
    prefix = f"refs/orch/{run.state.run}/"
    for name, commit in site.repository.refs(prefix).items():
        refs.setdefault(name.removeprefix(prefix).partition("/")[0], {})[name] = commit
    return {key: _landings(run, key, refs[str(key)]) for key in run.plan.in_waves() if str(key) in refs}


def landings_of(run: Run, key: TaskKey) -> Landings:
    """The task's landings as git has them now."""
    return _landings(run, key, run.site(key).repository.refs(run.ref(key, "")))


def _landings(run: Run, key: TaskKey, refs: dict[str, str]) -> Landings:
    return Landings(numbered(refs, run.ref(key, LANDED)), numbered(refs, run.ref(key, REVERTED)))


def numbered(refs: dict[str, str], prefix: str) -> dict[int, str]:
    """Number → commit of the refs of that name. One without a number isn't orch's."""
    found = {name.removeprefix(prefix): commit for name, commit in refs.items() if name.startswith(prefix)}
    return {number: commit for word, commit in found.items() if (number := whole_number(word)) is not None}


def due_revert(run: Run, key: TaskKey) -> int | None:
    """The number of the landing that the log says is taken back while git says it isn't yet; None for none."""
    task = run.task(key)
    if not task.reverted or run.standing(key).landing:
        return None
    there = landings_of(run, key)
    number = max(there.landed, default=0)
    if number == 0 or number in there.reverted:
        return None
    commit = there.landed[number]
    is_named = any(commit.startswith(one) for one in task.reverted if one)
    return number if is_named and run.site(key).holds(commit) else None


def refuse_second_landing(run: Run, key: TaskKey) -> int:
    """The number of the landing that is due. Raises UserError while an earlier one stands on the branch."""
    there = landings_of(run, key)
    last = there.next_number - 1
    if last and last not in there.reverted:
        commit = there.landed[last]
        if run.site(key).holds(commit):
            raise UserError(
                f"it has landed already, as {commit[:7]}, and wasn't taken back",
                hint=f"set the board cell of {key} to done",
                code="landed-twice",
            )
    return there.next_number
