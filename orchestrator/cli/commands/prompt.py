"""`orch prompt`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_exact, print_outcome
from orchestrator.engine.handing_in import prompt

HELP = """Print the text of a task's last turn for its worker.

It is exactly what a driver sends, byte for byte."""


@click.command(help=HELP, epilog=example("orch prompt 5.1.2"))
@click.argument("task", metavar="TASK")
@click.option(
    "--turn",
    type=click.Choice(["plan", "execute", "retry", "takeover"]),
    help="Refuse if the last turn is another one.",
)
@shared_options
def command(task: str, turn: str | None, number: int | None, as_json: bool) -> int:
    outcome = prompt(open_here(number), task, turn or "")
    return print_outcome(outcome, as_json=True) if as_json else print_exact("".join(outcome.lines))
