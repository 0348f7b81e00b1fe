"""`orch revise`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.approve import revise

HELP = """Send a micro-plan back to its worker with a reason.

Also takes an approval back, as long as the work hasn't been started. Only records it; `orch next-wave` hands the
reason to the worker, which plans again. A verified change that waits for approval is worked
on again."""


@click.command(help=HELP, epilog=example('orch revise 5.1.2 -m "Step 2 belongs to task 5.1.3; leave it out."'))
@click.argument("task", metavar="TASK")
@click.option("-m", "--message", required=True, metavar="TEXT", help="What is wrong with the plan.")
@shared_options
def command(task: str, message: str, number: int | None, as_json: bool) -> int:
    if not message.strip():
        raise click.UsageError(
            "the message is empty; the worker needs to know what to change", click.get_current_context()
        )
    session = open_here(number)
    return print_outcome(revise(session, task, message.strip(), by=session.by), as_json=as_json)
