"""`orch check`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.check_files import FORMS, check_files

HELP = """Show every problem in the files, with place and hint.

Reads ORCH.md, the plan, the template, the state and the todo files; changes nothing and runs no command.
Exit 1 if there is an error; warnings alone are exit 0."""


@click.command(help=HELP, epilog=example("orch check", "orch check -n 4 --json", "orch check --format github"))
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default=FORMS[0],
    show_default=True,
    help="github: workflow commands; sarif: a SARIF 2.1.0 log.",
)
@shared_options
def command(number: int | None, as_json: bool, form: str) -> int:
    if as_json and form != FORMS[0]:
        raise click.UsageError("--json is a form of its own: leave out --format", click.get_current_context())
    return print_outcome(check_files(open_here(number), form=form), as_json=as_json)
