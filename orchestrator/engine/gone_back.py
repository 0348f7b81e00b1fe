"""A planning set that disappeared or went back in time, because another branch was checked out.

git's own refs remember what the files should know: landings that no file names are the sign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from orchestrator.engine.repositories import repository_named, taking_part
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.orchestration import Orchestration

_GUEST = re.compile(r"refs/orch/(?P<run>[^/]+)/guest")
_REF = re.compile(r"refs/orch/(?P<run>[^/]+)/(?P<key>[^/]+)/(?P<name>[^/]+)")


def guest_ref(run: str) -> str:
    """The ref by which a repository knows that a run of another repository's works in it."""
    return f"refs/orch/{run}/guest"


def guests(refs: Iterable[str]) -> set[str]:
    """The runs among these refs that are another repository's."""
    return {match["run"] for ref in refs if (match := _GUEST.fullmatch(ref))}


def own_numbers(refs: Collection[str]) -> set[int]:
    """The numbers of the orchestrations that these refs were left by, but for another repository's."""
    return {key.orchestration for _, _, key, _ in _own(refs, guests(refs))}


def _own(refs: Iterable[str], others: Collection[str]) -> Iterator[tuple[str, str, TaskKey, str]]:
    """Each ref of a task, but for those of the runs `others`: the ref itself, run, task and the ref's own name."""
    for ref in refs:
        match = _REF.fullmatch(ref)
        key = parse_key(match["key"]) if match else None
        if match and key is not None and match["run"] not in others:
            yield ref, match["run"], key, match["name"]


def refuse_gone_back(session: Session, orchestration: Orchestration) -> None:
    """Raise UserError if STATE is missing while tasks of this orchestration have landed, or if it lacks landings.

    One landing that stands in no todo file is what a crash leaves, and is recorded; more than one is a set that
    went back.
    """
    number = orchestration.plan.number
    kept = _kept(session, orchestration)
    is_gone = not orchestration.state.exists and any(task.log for task in orchestration.tasks.values())
    if not kept and not is_gone:
        return
    landed = _landings(kept)
    state = session.layout.shown(session.layout.state_path(number))
    runs = {run for run, *_ in kept}
    if not orchestration.state.exists or not orchestration.state.run:
        what = f"{len(landed)} of its tasks have landed" if landed else "its tasks have begun"
        where = _where(session, state, number, runs)
        raise UserError(f"{state} isn't there, though {what}", hint=where, code="set-gone")
    unknown = [
        key
        for (run, key), commits in landed.items()
        if run == orchestration.state.run and not _knows(orchestration, key, commits)
    ]
    if len(unknown) > 1:
        names = ", ".join(str(key) for key in sorted(unknown, key=TaskKey.order))
        raise UserError(
            f"the planning set has gone back: {names} have landed, and no todo file knows it",
            hint=_where(session, state, number, runs),
            code="set-gone-back",
        )


def refuse_set_elsewhere(session: Session, orchestration: Orchestration) -> None:
    """Raise UserError if another branch has the STATE that this checkout lacks."""
    state = session.layout.shown(session.layout.state_path(orchestration.plan.number))
    holders = _holders(session, state)
    if holders:
        raise UserError(
            f"{state} isn't in this checkout, though the orchestration has begun",
            hint=f"the branch {holders[0]} has it: git checkout {holders[0]}",
            code="set-gone",
        )


def _kept(session: Session, orchestration: Orchestration) -> dict[tuple[str, TaskKey, str], str]:
    """The orchestration's refs: run, task and name to commit.

    Of other repositories only those of its own run: another plan of that number may have worked there.
    """
    number, run = orchestration.plan.number, orchestration.state.run
    found: dict[tuple[str, TaskKey, str], str] = {}
    for repo in taking_part(session, orchestration):
        if repo != HOME and not run:
            continue
        repository = repository_named(session, orchestration.settings, repo)
        refs = repository.refs("refs/orch/" if repo == HOME else f"refs/orch/{run}/")
        for ref, its_run, key, name in _own(refs, guests(refs) if repo == HOME else ()):
            if key.orchestration == number:
                found[its_run, key, name] = refs[ref]
    return found


def _landings(kept: dict[tuple[str, TaskKey, str], str]) -> dict[tuple[str, TaskKey], list[str]]:
    found: dict[tuple[str, TaskKey], list[str]] = {}
    for (run, key, name), commit in kept.items():
        if name.startswith("landed-"):
            found.setdefault((run, key), []).append(commit)
    return found


def _knows(orchestration: Orchestration, key: TaskKey, commits: list[str]) -> bool:
    task = orchestration.task(key)
    known = (*task.landed, *task.reverted)
    return any(commit.startswith(one) for commit in commits for one in known if one)


def _where(session: Session, path: str, number: int, runs: Iterable[str]) -> str:
    """Which branch has the set, in words; else how to begin anew: without what these runs of it left in git."""
    holders = _holders(session, path)
    here = session.repository.head_branch()
    others = [name for name in holders if name != here]
    if others:
        return f"the branch {others[0]} has it: git checkout {others[0]}"
    if holders:
        folder = session.layout.shown(session.layout.planning)
        return (
            f"a copy of yours, or the last commit, may know more: git diff HEAD -- {folder} shows what differs,"
            f" git restore {folder} takes what was committed"
        )
    told = "get it back from a copy of yours, no branch has it; or, to begin anew, "
    told += f"move {session.layout.shown(session.layout.tasks)}/{number}.*.todo.md away"
    refs = " ".join(f"'refs/orch/{run}/{number}.*/*'" for run in sorted(runs))
    forget = f"git for-each-ref --format='delete %(refname)' {refs} | git update-ref --stdin"
    return f"{told} and forget what was done: {forget}" if refs else told


def _holders(session: Session, path: str) -> list[str]:
    """The branches whose commits hold the file."""
    repository = session.repository
    return [
        name.removeprefix("refs/heads/") for name in repository.refs("refs/heads/") if repository.exists_at(name, path)
    ]
