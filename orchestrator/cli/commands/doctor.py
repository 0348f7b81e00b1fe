"""`orch doctor`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, options_without_number, refuse_number
from orchestrator.cli.output import print_outcome
from orchestrator.engine.doctor import doctor

HELP = """Show what this machine can do, and how to get what is missing.

git, identity, hooks, remote, drivers and workers, agent programs, disk, run folder. Changes nothing."""


@click.command(help=HELP, epilog=example("orch doctor", "orch doctor --json"))
@options_without_number
def command(number: int | None, as_json: bool) -> int:
    refuse_number(number, "it is about the machine, not about an orchestration")
    return print_outcome(doctor(open_here(None)), as_json=as_json)
