"""`orch ask`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.answering import ask

HELP = """Put a question about a task into the queue.

The task isn't approved while it is open; one that is approved already waits for the answer at the end of its turn."""


@click.command(
    help=HELP,
    epilog=example('orch ask 5.1.2 "Keep the legacy column?" --option keep --option drop --recommend drop'),
)
@click.argument("task", metavar="TASK")
@click.argument("text", metavar="TEXT")
@click.option(
    "--for",
    "audience",
    type=click.Choice(["person", "orchestrator"]),
    default="person",
    help="Who may answer; a person without it.",
)
@click.option("--option", "options", multiple=True, metavar="TEXT", help="An answer to choose; several times.")
@click.option("--recommend", "recommended", default="", metavar="TEXT", help="The option that you would choose.")
@shared_options
def command(
    task: str,
    text: str,
    audience: str,
    options: tuple[str, ...],
    recommended: str,
    number: int | None,
    as_json: bool,
) -> int:
    session = open_here(number)
    outcome = ask(
        session, task, said(text, "text"), audience=audience, options=options, recommended=recommended, by=session.by
    )
    return print_outcome(outcome, as_json=as_json)
