"""`orch status`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.status import status

HELP = """Show the board and what each task waits for.

Finished waves and tasks that wait for the same share a line. Reads files only, and needs no lock."""


@click.command(help=HELP, epilog=example("orch status", "orch status --json"))
@shared_options
def command(number: int | None, as_json: bool) -> int:
    return print_outcome(status(open_here(number)), as_json=as_json)
