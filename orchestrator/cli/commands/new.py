"""`orch new`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, options_without_number, refuse_number
from orchestrator.cli.output import print_outcome
from orchestrator.engine.new_orchestration import new_orchestration

HELP = """Make the next planning set.

Writes EXECUTION_PLAN_N.md and PROMPT_TEMPLATE_N.md with the next free number, for you to fill in."""


@click.command(help=HELP, epilog=example('orch new "Event triggers"'))
@click.argument("title")
@options_without_number
def command(title: str, number: int | None, as_json: bool) -> int:
    refuse_number(number, "a new planning set takes the next number")
    if not title.strip():
        raise click.UsageError("the title is empty", click.get_current_context())
    return print_outcome(new_orchestration(open_here(None), title), as_json=as_json)
