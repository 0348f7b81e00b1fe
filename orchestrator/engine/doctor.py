"""`orch doctor`: what this machine can do for this repository, each missing piece with what degrades and how to get it.

Owns the list of checks. Must not write anything, nor start a worker.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from orchestrator.drivers.base import traits_of, worker_faults
from orchestrator.drivers.registry import find as find_driver
from orchestrator.drivers.registry import names
from orchestrator.engine.advance import LEAST_FREE, nearest_there
from orchestrator.engine.agents_found import agent_program, agent_programs
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.programs import agent_place, lack_of
from orchestrator.engine.repositories import folder_of
from orchestrator.engine.session import Session
from orchestrator.errors import Exit, OrchError, Read
from orchestrator.model.settings import Repo, Settings, Worker
from orchestrator.nouns import dataclass
from orchestrator.process.sandbox import fault
from orchestrator.store.planning_set import load_settings
from orchestrator.vcs.hooks import REF_HOOK, commit_rules
from orchestrator.vcs.repository import Repository

OK, DEGRADED, MISSING, ABSENT = "ok", "degraded", "missing", "absent"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `missing`: no wave runs without it; `degraded`: one runs, with `lost` of it.
    `absent`: it isn't there, and nothing that is set up needs it."""

    name: str
    status: str
    found: str
    lost: str = ""
    fix: str = ""

    def lines(self) -> list[str]:
        """The check as a line, and below it what is lost and what to do."""
        head = f"{self.status:<8} {self.name}: {self.found}"
        return [
            head,
            *(f"         {text}" for text in (self.lost, f"to get it: {self.fix}" if self.fix else "") if text),
        ]


def doctor(session: Session) -> Outcome:
    """All checks. Exit 1 if something is missing without which no wave runs, else 0."""
    checks = tuple(_checks(session))
    missing = [check for check in checks if check.status == MISSING]
    return Outcome(
        outcome="fix" if missing else "done",
        exit_code=Exit.FIX if missing else Exit.DONE,
        next="orch doctor" if missing else session.command("check") if _has_plan(session) else "orch init",
        first="get what is missing" if missing else "",
        lines=tuple(line for check in checks for line in check.lines()),
        data={
            "checks": [
                {
                    "name": check.name,
                    "status": check.status,
                    "found": check.found,
                    "lost": check.lost,
                    "fix": check.fix,
                }
                for check in checks
            ]
        },
    )


def _has_plan(session: Session) -> bool:
    return bool(session.layout.numbers())


def _checks(session: Session) -> Iterator[Check]:
    try:
        repository = session.repository
    except OrchError as error:
        yield Check("git", MISSING, error.message, "nothing runs without it", error.hint)
    else:
        yield Check("git", OK, ".".join(map(str, repository.version)))
        yield from _of_repository(repository)
    settings = load_settings(session.layout.settings_path, session.layout.root)
    yield from _workers(session, settings)
    yield from _agents(session)
    yield from _disk(session)
    yield _sandbox(wanted=settings.value.sandbox.is_on)
    yield _run_folder(session)


def _of_repository(repository: Repository) -> Iterator[Check]:
    fault = repository.identity_fault()
    if fault:
        fix = 'git config user.name "…" && git config user.email "…"'
        yield Check("identity", MISSING, "git doesn't know who commits", "nothing can land", fix)
    else:
        name = repository.git("var", "GIT_COMMITTER_IDENT").text.rpartition(">")[0]
        yield Check("identity", OK, f"{name}>")
    rules = commit_rules(repository)
    signed = ", signed" if rules.is_signed else ""
    if rules.names:
        how = "each landing is a real commit in a workspace of orch's own" + signed
        yield Check("hooks", OK, f"{', '.join(rules.names)} in {rules.hooks}: {how}")
    else:
        yield Check("hooks", OK, f"no commit hook: landings are made in memory{signed}")
    if rules.guards_refs:
        yield Check("hooks", OK, f"{REF_HOOK} in {rules.hooks}: asked before the integration branch moves")
    remotes = repository.git("remote").text.split()
    if remotes:
        yield Check("remote", OK, ", ".join(remotes))
    else:
        lost = "nothing has a copy elsewhere; orch itself never pushes"
        yield Check("remote", DEGRADED, "none", lost, "git remote add origin URL")


