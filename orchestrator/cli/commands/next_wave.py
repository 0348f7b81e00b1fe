"""`orch next-wave`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.next_wave import next_wave

HELP = """Advance the current wave as far as it goes.

Plans, checks, executes, verifies and lands until nothing is left to do without a person, and says what that is.
Calling it again is always right, also after it was killed."""


@click.command(
    help=HELP,
    epilog=example("orch next-wave", "orch next-wave --dry-run", "while orch next-wave --auto; do :; done"),
)
@click.option("--auto", is_flag=True, help="Never wait at the gate: plans without a finding pass, others are parked.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, from the files alone, and do nothing.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="K", help="At most K workers at once.")
@click.option("--wave", type=click.IntRange(min=1), metavar="W", help="Only if wave W is the current one.")
@click.option("--until", type=click.Choice(["plan"]), help="Stop before any worker executes its plan.")
@shared_options
def command(
    auto: bool,
    dry_run: bool,
    jobs: int | None,
    wave: int | None,
    until: str | None,
    number: int | None,
    as_json: bool,
) -> int:
    session = open_here(number)
    outcome = next_wave(session, auto=auto, dry_run=dry_run, jobs=jobs, wave=wave, until=until)
    return print_outcome(outcome, as_json=as_json)
