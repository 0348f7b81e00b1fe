"""`orch log`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome, print_part
from orchestrator.engine.worker_log import log

HELP = """Show what a task's worker printed in its last turn.

Control characters are taken out; of an agent program's events it shows what it says, uses (>) and meets (!, ~), and
how it ended (=). The last line says where it lies."""


@click.command(help=HELP, epilog=example("orch log 5.1.2", "orch log 5.1.2 -f"))
@click.argument("task", metavar="TASK")
@click.option("-f", "--follow", is_flag=True, help="Go on until the turn has ended.")
@click.option("--raw", "is_raw", is_flag=True, help="Show an agent program's events as they came.")
@shared_options
def command(task: str, follow: bool, is_raw: bool, number: int | None, as_json: bool) -> int:
    if follow and as_json:
        message = "--follow and --json don't go together: a document is whole"
        raise click.UsageError(message, click.get_current_context())
    outcome = log(open_here(number), task, follow=follow, is_raw=is_raw, show=print_part)
    return print_outcome(outcome, as_json=as_json)
