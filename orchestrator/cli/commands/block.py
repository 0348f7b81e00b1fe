"""`orch block`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.decisions import block

HELP = """Stop a task, and hold what depends on it.

Its worker, if one is at work, is ended. orch retry takes the task up again where it was;
the cell on the board set to pending begins it anew."""


@click.command(help=HELP, epilog=example('orch block 5.1.2 --why "waits for the new API"'))
@click.argument("task", metavar="TASK")
@click.option("--why", required=True, metavar="TEXT", help="The reason; those who wait for the task see it.")
@shared_options
def command(task: str, why: str, number: int | None, as_json: bool) -> int:
    session = open_here(number)
    return print_outcome(block(session, task, said(why, "why"), by=session.by), as_json=as_json)
