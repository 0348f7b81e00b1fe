"""`orch answer`."""

from __future__ import annotations

import click

from orchestrator.cli.opening import open_here
from orchestrator.cli.options import example, said, shared_options
from orchestrator.cli.output import print_outcome
from orchestrator.engine.answering import answer, withdraw

HELP = """Answer questions of the queue, each by its id.

Only records the answers; `orch next-wave` goes on with the tasks. A question for a person is answered in a terminal, or
with --person."""


@click.command(
    help=HELP,
    epilog=example('orch answer Q1 "drop it" Q2 "in UTC"', 'orch answer Q3 --withdraw "no longer needed"'),
)
@click.argument("words", nargs=-1, required=True, metavar="Q TEXT [Q TEXT]...")
@click.option("--withdraw", "reason", metavar="TEXT", help="End the questions without an answer; the reason.")
@click.option("--person", is_flag=True, help="The words are a person's, though a session types them.")
@click.option("--other", is_flag=True, help="An answer that is none of the options is meant so.")
@shared_options
def command(
    words: tuple[str, ...], reason: str | None, person: bool, other: bool, number: int | None, as_json: bool
) -> int:
    if reason is None and len(words) % 2:
        message = "a question and its answer go together: orch answer Q1 TEXT Q2 TEXT; quote an answer of several words"
        raise click.UsageError(message, click.get_current_context())
    session = open_here(number)
    by = "person" if person else session.by
    if reason is not None:
        return print_outcome(withdraw(session, words, said(reason, "withdraw"), by=by), as_json=as_json)
    pairs = list(zip(words[::2], words[1::2], strict=True))
    return print_outcome(answer(session, pairs, other=other, by=by), as_json=as_json)
