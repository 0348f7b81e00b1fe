"""`orch init`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, options_without_number, refuse_number
from orchestrator.cli.output import print_outcome
from orchestrator.engine.init_project import init_project

HELP = """Make planning/ and ORCH.md from what the repository has.

Looks for a test command, the default branch and installed agent CLIs, and says what it found.
Nothing that exists is overwritten."""


@click.command(help=HELP, epilog=example("orch init"))
@options_without_number
def command(number: int | None, as_json: bool) -> int:
    refuse_number(number, "ORCH.md is shared by all orchestrations")
    return print_outcome(init_project(open_here(None)), as_json=as_json)
