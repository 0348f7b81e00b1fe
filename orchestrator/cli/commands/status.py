"""`orch status`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.status import report_event, status

HELP = """Show the board and what each task waits for.

Finished waves and tasks that wait for the same share a line. Reads files only, and needs no lock."""


@click.command(help=HELP, epilog=example("orch status", "orch status --report", "orch status --cost --json"))
@click.option("--report", "as_report", is_flag=True, help="Print the block that tells others where it stands.")
@click.option("--cost", "as_cost", is_flag=True, help="Print what was used: by tier, wave and task, and of the budget.")
@shared_options
def command(as_report: bool, as_cost: bool, number: int | None, as_json: bool) -> int:
    if as_report and as_cost:
        raise click.UsageError("--report and --cost don't go together", click.get_current_context())
    session = open_here(number)
    if as_cost:
        # Here and not above: the board doesn't need it.
        from orchestrator.engine.spending import spending

        return print_outcome(spending(session), as_json=as_json)
    return print_outcome(report_event(session) if as_report else status(session), as_json=as_json)
