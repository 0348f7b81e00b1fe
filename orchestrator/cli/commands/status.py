"""`orch status`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.status import report_event, status

HELP = """Show the board and what each task waits for.

Finished waves and tasks that wait for the same share a line. Reads files only, and needs no lock."""


@click.command(help=HELP, epilog=example("orch status", "orch status --json", "orch status --report"))
@click.option("--report", "as_report", is_flag=True, help="Print the block that tells others where it stands.")
@shared_options
def command(as_report: bool, number: int | None, as_json: bool) -> int:
    session = open_here(number)
    return print_outcome(report_event(session) if as_report else status(session), as_json=as_json)
