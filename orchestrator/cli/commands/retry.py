"""`orch retry`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.decisions import retry
from orchestrator.engine.retry_wave import retry_wave

HELP = """Give a blocked task or a red wave one more try.

It costs a written diagnosis: what went wrong, and what to do about it. The worker gets it to read.

A task that orch block stopped, or whose cell a person set to blocked or needs-input, goes on where it was.

With --landed a task that landed in a wave that isn't done is taken back first, by a revert of its commit.

With --wave no task is tried again: the wave's suites run at the head as it is now."""


@click.command(
    help=HELP,
    epilog=example(
        'orch retry 5.1.2 --because "the test needs LANG=C; it is set now"',
        'orch retry 5.1.2 --landed --because "it drops the last line of a file"',
        'orch retry --wave 2 --because "the test server was down"',
    ),
)
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--wave", type=click.IntRange(min=1), metavar="W", help="Run the suites of the red wave W again.")
@click.option("--because", required=True, metavar="TEXT", help="What went wrong, and what is different now.")
@click.option("--landed", is_flag=True, help="Of a task that has landed: revert its commit first.")
@shared_options
def command(task: str | None, wave: int | None, because: str, landed: bool, number: int | None, as_json: bool) -> int:
    if (task is None) == (wave is None):
        raise click.UsageError("name a task, or a red wave with --wave", click.get_current_context())
    if landed and task is None:
        raise click.UsageError("--landed goes with a task", click.get_current_context())
    why = said(because, "because")
    session = open_here(number)
    if task is not None:
        return print_outcome(retry(session, task, why, landed=landed, by=session.by), as_json=as_json)
    return print_outcome(retry_wave(session, wave or 0, why, by=session.by), as_json=as_json)
