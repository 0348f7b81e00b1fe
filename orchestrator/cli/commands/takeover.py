"""`orch takeover`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import is_terminal, print_outcome
from orchestrator.engine.takeover import takeover

HELP = """Write a task's micro-plan in its worker's place.

The worker carries it out as it stands. The file holds what a worker's would: `# KEY — title`, `## Goal`,
`## TODO items` with 1 to 12 boxes. It passes the same checks, and counts as approved."""


@click.command(help=HELP, epilog=example("orch takeover 5.1.2 --file plan.md"))
@click.argument("task", metavar="TASK")
@click.option(
    "--file",
    "path",
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="The micro-plan; - reads standard input.",
)
@click.option("--force", is_flag=True, help="Take it in spite of errors; needs --why.")
@click.option("--why", default="", metavar="TEXT", help="Why the errors don't matter.")
@shared_options
def command(task: str, path: str, force: bool, why: str, number: int | None, as_json: bool) -> int:
    if force != bool(why.strip()):
        raise click.UsageError(
            "--force and --why go together: a plan taken by force needs its reason", click.get_current_context()
        )
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} isn't UTF-8: {error.reason}", click.get_current_context()) from error
    by = "person" if is_terminal(sys.stdin) else "session"
    outcome = takeover(open_here(number), task, text, force=force, why=why.strip(), by=by)
    return print_outcome(outcome, as_json=as_json)
