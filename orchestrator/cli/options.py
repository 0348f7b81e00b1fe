"""The options that every command has, and the shape of a command's help."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from orchestrator.disk_faults import refusal
from orchestrator.errors import Location, UserError

F = TypeVar("F", bound=Callable[..., object])

LARGEST = 16 << 20
"""Bytes of a text that is handed in: far more than a worker says, far less than memory holds."""


def shared_options(function: F) -> F:
    """Add `-n N` (as `number`) and `--json` (as `as_json`)."""
    return _options(function, takes_number=True)


def options_without_number(function: F) -> F:
    """The same for a command to which `-n` means nothing: not in its help, and to be refused with the reason."""
    return _options(function, takes_number=False)


def _options(function: F, *, takes_number: bool) -> F:
    number = click.option(
        "-n",
        "number",
        type=click.IntRange(min=1),
        metavar="N",
        hidden=not takes_number,
        help="Orchestration N instead of the newest.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
    return number(as_json(function))


def text_file(help_text: str) -> Callable[[F], F]:
    """The option `--file FILE` (as `path`), which may be `-`; read it with read_text."""
    kind = click.Path(exists=True, dir_okay=False, allow_dash=True)
    return click.option("--file", "path", required=True, metavar="FILE", type=kind, help=help_text)


def read_text(path: str) -> str:
    """The text of a file, of standard input for `-`; a pipe is read to its end, however long its writer takes.

    Raises click.UsageError where it isn't UTF-8, UserError where it is longer than any worker's message (so that an
    endless or sparse file isn't read whole), OrchError where it can't be read.
    """
    shown = "standard input" if path == "-" else path
    try:
        data = _begin(path)
    except OSError as error:
        raise refusal(error, shown, doing="read") from error
    if len(data) > LARGEST:
        raise UserError(
            f"{shown} is longer than {LARGEST >> 20} MiB: that is no message or plan of a worker",
            at=Location(shown),
            hint="hand in the text alone, without what programs printed",
            code="too-large",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} isn't UTF-8: {error.reason}", click.get_current_context()) from error


def _begin(path: str) -> bytes:
    """What is in the file, but no more than it takes to see that it is too large."""
    if path != "-":
        with Path(path).open("rb") as file:
            return file.read(LARGEST + 1)
    return b"" if sys.stdin is None else sys.stdin.buffer.read(LARGEST + 1)


def example(*lines: str) -> str:
    """The end of a command's help: command lines that can be pasted."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def refuse_number(number: int | None, why: str) -> None:
    """End with a usage error where `-n` can mean nothing. Raises click.UsageError."""
    if number is not None:
        raise click.UsageError(f"-n doesn't go with this command: {why}", click.get_current_context())


def said(text: str, option: str) -> str:
    """The text of an option that has to say something. Raises click.UsageError for a blank one."""
    if not text.strip():
        raise click.UsageError(f"--{option} is empty: it is what others will read", click.get_current_context())
    return text.strip()
