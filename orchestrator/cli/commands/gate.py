"""`orch gate`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.gate import show_gate

HELP = """Show the plans and changes that wait for a judgement.

For each plan its goal, steps, findings and questions, for each change its files and findings, and at the end the
commands to answer."""


@click.command(help=HELP, epilog=example("orch gate", "orch gate 5.1.2"))
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@shared_options
def command(tasks: tuple[str, ...], number: int | None, as_json: bool) -> int:
    return print_outcome(show_gate(open_here(number), tasks), as_json=as_json)
