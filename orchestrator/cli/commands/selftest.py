"""`orch selftest`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from orchestrator.cli.interrupts import listen
from orchestrator.cli.options import example, options_without_number, refuse_number
from orchestrator.cli.output import print_outcome, progress
from orchestrator.engine.selftest import EVERY, SAMPLE, TIMES, selftest
from orchestrator.engine.trials import TRIALS
from orchestrator.whole_numbers import whole_number

_ROOM = 2**30
"""Bytes that must be free in memory for the trials to lie there."""

HELP = """Kill orchestrations at many steps: they must end the same.

Each kill is a SIGKILL before or after a numbered step: a file replaced, a git command, a process started. orch is
killed with its workers and, where any were alive, alone; then orch next-wave goes on to the end, which must be the
undisturbed one: trees, commits, board, reports, turns, and nothing left lying about."""


def _kills(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if value != EVERY and not whole_number(value.removeprefix(TIMES)):
        raise click.BadParameter(f'"{value}" is neither a number nor {EVERY} nor {TIMES}N')
    return value


def _fast_disk(environ: Mapping[str, str]) -> str | None:
    """Where many small files come and go: TMPDIR if it is set, else memory where that can be had, else the usual."""
    memory = "/dev/shm"
    if environ.get("TMPDIR") or not os.access(memory, os.W_OK | os.X_OK):
        return environ.get("TMPDIR")
    return memory if shutil.disk_usage(memory).free >= _ROOM else None


@click.command(help=HELP, epilog=example("orch selftest", "orch selftest --kill-at every-step --jobs 2"))
@click.option(
    "--kill-at",
    callback=_kills,
    default=str(SAMPLE),
    metavar="N",
    show_default=True,
    help=f"So many steps, {TIMES}N for as many moments by time, or {EVERY} for all there are.",
)
@click.option(
    "--trial",
    "trials",
    multiple=True,
    type=click.Choice([trial.name for trial in TRIALS]),
    help="Only this orchestration; may be given again.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which kills are drawn.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="How many run at once.")
@options_without_number
def command(kill_at: str, trials: tuple[str, ...], seed: int, jobs: int, number: int | None, as_json: bool) -> int:
    refuse_number(number, "the selftest makes orchestrations of its own")
    listen()
    folder = Path(tempfile.mkdtemp(prefix="orch-selftest-", dir=_fast_disk(os.environ)))
    outcome = selftest(
        os.environ, kill_at=kill_at, only=trials, seed=seed, jobs=jobs, folder=folder, emit=progress(always=not as_json)
    )
    return print_outcome(outcome, as_json=as_json)
