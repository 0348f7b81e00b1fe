"""`orch clean`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.cleaning import clean

HELP = """Clear away what is landed.

Workspaces of tasks that have landed or were skipped go; what holds work of its own is kept and named."""


@click.command(help=HELP, epilog=example("orch clean"))
@shared_options
def command(number: int | None, as_json: bool) -> int:
    return print_outcome(clean(open_here(number)), as_json=as_json)
