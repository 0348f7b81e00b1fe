"""`orch skip`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.decisions import skip

HELP = """Leave a task out.

Its worker, if one is at work, is ended. Tasks that need it are held until you decide:
--dependents keep lets them go on, skip leaves them out too."""


@click.command(
    help=HELP,
    epilog=example('orch skip 5.1.2 --why "done by hand"', 'orch skip 5.1.2 --why "not wanted" --dependents skip'),
)
@click.argument("task", metavar="TASK")
@click.option("--why", required=True, metavar="TEXT", help="The reason, for the records.")
@click.option("--dependents", type=click.Choice(["keep", "skip"]), help="What becomes of the tasks that need it.")
@shared_options
def command(task: str, why: str, dependents: str | None, number: int | None, as_json: bool) -> int:
    session = open_here(number)
    return print_outcome(
        skip(session, task, said(why, "why"), dependents=dependents or "", by=session.by), as_json=as_json
    )
