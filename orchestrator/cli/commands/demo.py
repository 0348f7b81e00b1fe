"""`orch demo`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.interrupts import listen
from orchestrator.cli.options import example, options_without_number, refuse_number
from orchestrator.cli.output import print_outcome, progress
from orchestrator.engine.demo import demo

HELP = """Run a whole orchestration in a throw-away repository.

Two waves, five tasks, real commits and tests; the workers are scripted, so that it needs no model and no account.
One plan is sent back and one failing test is retried on the way."""


@click.command(help=HELP, epilog=example("orch demo", "orch demo --keep ~/orch-demo --stop-at gate"))
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Make the repository in DIR, which must be new or empty.",
)
@click.option("--stop-at", type=click.Choice(["gate"]), help="Stop where the first plans wait for you.")
@options_without_number
def command(keep: Path | None, stop_at: str | None, number: int | None, as_json: bool) -> int:
    refuse_number(number, "the demo makes an orchestration of its own")
    listen()
    # What happens on the way is what a demo is for: it is shown also where nobody sits at a terminal.
    outcome = demo(os.environ, keep=keep, stop_at=stop_at, emit=progress(always=not as_json))
    return print_outcome(outcome, as_json=as_json)
