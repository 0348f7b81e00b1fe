"""`orch land`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.landed_as import land_as
from orchestrator.engine.one_step import land

HELP = """Land one verified task as one commit.

Refused for work that isn't verified."""


@click.command(help=HELP, epilog=example("orch land 5.1.2"))
@click.argument("task", metavar="TASK")
@click.option("--as", "commit", metavar="COMMIT", help="Of a landed task: the rewritten branch has its work as COMMIT.")
@shared_options
def command(task: str, commit: str | None, number: int | None, as_json: bool) -> int:
    session = open_here(number)
    outcome = land(session, task) if commit is None else land_as(session, task, commit, by=session.by)
    return print_outcome(outcome, as_json=as_json)
