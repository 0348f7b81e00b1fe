"""`orch resume`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.status import resume

HELP = """Show what a fresh session needs, and nothing else.

Where the orchestration stands, what is open, what past workers warned of, and the next command: a few hundred
tokens at any size."""


@click.command(help=HELP, epilog=example("orch resume"))
@shared_options
def command(number: int | None, as_json: bool) -> int:
    return print_outcome(resume(open_here(number)), as_json=as_json)
