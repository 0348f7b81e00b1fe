"""What was done in a workspace besides the work: refs, hooks, config, and changes before the gate was open."""

from __future__ import annotations

from orchestrator.engine.copies import copy_name
from orchestrator.engine.prepare import Ready
from orchestrator.engine.run import Run
from orchestrator.errors import Severity
from orchestrator.model.changes import Change
from orchestrator.model.gate import Finding
from orchestrator.model.ids import TaskKey
from orchestrator.vcs.snapshots import changes, differences

DANGEROUS = ("hook", "config", "objects", "ignore", "other")
"""Kinds of change in the repository itself that make git run or believe something else."""


def exempt_paths(key: TaskKey) -> frozenset[str]:
    """The protocol file of a task: its own todo copy, nothing else under planning/."""
    return frozenset({copy_name(key)})


def diff(run: Run, key: TaskKey, ready: Ready) -> tuple[Change, ...]:
    """Everything that differs from the base in the workspace, its own todo copy apart."""
    return changes(ready.workspace, ready.base, exempt=exempt_paths(key), known=ready.snapshot)


def tampering(run: Run, key: TaskKey, ready: Ready, *, may_commit: bool) -> tuple[Finding, ...]:
    """What was changed besides files: an error inside the workspace's own git, which is the worker's alone; a warning
    for hooks and configuration of the repository itself, which may be a person's doing.

    The repository's refs and HEAD are no finding: people fetch, commit and switch branches while workers work, and
    landing checks the integration branch by its old value.
    """
    found = []
    for one in differences(ready.workspace, ready.snapshot, commits_allowed=may_commit, moved=("refs/",)):
        if not one.is_shared:
            found.append(Finding("tampering", one.text, Severity.ITEM, None))
        elif one.kind in DANGEROUS:
            found.append(Finding("repository-changed", one.text, Severity.WARNING, None))
    return tuple(found)
