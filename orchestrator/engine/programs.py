"""Whether a worker's program is there: asked before a turn is begun with one that isn't, which is nobody's attempt."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from orchestrator.drivers.base import program_of, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.run import Run
from orchestrator.engine.session import Session
from orchestrator.errors import Location, ToolError, UserError
from orchestrator.model.actions import Verb, Why
from orchestrator.model.facts import Limits
from orchestrator.model.next_actions import next_actions
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, replace


@dataclass(frozen=True, slots=True)
class Lack:
    """A program that isn't there: `codex isn't on PATH`, and how to get it."""

    found: str
    fix: str


def agent_place(worker: Worker, root: Path) -> str:
    """The name or path of the agent program of a worker; empty for a driver that has none."""
    usual = traits_of(find_driver(worker.driver)).program
    return program_of(worker, str(root), usual) if usual else ""


def lack_of(worker: Worker, root: Path, environ: Mapping[str, str]) -> Lack | None:
    """The program that keeps a worker from being started; None where all are there.

    Raises UserError for a driver that can't be had.
    """
    traits = traits_of(find_driver(worker.driver))
    for program in (agent_place(worker, root),) if traits.program else _programs(worker):
        if shutil.which(program, path=environ.get("PATH")) is None:
            named = str(worker.options.get("program") or program)
            where = f"{named} isn't there" if os.sep in named else f"{program} isn't on PATH"
            return Lack(where, traits.install or (f"install {program}" if traits.program else ""))
    return None


def _programs(worker: Worker) -> tuple[str, ...]:
    """The programs that the command lines of a worker begin with, as far as they can be looked for from here: what a
    slot names isn't known yet, and a path below the workspace may be made by its setup."""
    if worker.driver != "command":
        return ()
    lines = [value for value in worker.options.values() if isinstance(value, (list, tuple)) and value]
    words = dict.fromkeys(str(line[0]) for line in lines)
    return tuple(word for word in words if "{{" not in word and (os.sep not in word or os.path.isabs(word)))  # noqa: PTH117


def refuse_lacking(session: Session, orchestration: Orchestration, limits: Limits) -> None:
    """Raise UserError where a turn that is due now can't be started, as the program of its worker isn't there."""
    decision = next_actions(orchestration, None, replace(limits, now=session.now()))
    due = [(one.key, one.verb is Verb.REVIEW) for one in decision.actions if one.key and one.verb.starts_turn]
    due += [(wait.key, False) for wait in decision.waits_for(Why.SLOT)]
    workers = {
        worker.tier: worker
        for key, of_review in due
        if (worker := orchestration.worker(key, of_review=of_review)) is not None
    }
    found = [
        (worker, lack)
        for worker in workers.values()
        if (lack := lack_of(worker, session.layout.root, session.environ)) is not None
    ]
    if found:
        said = "; ".join(f"workers: {worker.tier}: {lack.found} (driver {worker.driver})" for worker, lack in found)
        fixes = " && ".join(dict.fromkeys(lack.fix for _, lack in found if lack.fix))
        raise UserError(
            f"{said}: no turn was started, and no attempt is counted",
            at=found[0][0].at or Location(orchestration.settings.path),
            hint=f"{fixes or 'install it, or mend the line'}; orch doctor shows all that is there and missing",
            code="no-program",
        )


def require_program(run: Run, worker: Worker) -> None:
    """Raise ToolError, with how to get it, where the program of this worker isn't there any more."""
    lack = lack_of(worker, run.session.layout.root, run.session.environ)
    if lack is not None:
        path = run.settings.path
        raise ToolError(
            f"the worker {worker.tier} can't be started: {lack.found} (driver {worker.driver})",
            hint=f"{lack.fix or f'install it, or mend {path}'}, then run orch next-wave",
            code="no-program",
        )
