"""`orch retry`."""

from __future__ import annotations

import sys

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import is_terminal, print_outcome
from orchestrator.engine.decisions import retry

HELP = """Give a blocked task one more try.

It costs a written diagnosis: what went wrong, and what to do about it. The worker gets it to read.

A task that landed in a wave that isn't done is taken back first."""


@click.command(help=HELP, epilog=example('orch retry 5.1.2 --because "the test needs LANG=C; it is set now"'))
@click.argument("task", metavar="TASK")
@click.option("--because", required=True, metavar="TEXT", help="What went wrong, and what is different now.")
@shared_options
def command(task: str, because: str, number: int | None, as_json: bool) -> int:
    by = "person" if is_terminal(sys.stdin) else "session"
    return print_outcome(retry(open_here(number), task, said(because, "because"), by=by), as_json=as_json)
