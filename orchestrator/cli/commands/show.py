"""`orch show`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.show import show

HELP = """Show one task: spec, micro-plan, report, log.

Without an option a summary; with one or several just those parts."""


@click.command(help=HELP, epilog=example("orch show 5.1.2", "orch show 5.1.2 --plan --log"))
@click.argument("task", metavar="TASK")
@click.option("--spec", is_flag=True, help="Its section of the execution plan, as written.")
@click.option("--plan", is_flag=True, help="Its micro-plan with findings and questions.")
@click.option("--report", is_flag=True, help="Its report in STATE_N.md.")
@click.option("--log", is_flag=True, help="Every event of its life, a line each.")
@click.option("--diff", is_flag=True, help="What it changed.")
@click.option("--prompt", is_flag=True, help="The prompt of its last turn.")
@shared_options
def command(task: str, number: int | None, as_json: bool, **parts: bool) -> int:
    wanted = tuple(name for name, is_wanted in parts.items() if is_wanted)
    return print_outcome(show(open_here(number), task, wanted), as_json=as_json)
