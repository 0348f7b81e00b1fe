"""`sandbox: on`: what works for orch may change its own workspace, a temporary folder of its own, and little more.

Holds for workers, reviewers, tests, suites, gates and setups, for all of them run what workers wrote. Owns what each
may change; how a process is held to it is process/sandbox.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.drivers.base import traits_of
from orchestrator.drivers.registry import find
from orchestrator.effects import effect
from orchestrator.model.settings import Worker
from orchestrator.process.invocation import Invocation
from orchestrator.process.sandbox import confined, fault
from orchestrator.store.layout import from_home
from orchestrator.vcs.removing import remove_tree

if TYPE_CHECKING:
    from orchestrator.engine.run import Run

SCRATCH = "tmp"
"""The folder of the temporary folders, in the run folder."""


def lacking(run: Run) -> str:
    """What keeps a wanted sandbox from being there, in words; empty where it is there or isn't wanted."""
    if not run.settings.sandbox.is_on:
        return ""
    why = fault()
    return f"sandbox: there is none here, {why}; workers run without" if why else ""


def confine(run: Run, invocation: Invocation, place: Path, more: Sequence[str] = ()) -> Invocation:
    """The process as it may be started in the workspace `place`; `more` are further paths that it may change."""
    if not run.settings.sandbox.is_on or fault():
        return invocation
    scratch = _scratch(run, place)
    if not scratch.is_dir():
        with effect("create", str(scratch)):
            scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    environ = run.session.environ
    writable = [str(place), *(from_home(path, environ) for path in (*more, *run.settings.sandbox.write))]
    kept = [str(path) for site in run.sites() for path in (site.repository.root, site.repository.common_dir)]
    return confined(invocation, writable=writable, kept=[*kept, str(run.layout.run)], scratch=str(scratch))


def _scratch(run: Run, place: Path) -> Path:
    # Workspace 1 and verify workspace 1 have one each: else what a worker leaves there would decide another's test.
    return run.layout.run / SCRATCH / f"{place.parent.name}-{place.name}"


def empty_scratch(run: Run, place: Path) -> None:
    """Delete what lies in the temporary folder of a place that is laid for somebody else. Raises OSError."""
    remove_tree(_scratch(run, place))


def confine_worker(
    run: Run, worker: Worker, invocation: Invocation, place: Path, more: Sequence[str] = ()
) -> Invocation:
    """The same for a worker, which may also change what its program keeps. One that confines itself is left alone."""
    about = traits_of(find(worker.driver))
    if about.confines_itself and worker.options.get("permissions") != "all":
        return invocation
    return confine(run, invocation, place, (*about.writes, *more))
