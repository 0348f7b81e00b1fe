"""`orch rescope`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.rescope import rescope

HELP = """Add files to a task's scope, and ask for a new micro-plan.

The spec in the execution plan is changed. Refused where another task of the wave
claims the file. There is no other way for a task to get more files."""


@click.command(help=HELP, epilog=example('orch rescope 5.1.2 --edit src/api.py --why "the parser is called there"'))
@click.argument("task", metavar="TASK")
@click.option("--edit", "--add", "edits", multiple=True, metavar="PATH", help="A file that it must edit too.")
@click.option("--create", "creates", multiple=True, metavar="PATH", help="A file that it can create too.")
@click.option("--delete", "deletes", multiple=True, metavar="PATH", help="A file that it can delete too.")
@click.option("--why", required=True, metavar="TEXT", help="The reason, for the records and the worker.")
@shared_options
def command(
    task: str,
    edits: tuple[str, ...],
    creates: tuple[str, ...],
    deletes: tuple[str, ...],
    why: str,
    number: int | None,
    as_json: bool,
) -> int:
    if not (edits or creates or deletes):
        raise click.UsageError("name a path: --edit, --create or --delete", click.get_current_context())
    session = open_here(number)
    added = {"must edit": edits, "can create": creates, "can delete": deletes}
    return print_outcome(rescope(session, task, added, said(why, "why"), by=session.by), as_json=as_json)
