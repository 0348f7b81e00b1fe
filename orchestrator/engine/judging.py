"""What was done besides the work: commits, refs, hooks and configuration, in the workspace and in the repository."""

from __future__ import annotations

from orchestrator.drivers.base import traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.landed import LANDED, REVERTED
from orchestrator.engine.prepare import Ready
from orchestrator.engine.run import Run
from orchestrator.engine.site import Site
from orchestrator.errors import OrchError, Severity
from orchestrator.model.gate import Finding
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.name_lists import some
from orchestrator.vcs.history import commits_between
from orchestrator.vcs.snapshots import differences

DANGEROUS = ("hook", "config", "objects", "ignore", "other")
"""Kinds of change in the repository itself that make git run or believe something else."""


def tampering(run: Run, key: TaskKey, ready: Ready, *, may_commit: bool) -> tuple[Finding, ...]:
    """What was changed besides files: an error inside the workspace's own git, which is the worker's alone; a warning
    for hooks and configuration of the repository itself, which may be a person's doing.

    The repository's refs and HEAD are no finding: people fetch, commit and switch branches while workers work, and
    landing checks the integration branch by its old value. What came onto that one is told by `tell_what_came`.
    """
    found = []
    kept = _own_files(run, key)
    for one in differences(ready.workspace, ready.snapshot, commits_allowed=may_commit, moved=("refs/",)):
        if not one.is_shared and one.kind == "other" and one.name.removeprefix("file ") in kept:
            continue
        if not one.is_shared:
            found.append(Finding("tampering", one.text, Severity.ITEM, None))
        elif one.kind in DANGEROUS:
            found.append(Finding("repository-changed", one.text, Severity.WARNING, None))
    return tuple(found)


def tell_what_came(run: Run, key: TaskKey, ready: Ready) -> None:
    """Note commits on the integration branch that aren't orch's and came since the workspace was made: a person's, or
    the worker's. Nothing waits for them."""
    site = run.site(key)
    old, new = ready.snapshot.shared.get(f"ref {site.integration_ref}"), site.repository.resolve(site.integration_ref)
    if not old or not new or old == new:
        return
    came = others_commits(site, old, new)
    if came:
        shown = some([f"{commit[:7]} ({run.foreign(subject)})" for commit, subject in came], 3)
        run.degrade(
            f"{site.branch}{site.words} got commits that aren't orch's while workers were at work: {shown};"
            " look at them if they aren't yours"
        )


def others_commits(site: Site, old: str, new: str) -> list[tuple[str, str]]:
    """The commits in `new` and not in `old` that aren't orch's, newest first: id and subject."""
    run = site.run
    refs = site.repository.refs("refs/orch/").items()
    own = {commit for name, commit in refs if name.rpartition("/")[2].startswith((LANDED, REVERTED))}
    # orch itself commits the planning set, in the repository it lies in.
    beside = run.layout.shown(run.layout.planning) if site.name == HOME else ""
    return [one for one in commits_between(site.repository, old, new, beside=beside) if one[0] not in own]


def _own_files(run: Run, key: TaskKey) -> tuple[str, ...]:
    """Files that the task's worker keeps in git's directory for itself."""
    try:
        return traits_of(find_driver(run.task(key).driver)).git_files
    except OrchError:
        return ()


def changed_repository(run: Run, ready: Ready) -> tuple[str, ...]:
    """Hooks and configuration of the repository itself that changed since the workspace was made."""
    found = differences(ready.workspace, ready.snapshot, commits_allowed=True, moved=("refs/",))
    return tuple(one.text for one in found if one.is_shared and one.kind in DANGEROUS)
