"""`orch takeover`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, read_text, shared_options, text_file
from orchestrator.cli.output import print_outcome
from orchestrator.engine.takeover import takeover

HELP = """Write a task's micro-plan in its worker's place.

The worker carries it out as it stands. The file holds what a worker's would: `# KEY — title`, `## Goal`,
`## TODO items` with 1 to 12 boxes. It passes the same checks, and counts as approved."""


@click.command(help=HELP, epilog=example("orch takeover 5.1.2 --file plan.md"))
@click.argument("task", metavar="TASK")
@text_file("The micro-plan; - reads standard input.")
@click.option("--force", is_flag=True, help="Take it in spite of errors; needs --why.")
@click.option("--why", default="", metavar="TEXT", help="Why the errors don't matter.")
@shared_options
def command(task: str, path: str, force: bool, why: str, number: int | None, as_json: bool) -> int:
    if force != bool(why.strip()):
        raise click.UsageError(
            "--force and --why go together: a plan taken by force needs its reason", click.get_current_context()
        )
    session = open_here(number)
    outcome = takeover(session, task, read_text(path), force=force, why=why.strip(), by=session.by)
    return print_outcome(outcome, as_json=as_json)
