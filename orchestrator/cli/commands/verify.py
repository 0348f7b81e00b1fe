"""`orch verify`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.one_step import verify

HELP = """Verify one task's finished work.

The same checks as next-wave's: the diff against the scope, the steps, the report, the targeted test on the tree that
would land."""


@click.command(help=HELP, epilog=example("orch verify 5.1.2"))
@click.argument("task", metavar="TASK")
@shared_options
def command(task: str, number: int | None, as_json: bool) -> int:
    return print_outcome(verify(open_here(number), task), as_json=as_json)
