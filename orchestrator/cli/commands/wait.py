"""`orch wait`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.waiting import wait

HELP = """Wait until something needs attention.

Returns once no orch and no worker is at work, with what `orch status` shows. Reads only, and takes no lock."""


@click.command(help=HELP, epilog=example("orch wait", "orch wait --any --timeout 600"))
@click.option("--any", "any_change", is_flag=True, help="Return as soon as any task has moved.")
@click.option("--timeout", type=click.FloatRange(min=0), default=0.0, metavar="SECONDS", help="Return after so long.")
@shared_options
def command(any_change: bool, timeout: float, number: int | None, as_json: bool) -> int:
    return print_outcome(wait(open_here(number), any_change=any_change, timeout=timeout), as_json=as_json)
