"""One run of a suite on a checkout of orch's own: its exit, its JUnit files, else what it printed.

Owns where a suite runs and where its output lies. Must not know waves nor what a result means.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.engine.copies import is_plain_file
from orchestrator.engine.filling import fill
from orchestrator.engine.run import Run
from orchestrator.engine.setup import before_setup, note_setup, recipe_for
from orchestrator.engine.site import Site
from orchestrator.errors import ToolError
from orchestrator.formats.junit import JUnitError, merged, read_junit
from orchestrator.model.baseline import FAIL, PASS, SuiteResult, result_of
from orchestrator.model.counts import parse_counts
from orchestrator.model.ids import TaskKey
from orchestrator.model.run_counts import RunCounts
from orchestrator.model.settings import Suite
from orchestrator.nouns import dataclass
from orchestrator.process.environment import own_names
from orchestrator.process.invocation import Invocation
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import Ended, tail
from orchestrator.process.running import run as run_process
from orchestrator.vcs.products import has_made
from orchestrator.vcs.workspace import Workspace

LARGEST = 64 << 20
"""Bytes of JUnit XML that are read of one run."""
PRINTED = 4 << 20
"""Bytes at the end of what a suite printed that are looked through."""


def run_suites(
    run: Run, suites: Iterable[Suite], commits: Mapping[str, str], *, is_probe: bool = False
) -> tuple[SuiteResult, ...]:
    """The results of suites, one after another, each on a checkout of its repository's commit or tree.

    is_probe: the output lies elsewhere, so that the last run at a head is kept.
    """
    paths: dict[str, Path] = {}
    folder = run.layout.run / "tests" / "probe" if is_probe else None
    results = []
    for suite in suites:
        if suite.repo not in paths:
            paths[suite.repo] = checkout_for_suites(run.site_named(suite.repo), commits[suite.repo])
        results.append(run_suite(run, suite, paths[suite.repo], folder or run.layout.suite_dir(suite.name)))
    return tuple(results)


def checkout_for_suites(site: Site, commit: str) -> Path:
    """A workspace of orch's own with the commit or tree checked out and setup done. Raises ToolError if setup fails."""
    laid = lay_tree(site, site.repository.tree_of(commit), site.run.free_slot())
    ended = set_up_now(laid, site.run.layout.suites_dir() / "setup")
    if ended is not None:
        raise ToolError(
            f"the setup for the suites{site.words} failed: {site.worktree.setup}",
            status=ended.exit_code,
            output=tail(ended.stderr, 2000),
            hint="mend worktree: setup in planning/ORCH.md",
            code="setup",
        )
    return laid.path


@dataclass(frozen=True, slots=True)
class Laid:
    """A tree in a verify workspace, and whether the setup of `worktree:` has to be run there."""

    site: Site
    workspace: Workspace
    recipe: str
    needs_setup: bool
    before: dict[str, str]
    """What lay there besides the tree before a setup."""

    @property
    def path(self) -> Path:
        return self.workspace.path

    @property
    def setup(self) -> Invocation:
        run = self.site.run
        return run.shell(self.site.worktree.setup, self.path, timeout=run.settings.test_timeout)

    def is_set_up(self, ended: Ended) -> bool:
        """Whether a setup that has ended succeeded; then what it made is put on record."""
        note_setup(self.site, self.workspace, self.recipe, self.before, ended)
        return ended.reason == "exit" and ended.exit_code == 0


def lay_tree(site: Site, tree: str, slot: int) -> Laid:
    """Put a tree into a verify workspace, with what `worktree:` copies and links, and nothing that was left there."""
    recipe = recipe_for(site, tree)
    place = site.verify_dir(slot)
    workspace = site.workspaces.lay(place, branch=None, commit=site.head(), tree=tree, recipe=recipe)
    needs_setup = bool(site.worktree.setup) and not has_made(workspace, recipe)
    fill(site, place)
    return Laid(site, workspace, recipe, needs_setup, before_setup(workspace) if needs_setup and recipe else {})


