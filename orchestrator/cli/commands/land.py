"""`orch land`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.one_step import land

HELP = """Land one verified task as one commit.

Refused for work that isn't verified."""


@click.command(help=HELP, epilog=example("orch land 5.1.2"))
@click.argument("task", metavar="TASK")
@shared_options
def command(task: str, number: int | None, as_json: bool) -> int:
    return print_outcome(land(open_here(number), task), as_json=as_json)