def _workers(session: Session, settings: Read[Settings]) -> Iterator[Check]:
    """The drivers there are, and whether each worker of the settings can be started."""
    yield Check("drivers", OK, ", ".join(names()))
    path = session.layout.shown(session.layout.settings_path)
    for problem in settings.problems:
        if problem.is_error:
            yield Check("settings", MISSING, f"{problem.at}: {problem.message}", "no wave starts", problem.hint)
    if not settings.value.workers:
        there = [one.driver for one in agent_programs(session.environ.get("PATH")) if one.path]
        fix = f"add to the front matter of {path}: workers: {{small: {{driver: {(*there, 'manual')[0]}}}}}"
        yield Check("workers", MISSING, "no worker is configured", "no task can be started", fix)
    for worker in settings.value.workers:
        yield _worker(session, worker, path)
    for repo in settings.value.repos:
        yield _other(session, repo, path)


def _other(session: Session, repo: Repo, path: str) -> Check:
    """Whether another repository that tasks may name is there."""
    name = f"repository {repo.name}"
    lost = "no wave starts whose plan names it"
    if not folder_of(session, repo).is_dir():
        return Check(name, DEGRADED, f"no folder {repo.path}", lost, "clone it there, or correct repos: in " + path)
    try:
        there = session.repository_in(folder_of(session, repo))
    except OrchError as error:
        return Check(name, DEGRADED, error.message, lost, f"clone it to {repo.path}, or correct repos: in {path}")
    if there.identity_fault():
        fix = f'git -C {there.root} config user.name "…" && git -C {there.root} config user.email "…"'
        return Check(name, DEGRADED, "git doesn't know who commits there", lost, fix)
    rules = commit_rules(there)
    return Check(name, OK, f"{there.root}, " + (f"hooks {', '.join(rules.names)}" if rules.names else "no commit hook"))


def _worker(session: Session, worker: Worker, path: str) -> Check:
    name = f"worker {worker.tier}"
    lost = f"tasks of the tier {worker.tier} can't be started"
    try:
        faults = worker_faults(find_driver(worker.driver), worker)
    except OrchError as error:
        return Check(name, MISSING, error.message, lost, error.hint)
    if faults:
        return Check(name, MISSING, faults[0], lost, f"mend it in {path}")
    lack = lack_of(worker, session.layout.root, session.environ)
    if lack is not None:
        fix = lack.fix or f"install it, or mend {path}"
        return Check(name, MISSING, f"driver {worker.driver}: {lack.found}", lost, fix)
    program = agent_place(worker, session.layout.root)
    traits = traits_of(find_driver(worker.driver))
    found = (
        agent_program(worker.driver, traits, program, session.environ.get("PATH")).words if program else worker.driver
    )
    return Check(name, OK, f"driver {found}" + (f", model {worker.model}" if worker.model else ""))


def _agents(session: Session) -> Iterator[Check]:
    path = session.environ.get("PATH")
    programs = agent_programs(path)
    if not any(one.path for one in programs):
        lost = "workers have to be programs of yours, or turns that a session gives out (driver manual)"
        known = ", ".join(one.driver for one in programs)
        yield Check("agents", DEGRADED, "no agent program on PATH", lost, f"install one of {known}")
    for one in programs:
        if one.path:
            yield Check("agent", OK, one.words)
        else:
            yield Check("agent", ABSENT, f"{one.driver}: {one.traits.program} isn't on PATH", fix=one.traits.install)


def _sandbox(*, wanted: bool) -> Check:
    """Whether workers are held to their workspace, where that is wanted, or could be."""
    why = fault()
    if why and wanted:
        return Check(
            "sandbox", DEGRADED, why, "workers run without, though sandbox: on is set", "a Linux kernel from 6.2 on"
        )
    if why:
        return Check("sandbox", OK, f"none here: {why}")
    return Check("sandbox", OK, "on" if wanted else "could be had: sandbox: on in planning/ORCH.md")


def _disk(session: Session) -> Iterator[Check]:
    for what, folder in (("checkout", session.layout.root), ("run folder", nearest_there(session.layout.run))):
        free = shutil.disk_usage(folder).free
        text = f"{free // 2**20} MiB free for the {what}"
        if free < LEAST_FREE:
            fix = "make room, or set worktree: {root: …} in planning/ORCH.md to a larger disk"
            yield Check("disk", MISSING, text, f"a run needs {LEAST_FREE // 2**20} MiB", fix)
        else:
            yield Check("disk", OK, text)


def _run_folder(session: Session) -> Check:
    run = session.layout.run
    there = nearest_there(run)
    if not os.access(there, os.W_OK | os.X_OK):
        fix = "make it writable, or set worktree: {root: …} in planning/ORCH.md to another folder"
        return Check("run folder", MISSING, f"{there} can't be written", "no workspace can be made", fix)
    made = "" if run.is_dir() else ", made at the first run"
    return Check("run folder", OK, f"{run}{made}")