def set_up_now(laid: Laid, folder: Path) -> Ended | None:
    """Run the setup where it is needed and wait for it; returns how it ended where it failed."""
    if not laid.needs_setup:
        return None
    ended = run_process(laid.setup, folder, laid.site.run.session.random_name(16))
    return None if laid.is_set_up(ended) else ended


def set_up(key: TaskKey, laid: Laid, slot: int, then: Callable[[], None], failed: Callable[[Ended], None]) -> None:
    """Go on with `then` once the setup that a tree needs has been run for a task, or with `failed`."""
    run = laid.site.run
    if not laid.needs_setup:
        then()
        return

    def done(ended: Ended) -> None:
        if laid.is_set_up(ended):
            then()
        else:
            failed(ended)

    run.start_job(key, laid.setup, run.layout.run / "tests" / f"{key}.setup", done).slot = slot


def output_of(run: Run, suite: str, limit: int = 4000) -> str:
    """The end of what the last run of a suite printed, as plain text."""
    folder = run.layout.suite_dir(suite)
    return run.foreign(tail(folder / "stdout", limit) + "\n" + tail(folder / "stderr", limit)).strip()[-limit:]


def run_suite(run: Run, suite: Suite, path: Path, folder: Path) -> SuiteResult:
    """The result of a suite in `path`; what it prints goes to `folder`."""
    clear_reports(path, suite)
    names = own_names(str(run.layout.root), f"suites-{suite.name}")
    invocation = run.shell(suite.run, path, timeout=suite.timeout, more=names)
    ended = run_process(invocation, folder, run.session.random_name(16))
    return result_from(suite, path, ended)


def result_from(suite: Suite, path: Path, ended: Ended) -> SuiteResult:
    """What the end of a suite's process in a folder comes to."""
    printed = parse_counts(plain_output(tail(ended.stdout, PRINTED) + "\n" + tail(ended.stderr, PRINTED)))
    result = result_of(ended.exit_code, ended_by_itself=ended.reason == "exit")
    if not suite.junit:
        return SuiteResult(suite.repo, suite.name, result, printed)
    try:
        counts = _reported(path, suite.junit)
    except (JUnitError, OSError) as error:
        words = error.strerror or "can't be read" if isinstance(error, OSError) else str(error)
        warning = f"{suite.name}: its JUnit file {suite.junit} {words}; what it printed was read instead"
        return SuiteResult(suite.repo, suite.name, result, printed, warning)
    if printed.failed is not None and printed.failed > (counts.failed or 0):
        # Some reporters leave out what never came to run, a file that doesn't load for example.
        counts = counts._replace(failed=printed.failed)
    if result == PASS and counts.failing:
        result = FAIL
    return SuiteResult(suite.repo, suite.name, result, counts)


def _files(top: Path, pattern: str) -> list[Path]:
    """The files that `junit:` names: a path, or a pattern with `*`."""
    found = sorted(top.glob(pattern)) if "*" in pattern else [top / pattern]
    return [path for path in found if is_plain_file(top, path)]


def clear_reports(top: Path, suite: Suite) -> None:
    """Remove the JUnit files that an earlier run left, so that they aren't taken for this one's."""
    for path in _files(top, suite.junit) if suite.junit else ():
        with effect("remove", str(path)):
            path.unlink(missing_ok=True)


def _reported(top: Path, pattern: str) -> RunCounts:
    """What the JUnit files of a run say. Raises JUnitError, or OSError for one that can't be read."""
    files = _files(top, pattern)
    if not files:
        raise JUnitError("isn't there")
    parts = []
    left = LARGEST
    for path in files:
        data = _bytes(path, left)
        left -= len(data)
        parts.append(read_junit(data))
    return merged(parts)


def _bytes(path: Path, most: int) -> bytes:
    """A plain file's bytes, without waiting for a pipe that somebody put there. Raises JUnitError if it is too long."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise JUnitError("is no plain file")
        data = file.read(most + 1)
    if len(data) > most:
        raise JUnitError(f"is longer than {LARGEST >> 20} MiB")
    return data
