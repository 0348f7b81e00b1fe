"""`orch report`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, read_text, shared_options, text_file
from orchestrator.cli.output import print_outcome
from orchestrator.engine.handing_in import report

HELP = """Hand in the final message of a worker of your own.

For the driver manual, where a worker answers instead of writing its todo file: its micro-plan from the line `# KEY`
on, later its report from the line `## Report` on."""


@click.command(help=HELP, epilog=example("orch report 5.1.2 --file answer.md"))
@click.argument("task", metavar="TASK")
@text_file("The message; - reads standard input.")
@shared_options
def command(task: str, path: str, number: int | None, as_json: bool) -> int:
    return print_outcome(report(open_here(number), task, read_text(path)), as_json=as_json)
