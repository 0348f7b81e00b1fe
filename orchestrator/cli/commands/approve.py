"""`orch approve`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.approve import approve
from orchestrator.whole_numbers import whole_number

HELP = """Approve micro-plans, so that their workers may go on.

Only records the approval; `orch next-wave` starts the work. A plan with an open question needs its answer, a plan
with an error needs --force with a reason, which is recorded. With review_diff in planning/ORCH.md it also lets a
verified change land."""


def _read_answers(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[int, str]:
    answers: dict[int, str] = {}
    for value in values:
        word, _, text = value.partition("=")
        number = whole_number(word.strip())
        if number is None or not text.strip():
            raise click.BadParameter(f'"{value}" isn\'t of the form 1=text', context, parameter)
        if number in answers:
            raise click.BadParameter(f"question {number} is answered twice", context, parameter)
        answers[number] = text.strip()
    return answers


@click.command(
    help=HELP,
    epilog=example("orch approve 5.1.1 5.1.3", 'orch approve 5.1.2 --answer 1="drop the legacy column"'),
)
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="N=TEXT",
    callback=_read_answers,
    help="The answer to question N of the micro-plan; may be given several times.",
)
@click.option("--force", is_flag=True, help="Approve in spite of errors; needs --why.")
@click.option("--why", default="", metavar="TEXT", help="Why the errors don't matter.")
@shared_options
def command(
    tasks: tuple[str, ...], answers: dict[int, str], force: bool, why: str, number: int | None, as_json: bool
) -> int:
    context = click.get_current_context()
    if answers and len(tasks) > 1:
        raise click.UsageError("--answer goes with one task at a time: its numbers are those of one plan", context)
    if force != bool(why.strip()):
        raise click.UsageError("--force and --why go together: an approval by force needs its reason", context)
    session = open_here(number)
    outcome = approve(session, tasks, answers=answers, force=force, why=why.strip(), by=session.by)
    return print_outcome(outcome, as_json=as_json)
