"""The table of commands, and a command line carried out by click.

Owns the order and the one-line help of every command. Must not import anything but click: `orch --help` is answered
from this file alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from orchestrator.cli.lazy_group import LazyGroup

# Name and help line, in the order of `orch --help`. The module is orchestrator.cli.commands.<name, - as _>.
COMMANDS: Mapping[str, str] = {
    "demo": "Run a whole orchestration in a throw-away repository.",
    "init": "Make planning/ and ORCH.md from what the repository has.",
    "new": "Make the next planning set.",
    "check": "Show every problem in the files, with place and hint.",
    "next-wave": "Advance the current wave as far as it goes.",
    "gate": "Show the plans and changes that wait for a judgement.",
    "approve": "Approve micro-plans, so that their workers may go on.",
    "revise": "Send a micro-plan back to its worker with a reason.",
    "answer": "Answer questions of the queue, each by its id.",
    "ask": "Put a question about a task into the queue.",
    "takeover": "Write a task's micro-plan in its worker's place.",
    "retry": "Give a blocked task or a red wave one more try.",
    "rescope": "Add files to a task's scope, and ask for a new micro-plan.",
    "skip": "Leave a task out.",
    "block": "Stop a task, and hold what depends on it.",
    "prompt": "Print the text of a task's last turn for its worker.",
    "report": "Hand in the final message of a worker of your own.",
    "verify": "Verify one task's finished work.",
    "land": "Land one verified task as one commit.",
    "clean": "Clear away what is landed.",
    "wait": "Wait until something needs attention.",
    "status": "Show the board and what each task waits for.",
    "show": "Show one task: spec, micro-plan, report, log.",
    "log": "Show what a task's worker printed in its last turn.",
    "resume": "Show what a fresh session needs, and nothing else.",
    "selftest": "Kill orchestrations at many steps: they must end the same.",
    "doctor": "Show what this machine can do, and how to get what is missing.",
}

_HELP = """Run a large plan as waves of small coding agents.

Every bit of state is Markdown in your repository's planning/ folder."""

_EPILOG = """\b
Exit: 0 done, 1 something to fix, 2 wrong command line, 3 waiting for you,
4 failed or red, 5 paused, 6 nothing left, 70 a fault in orch, 75 locked.

\b
Example:
  orch demo"""


def _show_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    # Here and not above: importing it costs as much as click does.
    from importlib.metadata import version

    click.echo(f"orch {version('orch')}")
    context.exit()


group = LazyGroup(
    COMMANDS,
    name="orch",
    help=_HELP,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        )
    ],
)


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line and return its exit code; never raises but for SystemExit."""
    try:
        for number, word in enumerate(arguments, 1):
            if any("\ud800" <= letter <= "\udfff" for letter in word):
                raise click.UsageError(f"argument {number} isn't UTF-8, and nothing else can be kept")
        # Not group.main(): it would turn an interrupt into its own message and exit code.
        with group.make_context("orch", list(arguments) or ["--help"]) as context:
            code = group.invoke(context)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except SystemExit:
        raise
    except BaseException as error:
        # Here and not above: a help text needs none of it.
        from orchestrator.cli.failures import answer

        return answer(error, arguments)
