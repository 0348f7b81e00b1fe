"""`orch check`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.check_files import check_files

HELP = """Show every problem in the files, with place and hint.

Reads ORCH.md, the plan, the template, the state and the todo files; changes nothing and runs no command.
Exit 1 if there is an error; warnings alone are exit 0."""


@click.command(help=HELP, epilog=example("orch check", "orch check -n 4 --json"))
@shared_options
def command(number: int | None, as_json: bool) -> int:
    return print_outcome(check_files(open_here(number)), as_json=as_json)
