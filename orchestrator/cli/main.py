"""The way in and out of the program: the single place where the process exits.

Sessions and hooks ask where things stand again and again, so the command lines by which they do are answered without
click, whose loading takes longer than all that they do. Every other one, wrong ones too, is click's.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

OFTEN = (("status",), ("resume",), ("next-wave", "--dry-run"))
"""The command lines that are answered without click, each with or without the options `-n N` and `--json` behind."""


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line and return its exit code; never raises but for SystemExit."""
    arguments = _command_first(arguments)
    often = _often(arguments)
    if often is not None:
        command, number, as_json = often
        return _answer_often(arguments, command, number, as_json=as_json)
    # Here and below, not above: each way loads only what it needs itself.
    from orchestrator.cli.group import run as run_by_click

    return run_by_click(arguments)


def _command_first(arguments: Sequence[str]) -> Sequence[str]:
    """The command line with `-n N` and `--json` behind the command where they stand before it."""
    at = 0
    while at < len(arguments) and (arguments[at] == "--json" or arguments[at].startswith("-n")):
        at += 2 if arguments[at] == "-n" else 1
    if not at or at >= len(arguments) or arguments[at].startswith("-"):
        return arguments
    return [arguments[at], *arguments[:at], *arguments[at + 1 :]]


def _often(arguments: Sequence[str]) -> tuple[str, int | None, bool] | None:
    """Command, number and whether it is to be JSON, for a command line of OFTEN; None for any other."""
    for words in OFTEN:
        if tuple(arguments[: len(words)]) == words:
            break
    else:
        return None
    number, as_json = None, False
    rest = list(arguments[len(words) :])
    while rest:
        word = rest.pop(0)
        if word == "--json":
            as_json = True
        elif word == "-n" and rest and rest[0].isascii() and rest[0].isdigit() and 0 < int(rest[0][:10]) < 10**9:
            number = int(rest.pop(0))
        else:
            return None
    return words[0], number, as_json


def _answer_often(arguments: Sequence[str], command: str, number: int | None, *, as_json: bool) -> int:
    """What the command of this name does when called without any other option."""
    try:
        from orchestrator.cli.opening import open_here
        from orchestrator.cli.output import print_outcome

        session = open_here(number)
        if command == "next-wave":
            from orchestrator.engine.next_wave import next_wave

            outcome = next_wave(session, dry_run=True)
        else:
            from orchestrator.engine.status import resume, status

            outcome = resume(session) if command == "resume" else status(session)
        return print_outcome(outcome, as_json=as_json)
    except SystemExit:
        raise
    except BaseException as error:
        from orchestrator.cli.failures import answer

        return answer(error, arguments)


def _fill_closed_streams() -> None:
    """Where the caller has closed a standard stream, put nothing in its place.

    A file of ours opened next would get its number, and a child process would write its messages there.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _speak_utf_8() -> None:
    """Begin anew in Python's UTF-8 mode where the locale has another encoding: names of files and arguments are bytes
    of UTF-8 whatever the terminal shows, and Python would refuse or misread them."""
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def main() -> NoReturn:
    """The `orch` command."""
    _fill_closed_streams()
    _speak_utf_8()
    for stream in (sys.stdout, sys.stderr):
        # None where the caller has closed it. A character that the terminal can't show must not end a run.
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    arguments = _command_first(sys.argv[1:])
    # A command lives for a moment and makes few cycles: looking for them all the time costs a tenth of it.
    if _often(arguments) is not None:
        gc.disable()
    else:
        gc.set_threshold(50_000, 20, 20)
    _leave(run(arguments))


def _leave(code: int) -> NoReturn:
    """End the process. What Python would take apart object by object goes with the process, 15 ms sooner."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            # Nobody reads it any more. Python would try again at its end, fail and change the exit code.
            os._exit(code)
    if "threading" in sys.modules and sys.modules["threading"].active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    os._exit(code)
